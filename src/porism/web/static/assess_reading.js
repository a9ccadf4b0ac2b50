// A thread that is read while one judges: the time goes to the candidate that it was opened from.

import { makeReachable } from "./assess_scrolling.js";
import { IDLE, TICK, onTouch, readingChannel } from "./assess_timing.js";

const channel = readingChannel();
let touched = performance.now();

makeReachable(document.querySelector(".thread"));
onTouch(() => {
  touched = performance.now();
});
setInterval(() => {
  const isRead = !document.hidden && performance.now() - touched < IDLE;
  if (isRead) channel.postMessage(TICK / 1000);
}, TICK);
