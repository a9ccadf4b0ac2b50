// Judgments on their way to the server. Each is stored in this browser, with a key of its own, until
// the server acknowledges it; sending one again adds nothing there. They are sent one by one in the
// order in which they were made, so that of two on the same candidate the later one counts.

import { set, setting } from "./assess_settings.js";

const FIRST_PAUSE = 500; // milliseconds before the first retry, doubled each time
const MAX_PAUSE = 10_000;
const TIMEOUT = 15_000; // milliseconds
// Timed out, another campaign is served here now, or too many requests.
const RETRIED = new Set([408, 421, 429]);

const { campaign, assessor } = document.body.dataset;
const OWN = `porism-assess/${campaign}/${assessor}/`;
const PENDING = `${OWN}waiting/`;
const REFUSED = `${OWN}refused/`;
const DRAFTS = `${OWN}draft/`;

const status = document.getElementById("saving");
const refusedList = document.getElementById("refused");

// Fallback for browsers without storage, such as some in private windows.
const inMemory = new Map();

function store(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(name, text);
    inMemory.delete(name);
  } catch {
    inMemory.set(name, text);
  }
}

function load(name) {
  const text = inMemory.get(name) ?? setting(name);
  return text === null ? null : JSON.parse(text);
}

function remove(name) {
  inMemory.delete(name);
  set(name, null);
}

function names(prefix) {
  const matching = new Set([...inMemory.keys()].filter((name) => name.startsWith(prefix)));
  try {
    for (let place = 0; place < localStorage.length; place += 1) {
      const name = localStorage.key(place);
      if (name.startsWith(prefix)) matching.add(name);
    }
  } catch {
    // no storage
  }
  return [...matching].sort();
}

// Browsers have no randomUUID on insecure pages, as in a lab's own network.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// Judgments that are not acknowledged yet, oldest first.
export function pending() {
  return names(PENDING).map(load).filter((each) => each !== null); // another window was faster
}

export function send(judgment) {
  const latest = Number(names(PENDING).at(-1)?.slice(PENDING.length, PENDING.length + 15) ?? 0);
  const at = String(Math.max(Date.now(), latest + 1)).padStart(15, "0");
  store(`${PENDING}${at}-${judgment.key}`, { ...judgment, campaign, assessor });
  lastSaved = null;
  showStatus();
  work();
}

// Show that a judgment is saved, though it was not sent again.
export function showSaved(name, choice) {
  lastSaved = { document: name, choice };
  showStatus();
}

// Whether the last request got no response.
export const isOffline = () => failures > 0;

export const drafts = {
  name: (...parts) => DRAFTS + parts.map(encodeURIComponent).join("/"),
  store,
  read: load,
  forget: remove,
};

let isWorking = false;
let failures = 0;
let timer = 0;
let isSigningIn = false;
let trouble = ""; // why nothing can be sent now
let lastSaved = null; // the last judgment that the server acknowledged

async function work() {
  if (isWorking) return;
  clearTimeout(timer);
  isWorking = true;
  try {
    for (let [name] = names(PENDING); name !== undefined; [name] = names(PENDING)) {
      const judgment = load(name);
      if (judgment === null) continue; // another window was faster
      if (!(await isSettled(name, judgment))) {
        failures += 1;
        const pause = Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - 1, 10));
        timer = setTimeout(work, pause * (0.75 + Math.random() / 2));
        return;
      }
      failures = 0;
      trouble = "";
      showStatus();
    }
  } finally {
    isWorking = false;
    showStatus();
  }
}

// Whether the server accepted or refused a judgment for good; else it is sent again.
async function isSettled(name, judgment) {
  let response;
  let result = {};
  try {
    response = await fetch("/judgments", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(judgment),
      keepalive: true, // sent even if the page is closed
      signal: AbortSignal.timeout(TIMEOUT),
    });
    result = await response.json();
  } catch {
    trouble = "";
    return false; // no response, or an incomplete one
  }
  if (response.ok && result.key === judgment.key) {
    remove(name);
    lastSaved = judgment;
    announce("porism:saved", { judgment, ...result });
    return true;
  }
  if (response.status === 401) {
    trouble = "sign in";
    return false;
  }
  if (response.ok || RETRIED.has(response.status) || response.status >= 500) {
    trouble = result.detail ?? "";
    return false;
  }
  store(name.replace(PENDING, REFUSED), { judgment, why: result.detail ?? `error ${response.status}` });
  remove(name);
  announce("porism:refused", { judgment });
  return true;
}

function announce(type, detail) {
  document.dispatchEvent(new CustomEvent(type, { detail }));
}

// Status

const LABELS = {
  high: "High",
  medium: "Medium",
  low: "Low",
  not_relevant: "Not relevant",
  system_failure: "System failure",
  do_not_know: "Do not know",
};

export const labelOf = (choice) => LABELS[choice] ?? "Withdrawn";

function showStatus() {
  const left = names(PENDING).length;
  if (left === 0 && lastSaved === null) {
    status.hidden = true;
  } else if (left === 0) {
    setStatus("saved", "Saved", `: ${labelOf(lastSaved.choice)} for ${lastSaved.document}`);
  } else if (trouble === "sign in") {
    if (setStatus("trouble", `Sign in to send ${left}`)) linkToSignIn();
    const here = encodeURIComponent(location.pathname + location.search);
    status.firstElementChild.href = `/sign-in?to=${here}`;
  } else if (failures === 0) {
    setStatus("sending", left === 1 ? "Saving…" : `Saving… (${left})`);
  } else {
    const stay = isStored() ? "" : ": stay on this page";
    setStatus("waiting", `Waiting to be sent (${left})${stay}`, trouble && `: ${trouble}`);
    const storage = isStored()
      ? "Your judgments are kept in this browser."
      : "This browser does not keep your judgments, so do not close the page.";
    status.title = `${trouble || "The server does not answer."} ${storage}`;
  }
  showRefused();
}

const isStored = () => ![...inMemory.keys()].some((name) => name.startsWith(PENDING));

function linkToSignIn() {
  const link = document.createElement("a");
  link.textContent = status.textContent;
  link.addEventListener("click", () => {
    if (isStored()) isSigningIn = true; // stored judgments are sent from there
    else link.target = "_blank"; // the others need this page
  });
  status.replaceChildren(link);
}

// Returns whether the status changed.
function setStatus(state, text, more = "") {
  const isNew = status.dataset.state !== state || status.dataset.text !== text + more;
  if (isNew) {
    const rest = document.createElement("span");
    rest.className = "visually-hidden";
    rest.textContent = more;
    status.replaceChildren(text, rest);
    status.dataset.text = text + more;
    status.title = "";
  }
  status.dataset.state = state;
  status.hidden = false;
  return isNew;
}

let shownRefused = "";

function showRefused() {
  const refused = names(REFUSED);
  if (shownRefused === refused.join()) return;
  shownRefused = refused.join();
  refusedList.hidden = refused.length === 0;
  const heading = document.createElement("p");
  heading.textContent =
    refused.length === 1
      ? "A judgment was refused. Copy what you need from it."
      : `${refused.length} judgments were refused. Copy what you need from them.`;
  refusedList.replaceChildren(heading, ...refused.map(refusedItem));
}

function refusedItem(name) {
  const { judgment, why } = load(name);
  const item = document.createElement("div");
  const reason = document.createElement("p");
  reason.textContent = why;
  const text = document.createElement("textarea");
  text.readOnly = true;
  text.rows = 2;
  text.setAttribute("aria-label", "The refused judgment");
  text.value = [
    `${judgment.topic}, ${judgment.document}: ${labelOf(judgment.choice)}`,
    judgment.is_machine_made && "Seems machine-generated",
    judgment.is_unrelated && "Contains unrelated information",
    judgment.comment,
  ]
    .filter(Boolean)
    .join("\n");
  const discard = document.createElement("button");
  discard.type = "button";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => {
    remove(name);
    showRefused();
  });
  item.append(reason, text, discard);
  return item;
}

window.addEventListener("beforeunload", (event) => {
  if (names(PENDING).length > 0 && !isSigningIn) event.preventDefault();
});
window.addEventListener("online", work);
window.addEventListener("focus", work);
window.addEventListener("storage", ({ key, newValue }) => {
  showStatus();
  if (key?.startsWith(PENDING) && newValue !== null) {
    announce("porism:other-window", { judgment: JSON.parse(newValue) });
  }
});
document.addEventListener("porism:reached", work);

showStatus();
work();
