// The form of a candidate: its comment and annotations.

const ANNOTATIONS = ["is_machine_made", "is_unrelated"];

export const documentOf = (card) => card.dataset.document;
export const commentBox = (card) => card.querySelector("textarea");
const checkbox = (card, name) => card.querySelector(`input[type="checkbox"][name="${name}"]`);

// The comment and the annotations; without a checkbox an annotation is that of the last judgment.
export function formValues(card, before) {
  const value = (name) => checkbox(card, name)?.checked ?? before?.[name] ?? null;
  const annotations = ANNOTATIONS.map((name) => [name, value(name)]);
  return { comment: commentBox(card).value, ...Object.fromEntries(annotations) };
}

export function fill(card, { comment, ...annotations }) {
  commentBox(card).value = comment;
  for (const name of ANNOTATIONS) {
    const box = checkbox(card, name);
    if (box !== null) box.checked = annotations[name] === true;
  }
}

// Whether the form has the values of a judgment.
export function isUnchanged(card, judgment) {
  const now = formValues(card, judgment);
  const plain = (comment) => comment.replace(/\r\n?/g, "\n").trim();
  return (
    plain(now.comment) === plain(judgment.comment) &&
    ANNOTATIONS.every((name) => Boolean(now[name]) === Boolean(judgment[name]))
  );
}
