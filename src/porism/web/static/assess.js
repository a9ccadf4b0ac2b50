// The judging page with script: judgments by key or button, the next candidate at once, and nothing
// lost. All HTML is made by the server; without this file the page works by its forms.

import { Candidates } from "./assess_candidates.js";
import { drafts, newKey, send, waiting } from "./assess_sending.js";
import { makeReachable } from "./assess_scrolling.js";
import { set, setting } from "./assess_settings.js";
import { Clock } from "./assess_timing.js";

const AHEAD = 5; // candidates that are fetched before they are needed
const BLIND = 200; // milliseconds in which a second press still meant the candidate before
const ASKS_WHY = new Set(["system_failure", "do_not_know"]);
const KEYS_OFF = "porism-assess/keys-off";
const DEFINITIONS_CLOSED = "porism-assess/definitions-closed";

const state = JSON.parse(document.getElementById("state").textContent);
const pane = document.getElementById("candidate");
const trouble = document.getElementById("trouble");
const undoButton = document.getElementById("undo");
const help = document.getElementById("help");

const said = new Map(Object.entries(state.said)); // by document, as the server and we know it
const undoable = [];
const candidates = new Candidates(state.address);
let at = state.at; // the place that is wanted
let shown = at; // and the one that is on the page, while the server is away
let shownAt = performance.now();
let movedAt = shownAt; // when the keys began to mean another place of the same formula

for (const each of waiting()) {
  if (each.batch === state.batch && each.topic === state.topic) note(each.document, each);
}

function note(name, verdict) {
  if (verdict.choice === null) said.delete(name);
  else said.set(name, verdict);
}

// The candidates on the page

const cards = () => [...pane.querySelectorAll("article.candidate")];
const nameOf = (card) => card.dataset.document;
const boxOf = (card) => card.querySelector("textarea");
const draftOf = (name) => drafts.name(state.batch, state.topic, name);
const currentCard = () => pane.querySelector("article.current") ?? cards()[0];

function makeCurrent(card) {
  const before = pane.querySelector("article.current");
  if (before === card) return;
  before?.classList.remove("current");
  card.classList.add("current");
}

function verdictOn(card) {
  const marked = (name) => {
    const box = card.querySelector(`input[type="checkbox"][name="${name}"]`);
    if (box !== null) return box.checked;
    return said.get(nameOf(card))?.[name] ?? null; // not asked here, and not forgotten
  };
  return {
    comment: boxOf(card).value.trim(),
    is_machine_made: marked("is_machine_made"),
    is_unrelated: marked("is_unrelated"),
  };
}

// Make the page as said and drafted; what the server made may be older.
function prepare() {
  shownAt = performance.now();
  let seconds = 0;
  for (const card of cards()) {
    const known = said.get(nameOf(card));
    const draft = drafts.read(draftOf(nameOf(card)));
    const box = boxOf(card);
    if (known !== undefined) {
      box.value = known.comment;
      for (const name of ["is_machine_made", "is_unrelated"]) {
        const mark = card.querySelector(`input[type="checkbox"][name="${name}"]`);
        if (mark !== null) mark.checked = known[name] === true;
      }
    }
    if (draft !== null) {
      box.value = draft.comment;
      seconds = Math.max(seconds, draft.seconds);
    }
    drawChoice(card);
  }
  clock.begin(seconds);
  const first = cards().find((card) => !said.has(nameOf(card))) ?? cards()[0];
  if (cards().length > 1) makeCurrent(first);
  makeReachable(pane);
}

function drawChoice(card) {
  const chosen = said.get(nameOf(card))?.choice ?? null;
  for (const button of card.querySelectorAll("button.choice")) {
    button.setAttribute("aria-pressed", String(button.value === chosen));
  }
  card.querySelector(".take-back").hidden = chosen === null;
  if (!ASKS_WHY.has(chosen)) card.querySelector(".why").hidden = true;
}

// Judging

function record(name, verdict) {
  send({
    key: newKey(),
    batch: state.batch,
    topic: state.topic,
    document: name,
    seconds: clock.take(),
    comment: "",
    is_machine_made: null,
    is_unrelated: null,
    ...verdict,
  });
  note(name, verdict);
  drafts.forget(draftOf(name));
  drawProgress();
}

function choose(card, choice, isByKey = false) {
  if (shown !== at) return; // the candidate that is meant has not come yet
  const meantAt = isByKey ? Math.max(shownAt, movedAt) : shownAt;
  if (performance.now() - meantAt < BLIND) return;
  if (cards().length > 1) makeCurrent(card);
  const name = nameOf(card);
  undoable.push({ name, at, before: said.get(name) ?? null });
  undoButton.hidden = false;
  const rest = verdictOn(card);
  record(name, choice === null ? { choice } : { choice, ...rest });
  drawChoice(card);
  if (choice === null) return;
  if (ASKS_WHY.has(choice) && rest.comment === "") {
    card.querySelector(".why").hidden = false;
    boxOf(card).focus();
    return;
  }
  goOn();
}

// To the next place of the same formula that is not judged, or else to the next candidate.
function goOn() {
  const open = cards().find((card) => !said.has(nameOf(card)));
  if (open !== undefined) {
    makeCurrent(open);
    open.scrollIntoView({ block: "nearest" });
    movedAt = performance.now();
    return;
  }
  const next = upcoming().find((place) => !isDone(place));
  if (next !== undefined) show(next);
  else drawProgress();
}

function undo() {
  const act = undoable.pop();
  if (act === undefined) return;
  undoButton.hidden = undoable.length === 0;
  const { choice, comment, is_machine_made, is_unrelated } = act.before ?? { choice: null };
  record(act.name, choice === null ? { choice } : { choice, comment, is_machine_made, is_unrelated });
  if (act.at === shown && act.at === at) {
    prepare();
    const card = cards().find((each) => nameOf(each) === act.name);
    if (cards().length > 1) makeCurrent(card);
  } else {
    show(act.at);
  }
}

// A comment or mark that was changed after the choice is sent as a judgment of its own.
function update(card) {
  const known = said.get(nameOf(card));
  if (known === undefined) return;
  const now = verdictOn(card);
  const isSame =
    now.comment === known.comment.replace(/\r\n?/g, "\n").trim() &&
    Boolean(now.is_machine_made) === Boolean(known.is_machine_made) &&
    Boolean(now.is_unrelated) === Boolean(known.is_unrelated);
  if (!isSame) record(nameOf(card), { choice: known.choice, ...now });
}

function leave() {
  const [first] = cards();
  for (const card of cards()) update(card);
  if (first !== undefined && !said.has(nameOf(first))) keepDraft(first);
}

function keepDraft(card) {
  const comment = boxOf(card).value;
  const name = draftOf(nameOf(card));
  if (comment.trim() === "" && clock.seconds < 1) drafts.forget(name);
  else drafts.keep(name, { comment, seconds: Math.round(clock.seconds) });
}

// Moving

const isDone = (place) => state.groups[place - 1].every((name) => said.has(name));

// All other places, from here on, forwards or backwards and round.
function around(direction) {
  const count = state.groups.length;
  return Array.from(
    { length: count - 1 },
    (_, step) => ((at - 1 + direction * (step + 1) + count * 2) % count) + 1,
  );
}

function neighbour(direction) {
  const others = around(direction);
  return (state.only ? others.find((place) => !isDone(place)) : others[0]) ?? at;
}

function address(place) {
  return `${state.address}?at=${place}${state.only ? "&only=unjudged" : ""}`;
}

async function show(place, isNew = true) {
  if (place === at && isNew) return;
  leave();
  at = place;
  if (isNew) history.pushState(null, "", address(place));
  drawPlace();
  const html = await wanted(place);
  if (at !== place || html === null) return;
  pane.innerHTML = html;
  shown = place;
  prepare();
  drawProgress();
  pane.scrollTop = 0;
  if (isStacked()) pane.scrollIntoView({ block: "start", behavior: "instant" });
  document.getElementById("candidate-heading").focus({ preventScroll: true });
  ahead();
}

// A candidate, however long the server takes to come back; null if another is wanted meanwhile.
async function wanted(place) {
  const html = await candidates.patiently(
    place,
    () => at === place,
    (why) => {
      trouble.textContent = why;
      trouble.hidden = false;
      pane.setAttribute("aria-busy", "true");
      pane.inert = true;
    },
  );
  if (html !== null) {
    trouble.hidden = true;
    pane.removeAttribute("aria-busy");
    pane.inert = false;
  }
  return html;
}

// The places to go on with: those that the server has learned to be the next, then the others.
function upcoming() {
  return [...new Set([...state.learned.filter((place) => place !== at), ...around(1)])];
}

function ahead() {
  const wanted = upcoming().filter((place) => !isDone(place));
  for (const place of wanted.slice(0, AHEAD)) candidates.html(place).catch(() => {});
}

const isStacked = () => matchMedia("(width < 60rem)").matches;

// What is told

const count = new Intl.NumberFormat("en");

function drawProgress() {
  const total = state.groups.reduce((sum, group) => sum + group.length, 0);
  document.getElementById("progress").value = said.size;
  document.getElementById("progress-told").textContent =
    said.size === total
      ? `✓ all ${count.format(total)} judged`
      : `${count.format(said.size)} of ${count.format(total)} judged`;
  for (const link of document.querySelectorAll("#overview a")) {
    const group = state.groups[Number(link.dataset.at) - 1];
    const done = group.every((name) => said.has(name));
    link.className = done ? said.get(group[0]).choice : "";
    link.lastElementChild.textContent = done ? " judged" : " not judged";
  }
}

function drawPlace() {
  document.getElementById("at").value = at;
  document.getElementById("before").href = address(neighbour(-1));
  document.getElementById("after").href = address(neighbour(1));
  const only = document.getElementById("only");
  only.href = `${state.address}?at=${at}${state.only ? "" : "&only=unjudged"}`;
  document.getElementById("saved-note")?.remove();
  for (const link of document.querySelectorAll("#overview a")) {
    if (Number(link.dataset.at) === at) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function told(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const pauseButton = document.getElementById("pause");
const clockText = document.getElementById("clock");

const clock = new Clock((seconds, isStill) => {
  clockText.textContent = isStill ? `${told(seconds)} paused` : told(seconds);
  pauseButton.classList.toggle("still", isStill);
});

function togglePause() {
  clock.pause(!clock.isPaused);
  pauseButton.setAttribute("aria-pressed", String(clock.isPaused));
}

// What is done on the page

pane.addEventListener("submit", (event) => {
  event.preventDefault();
  const choice = event.submitter?.value;
  if (choice !== undefined) choose(event.target.closest("article"), choice || null);
});

pane.addEventListener("input", (event) => {
  if (event.target.matches("textarea")) keepDraft(event.target.closest("article"));
});

pane.addEventListener("change", (event) => {
  const card = event.target.closest("article");
  // A click on a choice, which has the comment too, comes right after this.
  setTimeout(() => card.isConnected && update(card), 400);
});

pane.addEventListener("focusin", (event) => {
  const card = event.target.closest("article.candidate");
  if (card !== null && cards().length > 1) makeCurrent(card);
});

pane.addEventListener("click", (event) => {
  const link = event.target.closest(".post a");
  if (link !== null) link.target = "_blank"; // what is judged stays where it is
});

document.querySelector("form.jump").addEventListener("submit", (event) => {
  event.preventDefault();
  show(document.getElementById("at").valueAsNumber);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("#before, #after, #overview a, #only");
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.id === "only") {
    state.only = !state.only;
    link.toggleAttribute("aria-current", state.only);
    if (state.only) link.setAttribute("aria-current", "true");
    history.replaceState(null, "", address(at));
    drawPlace();
    if (state.only && isDone(at)) show(neighbour(1));
  } else if (link.id === "before" || link.id === "after") {
    show(neighbour(link.id === "after" ? 1 : -1));
  } else {
    show(Number(link.dataset.at));
  }
});

window.addEventListener("popstate", () => {
  show(Number(new URLSearchParams(location.search).get("at") ?? at), false);
});
window.addEventListener("pagehide", leave);

document.addEventListener("porism:saved", (event) => {
  const { judgment, learned } = event.detail;
  if (learned === undefined || judgment.batch !== state.batch) return;
  if (judgment.topic === state.topic) state.learned = learned;
});

document.addEventListener("porism:refused", (event) => {
  const { judgment } = event.detail;
  if (judgment.batch !== state.batch || judgment.topic !== state.topic) return;
  said.delete(judgment.document);
  cards().forEach(drawChoice);
  drawProgress();
});

undoButton.addEventListener("click", undo);
pauseButton.addEventListener("click", togglePause);
pauseButton.hidden = false;
document.getElementById("help-button").hidden = false;
document.querySelector(".jump button").hidden = true; // the key that ends typing does it
document.getElementById("help-button").addEventListener("click", () => help.showModal());

// Where there is room for them the definitions are open, unless somebody closed them.
const definitions = document.querySelector("details.definitions");
definitions.open = !isStacked() && setting(DEFINITIONS_CLOSED) === null;
definitions.addEventListener("toggle", () => {
  if (!isStacked()) set(DEFINITIONS_CLOSED, definitions.open ? null : "1");
});

// Keys

const keysOn = document.getElementById("keys-on");
keysOn.checked = setting(KEYS_OFF) === null;
keysOn.addEventListener("change", () => set(KEYS_OFF, keysOn.checked ? null : "1"));

const acts = {
  u: undo,
  j: () => show(neighbour(1)),
  ArrowRight: () => show(neighbour(1)),
  k: () => show(neighbour(-1)),
  ArrowLeft: () => show(neighbour(-1)),
  c: () => boxOf(currentCard()).focus(),
  t: () => currentCard().querySelector(".thread-link")?.click(),
  p: togglePause,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  // A key that is held down must not judge what comes after.
  if (event.repeat || event.altKey || event.metaKey || help.open) return;
  if (event.target.matches("textarea, input:not([type=checkbox]), select")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.ctrlKey && event.target.matches("textarea")) {
      update(event.target.closest("article"));
      goOn();
    }
    return;
  }
  if (event.ctrlKey || !keysOn.checked) return;
  const choice = state.keys[event.key.toLowerCase()];
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (choice !== undefined) choose(currentCard(), choice, true);
  else if (act !== undefined) act();
  else return;
  event.preventDefault();
});

candidates.keep(at, pane.innerHTML);
makeReachable(document.querySelector(".question"));
prepare();
shownAt = movedAt = -BLIND; // before this page there was no candidate that a press could have meant
drawPlace();
drawProgress();
ahead();
