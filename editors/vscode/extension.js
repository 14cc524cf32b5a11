"use strict";
// Starts `fencewright lsp` and lets the editor speak with it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration("fencewright");
  const server = { command: settings.get("path"), args: ["lsp"] };
  const options = {
    documentSelector: settings.get("languages").map((language) => ({ scheme: "file", language })),
    initializationOptions: {
      timeoutSeconds: settings.get("timeoutSeconds"),
      maxMemoryMiB: settings.get("maxMemoryMiB"),
    },
  };
  client = new LanguageClient("fencewright", "Fencewright", server, options);
  await client.start();
};

exports.deactivate = () => client?.stop();
