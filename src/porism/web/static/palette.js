// Buttons that insert LaTeX into the box, between dollars unless it is within a formula.

export function connectPalette(palette, form, box) {
  palette.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-insert]");
    if (button) insert(form, box, button.dataset.insert);
  });
}

// The formula around the cursor, without its dollars; null if there is none.
export function formulaAround(text, place) {
  const dollars = [...text.matchAll(/(?<!\\)\$+/g)];
  for (let each = 0; each < dollars.length; each += 2) {
    const start = dollars[each].index + dollars[each][0].length;
    const end = dollars[each + 1]?.index ?? text.length;
    if (start <= place && place <= end) return { start, end };
  }
  return null;
}

// Whether the whole query is one formula, which needs no dollars.
function isFormulaAlone(form, text) {
  return new FormData(form).get("what") === "formulas" && !text.includes("$");
}

// Insert LaTeX at the cursor; a bar in it marks the new cursor.
function insert(form, box, latex) {
  const { selectionStart, selectionEnd, value } = box;
  const selected = value.slice(selectionStart, selectionEnd);
  const isWithin = isFormulaAlone(form, value) || formulaAround(value, selectionStart);
  const [before, after = ""] = latex.split("|");
  const text = `${before}${latex.includes("|") ? selected : ""}`;
  type(box, selectionStart, selectionEnd, isWithin ? text + after : `$${text}${after}$`);
  const cursor = selectionStart + text.length + (isWithin ? 0 : 1);
  box.setSelectionRange(cursor, cursor);
}

// Replace a part of the box as if it were typed.
export function type(box, start, end, text) {
  box.focus();
  box.setSelectionRange(start, end);
  // Unlike its successors, the deprecated command can be undone.
  if (!document.execCommand("insertText", false, text)) {
    box.setRangeText(text, start, end, "end");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
