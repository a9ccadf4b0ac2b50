// LaTeX without the commands by which it would style, name or link what the editor makes of it.
// What is typed may come from a link that somebody else wrote.

// Each takes what it sets, in braces or brackets, and then its content, which is kept.
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
    if (found.index < at) continue; // within what was left out
    const [text, name] = found;
    const isNaming = name === "csname" || name === "endcsname" || text.startsWith("^^");
    if (!isNaming && !SETTING.has(name)) continue;
    // A space, lest what stands before and after become another command together.
    plain += `${latex.slice(at, found.index)} `;
    at = found.index + text.length;
    if (!isNaming) at = behindArguments(latex, at, name);
  }
  return plain + latex.slice(at);
}

// Where the arguments of a command end that say what it sets; a box has these in brackets alone.
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

// Behind the brace that closes the group; without one, behind the brace that opens it.
function behindGroup(latex, start) {
  let depth = 0;
  for (let at = start; at < latex.length; at += 1) {
    if (latex[at] === "\\") at += 1;
    else if (latex[at] === "{") depth += 1;
    else if (latex[at] === "}" && (depth -= 1) === 0) return at + 1;
  }
  return start + 1;
}
