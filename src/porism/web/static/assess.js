// The judging page with script: judgments by key or button, the next candidate at once, and nothing
// lost. All HTML is made by the server; without this file the page works by its forms.

import { Candidates } from "./assess_candidates.js";
import { boxOf, fill, isAsSaid, nameOf, written } from "./assess_cards.js";
import { drafts, isAway, newKey, send, tellAgain, waiting } from "./assess_sending.js";
import { makeReachable } from "./assess_scrolling.js";
import { set, setting } from "./assess_settings.js";
import { Clock } from "./assess_timing.js";

const AHEAD = 5; // candidates that are fetched before they are needed
const BLIND = 200; // milliseconds in which a second press still meant the candidate before
const LEARNING = 800; // milliseconds that the next may wait for what is learned from the last
const ASKS_WHY = new Set(["system_failure", "do_not_know"]);
const KEYS_OFF = "porism-assess/keys-off";
const DEFINITIONS_CLOSED = "porism-assess/definitions-closed";

const state = JSON.parse(document.getElementById("state").textContent);
const pane = document.getElementById("candidate");
const trouble = document.getElementById("trouble");
const undoButton = document.getElementById("undo");
const help = document.getElementById("help");

const taken = new Map(Object.entries(state.said)); // by document, as the server has it
const said = new Map(taken); // and as it will, with what is on its way
const undoable = [];
const candidates = new Candidates(state.address);
let at = state.at; // the place that is wanted
let shown = at; // and the one that is on the page, while the server is away
let shownAt = performance.now();
let movedAt = shownAt; // when the keys began to mean another place of the same formula
let goingOnFrom = 0; // the place whose judgment says which is the next
const touched = new WeakSet(); // cards with something that was written here and is not sent

const isHere = (judgment) => judgment.batch === state.batch && judgment.topic === state.topic;

function note(known, name, verdict) {
  if (verdict.choice === null) known.delete(name);
  else known.set(name, verdict);
}

for (const each of waiting().filter(isHere)) note(said, each.document, each);

// The candidates on the page

const cards = () => [...pane.querySelectorAll("article.candidate")];
const cardOf = (name) => cards().find((card) => nameOf(card) === name);
const unjudgedCard = () => cards().find((card) => !said.has(nameOf(card)));
const whyOf = (card) => card.querySelector(".why");
const draftOf = (name) => drafts.name(state.batch, state.topic, name);
const currentCard = () => pane.querySelector("article.current") ?? cards()[0];

function makeCurrent(card) {
  const before = pane.querySelector("article.current");
  if (before === card) return;
  before?.classList.remove("current");
  card.classList.add("current");
}

// Make the page as said and drafted; what the server made may be older.
function prepare() {
  shownAt = performance.now();
  let seconds = 0;
  for (const card of cards()) {
    const known = said.get(nameOf(card));
    const draft = drafts.read(draftOf(nameOf(card)));
    if (known !== undefined) fill(card, known);
    if (draft?.comment !== undefined) fill(card, draft);
    seconds = Math.max(seconds, draft?.seconds ?? 0);
    drawChoice(card);
  }
  clock.begin(seconds);
  if (cards().length > 1) makeCurrent(unjudgedCard() ?? cards()[0]);
  makeReachable(pane);
}

function drawChoice(card) {
  const chosen = said.get(nameOf(card))?.choice ?? null;
  for (const button of card.querySelectorAll("button.choice")) {
    button.setAttribute("aria-pressed", String(button.value === chosen));
  }
  card.querySelector(".take-back").hidden = chosen === null;
  if (!ASKS_WHY.has(chosen)) whyOf(card).hidden = true;
}

// Judging

function record(name, { choice, comment = "", is_machine_made = null, is_unrelated = null }) {
  const verdict = { choice, comment: comment.trim(), is_machine_made, is_unrelated };
  send({
    key: newKey(),
    batch: state.batch,
    topic: state.topic,
    document: name,
    seconds: clock.take(),
    instructions: state.instructions,
    ...verdict,
  });
  note(said, name, verdict);
  drafts.forget(draftOf(name));
  touched.delete(cardOf(name));
  document.getElementById("why-note")?.remove();
  drawProgress();
}

function choose(card, choice, isByKey = false) {
  if (shown !== at || goingOnFrom === at) return; // the candidate that is meant has not come yet
  const meantAt = isByKey ? Math.max(shownAt, movedAt) : shownAt;
  if (performance.now() - meantAt < BLIND) return;
  if (cards().length > 1) makeCurrent(card);
  const name = nameOf(card);
  const before = said.get(name) ?? null;
  if (before?.choice === choice && isAsSaid(card, before)) {
    tellAgain(name, choice);
    card.querySelector("[aria-pressed=true]").animate({ opacity: [0.3, 1] }, 300);
    goOn();
    return;
  }
  undoable.push({ name, at, before });
  undoButton.hidden = false;
  const now = written(card, before);
  record(name, choice === null ? { choice } : { choice, ...now });
  if (choice === null) keepDraft(name, now);
  drawChoice(card);
  if (choice === null) return;
  if (ASKS_WHY.has(choice) && now.comment.trim() === "") {
    whyOf(card).hidden = false;
    boxOf(card).focus();
    return;
  }
  goOn();
}

// To the next place of the same formula that is not judged, or else to the next candidate.
async function goOn() {
  const open = unjudgedCard();
  if (open !== undefined) {
    makeCurrent(open);
    open.scrollIntoView({ block: "nearest" });
    movedAt = performance.now();
    return;
  }
  const place = at;
  if (state.learned.length > 0) await learnedFromLast();
  if (at !== place || !isDone(place)) return; // somebody moved or took it back meanwhile
  const next = upcoming().find((each) => !isDone(each));
  if (next !== undefined) show(next);
  else drawProgress();
}

// Without the answer to the last judgment the next would be one of an older order, and those that
// are drawn at random would not come when they are due. Who is away or slow is not waited for.
async function learnedFromLast() {
  const end = performance.now() + LEARNING;
  goingOnFrom = at;
  while (waiting().length > 0 && !isAway() && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  goingOnFrom = 0;
}

function undo() {
  const act = undoable.pop();
  if (act === undefined) return;
  undoButton.hidden = undoable.length === 0;
  const card = cardOf(act.name);
  const undone = said.get(act.name);
  const now = card === undefined ? undone : written(card, undone);
  record(act.name, act.before ?? { choice: null });
  if (act.before === null && now !== undefined) keepDraft(act.name, now);
  if (act.at === shown && act.at === at) {
    prepare();
    if (cards().length > 1) makeCurrent(card);
  } else {
    show(act.at);
  }
}

// A comment or mark that was changed after the choice is sent as a judgment of its own.
function update(card) {
  const known = said.get(nameOf(card));
  if (known === undefined || isAsSaid(card, known)) return;
  record(nameOf(card), { choice: known.choice, ...written(card, known) });
}

// What is written, and not sent with a choice, waits for one.
function keepDraft(name, { comment, is_machine_made, is_unrelated }) {
  drafts.keep(draftOf(name), { comment, is_machine_made, is_unrelated });
}

// The time that was spent is kept too, and nothing else: what was written may be of another window.
function leave() {
  for (const card of cards()) update(card);
  const open = unjudgedCard();
  if (open === undefined) return;
  const name = draftOf(nameOf(open));
  const draft = drafts.read(name);
  if (draft === null && clock.seconds < 1) return;
  drafts.keep(name, { ...draft, seconds: Math.round(clock.seconds) });
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
  document.getElementById("why-note")?.remove();
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
  const card = event.target.closest("article");
  touched.add(card);
  keepDraft(nameOf(card), written(card, said.get(nameOf(card))));
  if (boxOf(card).value.trim() !== "") whyOf(card).hidden = true;
});

pane.addEventListener("change", (event) => {
  const card = event.target.closest("article");
  // A click on a choice, which has the comment too, comes right after this.
  setTimeout(() => card.isConnected && update(card), 400);
});

// Enter in a field presses the first button of its form, which would judge.
pane.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("input")) event.preventDefault();
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
  show(Number(new URLSearchParams(location.search).get("at") ?? state.at), false);
});
window.addEventListener("pagehide", leave);

document.addEventListener("porism:saved", (event) => {
  const { judgment, instructions, learned, remaining } = event.detail;
  document.getElementById("told-anew").hidden = instructions === state.instructions;
  if (!isHere(judgment)) return;
  note(taken, judgment.document, judgment);
  if (learned === undefined) return;
  state.learned = learned;
  const place = document.getElementById("remaining");
  if (place !== null) place.textContent = remaining;
});

// What is judged in another window stands here too, beside what was written here and is not sent.
document.addEventListener("porism:elsewhere", (event) => {
  const { judgment } = event.detail;
  if (!isHere(judgment)) return;
  const name = judgment.document;
  const card = cardOf(name);
  note(said, name, judgment);
  const isToFill = card !== undefined && !touched.has(card) && judgment.choice !== null;
  if (isToFill) fill(card, judgment);
  cards().forEach(drawChoice);
  drawProgress();
});

document.addEventListener("porism:refused", (event) => {
  const { judgment } = event.detail;
  if (!isHere(judgment)) return;
  const name = judgment.document;
  note(said, name, taken.get(name) ?? { choice: null });
  const later = waiting().filter((each) => isHere(each) && each.document === name);
  for (const each of later) note(said, name, each);
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
  // A key that is held down must not judge what comes after; one that composes a letter is no key.
  if (event.repeat || event.isComposing || event.altKey || help.open) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.target.matches("textarea, input:not([type=checkbox]), select")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && isCommand && event.target.matches("textarea")) {
      update(event.target.closest("article"));
      goOn();
    }
    return;
  }
  if (isCommand || !keysOn.checked) return;
  const { scrollWidth, clientWidth } = event.target;
  const isWide = event.target.matches("[tabindex='0']") && scrollWidth > clientWidth;
  if (isWide && event.key.startsWith("Arrow")) return; // it scrolls what has the focus
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
