// Candidates as HTML of the server, some fetched before they are needed, so that an assessor can
// continue while the server is away.

const MAX_CACHED = 60;
const TIMEOUT = 20_000; // milliseconds
const FIRST_PAUSE = 500; // milliseconds before the first retry, doubled each time
const MAX_PAUSE = 8_000;

const UNREACHABLE =
  "The server does not answer. Your judgments are kept; the candidate appears when it is back.";
const SIGNED_OUT = "You are signed out. Reload this page to sign in again; your input is kept.";

class Refusal extends Error {}

export class Candidates {
  #address;
  #cached = new Map(); // by place, promises of HTML

  constructor(address) {
    this.#address = address;
  }

  // Add the one that came with the page.
  add(place, html) {
    this.#cached.set(place, Promise.resolve(html));
  }

  html(place) {
    if (!this.#cached.has(place)) {
      const html = this.#fetched(place);
      this.#cached.set(place, html);
      html.catch(() => this.#cached.delete(place));
      if (this.#cached.size > MAX_CACHED) this.#cached.delete(this.#cached.keys().next().value);
    }
    return this.#cached.get(place);
  }

  // The same, however long the server takes; null if no longer wanted, or refused. "onFailure" is
  // called with a message for each failed attempt.
  async htmlWithRetries(place, isWanted, onFailure) {
    for (let failures = 0; isWanted(); failures += 1) {
      try {
        const html = await this.html(place);
        if (failures > 0) document.dispatchEvent(new CustomEvent("porism:reached"));
        return isWanted() ? html : null;
      } catch (error) {
        if (!isWanted()) return null;
        const isUnreachable = error instanceof TypeError || error.name === "TimeoutError";
        onFailure(isUnreachable ? UNREACHABLE : error.message);
        if (error instanceof Refusal) return null;
        const pause = Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** failures);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
    return null;
  }

  async #fetched(place) {
    const response = await fetch(`${this.#address}?at=${place}&part=candidate`, {
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (response.redirected) throw new Error(SIGNED_OUT);
    if (!response.ok && response.status < 500 && response.status !== 429) {
      throw new Refusal("You can no longer judge this topic.");
    }
    const html = await response.text();
    // A captive portal answers in place of the server.
    const isCandidate = html.includes('id="candidate-heading"');
    if (!response.ok || !isCandidate) throw new TypeError(`error ${response.status}`);
    return html;
  }
}
