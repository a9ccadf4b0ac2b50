// Copying: a formula in the selection becomes the LaTeX that its author wrote, between dollars.

const FORMULA = "[data-latex]";
// Environments that are displayed by themselves; LaTeX refuses them between dollars.
const BY_ITSELF = /^\\begin\s*\{(?:align|alignat|flalign|gather|multline|equation|eqnarray)\*?\}/;

/** A formula as LaTeX with its delimiters. */
function source(formula) {
  const latex = formula.dataset.latex.trim();
  if (BY_ITSELF.test(latex)) return `\n${latex}\n`;
  return formula.classList.contains("display") ? `\n$$${latex}$$\n` : `$${latex}$`;
}

/** The formula that a place in the document is part of. */
function around(node) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  return element?.closest(FORMULA) ?? null;
}

/** What is selected, with every formula that is selected in part as a whole. */
function selected(range) {
  const whole = range.cloneRange();
  const first = around(range.startContainer);
  const last = around(range.endContainer);
  if (first) whole.setStartBefore(first);
  if (last) whole.setEndAfter(last);
  return whole.cloneContents();
}

/** The text of a piece of a page, which must be in the document to have line breaks. */
function text(content) {
  const sheet = document.createElement("div");
  sheet.className = "copied";
  sheet.inert = true;
  sheet.append(content);
  document.body.append(sheet);
  try {
    return sheet.innerText.replace(/\n{3,}/g, "\n\n").trim();
  } finally {
    sheet.remove();
  }
}

/** The HTML of a piece of a page, in which formulas stay formulas. */
function markup(content) {
  const holder = document.createElement("div");
  holder.append(content);
  return holder.innerHTML;
}

document.addEventListener("copy", (event) => {
  const selection = document.getSelection();
  if (event.defaultPrevented || !event.clipboardData || !selection?.rangeCount) return;
  if (selection.isCollapsed || event.target.closest?.("input, textarea, math-field")) return;
  const content = selected(selection.getRangeAt(0));
  const formulas = content.querySelectorAll(FORMULA);
  if (!formulas.length) return;
  event.clipboardData.setData("text/html", markup(content.cloneNode(true)));
  for (const formula of formulas) formula.replaceWith(source(formula));
  event.clipboardData.setData("text/plain", text(content));
  event.preventDefault();
});
