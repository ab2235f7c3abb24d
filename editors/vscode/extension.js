// SPDX-License-Identifier: Apache-2.0
// Starts `dalembert lsp` with the first TOML file. It is handed all of them, and leaves alone those that are no models.
'use strict';
const vscode = require('vscode');
const {DocumentSymbolRequest, LanguageClient, RevealOutputChannelOn} = require('vscode-languageclient/node');

// VS Code itself knows no TOML: without another extension that does, a model file is plain text at first.
const TOML = [{language: 'toml'}, {language: 'dalembert'}, {language: 'plaintext', pattern: '**/*.toml'}];

// Before it has started, `report` tells why it does not: the words of the library name no cause, and go to the output.
class Client extends LanguageClient {
  started = false;
  error(message, data, show) { super.error(message, data, this.started ? show : false); }
}

let client, starting;

const command = () => vscode.workspace.getConfiguration('dalembert').get('command');

async function report(problem) {
  const open = 'Open the setting';
  const chosen = await vscode.window.showErrorMessage(
      `\`${command()} lsp\` could not be started (${problem?.message ?? problem}). Install dalembert, or let the setting dalembert.command say where the command is.`, open);
  // Over SSH, in WSL or in a container the command is on that side, and so is its setting.
  const settings = vscode.env.remoteName ? 'openRemoteSettings' : 'openSettings';
  if (chosen === open) await vscode.commands.executeCommand(`workbench.action.${settings}`, {query: 'dalembert.command'});
}

const named = new Set();

// The language of a model, as the server says by having symbols of it, is ours; once, so that who chooses another one keeps it.
async function name_language(document) {
  const uri = document.uri.toString();
  if (document.languageId === 'dalembert' || named.has(uri) || client === undefined) return;
  const textDocument = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
  if (!await client.sendRequest(DocumentSymbolRequest.type, {textDocument})) return;
  named.add(uri);
  await vscode.languages.setTextDocumentLanguage(document, 'dalembert');
}

async function handed_over(document, hand_over) {
  await hand_over(document);
  await name_language(document);
}

async function start() {
  client = new Client('dalembert', 'dalembert', {command: command(), args: ['lsp']},
                      {documentSelector: TOML, revealOutputChannelOn: RevealOutputChannelOn.Never, middleware: {didOpen: handed_over}});
  try {
    starting = client.start();
    await starting;
    client.started = true;
  } catch (problem) {
    report(problem);
  }
}

async function stop() {
  await starting?.catch(() => {});  // it cannot be stopped in between
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

async function restart() {
  await stop();
  await start();
}

const start_for = (document) => client === undefined && vscode.languages.match(TOML, document) > 0 && start();

async function activate(context) {
  context.subscriptions.push(
      vscode.commands.registerCommand('dalembert.restart', restart), vscode.workspace.onDidOpenTextDocument(start_for),
      vscode.workspace.onDidChangeConfiguration((change) => client && change.affectsConfiguration('dalembert.command') && restart()));
  vscode.workspace.textDocuments.forEach(start_for);
}

module.exports = {activate, deactivate: stop};
