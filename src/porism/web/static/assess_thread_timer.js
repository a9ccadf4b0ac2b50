// Time spent reading a thread counts for the candidate that it was opened from.

import { IDLE, TICK, onActivity, readingChannel } from "./assess_clock.js";
import { makeFocusable } from "./assess_focusable.js";

const channel = readingChannel();
let activeAt = performance.now();

makeFocusable(document.querySelector(".thread"));
onActivity(() => {
  activeAt = performance.now();
});
setInterval(() => {
  const isRead = !document.hidden && performance.now() - activeAt < IDLE;
  if (isRead) channel.postMessage(TICK / 1000);
}, TICK);
