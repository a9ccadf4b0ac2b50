// What scrolls by itself, such as a formula wider than the page, can be reached by the keyboard.

export function makeReachable(part) {
  for (const each of part.querySelectorAll(".display, .post, .title, .meta, pre")) {
    const isWider = each.scrollWidth > each.clientWidth + 1;
    if (isWider && each.closest("a, summary") === null) each.tabIndex = 0;
  }
}
