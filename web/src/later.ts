// SPDX-License-Identifier: Apache-2.0
// Work that can wait: after the first picture, or until its place comes into view. All of it is done before printing.

type Work = () => void;

const queue: Work[] = [];
const awaited = new Map<Element, Work>();
const at_printing: Work[] = [];
let running = false;

const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) arrive(entry.target);
}, { rootMargin: "400px 0px" });

function arrive(element: Element) {
  const work = awaited.get(element);
  if (work === undefined) return;
  awaited.delete(element);
  observer.unobserve(element);
  work();
}

/** In short turns, so that what moves keeps moving. */
export function later(work: Work) {
  queue.push(work);
  if (running) return;
  running = true;
  setTimeout(turn, 0);
}

function turn() {
  const until = performance.now() + 12;
  while (queue.length > 0 && performance.now() < until) queue.shift()!();
  running = queue.length > 0;
  if (running) setTimeout(turn, 4);
  else document.documentElement.dataset.ready = "true";
}

/** When the element is near the part of the page that is seen. */
export function when_near(element: Element, work: Work) {
  awaited.set(element, work);
  observer.observe(element);
}

/** Now, although it is not seen yet. */
export function now(element: Element) { arrive(element); }

export const kPaper = 660;  // pixels of a printed line

export function before_printing(work: Work) { at_printing.push(work); }

function finish() {
  for (let work = queue.shift(); work !== undefined; work = queue.shift()) work();
  for (const element of [...awaited.keys()]) arrive(element);
  for (const work of at_printing) work();
}

addEventListener("beforeprint", finish);
