// SPDX-License-Identifier: Apache-2.0
// Drives `dalembert lsp` by the client that npm's vscode-languageserver-protocol is, and tokenizes by the grammar of editors/vscode.
// Arguments: the command, the folder of models, the folder of the grammars. Exit status: 0 all is well, 1 something is not.
import {spawn} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';

const require = createRequire(join(process.cwd(), 'package.json'));
const lsp = require('vscode-languageserver-protocol/node');
const types = require('vscode-languageserver-types');
const textmate = require('vscode-textmate'), oniguruma = require('vscode-oniguruma');

const [command, models, grammars] = process.argv.slice(2);
const wrong = [];
const expect = (good, what) => good || wrong.push(what);
let renamed = 0, hovered = 0, doing = 'nothing yet';
const give_up = setTimeout(() => {
  console.log(`no answer: ${doing}`);
  process.exit(1);
}, 540_000);

const server = spawn(command, ['lsp'], {stdio: ['pipe', 'pipe', 'inherit']});
const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
const published = new Map(), waiting = new Map();
connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({uri, version, diagnostics}) => {
  diagnostics.forEach((one) => expect(types.Diagnostic.is(one), `no Diagnostic: ${JSON.stringify(one)}`));
  published.set(uri, diagnostics);
  waiting.get(uri)?.(version);
});
connection.onRequest(lsp.InlayHintRefreshRequest.type, () => null);
connection.listen();

// The diagnostics of a version, once the check has told the freedoms or said why not: the first list that comes is of the text alone.
function checked(uri, version) {
  return new Promise((done) => waiting.set(uri, (told) => told === version && setTimeout(() => done(published.get(uri)), 0)));
}

const errors = (diagnostics) => diagnostics.filter((one) => one.severity === types.DiagnosticSeverity.Error);

// The text with edits that do not overlap.
function edited(text, edits) {
  const lines = text.split('\n'), starts = [0];
  for (const line of lines) starts.push(starts.at(-1) + line.length + 1);
  const offset = ({line, character}) => starts[line] + character;
  const ordered = [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start));
  for (const {range, newText} of ordered) text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
  return text;
}

async function try_model(name, text) {
  doing = name;
  const uri = `file://${join(resolve(models), name)}`;
  const textDocument = {uri};
  const good = checked(uri, 1);
  connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {textDocument: {uri, languageId: 'toml', version: 1, text}});
  expect(errors(await good).length === 0, `${name}: errors in a shipped model`);
  const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, {textDocument});
  expect(symbols.length > 2 && symbols.every(types.DocumentSymbol.is), `${name}: symbols`);
  let version = 1;
  for (const symbol of symbols) {
    const at = {textDocument, position: symbol.selectionRange.start};
    const hover = await connection.sendRequest(lsp.HoverRequest.type, at);
    expect(types.Hover.is(hover), `${name}: hover of ${symbol.name}`);
    ++hovered;
    const places = await connection.sendRequest(lsp.ReferencesRequest.type, {...at, context: {includeDeclaration: true}});
    expect(places.length > 0 && places.every(types.Location.is), `${name}: references of ${symbol.name}`);
    const definition = await connection.sendRequest(lsp.DefinitionRequest.type, {textDocument, position: places.at(-1).range.start});
    expect(types.Location.is(definition), `${name}: definition of ${symbol.name}`);
    // A name that is renamed everywhere leaves a model without errors.
    let change;
    try {
      change = await connection.sendRequest(lsp.RenameRequest.type, {...at, newName: 'fresh_name'});
    } catch (problem) {
      const by_hand = /by hand/.test(problem.message);
      expect(by_hand, `${name}: ${symbol.name} cannot be renamed: ${problem.message}`);
      continue;
    }
    const other = edited(text, change.changes[uri]);
    expect(other !== text, `${name}: nothing is renamed`);
    const twin = `${uri}.${++version}.toml`;
    const said = checked(twin, 1);
    connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {textDocument: {uri: twin, languageId: 'toml', version: 1, text: other}});
    const found = errors(await said);
    expect(found.length === 0, `${name}: ${symbol.name} renamed: ${found.map((one) => one.message)}`);
    connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, {textDocument: {uri: twin}});
    ++renamed;
  }
  // Something is proposed at the beginning of each line that is blank, and nothing is wrong with any proposal.
  const lines = text.split('\n');
  for (let line = 0; line < lines.length; line += 5) {
    const position = {line, character: Math.min(12, lines[line].length)};
    const list = await connection.sendRequest(lsp.CompletionRequest.type, {textDocument, position});
    expect(list.items.every((one) => typeof one.label === 'string' && types.TextEdit.is(one.textEdit)), `${name}: completion in line ${line + 1}`);
  }
  connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, {textDocument});
}

async function try_grammar(texts) {
  const wasm = readFileSync(join(process.cwd(), 'node_modules/vscode-oniguruma/release/onig.wasm')).buffer;
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(readFileSync(join(grammars, 'dalembert.tmLanguage.json'), 'utf-8'), 'x.json'),
  });
  const grammar = await registry.loadGrammar('source.dalembert');
  const scopes = (text, word) => {
    let stack = textmate.INITIAL;
    for (const line of text.split('\n')) {
      const read = grammar.tokenizeLine(line, stack);
      stack = read.ruleStack;
      const token = read.tokens.find((one) => line.slice(one.startIndex, one.endIndex) === word);
      if (token) return token.scopes.join(' ');
    }
    return '';
  };
  const crank = texts.get('slider-crank.toml');
  for (const [word, scope] of [['cos', 'support.function'], ['parameters', 'entity.name.section'], ['mass', 'variable.other.key'],
                               ['# half lengths', 'comment']])
    expect(scopes(crank, word).includes(scope), `grammar: ${word} is ${scopes(crank, word)}`);
  for (const [name, text] of texts) expect(scopes(`${text}\n[last]\n`, 'last').includes('entity.name.section'), `grammar: ${name} ends within something`);
}

const made = await connection.sendRequest(lsp.InitializeRequest.type, {processId: process.pid, rootUri: null, capabilities: {}});
expect(made.capabilities.positionEncoding === 'utf-16', 'positions');
connection.sendNotification(lsp.InitializedNotification.type, {});
const texts = new Map(readdirSync(models).filter((name) => name.endsWith('.toml')).map((name) => [name, readFileSync(join(models, name), 'utf-8')]));
for (const [name, text] of texts) await try_model(name, text);
await try_grammar(texts);
await connection.sendRequest(lsp.ShutdownRequest.type);
const ended = new Promise((done) => server.on('exit', done));
connection.sendNotification(lsp.ExitNotification.type);
expect((await ended) === 0, 'exit status');
clearTimeout(give_up);
console.log(`${texts.size} models, ${hovered} names, ${renamed} renamed, ${wrong.length} wrong`);
wrong.forEach((one) => console.log(one));
process.exit(wrong.length > 0 ? 1 : 0);
