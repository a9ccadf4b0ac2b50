// The search page with script: results while typing, explanations in place, and tools for formulas.
// The server renders all HTML; without this file the page works by its form.

import { connectAnswer } from "./ask.js";
import { connectEditor } from "./editor.js";
import { connectKeys } from "./keys.js";
import { connectPalette } from "./palette.js";
import { connectPreview } from "./preview.js";
import { connectRecent } from "./recent.js";

const PAUSE = 60; // milliseconds without a key before a search starts

const form = document.getElementById("search");
const box = document.getElementById("q");
const results = document.getElementById("results");
const errorMessage = document.getElementById("error");
const status = document.getElementById("status");

const recent = connectRecent(document.getElementById("recent"), box);

let current = location.search; // the search whose results are on the page
let isSubmitted = true; // whether it was submitted, not searched while typing
let pending = null;
let timer = 0;

// The address of the search in the form, without default values.
function address() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const isDefault = value.trim() === "" || (name === "what" && value === "answers");
    if (!isDefault && !fields.getAll(name).includes(value)) fields.append(name, value);
  }
  const query = fields.toString();
  return query ? `?${query}` : "";
}

// A typed filter value, such as a tag, becomes a checkbox, so that another can be typed.
function addText(fieldset) {
  const input = fieldset.querySelector("input[type=text]");
  const text = input.value.trim();
  if (!text) return;
  const boxes = [...fieldset.querySelectorAll("input[type=checkbox]")];
  let checkbox = boxes.find((each) => each.value === text);
  if (!checkbox) {
    const label = fieldset.querySelector("template").content.firstChild.cloneNode(true);
    checkbox = label.querySelector("input");
    checkbox.value = text;
    label.append(text);
    input.before(label, " ");
  }
  checkbox.checked = true;
  input.value = "";
  input.setAttribute("aria-label", `Another ${input.name}`);
}

// A fragment of the page of a search. Messages about an invalid search (400) are fragments too.
async function fragment(search, name, signal) {
  const address = `/?${new URLSearchParams([...new URLSearchParams(search), ["fragment", name]])}`;
  const response = await fetch(address, { signal });
  if (!response.ok && response.status !== 400) throw new Error(failure(response.status));
  return response.text();
}

function failure(status) {
  if (status === 429 || status === 503) return "The server is busy. Try again in a moment.";
  return `The server could not answer (error ${status}). Try again, or change the query.`;
}

function showError(error) {
  const isUnreachable = error instanceof TypeError; // fetch got no answer
  errorMessage.textContent = isUnreachable
    ? "The server cannot be reached. Is it still running?"
    : error.message;
  errorMessage.hidden = false;
}

async function search(isSubmit) {
  clearTimeout(timer);
  const wanted = address();
  if (wanted === current && !pending) {
    isSubmitted ||= isSubmit;
    return;
  }
  pending?.abort();
  const mine = new AbortController();
  pending = mine;
  results.setAttribute("aria-busy", "true");
  try {
    results.innerHTML = await fragment(wanted, "results", mine.signal);
    errorMessage.hidden = true;
    status.textContent = document.getElementById("summary")?.textContent ?? "";
    remember(wanted, isSubmit);
    if (isSubmit) document.getElementById("opened")?.click();
  } catch (error) {
    if (error.name !== "AbortError") showError(error);
  } finally {
    if (pending === mine) {
      pending = null;
      results.removeAttribute("aria-busy");
    }
  }
}

// A submitted search stays in the history; a search while typing is replaced by the next one.
function remember(wanted, isSubmit) {
  if (wanted !== current) {
    const change = isSubmitted ? "pushState" : "replaceState";
    history[change](null, "", wanted || "/");
    document.title = box.value.trim() ? `${box.value.trim().slice(0, 80)} – Porism` : "Porism";
  }
  current = wanted;
  isSubmitted = isSubmit;
  recent.update(isSubmit ? box.value : "");
}

// Put what a link leads to in its place: the explanation of a result, or the rest of a thread.
async function unfold(link, name, extra = {}) {
  const address = new URL(link.href);
  const search = new URLSearchParams(name === "why" ? address.search : location.search);
  for (const [key, value] of Object.entries(extra)) search.set(key, value);
  try {
    const html = await fragment(search, name);
    const whole = link.closest(".more");
    whole.insertAdjacentHTML(name === "why" ? "beforeend" : "afterend", html);
    const added = name === "why" ? whole.lastElementChild : whole.nextElementSibling;
    link.remove();
    added.querySelector("summary, a")?.focus();
    errorMessage.hidden = true;
  } catch (error) {
    showError(error);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  form.querySelectorAll("fieldset.texts").forEach(addText);
  search(true);
});

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => search(false), PAUSE);
  document.body.className = "searched";
});

box.addEventListener("keydown", (event) => {
  // Enter in an input method chooses a word.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

form.addEventListener("change", (event) => {
  if (event.target !== box && event.target.name) form.requestSubmit();
});

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.why, a.others");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!link || !isPlain) return;
  event.preventDefault();
  if (link.matches(".why")) unfold(link, "why");
  else unfold(link, "others", { thread: link.dataset.thread });
});

// Going back changes the filters too, so the page is reloaded, unless it is a jump within it.
addEventListener("popstate", () => {
  if (location.search !== current) location.reload();
});

for (const each of document.querySelectorAll(".scripted")) each.hidden = false;
document.getElementById("tools").hidden = false;
connectAnswer(results);
connectKeys(box, results);
connectPreview(form, box, document.getElementById("preview"));
connectPalette(document.getElementById("palette"), form, box);
connectEditor(document.getElementById("edit"), document.getElementById("editor"), form, box, showError);
