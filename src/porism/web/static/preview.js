// The typed query with its formulas rendered, below the box.

const PAUSE = 40; // milliseconds without a key

export function connectPreview(form, box, place) {
  let timer = 0;
  let pending = null;

  async function draw() {
    pending?.abort();
    pending = new AbortController();
    const fields = new URLSearchParams({ q: box.value, what: new FormData(form).get("what") });
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

  box.addEventListener("input", later);
  form.addEventListener("change", later);
}
