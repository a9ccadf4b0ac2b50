// MathLive's formula editor, if it is installed; it is loaded when first opened.

import { formulaAround, type } from "./palette.js";
import { plainLatex } from "./plain_latex.js";

const FOLDER = "/static/mathlive";
const AFTER = { selectionMode: "after" }; // the cursor

export function connectEditor(button, panel, form, box, showError) {
  let field = null;
  let replaced = null; // the part of the box that is being edited

  async function open() {
    try {
      field ??= await newField(panel, insert, close);
    } catch {
      showError(new Error("The formula editor could not be loaded. Type LaTeX between dollars instead."));
      return;
    }
    replaced = editedPart();
    field.mode = "math";
    field.value = plainLatex(box.value.slice(replaced.start, replaced.end));
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    field.focus();
  }

  // The formula around the cursor or, if there is none, the cursor.
  function editedPart() {
    const isAlone = new FormData(form).get("what") === "formulas" && !box.value.includes("$");
    if (isAlone) return { start: 0, end: box.value.length, isWithin: true };
    const around = formulaAround(box.value, box.selectionStart);
    if (around) return { ...around, isWithin: true };
    return { start: box.selectionStart, end: box.selectionStart, isWithin: false };
  }

  function insert() {
    const latex = field.getValue("latex").replaceAll(/\\placeholder(\[[^\]]*\])?\{\}/g, "").trim();
    close();
    if (latex) type(box, replaced.start, replaced.end, replaced.isWithin ? latex : `$${latex}$`);
  }

  function close() {
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    box.focus();
  }

  button.hidden = false;
  button.addEventListener("click", () => (panel.hidden ? open() : close()));
}

async function newField(panel, insert, close) {
  const { MathfieldElement } = await import(`${FOLDER}/mathlive.min.mjs`);
  MathfieldElement.fontsDirectory = `${FOLDER}/fonts`;
  MathfieldElement.soundsDirectory = null;
  const field = new MathfieldElement();
  field.setAttribute("aria-label", "Formula");
  field.addEventListener("keydown", (event) => {
    // MathLive would start LaTeX mode at Escape, and insert a fraction for the wildcard key.
    const acts = { Escape: close, Enter: insert, "?": () => field.insert("?", AFTER) };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }, { capture: true });
  panel.replaceChildren(field, newButton("Insert", insert), newButton("Close", close));
  return field;
}

function newButton(text, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", action);
  return button;
}
