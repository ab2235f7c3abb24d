// SPDX-License-Identifier: Apache-2.0
// Names of points, each where it covers least; none where there is no room. While the picture plays they move along.
import type { SceneBlock } from "../document";
import { svg } from "../dom";
import { minus, type Pixel, plus } from "./geometry";
import type { Motion } from "./motion";
import { place } from "./surroundings";
import type { View } from "./view";

interface Box { left: number; top: number; right: number; bottom: number; }
const meet = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const kLongest = 40;                       // letters of a name that are shown
const kOrder = [1, 7, 3, 5, 0, 2, 4, 6];   // eight places around, in eighths of a turn
const kMostGliding = 24;
const kReaches = [12, 19, 28];             // pixels, the nearer first

export class Labels {
  readonly node = svg("g", { class: "labels" });
  private readonly labels: { track: number; text: SVGTextElement; wide: number; shift: Pixel; goal: Pixel; hidden: boolean }[] = [];
  private frames = 0;

  constructor(scene: SceneBlock, private readonly motion: Motion, private readonly view: View) {
    scene.tracks.forEach(({ name, label }, track) => {
      if (!label || name === "") return;
      const letters = [...name], shown = letters.slice(0, kLongest).join("") + (letters.length > kLongest ? "…" : "");
      const text = svg("text", {
        class: letters.length <= 2 ? "s-label s-letter" : "s-label", "text-anchor": "middle", "data-kind": "label",
      }, shown);
      this.labels.push({ track, text, wide: 7.4 * Math.min(letters.length, kLongest + 1),
                         shift: [0, 0], goal: [0, 0], hidden: false });
      this.node.append(text);
    });
  }

  /** While the scene plays, names glide to better places now and then. */
  glide(obstacles: () => Pixel[]) {
    if (this.labels.length <= kMostGliding && ++this.frames % 10 === 0) this.choose(obstacles());
    for (const label of this.labels) {
      const [x, y] = label.shift, [to_x, to_y] = label.goal;
      label.shift = [x + 0.12 * (to_x - x), y + 0.12 * (to_y - y)];
    }
    this.frame();
  }

  arrange(obstacles: Pixel[]) {
    this.choose(obstacles);
    for (const label of this.labels) label.shift = label.goal;
    this.frame();
  }

  private frame() {
    for (const { track, text, shift, hidden } of this.labels) {
      const at = plus(this.view.px(this.motion.at(track)), shift), seen = !hidden && Number.isFinite(at[0] + at[1]);
      text.style.display = seen ? "" : "none";
      if (seen) place(text, at);
    }
  }

  private choose(obstacles: Pixel[]) {
    const boxes: Box[] = [];
    for (const label of this.labels) {
      const at = this.view.px(this.motion.at(label.track));
      if (!Number.isFinite(at[0] + at[1])) continue;
      const near = obstacles.filter((p) => Math.abs(p[0] - at[0]) < 60 + label.wide && Math.abs(p[1] - at[1]) < 60);
      const box = this.best(at, label.wide, near, boxes);
      // Where there is no room a name is left out: two on top of each other say less than one.
      label.hidden = boxes.some((other) => meet(box, other));
      if (!label.hidden) boxes.push(box);
      label.goal = minus([(box.left + box.right) / 2, box.bottom - 2], at);
    }
  }

  private best(at: Pixel, wide: number, obstacles: Pixel[], boxes: Box[]): Box {
    const high = 13, { width, height } = this.view;
    let best: Box = { left: at[0], top: at[1], right: at[0], bottom: at[1] }, least = Infinity;
    for (const reach of kReaches)
      kOrder.forEach((eighth, k) => {
        const s = eighth * Math.PI / 4;
        const beside = Math.abs(Math.cos(s)) > 0.1 ? wide / 2 : 0;
        const x = at[0] + Math.cos(s) * (reach + beside), y = at[1] - Math.sin(s) * (reach + 3);
        const box: Box = { left: x - wide / 2, top: y - high / 2, right: x + wide / 2, bottom: y + high / 2 };
        let cost = 0.02 * k + 0.04 * reach;
        for (const other of boxes) if (meet(box, other)) cost += 50;
        for (const p of obstacles)
          if (p[0] > box.left - 7 && p[0] < box.right + 7 && p[1] > box.top - 6 && p[1] < box.bottom + 6) ++cost;
        if (box.left < 2 || box.right > width - 2 || box.top < 2 || box.bottom > height - 2) cost += 80;
        if (cost < least) least = cost, best = box;
      });
    return best;
  }
}
