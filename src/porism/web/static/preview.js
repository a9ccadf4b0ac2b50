// How the typed query is read, below the box: chips for formulas and operators.

const PAUSE = 40; // milliseconds without a key

export function connectPreview(form, box, place) {
  let timer = 0;
  let pending = null;

  async function draw() {
    pending?.abort();
    pending = new AbortController();
    const chosen = new FormData(form);
    const fields = new URLSearchParams({ q: box.value, what: chosen.get("what") });
    for (const words of chosen.getAll("words")) fields.append("words", words);
    try {
      const response = await fetch(`/preview?${fields}`, { signal: pending.signal });
      if (!response.ok && response.status !== 400) return;
      const html = await response.text();
      place.innerHTML = html;
      place.hidden = html === "";
    } catch {
      // No answer, which the search that follows reports, or more was typed meanwhile.
    }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(draw, PAUSE);
  }

  // The parts to be read as words are hidden fields here, so that the search has them too.
  function readAsWords(sources) {
    for (const field of place.querySelectorAll("input[name=words]")) field.remove();
    for (const source of sources) {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = "words";
      field.value = source;
      place.append(field);
    }
  }

  place.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const link = event.target.closest("a.switch");
    const chip = event.target.closest(".chip");
    if (link && isPlain) {
      event.preventDefault();
      readAsWords(new URL(link.href).searchParams.getAll("words"));
      form.requestSubmit();
      draw();
    } else if (chip && !link) {
      // To edit a part, it is selected in the box.
      box.focus();
      box.setSelectionRange(Number(chip.dataset.start), Number(chip.dataset.end));
    }
  });

  box.addEventListener("input", later);
  form.addEventListener("change", later);
}
