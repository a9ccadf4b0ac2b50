// The judging page with script: judge by key or button, move on at once, lose nothing. The server
// renders all HTML; without this file the page works through its forms.

import { Candidates } from "./assess_candidates.js";
import { commentBox, documentOf, fill, formValues, isUnchanged } from "./assess_cards.js";
import { Clock } from "./assess_clock.js";
import { makeFocusable } from "./assess_focusable.js";
import { drafts, isOffline, newKey, pending, send, showSaved } from "./assess_outbox.js";
import { set, setting } from "./assess_settings.js";

const PREFETCHED = 5; // candidates fetched before they are needed
const GUARD = 200; // milliseconds in which a second press still meant the previous candidate
const ORDER_TIMEOUT = 800; // milliseconds to wait for the order learned from the last judgment
const NEEDS_COMMENT = new Set(["system_failure", "do_not_know"]);
const KEYS_OFF = "porism-assess/keys-off";
const DEFINITIONS_CLOSED = "porism-assess/definitions-closed";

const state = JSON.parse(document.getElementById("state").textContent);
const pane = document.getElementById("candidate");
const trouble = document.getElementById("trouble");
const undoButton = document.getElementById("undo");
const help = document.getElementById("help");

const acknowledged = new Map(Object.entries(state.judged)); // by document, as the server has it
const judged = new Map(acknowledged); // the same with judgments not acknowledged yet
const undoable = [];
const candidates = new Candidates(state.address);
let at = state.at; // the requested place
let shown = at; // the place on the page, which differs while the server is away
let shownAt = performance.now();
let movedAt = shownAt; // when the keys began to mean another occurrence of the same formula
let advancingFrom = 0; // the place whose judgment decides which is next
const touched = new WeakSet(); // cards with input that is not sent

const isOfTopic = (judgment) => judgment.batch === state.batch && judgment.topic === state.topic;

function update(judgments, name, judgment) {
  if (judgment.choice === null) judgments.delete(name);
  else judgments.set(name, judgment);
}

for (const each of pending().filter(isOfTopic)) update(judged, each.document, each);

// The candidates on the page

const cards = () => [...pane.querySelectorAll("article.candidate")];
const cardOf = (name) => cards().find((card) => documentOf(card) === name);
const unjudgedCard = () => cards().find((card) => !judged.has(documentOf(card)));
const whyOf = (card) => card.querySelector(".why");
const draftOf = (name) => drafts.name(state.batch, state.topic, name);
const currentCard = () => pane.querySelector("article.current") ?? cards()[0];

function makeCurrent(card) {
  const before = pane.querySelector("article.current");
  if (before === card) return;
  before?.classList.remove("current");
  card.classList.add("current");
}

// Show judgments and drafts of this browser; the HTML of the server may be older.
function prepare() {
  shownAt = performance.now();
  let seconds = 0;
  for (const card of cards()) {
    const judgment = judged.get(documentOf(card));
    const draft = drafts.read(draftOf(documentOf(card)));
    if (judgment !== undefined) fill(card, judgment);
    if (draft?.comment !== undefined) fill(card, draft);
    seconds = Math.max(seconds, draft?.seconds ?? 0);
    drawChoice(card);
  }
  clock.start(seconds);
  if (cards().length > 1) makeCurrent(unjudgedCard() ?? cards()[0]);
  makeFocusable(pane);
}

function drawChoice(card) {
  const chosen = judged.get(documentOf(card))?.choice ?? null;
  for (const button of card.querySelectorAll("button.choice")) {
    button.setAttribute("aria-pressed", String(button.value === chosen));
  }
  card.querySelector(".withdraw").hidden = chosen === null;
  if (!NEEDS_COMMENT.has(chosen)) whyOf(card).hidden = true;
}

// Judging

function record(name, { choice, comment = "", is_machine_made = null, is_unrelated = null }) {
  const judgment = { choice, comment: comment.trim(), is_machine_made, is_unrelated };
  send({
    key: newKey(),
    batch: state.batch,
    topic: state.topic,
    document: name,
    seconds: clock.take(),
    instructions: state.instructions,
    ...judgment,
  });
  update(judged, name, judgment);
  drafts.forget(draftOf(name));
  touched.delete(cardOf(name));
  document.getElementById("why-note")?.remove();
  drawProgress();
}

function choose(card, choice, isByKey = false) {
  if (shown !== at || advancingFrom === at) return; // the requested candidate has not arrived yet
  const meantAt = isByKey ? Math.max(shownAt, movedAt) : shownAt;
  if (performance.now() - meantAt < GUARD) return;
  if (cards().length > 1) makeCurrent(card);
  const name = documentOf(card);
  const before = judged.get(name) ?? null;
  if (before?.choice === choice && isUnchanged(card, before)) {
    showSaved(name, choice);
    card.querySelector("[aria-pressed=true]").animate({ opacity: [0.3, 1] }, 300);
    advance();
    return;
  }
  undoable.push({ name, at, before });
  undoButton.hidden = false;
  const now = formValues(card, before);
  record(name, choice === null ? { choice } : { choice, ...now });
  if (choice === null) storeDraft(name, now);
  drawChoice(card);
  if (choice === null) return;
  if (NEEDS_COMMENT.has(choice) && now.comment.trim() === "") {
    whyOf(card).hidden = false;
    commentBox(card).focus();
    return;
  }
  advance();
}

// Go to the next unjudged occurrence of the same formula, or else to the next candidate.
async function advance() {
  const open = unjudgedCard();
  if (open !== undefined) {
    makeCurrent(open);
    open.scrollIntoView({ block: "nearest" });
    movedAt = performance.now();
    return;
  }
  const place = at;
  if (state.learned.length > 0) await orderAfterLast();
  if (at !== place || !isDone(place)) return; // moved or withdrawn meanwhile
  const next = upcoming().find((each) => !isDone(each));
  if (next !== undefined) show(next);
  else drawProgress();
}

// Without the response to the last judgment the next candidate would follow an older order, and
// random draws would not come when they are due. A server that is offline or slow is not waited for.
async function orderAfterLast() {
  const end = performance.now() + ORDER_TIMEOUT;
  advancingFrom = at;
  while (pending().length > 0 && !isOffline() && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  advancingFrom = 0;
}

function undo() {
  const act = undoable.pop();
  if (act === undefined) return;
  undoButton.hidden = undoable.length === 0;
  const card = cardOf(act.name);
  const undone = judged.get(act.name);
  const now = card === undefined ? undone : formValues(card, undone);
  record(act.name, act.before ?? { choice: null });
  if (act.before === null && now !== undefined) storeDraft(act.name, now);
  if (act.at === shown && act.at === at) {
    prepare();
    if (cards().length > 1) makeCurrent(card);
  } else {
    show(act.at);
  }
}

// A comment or annotation changed after the choice is sent as a new judgment.
function recordChange(card) {
  const judgment = judged.get(documentOf(card));
  if (judgment === undefined || isUnchanged(card, judgment)) return;
  record(documentOf(card), { choice: judgment.choice, ...formValues(card, judgment) });
}

// Input without a choice is stored until there is one.
function storeDraft(name, { comment, is_machine_made, is_unrelated }) {
  drafts.store(draftOf(name), { comment, is_machine_made, is_unrelated });
}

// Store the time spent, and nothing else: the input may be from another window.
function leave() {
  for (const card of cards()) recordChange(card);
  const open = unjudgedCard();
  if (open === undefined) return;
  const name = draftOf(documentOf(open));
  const draft = drafts.read(name);
  if (draft === null && clock.seconds < 1) return;
  drafts.store(name, { ...draft, seconds: Math.round(clock.seconds) });
}

// Moving

const isDone = (place) => state.groups[place - 1].every((name) => judged.has(name));

// All other places from here on, forwards or backwards, wrapping around.
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
  const html = await loaded(place);
  if (at !== place || html === null) return;
  pane.innerHTML = html;
  shown = place;
  prepare();
  drawProgress();
  pane.scrollTop = 0;
  if (isStacked()) pane.scrollIntoView({ block: "start", behavior: "instant" });
  document.getElementById("candidate-heading").focus({ preventScroll: true });
  prefetch();
}

// The HTML of a candidate, however long the server takes; null if another is requested meanwhile.
async function loaded(place) {
  const html = await candidates.htmlWithRetries(
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

// The places to go to next: those in the order that the server learned, then the others.
function upcoming() {
  return [...new Set([...state.learned.filter((place) => place !== at), ...around(1)])];
}

function prefetch() {
  const places = upcoming().filter((place) => !isDone(place));
  for (const place of places.slice(0, PREFETCHED)) candidates.html(place).catch(() => {});
}

const isStacked = () => matchMedia("(width < 60rem)").matches;

// Progress, place and clock

const count = new Intl.NumberFormat("en");

function drawProgress() {
  const total = state.groups.reduce((sum, group) => sum + group.length, 0);
  document.getElementById("progress").value = judged.size;
  document.getElementById("progress-text").textContent =
    judged.size === total
      ? `✓ all ${count.format(total)} judged`
      : `${count.format(judged.size)} of ${count.format(total)} judged`;
  for (const link of document.querySelectorAll("#overview a")) {
    const group = state.groups[Number(link.dataset.at) - 1];
    const done = group.every((name) => judged.has(name));
    link.className = done ? judged.get(group[0]).choice : "";
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

function clockTime(seconds) {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const pauseButton = document.getElementById("pause");
const clockText = document.getElementById("clock");

const clock = new Clock((seconds, isStopped) => {
  clockText.textContent = isStopped ? `${clockTime(seconds)} paused` : clockTime(seconds);
  pauseButton.classList.toggle("still", isStopped);
});

function togglePause() {
  clock.pause(!clock.isPaused);
  pauseButton.setAttribute("aria-pressed", String(clock.isPaused));
}

// Events

pane.addEventListener("submit", (event) => {
  event.preventDefault();
  const choice = event.submitter?.value;
  if (choice !== undefined) choose(event.target.closest("article"), choice || null);
});

pane.addEventListener("input", (event) => {
  const card = event.target.closest("article");
  touched.add(card);
  storeDraft(documentOf(card), formValues(card, judged.get(documentOf(card))));
  if (commentBox(card).value.trim() !== "") whyOf(card).hidden = true;
});

pane.addEventListener("change", (event) => {
  const card = event.target.closest("article");
  // A click on a choice, which sends the comment too, comes right after this.
  setTimeout(() => card.isConnected && recordChange(card), 400);
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
  if (link !== null) link.target = "_blank"; // the judging page stays open
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
  document.getElementById("instructions-changed").hidden = instructions === state.instructions;
  if (!isOfTopic(judgment)) return;
  update(acknowledged, judgment.document, judgment);
  if (learned === undefined) return;
  state.learned = learned;
  const place = document.getElementById("remaining");
  if (place !== null) place.textContent = remaining;
});

// Judgments made in another window are shown here too, beside input that is not sent.
document.addEventListener("porism:other-window", (event) => {
  const { judgment } = event.detail;
  if (!isOfTopic(judgment)) return;
  const name = judgment.document;
  const card = cardOf(name);
  update(judged, name, judgment);
  const isFilled = card !== undefined && !touched.has(card) && judgment.choice !== null;
  if (isFilled) fill(card, judgment);
  cards().forEach(drawChoice);
  drawProgress();
});

document.addEventListener("porism:refused", (event) => {
  const { judgment } = event.detail;
  if (!isOfTopic(judgment)) return;
  const name = judgment.document;
  update(judged, name, acknowledged.get(name) ?? { choice: null });
  const later = pending().filter((each) => isOfTopic(each) && each.document === name);
  for (const each of later) update(judged, name, each);
  cards().forEach(drawChoice);
  drawProgress();
});

undoButton.addEventListener("click", undo);
pauseButton.addEventListener("click", togglePause);
pauseButton.hidden = false;
document.getElementById("help-button").hidden = false;
document.querySelector(".jump button").hidden = true; // Enter submits
document.getElementById("help-button").addEventListener("click", () => help.showModal());

// On wide screens the definitions are open, unless somebody closed them.
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
  c: () => commentBox(currentCard()).focus(),
  t: () => currentCard().querySelector(".thread-link")?.click(),
  p: togglePause,
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  // A key held down must not judge the next candidate; keys that compose a letter do not count.
  if (event.repeat || event.isComposing || event.altKey || help.open) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.target.matches("textarea, input:not([type=checkbox]), select")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && isCommand && event.target.matches("textarea")) {
      recordChange(event.target.closest("article"));
      advance();
    }
    return;
  }
  if (isCommand || !keysOn.checked) return;
  const { scrollWidth, clientWidth } = event.target;
  const isWide = event.target.matches("[tabindex='0']") && scrollWidth > clientWidth;
  if (isWide && event.key.startsWith("Arrow")) return; // scrolls the focused element
  const choice = state.keys[event.key.toLowerCase()];
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (choice !== undefined) choose(currentCard(), choice, true);
  else if (act !== undefined) act();
  else return;
  event.preventDefault();
});

candidates.add(at, pane.innerHTML);
makeFocusable(document.querySelector(".question"));
prepare();
shownAt = movedAt = -GUARD; // before this page there was no candidate that a press could have meant
drawPlace();
drawProgress();
prefetch();
