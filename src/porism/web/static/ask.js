// The answer of a language model, below the button that asks for it, as it is written.
// The server renders all HTML and checks the answer; a draft is shown as plain text only.

// Server-sent events of a response, each as [name, value].
async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)));
      if (fields.event) yield [fields.event, JSON.parse(fields.data)];
    }
  }
}

function draft(place) {
  place.innerHTML = `<section class="short-answer draft" aria-busy="true">
    <header><h3>Draft</h3><p class="meta">not checked yet</p></header>
    <p class="draft-text"></p>
    <h4 hidden>Sources</h4><ol class="sources"></ol></section>`;
  return {
    section: place.firstElementChild,
    text: place.querySelector(".draft-text"),
    heading: place.querySelector("h4"),
    sources: place.querySelector(".sources"),
  };
}

function problem(detail) {
  const paragraph = document.createElement("p");
  paragraph.className = "fault";
  paragraph.textContent = `There is no answer: ${detail}. The results are below.`;
  return paragraph;
}

async function refusal(response) {
  if (response.status === 429 || response.status === 503) {
    return "the language model is busy; try again in a moment";
  }
  const isProblem = response.headers.get("content-type") === "application/problem+json";
  return isProblem ? (await response.json()).detail : `the server failed (${response.status})`;
}

// Writes the answer into the form, until it is complete or the signal stops it.
async function write(form, status, place, signal) {
  const query = new URLSearchParams([...new FormData(form), ["system", "generate"], ["stream", "true"]]);
  const response = await fetch(`/api/ask?${query}`, { signal });
  if (!response.ok) throw new Error(await refusal(response));
  const view = draft(place);
  status.textContent = "Reading the sources …";
  for await (const [name, value] of events(response)) {
    if (name === "sources") {
      view.sources.innerHTML = value.map((source) => source.html).join("");
      view.heading.hidden = value.length === 0;
      status.textContent = `${form.dataset.model} is writing a draft from ${value.length} sources …`;
    } else if (name === "text") {
      view.text.textContent += value;
    } else if (name === "answer") {
      place.innerHTML = value.html;
      status.textContent = value.answer === null ? "No answer was found." : "The answer is complete.";
      status.classList.add("visually-hidden"); // others see it
      return;
    } else if (name === "error") {
      throw new Error(value.detail);
    }
  }
  throw new Error("the connection was closed before it was complete");
}

async function answer(form, button, running) {
  const status = form.querySelector(".ask-status");
  const place = form.querySelector(".ask-answer");
  const label = button.textContent;
  button.textContent = "Stop";
  place.replaceChildren();
  status.classList.remove("visually-hidden");
  status.textContent = "Searching for sources …";
  try {
    await write(form, status, place, running.signal);
    button.textContent = "Answer again";
  } catch (error) {
    const isUnreachable = error instanceof TypeError; // fetch got no answer
    button.textContent = label;
    place.querySelector(".draft")?.removeAttribute("aria-busy");
    if (error.name === "AbortError") {
      status.textContent = "Stopped.";
      return;
    }
    const fault = problem(isUnreachable ? "the server cannot be reached" : error.message.replace(/\.$/, ""));
    place.replaceChildren(fault);
    status.textContent = fault.textContent;
    status.classList.add("visually-hidden"); // others see it below
  }
}

// A citation opens its source, which the browser would only scroll to.
function openSource(link) {
  const passage = document.getElementById(link.hash.slice(1));
  const source = passage?.closest("details");
  if (source) source.open = true;
}

export function connectAnswer(results) {
  let running = null; // the controller of the answer that is being written
  let form = null;

  results.addEventListener("submit", async (event) => {
    if (!event.target.matches("form.ask")) return;
    event.preventDefault();
    if (running) {
      running.abort();
      return;
    }
    form = event.target;
    const mine = new AbortController();
    running = mine;
    await answer(form, form.querySelector("button"), mine);
    if (running === mine) running = null;
  });

  // Another search replaces the form, and nobody would see the answer.
  new MutationObserver(() => {
    if (running && !form.isConnected) {
      running.abort();
      running = null;
    }
  }).observe(results, { childList: true });

  results.addEventListener("click", (event) => {
    const link = event.target.closest("a.citation");
    if (link) openSource(link);
  });
}
