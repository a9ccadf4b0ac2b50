// What is written and ticked about a candidate on the page.

const MARKS = ["is_machine_made", "is_unrelated"];

export const nameOf = (card) => card.dataset.document;
export const boxOf = (card) => card.querySelector("textarea");
const markOf = (card, name) => card.querySelector(`input[type="checkbox"][name="${name}"]`);

// The comment and the marks; one that is not asked here is as it was said before.
export function written(card, before) {
  const marked = (name) => markOf(card, name)?.checked ?? before?.[name] ?? null;
  const marks = MARKS.map((name) => [name, marked(name)]);
  return { comment: boxOf(card).value, ...Object.fromEntries(marks) };
}

export function fill(card, { comment, ...marks }) {
  boxOf(card).value = comment;
  for (const name of MARKS) {
    const mark = markOf(card, name);
    if (mark !== null) mark.checked = marks[name] === true;
  }
}

// Whether the card has what was said, and nothing else.
export function isAsSaid(card, said) {
  const now = written(card, said);
  const plain = (comment) => comment.replace(/\r\n?/g, "\n").trim();
  return (
    plain(now.comment) === plain(said.comment) &&
    MARKS.every((name) => Boolean(now[name]) === Boolean(said[name]))
  );
}
