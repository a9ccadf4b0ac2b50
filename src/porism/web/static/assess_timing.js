// The clock of a judgment. It goes while the page is seen and somebody is there: what is longer than
// a pause for thought, and what was paused, is not counted. A thread that was opened from here is
// read on another page, which tells of it.

export const IDLE = 180_000; // milliseconds without a touch after which nobody is there
export const TICK = 1_000;

// Call "touched" whenever somebody does anything.
export function onTouch(touched) {
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart"]) {
    window.addEventListener(type, touched, { passive: true, capture: true });
  }
}

// Where a thread tells that it is read.
export function readingChannel() {
  const { campaign, assessor } = document.body.dataset;
  return new BroadcastChannel(`porism-assess/${campaign}/${assessor}/reading`);
}

export class Clock {
  #seconds = 0;
  #last = performance.now();
  #touched = performance.now();
  #isPaused = false;

  // "tell" is called with the seconds and whether the clock stands still, whenever that changes.
  constructor(tell) {
    this.tell = tell;
    onTouch(() => this.#touch());
    document.addEventListener("visibilitychange", () => this.#tick());
    this.reading = readingChannel();
    this.reading.addEventListener("message", (event) => this.#read(event.data));
    setInterval(() => this.#tick(), TICK);
  }

  get isStill() {
    return this.#isPaused || document.hidden || performance.now() - this.#touched > IDLE;
  }

  get isPaused() {
    return this.#isPaused;
  }

  pause(isPaused) {
    this.#tick();
    this.#isPaused = isPaused;
    this.#tell();
  }

  // The seconds since the last time that this was asked; the clock begins anew.
  take() {
    this.#tick();
    const taken = this.#seconds;
    this.#seconds = 0;
    this.#tell();
    return Math.round(taken * 10) / 10;
  }

  // Go on from seconds that were counted before.
  begin(seconds) {
    this.#tick();
    this.#seconds = seconds;
    this.#tell();
  }

  get seconds() {
    return this.#seconds;
  }

  #touch() {
    if (this.isStill) this.#last = performance.now();
    this.#touched = performance.now();
  }

  #tick() {
    const now = performance.now();
    // Longer than a few ticks is a computer that slept.
    if (!this.isStill && now - this.#last < 5 * TICK) this.#seconds += (now - this.#last) / 1000;
    this.#last = now;
    this.#tell();
  }

  #read(seconds) {
    if (this.#isPaused) return;
    if (document.hidden) this.#seconds += seconds;
    this.#touched = performance.now();
  }

  #tell() {
    this.tell(this.#seconds, this.isStill);
  }
}
