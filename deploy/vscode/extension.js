// Starts `harrier lsp` and connects it with the editor.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

/** Creates a client with the settings of the workspace. */
function create() {
  const settings = vscode.workspace.getConfiguration("harrier");
  const server = { command: settings.get("path"), args: ["lsp"], transport: TransportKind.stdio };
  const documentSelector = settings.get("files").map((pattern) => ({ scheme: "file", pattern }));
  return new LanguageClient("harrier", "Harrier", server, { documentSelector });
}

async function start() {
  client = create();
  try {
    await client.start();
  } catch (error) {
    const command = vscode.workspace.getConfiguration("harrier").get("path");
    vscode.window.showErrorMessage(`Harrier: cannot start \`${command} lsp\`: ${error.message}. Set harrier.path.`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop().catch(() => undefined);
  }
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("harrier.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("harrier") && restart()),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
