// SPDX-License-Identifier: Apache-2.0
// Asks VS Code what it shows of the model `fault.toml`, as its own keys and menus do, and writes the answers to `seen.json`, both in the folder
// that is open. `driver.json` there says where the command is.
'use strict';
const vscode = require('vscode');
const {readFileSync, renameSync, writeFileSync} = require('fs');
const {join} = require('path');

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, ready) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(100)) {
    const found = await ready();
    if (found) return found;
  }
  throw new Error(`not within 30 s: ${what}`);
}

const text_of = (contents) => contents.map((one) => one.value ?? one).join('\n');

async function look(folder, seen) {
  const open = async (name) => {
    const document = await vscode.workspace.openTextDocument(join(folder, name));
    await vscode.window.showTextDocument(document);
    return document;
  };
  const {command} = JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf-8'));
  let model = await open('fault.toml');
  const uri = model.uri, ask = (what, ...more) => vscode.commands.executeCommand(`vscode.execute${what}`, uri, ...more);
  const errors = () => vscode.languages.getDiagnostics(uri).filter((one) => one.severity === vscode.DiagnosticSeverity.Error);
  const place_of = (word, nth = 0) => {
    const lines = model.getText().split('\n');
    const line = lines.flatMap((one, number) => new RegExp(`\\b${word}\\b`).test(one) ? [number] : [])[nth];
    return new vscode.Position(line, lines[line].search(new RegExp(`\\b${word}\\b`)));
  };

  // The command is not there, and then it is.
  await until('the extension is active', () => vscode.extensions.getExtension('dalembert.dalembert')?.isActive);
  await sleep(1000);
  seen.without_command = errors().length;
  await vscode.workspace.getConfiguration('dalembert').update('command', command, vscode.ConfigurationTarget.Global);
  const [error] = await until('an error', () => errors().length > 0 && errors());
  seen.error = {message: error.message, line: error.range.start.line, code: error.code?.value ?? error.code};
  const named = (it) => until('the language', () => vscode.workspace.textDocuments.find((one) => one.uri.path === it.path && one.languageId === 'dalembert'));
  model = await named(uri);

  seen.hover = (await ask('HoverProvider', place_of('m1'))).map((one) => text_of(one.contents));
  seen.proposed = (await ask('CompletionItemProvider', place_of('kk').translate(0, 1))).items.map((one) => one.label.label ?? one.label);
  seen.symbols = (await ask('DocumentSymbolProvider')).map((one) => one.name);
  seen.definition = (await ask('DefinitionProvider', place_of('m1', 1))).map((one) => (one.range ?? one.targetRange).start.line);

  // Of all actions, ours; other extensions that come with VS Code have some too.
  const actions = await until('a quick fix', async () => {
    const all = await ask('CodeActionProvider', error.range);
    return all.length > 0 && all;
  });
  seen.fixes = actions.map((one) => one.title);
  await vscode.workspace.applyEdit(actions[0].edit);
  await until('no error', () => errors().length === 0);
  await vscode.workspace.applyEdit(await ask('DocumentRenameProvider', place_of('m1'), 'mass'));
  seen.text = model.getText();
  const everything = new vscode.Range(0, 0, model.lineCount, 0);
  seen.hints = await until('hints', async () => {
    const hints = await ask('InlayHintProvider', everything);
    return hints.length > 0 && hints.map((one) => one.label.map ? one.label.map((part) => part.value).join('') : one.label);
  });

  const twin = await named((await open('twin.as-toml')).uri);
  await vscode.languages.setTextDocumentLanguage(twin, 'toml');
  const other = await open('Cargo.toml');
  await sleep(1000);
  seen.chosen = vscode.workspace.textDocuments.find((one) => one.uri.path === twin.uri.path)?.languageId;
  seen.other = {language: other.languageId, diagnostics: vscode.languages.getDiagnostics(other.uri).length};
}

exports.activate = async () => {
  const folder = vscode.workspace.workspaceFolders[0].uri.fsPath, seen = {};
  try {
    await look(folder, seen);
  } catch (problem) {
    seen.problem = String(problem.stack ?? problem);
  }
  writeFileSync(join(folder, 'seen.part'), JSON.stringify(seen));
  renameSync(join(folder, 'seen.part'), join(folder, 'seen.json'));
};
