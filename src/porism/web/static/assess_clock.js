// The clock of a judgment. It runs while the page is visible and the assessor active: longer
// inactivity and pauses do not count. A thread opened from here is read on another page, which
// reports that it is read.

export const IDLE = 180_000; // milliseconds without activity after which the clock stops
export const TICK = 1_000;

// Call "listener" on any activity of the user.
export function onActivity(listener) {
  for (const type of ["pointerdown", "pointermove", "keydown", "wheel", "scroll", "touchstart"]) {
    window.addEventListener(type, listener, { passive: true, capture: true });
  }
}

// The channel on which a thread page reports that it is read.
export function readingChannel() {
  const { campaign, assessor } = document.body.dataset;
  return new BroadcastChannel(`porism-assess/${campaign}/${assessor}/reading`);
}

export class Clock {
  #seconds = 0;
  #last = performance.now();
  #activeAt = performance.now();
  #isPaused = false;

  // "onChange" is called with the seconds and whether the clock is stopped, whenever they change.
  constructor(onChange) {
    this.onChange = onChange;
    onActivity(() => this.#markActive());
    document.addEventListener("visibilitychange", () => this.#tick());
    this.reading = readingChannel();
    this.reading.addEventListener("message", (event) => this.#read(event.data));
    setInterval(() => this.#tick(), TICK);
  }

  get isStopped() {
    return this.#isPaused || document.hidden || performance.now() - this.#activeAt > IDLE;
  }

  get isPaused() {
    return this.#isPaused;
  }

  pause(isPaused) {
    this.#tick();
    this.#isPaused = isPaused;
    this.#notify();
  }

  // The seconds since the last call; the clock starts again from 0.
  take() {
    this.#tick();
    const taken = this.#seconds;
    this.#seconds = 0;
    this.#notify();
    return Math.round(taken * 10) / 10;
  }

  // Continue from seconds counted before.
  start(seconds) {
    this.#tick();
    this.#seconds = seconds;
    this.#notify();
  }

  get seconds() {
    return this.#seconds;
  }

  #markActive() {
    if (this.isStopped) this.#last = performance.now();
    this.#activeAt = performance.now();
  }

  #tick() {
    const now = performance.now();
    // A gap of more than a few ticks is a computer that slept.
    if (!this.isStopped && now - this.#last < 5 * TICK) this.#seconds += (now - this.#last) / 1000;
    this.#last = now;
    this.#notify();
  }

  #read(seconds) {
    if (this.#isPaused) return;
    if (document.hidden) this.#seconds += seconds;
    this.#activeAt = performance.now();
  }

  #notify() {
    this.onChange(this.#seconds, this.isStopped);
  }
}
