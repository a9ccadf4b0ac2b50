// Judgments on their way to the server. Each is kept in this browser, with a key of its own, until
// the server says that it has it; sending one again adds nothing there. They are sent one by one, in
// the order in which they were made, so that of two on the same candidate the later one counts.

const FIRST_PAUSE = 500; // milliseconds until it is tried again, doubled each time
const LONGEST_PAUSE = 10_000;
const PATIENCE = 15_000; // milliseconds that an answer may take
// It came too slowly, other judgments are served here now, or too much was sent.
const LATER = new Set([408, 421, 429]);

const { campaign, assessor } = document.body.dataset;
const OWN = `porism-assess/${campaign}/${assessor}/`;
const WAITING = `${OWN}waiting/`;
const REFUSED = `${OWN}refused/`;
const DRAFTS = `${OWN}draft/`;

const status = document.getElementById("saving");
const refusals = document.getElementById("refused");

// A browser that keeps nothing, as some do in private windows, still sends what it has.
const unkept = new Map();

function keep(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(name, text);
    unkept.delete(name);
  } catch {
    unkept.set(name, text);
  }
}

function kept(name) {
  const text = unkept.get(name) ?? read(name);
  return text === null ? null : JSON.parse(text);
}

function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function forget(name) {
  unkept.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // then it was not kept there either
  }
}

function names(prefix) {
  const found = new Set([...unkept.keys()].filter((name) => name.startsWith(prefix)));
  try {
    for (let place = 0; place < localStorage.length; place += 1) {
      const name = localStorage.key(place);
      if (name.startsWith(prefix)) found.add(name);
    }
  } catch {
    // nothing is kept there
  }
  return [...found].sort();
}

// Outside of secure pages, as in a lab's own network, browsers have no randomUUID.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// What is judged and not yet sent, the oldest first.
export function waiting() {
  return names(WAITING).map(kept).filter((each) => each !== null); // another window was faster
}

export function send(judgment) {
  const latest = Number(names(WAITING).at(-1)?.slice(WAITING.length, WAITING.length + 15) ?? 0);
  const at = String(Math.max(Date.now(), latest + 1)).padStart(15, "0");
  keep(`${WAITING}${at}-${judgment.key}`, { ...judgment, campaign, assessor });
  told = null;
  show();
  work();
}

// Tell of a judgment that stands, as of one that was just made.
export function tellAgain(name, choice) {
  told = { document: name, choice };
  show();
}

// Whether the last that was sent was not answered.
export const isAway = () => failures > 0;

export const drafts = {
  name: (...parts) => DRAFTS + parts.map(encodeURIComponent).join("/"),
  keep(name, draft) {
    keep(name, draft);
  },
  read: kept,
  forget,
};

let isWorking = false;
let failures = 0;
let timer = 0;
let isSigningIn = false;
let trouble = ""; // why nothing is sent now
let told = null; // the last judgment that the server said it has

async function work() {
  if (isWorking) return;
  clearTimeout(timer);
  isWorking = true;
  try {
    for (let [name] = names(WAITING); name !== undefined; [name] = names(WAITING)) {
      const judgment = kept(name);
      if (judgment === null) continue; // another window was faster
      if (!(await isSettled(name, judgment))) {
        failures += 1;
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - 1, 10));
        timer = setTimeout(work, pause * (0.75 + Math.random() / 2));
        return;
      }
      failures = 0;
      trouble = "";
      show();
    }
  } finally {
    isWorking = false;
    show();
  }
}

// Whether the server took a judgment or will never take it; else it is sent again.
async function isSettled(name, judgment) {
  let response;
  let said = {};
  try {
    response = await fetch("/judgments", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(judgment),
      keepalive: true, // what was written last is sent though the page is closed
      signal: AbortSignal.timeout(PATIENCE),
    });
    said = await response.json();
  } catch {
    trouble = "";
    return false; // nobody answered, or not to the end
  }
  if (response.ok && said.key === judgment.key) {
    forget(name);
    told = judgment;
    announce("porism:saved", { judgment, ...said });
    return true;
  }
  if (response.status === 401) {
    trouble = "sign in";
    return false;
  }
  if (response.ok || LATER.has(response.status) || response.status >= 500) {
    trouble = said.detail ?? "";
    return false;
  }
  keep(name.replace(WAITING, REFUSED), { judgment, why: said.detail ?? `error ${response.status}` });
  forget(name);
  announce("porism:refused", { judgment });
  return true;
}

function announce(type, detail) {
  document.dispatchEvent(new CustomEvent(type, { detail }));
}

// What is told

const LABELS = {
  high: "High",
  medium: "Medium",
  low: "Low",
  not_relevant: "Not relevant",
  system_failure: "System failure",
  do_not_know: "Do not know",
};

export const labelOf = (choice) => LABELS[choice] ?? "Taken back";

function show() {
  const left = names(WAITING).length;
  if (left === 0 && told === null) {
    status.hidden = true;
  } else if (left === 0) {
    tell("saved", "Saved", `: ${labelOf(told.choice)} for ${told.document}`);
  } else if (trouble === "sign in") {
    if (tell("trouble", `Sign in to send ${left}`)) linkToSignIn();
    const here = encodeURIComponent(location.pathname + location.search);
    status.firstElementChild.href = `/sign-in?to=${here}`;
  } else if (failures === 0) {
    tell("sending", left === 1 ? "Saving…" : `Saving… (${left})`);
  } else {
    const stay = isKept() ? "" : ": stay on this page";
    tell("waiting", `Waiting to be sent (${left})${stay}`, trouble && `: ${trouble}`);
    const kept = isKept()
      ? "What you judge is kept in this browser."
      : "This browser does not keep what you judge, so do not close the page.";
    status.title = `${trouble || "The server does not answer."} ${kept}`;
  }
  showRefused();
}

const isKept = () => ![...unkept.keys()].some((name) => name.startsWith(WAITING));

function linkToSignIn() {
  const link = document.createElement("a");
  link.textContent = status.textContent;
  link.addEventListener("click", () => {
    if (isKept()) isSigningIn = true; // what is kept here is sent from there
    else link.target = "_blank"; // and what is not must stay
  });
  status.replaceChildren(link);
}

// Whether that was not told already.
function tell(state, text, more = "") {
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
  const found = names(REFUSED);
  if (shownRefused === found.join()) return;
  shownRefused = found.join();
  refusals.hidden = found.length === 0;
  const heading = document.createElement("p");
  heading.textContent =
    found.length === 1
      ? "A judgment was not taken. Copy what you need of it."
      : `${found.length} judgments were not taken. Copy what you need of them.`;
  refusals.replaceChildren(heading, ...found.map(refusedItem));
}

function refusedItem(name) {
  const { judgment, why } = kept(name);
  const item = document.createElement("div");
  const reason = document.createElement("p");
  reason.textContent = why;
  const text = document.createElement("textarea");
  text.readOnly = true;
  text.rows = 2;
  text.setAttribute("aria-label", "The judgment that was not taken");
  text.value = [
    `${judgment.topic}, ${judgment.document}: ${labelOf(judgment.choice)}`,
    judgment.is_machine_made && "Seems made by a machine",
    judgment.is_unrelated && "Says what has nothing to do with the question",
    judgment.comment,
  ]
    .filter(Boolean)
    .join("\n");
  const discard = document.createElement("button");
  discard.type = "button";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => {
    forget(name);
    showRefused();
  });
  item.append(reason, text, discard);
  return item;
}

window.addEventListener("beforeunload", (event) => {
  if (names(WAITING).length > 0 && !isSigningIn) event.preventDefault();
});
window.addEventListener("online", work);
window.addEventListener("focus", work);
window.addEventListener("storage", ({ key, newValue }) => {
  show();
  if (key?.startsWith(WAITING) && newValue !== null) {
    announce("porism:elsewhere", { judgment: JSON.parse(newValue) });
  }
});
document.addEventListener("porism:reached", work);

show();
work();
