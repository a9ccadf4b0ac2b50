// What is typed, with its formulas drawn, below the box.

const PAUSE = 40; // milliseconds without a key

export function connectPreview(form, box, place) {
  let timer = 0;
  let underWay = null;

  async function draw() {
    underWay?.abort();
    underWay = new AbortController();
    const fields = new URLSearchParams({ q: box.value, what: new FormData(form).get("what") });
    try {
      const response = await fetch(`/preview?${fields}`, { signal: underWay.signal });
      if (!response.ok && response.status !== 400) return;
      const html = await response.text();
      place.innerHTML = html;
      place.hidden = html === "";
    } catch {
      // Nobody answered, or more was typed meanwhile. The search, which follows, tells of the one.
    }
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(draw, PAUSE);
  }

  box.addEventListener("input", later);
  form.addEventListener("change", later);
}
