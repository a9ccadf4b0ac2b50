// Make elements that scroll, such as a formula wider than the page, reachable by the keyboard.

const followed = new WeakSet();

export function makeFocusable(part) {
  mark(part);
  document.fonts.ready.then(() => mark(part)); // until then, formulas have other widths
  if (followed.has(part)) return;
  followed.add(part);
  addEventListener("resize", () => mark(part));
}

function mark(part) {
  for (const each of part.querySelectorAll(".display, .post, .title, .meta, pre")) {
    const isWider = each.scrollWidth > each.clientWidth + 1;
    if (isWider && each.closest("a, summary") === null) each.tabIndex = 0;
  }
}
