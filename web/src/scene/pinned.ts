// SPDX-License-Identifier: Apache-2.0
// The scene stays in view, small, while one reads what is below it. It can be closed, and opened again.
import type { Clock } from "../clock";
import { button, h } from "../dom";

export class Pinned {
  /** In the place of the picture, which it holds. */
  readonly node: HTMLElement;
  private readonly frame: HTMLElement;
  private readonly open: HTMLButtonElement;
  private pinned = false;
  private closed = false;
  private below = false;  // the reader is below the scene

  /** `changed`: the picture has another room. */
  constructor(stage: HTMLElement, clock: Clock, private readonly changed: () => void) {
    const play = button("", { class: "mini-play" }, () => clock.toggle());
    const show = () => {
      const name = clock.playing ? "Pause" : "Play";
      if (play.getAttribute("aria-label") === name) return;
      play.setAttribute("aria-label", name);
      play.textContent = clock.playing ? "❚❚" : "▶";
    };
    clock.listen(show);
    show();
    const up = button("↑", { "aria-label": "To the scene", title: "To the scene" }, () => this.node.scrollIntoView({ block: "center" }));
    const close = button("×", { "aria-label": "Close the small scene", title: "Close" }, () => {
      this.closed = true;
      this.update();
      this.open.focus();
    });
    this.open = button("Scene", { class: "mini-open", title: "Show the scene while reading", hidden: true }, () => this.reopen());
    this.frame = h("div", { class: "stage-frame" }, stage,
      h("div", { class: "mini-tools", role: "group", "aria-label": "Small scene" }, clock.moves ? play : null, up, close));
    this.node = h("div", { class: "stage-place" }, this.frame, this.open);
    new IntersectionObserver(([entry]) => {
      if (entry === undefined) return;
      this.below = !entry.isIntersecting && entry.boundingClientRect.bottom < 0.5 * innerHeight;
      this.update();
    }, { rootMargin: "-60px 0px 0px 0px" }).observe(this.node);
  }

  get on() { return this.pinned; }
  /** Closed or not, when it is asked for. */
  reopen() {
    this.closed = false;
    this.update();
  }

  private update() {
    const pinned = this.below && !this.closed;
    this.open.hidden = !this.below || !this.closed;
    if (pinned === this.pinned) return;
    // The place keeps its height: what is below does not move.
    this.node.style.minHeight = pinned ? `${this.node.offsetHeight}px` : "";
    this.pinned = pinned;
    this.frame.classList.toggle("pinned", pinned);
    this.changed();
  }
}
