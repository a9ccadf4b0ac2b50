// The keys of the search page: "/" goes to the box, j and k or the arrows from result to result,
// Escape back to the box, and "?" to the help.

export function connectKeys(box, results) {
  function titles() {
    return [...results.querySelectorAll(".card h2 a")];
  }

  // The title that is so many steps from the card with the focus; the first one if there is none.
  function move(step) {
    const links = titles();
    const card = document.activeElement.closest(".card");
    const at = card ? links.findIndex((each) => card.contains(each)) + step : 0;
    if (at < 0) box.focus();
    else links[Math.min(at, links.length - 1)]?.focus();
    return links.length > 0;
  }

  const actions = {
    "/": () => {
      box.focus();
      box.select();
      return true;
    },
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => isAmongResults() && move(1),
    ArrowUp: () => isAmongResults() && move(-1),
    Escape: () => {
      if (!isAmongResults()) return false;
      box.focus();
      return true;
    },
    "?": () => {
      location.assign("/help#keys");
      return true;
    },
  };

  function isAmongResults() {
    return results.contains(document.activeElement);
  }

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select, math-field, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (actions[event.key]?.()) event.preventDefault();
  });

  // Down from the last line of the box leads to the first result.
  box.addEventListener("keydown", (event) => {
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isLastLine = !box.value.slice(box.selectionEnd).includes("\n");
    if (event.key === "ArrowDown" && isPlain && isLastLine && !event.isComposing && move(1)) {
      event.preventDefault();
    }
  });
}
