// SPDX-License-Identifier: Apache-2.0
// Starts `dalembert lsp` for model files. Other TOML files are handed over too, and the server leaves them alone.
'use strict';
const vscode = require('vscode');
const {LanguageClient} = require('vscode-languageclient/node');

let client;

async function start() {
  const command = vscode.workspace.getConfiguration('dalembert').get('command');
  client = new LanguageClient('dalembert', 'dalembert', {command, args: ['lsp']},
                              {documentSelector: [{language: 'toml'}, {language: 'dalembert'}]});
  try {
    await client.start();
  } catch (problem) {
    client = undefined;
    vscode.window.showErrorMessage(`\`${command} lsp\` could not be started (${problem.message}). ` +
                                   'The setting dalembert.command says where the command is.');
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

async function activate(context) {
  context.subscriptions.push(vscode.commands.registerCommand('dalembert.restart', async () => {
    await stop();
    await start();
  }));
  await start();
}

module.exports = {activate, deactivate: stop};
