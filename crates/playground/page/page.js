"use strict";
const element = (id) => document.getElementById(id);
const data = (id) => JSON.parse(element(id).textContent);

const MODELS = ["sc", "tso", "pso", "rmo", "power", "armv7", "aarch64", "aarch64-lse", "riscv", "rc11", "imm"];
const COMMANDS = {
  check: {
    label: "Check", hint: "Can the program observe that stores are delayed (TSO, x86)?",
    choice: ["Criterion", [["", "robustness"], ["persistence", "persistence"], ["drf", "data races"], ["trf", "triangular races"],
      ["states", "reachable states"], ["all", "all of them"]]],
  },
  fence: {
    label: "Fences", hint: "Find the cheapest fences after which the property holds, with a proof.",
    choice: ["Property", [["", "robustness"], ["persistence", "persistence"], ["trf", "no triangular races"], ["states", "reachable states"],
      ["safety", "no new errors"]]],
  },
  reach: {
    label: "Reach", hint: "Search all schedules for failed assertions, deadlocks and forbidden final states, or for a goal.",
    choice: ["Model", [["", "SC"], ["tso", "TSO (x86)"]]],
    more: ["Goal", "p[0]@critical && p[1]@critical"],
  },
  outcomes: {
    label: "Outcomes", hint: "List all final states that a memory model allows; show one, or why it is forbidden.",
    choice: ["Model", [["", "the test's own"], ...MODELS.map((name) => [name, name])]],
    more: ["Show", "0:EAX=0 /\\ 1:EAX=0"],
  },
  simulate: {
    label: "Simulate", hint: "Run the program once under a random schedule.",
    choice: ["Model", [["", "TSO (x86)"], ["sc", "SC"]]],
    more: ["Seed", "1"],
  },
};
const WORDS = { fine: "✓", violated: "✗ violated", undecided: "? undecided", refused: "✗ error", failed: "✗ fault" };

// The program as it is painted behind the transparent text field: the words of the grammar that editors use.
const grammar = data("grammar").map(({ name, match }) => [name.split(".")[0], match]);
const painter = new RegExp(grammar.map(([, match]) => "(" + match.replace(/\((?!\?)/g, "(?:") + ")").join("|"), "gm");
const paint = (text) => {
  const painted = document.createDocumentFragment();
  let at = 0;
  for (const found of text.matchAll(painter)) {
    if (found[0] === "") continue;
    const kind = found.slice(1).findIndex((group) => group !== undefined);
    const span = document.createElement("span");
    span.className = grammar[kind][0];
    span.textContent = found[0];
    painted.append(text.slice(at, found.index), span);
    at = found.index + found[0].length;
  }
  painted.append(text.slice(at) + "\n");
  return painted;
};

let wrong = new Set();
const show = () => {
  const text = element("text").value;
  const count = text.split("\n").length;
  const lines = document.createDocumentFragment();
  for (let line = 1; line <= count; line += 1) {
    const number = document.createElement("span");
    number.textContent = line;
    if (wrong.has(line)) number.className = "wrong";
    lines.append(number, "\n");
  }
  element("lines").replaceChildren(lines);
  element("painted").replaceChildren(language() === "litmus" ? text + "\n" : paint(text));
  scroll();
};
const scroll = () => {
  const { scrollTop, scrollLeft } = element("text");
  element("lines").scrollTop = element("painted").scrollTop = scrollTop;
  element("painted").scrollLeft = scrollLeft;
};

const examples = data("examples");
const language = () => element("language").value || (/^\s*(shared|thread|program|const|memory|\/\/|\/\*)/.test(element("text").value) ? "fw" : "litmus");
// An example keeps its name as long as it is as it was.
const fileName = () => {
  const same = examples.flatMap(({ examples }) => examples).find(({ text }) => text === element("text").value);
  const chosen = element("language").value;
  if (same && !chosen) return same.name;
  return chosen ? "program." + chosen : "program";
};

let command = "check";
const choose = (name, choice = "", more = "") => {
  command = name;
  const { hint, choice: [label, options], more: further } = COMMANDS[name];
  for (const button of element("commands").children) {
    const isChosen = button.dataset.command === name;
    button.setAttribute("aria-checked", isChosen);
    button.tabIndex = isChosen ? 0 : -1;
  }
  element("hint").textContent = hint;
  element("choice-label").firstElementChild.textContent = label;
  element("choice").replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  element("choice").value = choice;
  element("more-label").hidden = !further;
  element("more").value = more;
  if (further) {
    element("more-label").firstElementChild.textContent = further[0];
    element("more").placeholder = further[1];
  }
};

// A link holds the program and the question: JSON, deflated, in base 64 for addresses.
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const toBase64 = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};
const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const link = async () => {
  const { value: text } = element("text");
  const asked = { text, language: element("language").value, command, choice: element("choice").value, more: element("more").value };
  const packed = await through(new TextEncoder().encode(JSON.stringify(asked)), new CompressionStream("deflate-raw"));
  return "#" + toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const remember = async () => {
  const fragment = await link();
  history.replaceState(null, "", fragment);
  return location.href;
};
const restore = async () => {
  if (location.hash.length < 2) return false;
  try {
    const packed = fromBase64(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const asked = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
    if (typeof asked.text !== "string" || !(asked.command in COMMANDS)) throw new Error("not a question");
    element("text").value = asked.text;
    element("language").value = asked.language || "";
    element("example").value = "";
    choose(asked.command, String(asked.choice || ""), String(asked.more || ""));
  } catch {
    banner("refused", "This link does not hold a program; it may have been cut off.");
    return false;
  }
  wrong = new Set();
  show();
  return true;
};

const banner = (kind, text) => {
  const said = document.createElement("b");
  said.textContent = WORDS[kind] || "";
  element("banner").className = "banner " + kind;
  element("banner").replaceChildren(...(WORDS[kind] ? [said] : []), text);
};
const view = (name) => {
  for (const button of element("views").querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", button.dataset.view === name);
  for (const other of ["page", "words", "json"]) element(other).hidden = other !== name;
};

// The engine: compiled once, and run in a worker per question, which can be ended at any moment.
const engine = through(fromBase64(element("engine").textContent.trim()), new DecompressionStream("gzip")).then((bytes) => WebAssembly.compile(bytes));
const workerAddress = URL.createObjectURL(new Blob([element("worker").textContent], { type: "text/javascript" }));
let running = null;
let repaired = null;

const end = () => {
  if (!running) return;
  running.worker?.terminate();
  clearInterval(running.clock);
  running = null;
  element("run").disabled = false;
  element("stop").disabled = true;
};
const firstLine = (text) => text.split("\n").find((line) => line.trim() !== "") || "";

const tell = (told, elapsed) => {
  repaired = told.repaired ?? null;
  wrong = new Set();
  if (told.word === "refused" && told.json) {
    for (const { line } of JSON.parse(told.json).errors) if (line) wrong.add(line);
  }
  show();
  const summary = told.word === "failed"
    ? "This is a bug in Fencewright; please report it with the program. " + firstLine(told.text)
    : firstLine(told.text);
  banner(told.word, summary);
  element("said").textContent = elapsed.toFixed(elapsed < 1 ? 2 : 1) + " s";
  element("words").textContent = told.text;
  element("json").textContent = told.json ? JSON.stringify(JSON.parse(told.json), null, 2) : "";
  element("page").srcdoc = told.page || "";
  element("views").hidden = false;
  element("take").hidden = repaired === null || repaired === element("text").value;
  element("views").querySelector("[data-view=page]").hidden = !told.page;
  element("views").querySelector("[data-view=json]").hidden = !told.json;
  view(told.page ? "page" : "words");
};

const run = async () => {
  end();
  const seconds = Math.min(600, Math.max(1, Number(element("seconds").value) || 20));
  const asked = { name: fileName(), text: element("text").value, command, choice: element("choice").value, more: element("more").value, seconds };
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  const own = running = { worker: null, clock: setInterval(() => {
    element("said").textContent = Math.floor(elapsed()) + " s";
    // The engine looks at its limit itself; whatever does not is ended.
    if (elapsed() > seconds + 10) { end(); banner("undecided", "The time limit was reached."); }
  }, 1000) };
  element("run").disabled = true;
  element("stop").disabled = false;
  banner("busy", "Searching …");
  element("said").textContent = "";
  let module;
  try {
    [module] = await Promise.all([engine, remember()]);
  } catch (error) {
    end();
    banner("failed", "This browser cannot run the engine: " + error);
    return;
  }
  if (running !== own) return;
  own.worker = new Worker(workerAddress);
  own.worker.onmessage = ({ data: told }) => { end(); tell(told, elapsed()); };
  own.worker.onerror = (event) => { end(); banner("failed", event.message || "the worker ended"); };
  own.worker.postMessage({ module, ...asked });
};

element("commands").append(...Object.entries(COMMANDS).map(([name, { label }]) => {
  const button = document.createElement("button");
  button.textContent = label;
  button.dataset.command = name;
  button.setAttribute("role", "radio");
  button.addEventListener("click", () => choose(name));
  return button;
}));
element("commands").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const names = Object.keys(COMMANDS);
  const next = (names.indexOf(command) + step + names.length) % names.length;
  choose(names[next]);
  element("commands").children[next].focus();
});
element("example").append(new Option("(your own)", ""), ...examples.map(({ group, examples }, number) => {
  const made = document.createElement("optgroup");
  made.label = group;
  made.append(...examples.map(({ title }, place) => new Option(title, number + "." + place)));
  return made;
}));
const take = (value) => {
  const [group, place] = value.split(".");
  const { text, command: asked, choice, more } = examples[group].examples[place];
  element("text").value = text;
  element("language").value = "";
  element("text").scrollTop = 0;
  wrong = new Set();
  choose(asked, choice, more);
  show();
};
element("example").addEventListener("change", ({ target }) => { if (target.value) take(target.value); });
element("text").addEventListener("input", () => { wrong = new Set(); element("example").value = ""; show(); });
element("text").addEventListener("scroll", scroll);
element("language").addEventListener("change", show);
element("run").addEventListener("click", run);
element("stop").addEventListener("click", () => { end(); banner("undecided", "Stopped."); });
element("share").addEventListener("click", async () => {
  const address = await remember();
  const copied = await (navigator.clipboard?.writeText(address) ?? Promise.reject()).then(() => true, () => false);
  element("said").textContent = copied ? "The link is in the clipboard." : "The link is in the address bar.";
});
element("take").addEventListener("click", () => {
  if (repaired === null) return;
  element("text").value = repaired;
  element("example").value = "";
  element("take").hidden = true;
  choose("check");
  show();
});
element("views").addEventListener("click", ({ target }) => { if (target.dataset.view) view(target.dataset.view); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  if (event.key === "Escape" && running) element("stop").click();
});
window.addEventListener("hashchange", async () => { if (await restore()) run(); });
restore().then((isShared) => {
  if (isShared) { run(); return; }
  element("example").value = "0.0";
  take("0.0");
});
