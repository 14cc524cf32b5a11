"use strict";
// A long text begins at the first line that something is said about.
const scroll = (part) => {
  for (const source of part.querySelectorAll(".source")) {
    const line = source.querySelector(".marked, .added, .removed");
    if (line) source.scrollTop = line.offsetTop - source.offsetTop - source.clientHeight / 3;
  }
};
scroll(document);

// What a link leads to is opened.
const reveal = () => {
  const part = document.getElementById(location.hash.slice(1));
  if (part && part.tagName === "DETAILS") part.open = true;
};
for (const part of document.querySelectorAll("details")) part.addEventListener("toggle", () => scroll(part));
window.addEventListener("hashchange", reveal);
reveal();

// Shows a run step by step. Everything comes from the JSON beside it and goes into the page as text.
for (const stepper of document.querySelectorAll(".stepper")) {
  const run = JSON.parse(stepper.querySelector("script").textContent);
  const rows = [...stepper.querySelectorAll(".steps li")];
  const section = stepper.closest("section");
  const part = (name) => stepper.querySelector("." + name);
  const slider = stepper.querySelector("input");
  const buttons = Object.fromEntries([...stepper.querySelectorAll("button")].map((one) => [one.dataset.to, one]));
  stepper.querySelector(".controls").hidden = false;
  slider.max = run.steps.length;
  let at = 0;

  const element = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };
  const list = (pairs, before) => {
    const made = element("dl");
    const old = new Map(before || []);
    for (const [name, value] of pairs) {
      const isNew = before && old.get(name) !== value;
      made.append(element("dt", name), element("dd", String(value), isNew ? "changed" : ""));
    }
    return made;
  };

  const show = (wanted, follow) => {
    at = Math.max(0, Math.min(run.steps.length, wanted));
    const state = run.states[at];
    const before = at > 0 ? run.states[at - 1] : null;
    const step = at > 0 ? run.steps[at - 1] : null;
    part("count").textContent = "step " + at + " of " + run.steps.length;
    slider.value = at;
    slider.setAttribute("aria-valuetext", part("count").textContent);
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.forward.disabled = buttons.last.disabled = at === run.steps.length;
    part("now").textContent = step
      ? (step.mark ? step.mark + " " : "") + run.threads[step.thread] + (step.line ? ", line " + step.line : "") + ": " + step.what
      : "before the first step";
    const cards = state.threads.map((thread, number) => {
      const card = element("div", undefined, "card thread" + (step && step.thread === number ? " moves" : ""));
      card.append(element("h4", run.threads[number]));
      card.append(element("p", thread.at, "at mono"));
      card.append(list(thread.registers, before && before.threads[number].registers));
      if (run.buffers) {
        const buffer = element("div", undefined, "buffer mono");
        buffer.setAttribute("aria-label", "store buffer of " + run.threads[number] + ", oldest first");
        if (thread.buffer.length === 0) buffer.append(element("span", "buffer is empty", "none"));
        for (const write of thread.buffer) buffer.append(element("span", write));
        card.append(buffer);
      }
      return card;
    });
    const memory = element("div", undefined, "card memory");
    memory.append(element("h4", "memory"), list(state.memory, before && before.memory));
    part("machine").replaceChildren(...cards, memory);
    rows.forEach((row, number) => {
      row.classList.toggle("current", number === at - 1);
      if (number === at - 1) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
    });
    if (follow && rows[at - 1]) {
      const list = part("steps"), row = rows[at - 1];
      list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
    for (const line of section.querySelectorAll(".source .running")) line.classList.remove("running");
    for (const thread of state.threads) {
      const line = thread.file && section.querySelector('.source li[data-at="' + thread.file + ":" + thread.line + '"]');
      if (line) line.classList.add("running");
    }
  };

  const moves = { first: () => 0, back: () => at - 1, forward: () => at + 1, last: () => run.steps.length };
  for (const [name, button] of Object.entries(buttons)) button.addEventListener("click", () => show(moves[name](), true));
  slider.addEventListener("input", () => show(Number(slider.value), true));
  rows.forEach((row, number) => row.addEventListener("click", () => show(number + 1, false)));
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", j: "forward", k: "back" };
  const key = (event) => {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    show(moves[name](), true);
  };
  stepper.addEventListener("keydown", key);
  // Where there is one run, its keys work everywhere.
  if (document.querySelectorAll(".stepper").length === 1) {
    document.addEventListener("keydown", (event) => { if (!stepper.contains(event.target)) key(event); });
  }
  show(run.start, true);
}
