// LaTeX without commands that would style, name or link elements of the editor: the query may come
// from a link that somebody else wrote.

// Each takes a setting, in braces or brackets, which is dropped, and then content, which is kept.
const SETTING = new Set([
  "htmlStyle", "style", "htmlData", "htmlClass", "class", "htmlId", "cssId", "href", "url",
  "bbox", "enclose",
]);
const COMMAND = /\\(?:([a-zA-Z]+)\*?|[^a-zA-Z])|\^\^+/g;
const BLANKS = /\s*/y;

export function plainLatex(latex) {
  let plain = "";
  let at = 0;
  for (const found of latex.matchAll(COMMAND)) {
    if (found.index < at) continue; // within a dropped argument
    const [text, name] = found;
    const isNaming = name === "csname" || name === "endcsname" || text.startsWith("^^");
    if (!isNaming && !SETTING.has(name)) continue;
    // A space, so that the text before and after does not become another command.
    plain += `${latex.slice(at, found.index)} `;
    at = found.index + text.length;
    if (!isNaming) at = behindArguments(latex, at, name);
  }
  return plain + latex.slice(at);
}

// The end of the settings of a command; those of a bbox are in brackets only.
function behindArguments(latex, start, name) {
  const at = behindOption(latex, start);
  if (name === "bbox" || latex[at] !== "{") return at;
  return behindOption(latex, behindGroup(latex, at));
}

function behindOption(latex, start) {
  const at = behindBlanks(latex, start);
  if (latex[at] !== "[") return at;
  const end = latex.indexOf("]", at);
  return end < 0 ? at + 1 : behindBlanks(latex, end + 1);
}

function behindBlanks(latex, at) {
  BLANKS.lastIndex = at;
  BLANKS.exec(latex);
  return BLANKS.lastIndex;
}

// After the brace that closes the group, or, if there is none, after the one that opens it.
function behindGroup(latex, start) {
  let depth = 0;
  for (let at = start; at < latex.length; at += 1) {
    if (latex[at] === "\\") at += 1;
    else if (latex[at] === "{") depth += 1;
    else if (latex[at] === "}" && (depth -= 1) === 0) return at + 1;
  }
  return start + 1;
}
