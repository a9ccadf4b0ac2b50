// The search page with script: results while one types, explanations in place, and tools to type
// formulas with. All HTML is made by the server; without this file the page works by its form.

import { connectEditor } from "./editor.js";
import { connectPalette } from "./palette.js";
import { connectPreview } from "./preview.js";

const PAUSE = 60; // milliseconds without a key before a search is done

const form = document.getElementById("search");
const box = document.getElementById("q");
const results = document.getElementById("results");
const trouble = document.getElementById("trouble");
const said = document.getElementById("said");
const tag = document.getElementById("tag");

let shown = location.search; // the search whose results are on the page
let isSettled = true; // whether that was asked for, and is not half typed
let underWay = null;
let timer = 0;

// The address of what the form asks for; what is as always is not said.
function address() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const isUsual = value.trim() === "" || (name === "what" && value === "answers");
    if (!isUsual && !fields.getAll(name).includes(value)) fields.append(name, value);
  }
  const asked = fields.toString();
  return asked ? `?${asked}` : "";
}

// The tag that was typed becomes one of those chosen, so that another can be typed.
function chooseTag() {
  const name = tag.value.trim();
  if (!name) return;
  const known = [...form.querySelectorAll("input[type=checkbox][name=tag]")];
  let chosen = known.find((each) => each.value === name);
  if (!chosen) {
    const label = document.getElementById("chosen-tag").content.firstChild.cloneNode(true);
    chosen = label.querySelector("input");
    chosen.value = name;
    label.append(name);
    tag.before(label, " ");
  }
  chosen.checked = true;
  tag.value = "";
  tag.setAttribute("aria-label", "Another tag");
}

// What an address gives as a part of a page. Refusals of what was asked (400) are parts as well.
async function part(search, name, signal) {
  const address = `/?${new URLSearchParams([...new URLSearchParams(search), ["fragment", name]])}`;
  const response = await fetch(address, { signal });
  if (!response.ok && response.status !== 400) throw new Error(refusal(response.status));
  return response.text();
}

function refusal(status) {
  if (status === 429 || status === 503) return "The server is busy. Try again in a moment.";
  return `The server could not do this (error ${status}). Try again, or ask otherwise.`;
}

function tell(error) {
  const isUnreached = error instanceof TypeError; // as fetch tells that nobody answered
  trouble.textContent = isUnreached
    ? "The server cannot be reached. Is it still running?"
    : error.message;
  trouble.hidden = false;
}

async function search(isAsked) {
  clearTimeout(timer);
  const wanted = address();
  if (wanted === shown && !underWay) {
    isSettled ||= isAsked;
    return;
  }
  underWay?.abort();
  const mine = new AbortController();
  underWay = mine;
  results.setAttribute("aria-busy", "true");
  try {
    const html = await part(wanted, "results", mine.signal);
    results.innerHTML = html;
    trouble.hidden = true;
    said.textContent = document.getElementById("told")?.textContent ?? "";
    remember(wanted, isAsked);
  } catch (error) {
    if (error.name !== "AbortError") tell(error);
  } finally {
    if (underWay === mine) {
      underWay = null;
      results.removeAttribute("aria-busy");
    }
  }
}

// A search that was asked for stays in the history; of one that is being typed, only its last state.
function remember(wanted, isAsked) {
  if (wanted !== shown) {
    const change = isSettled ? "pushState" : "replaceState";
    history[change](null, "", wanted || "/");
    document.title = box.value.trim() ? `${box.value.trim().slice(0, 80)} – Porism` : "Porism";
  }
  shown = wanted;
  isSettled = isAsked;
}

async function explain(link) {
  const rank = link.closest("article");
  try {
    const html = await part(new URL(link.href).search, "why");
    link.insertAdjacentHTML("afterend", html);
    link.remove();
    rank.querySelector(".explanation summary").focus();
    trouble.hidden = true;
  } catch (error) {
    tell(error);
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  chooseTag();
  search(true);
});

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => search(false), PAUSE);
});

box.addEventListener("keydown", (event) => {
  // Enter that chooses a word of an input method is not ours.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

form.addEventListener("change", (event) => {
  if (event.target !== box && event.target.name) form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select, math-field, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

results.addEventListener("click", (event) => {
  const link = event.target.closest("a.why");
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (link && isPlain) {
    event.preventDefault();
    explain(link);
  }
});

// Going back changes the filters too, so the page is made anew; a jump within it is left alone.
addEventListener("popstate", () => {
  if (location.search !== shown) location.reload();
});

for (const each of document.querySelectorAll(".scripted")) each.hidden = false;
document.getElementById("tools").hidden = false;
connectPreview(form, box, document.getElementById("preview"));
connectPalette(document.getElementById("palette"), form, box);
if ("mathlive" in form.dataset) {
  connectEditor(document.getElementById("edit"), document.getElementById("editor"), form, box, tell);
}
