"use strict";
// Answers one question and is ended. What a panic says comes by a call of its own, before the trap.
let failure = "";
self.fencewrightFailed = (message) => { failure = message; };
self.onmessage = ({ data }) => {
  const { module, name, text, command, choice, more, seconds } = data;
  try {
    wasm_bindgen.initSync({ module });
    const told = wasm_bindgen.ask(name, text, command, choice, more, seconds);
    const { word, text: words, json, page, repaired } = told;
    self.postMessage({ word, text: words, json, page, repaired });
  } catch (error) {
    // A question that is none comes as a string; anything else is a fault of the engine.
    if (typeof error === "string") self.postMessage({ word: "refused", text: error, json: "" });
    else self.postMessage({ word: "failed", text: failure || String(error), json: "" });
  }
};
