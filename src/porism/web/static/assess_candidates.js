// Candidates as the server makes them, some fetched before they are needed, so that an assessor can
// go on while the server is away.

const KEPT = 60; // candidates that are remembered
const PATIENCE = 20_000; // milliseconds that an answer may take
const FIRST_PAUSE = 500; // milliseconds until it is tried again, doubled each time
const LONGEST_PAUSE = 8_000;

const UNREACHED =
  "The server does not answer. What you judged is kept; the candidate comes when it is back.";
const SIGNED_OUT = "You are signed out. Reload this page to sign in again; what you wrote is kept.";

class Refusal extends Error {}

export class Candidates {
  #address;
  #coming = new Map(); // by place, promises of HTML

  constructor(address) {
    this.#address = address;
  }

  // One that the page came with.
  keep(place, html) {
    this.#coming.set(place, Promise.resolve(html));
  }

  html(place) {
    if (!this.#coming.has(place)) {
      const coming = this.#fetched(place);
      this.#coming.set(place, coming);
      coming.catch(() => this.#coming.delete(place));
      if (this.#coming.size > KEPT) this.#coming.delete(this.#coming.keys().next().value);
    }
    return this.#coming.get(place);
  }

  // The same, however long the server takes; null if it is wanted no more, or will never come.
  async patiently(place, isWanted, tell) {
    for (let failures = 0; isWanted(); failures += 1) {
      try {
        const html = await this.html(place);
        if (failures > 0) document.dispatchEvent(new CustomEvent("porism:reached"));
        return isWanted() ? html : null;
      } catch (error) {
        if (!isWanted()) return null;
        const isUnreached = error instanceof TypeError || error.name === "TimeoutError";
        tell(isUnreached ? UNREACHED : error.message);
        if (error instanceof Refusal) return null;
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
    return null;
  }

  async #fetched(place) {
    const response = await fetch(`${this.#address}?at=${place}&part=candidate`, {
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.redirected) throw new Error(SIGNED_OUT);
    if (!response.ok && response.status < 500 && response.status !== 429) {
      throw new Refusal("This topic cannot be judged by you any more.");
    }
    const html = await response.text();
    // A network that one has to sign in to answers in the server's place.
    const isCandidate = html.includes('id="candidate-heading"');
    if (!response.ok || !isCandidate) throw new TypeError(`error ${response.status}`);
    return html;
  }
}
