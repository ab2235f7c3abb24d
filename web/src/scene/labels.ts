// SPDX-License-Identifier: Apache-2.0
// Names of points, each where it covers least; none where there is no room. While the picture plays they move along.
import type { SceneBlock } from "../document";
import { svg } from "../dom";
import { minus, type Pixel, plus } from "./geometry";
import type { Motion } from "./motion";
import { around, box_at, kHigh, type Placement } from "./placement";
import { place } from "./surroundings";
import { kLetterFont, kNameFont, text_width } from "./text_size";
import type { View } from "./view";

const kLongest = 40;                       // letters of a name that are shown
const kMostGliding = 24;
const kReaches = [12, 19, 28, 42, 60, 84];  // pixels, the nearer first
const kBetweenChoices = 10;                // frames

interface Label {
  track: number; text: SVGTextElement; wide: number; shift: Pixel; goal: Pixel | null;
}

export class Labels {
  readonly node = svg("g", { class: "labels" });
  private readonly labels: Label[] = [];
  private frames = 0;

  constructor(scene: SceneBlock, private readonly motion: Motion, private readonly view: View) {
    scene.tracks.forEach(({ name, label }, track) => {
      if (!label || name === "") return;
      const letters = [...name], shown = letters.slice(0, kLongest).join("") + (letters.length > kLongest ? "…" : "");
      const symbol = letters.length <= 2;
      const text = svg("text", {
        class: symbol ? "s-label s-letter" : "s-label", "text-anchor": "middle", "data-kind": "label",
      }, shown);
      const wide = text_width(shown, symbol ? kLetterFont : kNameFont);
      this.labels.push({ track, text, wide, shift: [0, 0], goal: [0, 0] });
      this.node.append(text);
    });
  }

  /** While the scene plays (`stands`: it does not), names glide to better places now and then. */
  frame(placement: Placement, stands: boolean) {
    const choose = stands || (this.labels.length <= kMostGliding && ++this.frames % kBetweenChoices === 0);
    for (const label of this.labels) {
      const at = this.view.px(this.motion.at(label.track));
      if (choose) this.choose(label, at, placement, stands);
      const seen = label.goal !== null && this.put(label, label.goal, at, placement);
      label.text.style.display = seen ? "" : "none";
    }
  }

  // Where there is no room a name is left out: two on top of each other say less than one.
  private choose(label: Label, at: Pixel, placement: Placement, at_once: boolean) {
    const box = Number.isFinite(at[0] + at[1]) ? placement.best(around(at, label.wide, kReaches), label.wide) : null;
    label.goal = box === null ? null : minus([(box.left + box.right) / 2, (box.top + box.bottom) / 2], at);
    if (label.goal !== null && at_once) label.shift = label.goal;
  }

  // Whether it is seen where it is now, on its way to its goal.
  private put(label: Label, goal: Pixel, at: Pixel, placement: Placement): boolean {
    const [x, y] = label.shift;
    label.shift = [x + 0.12 * (goal[0] - x), y + 0.12 * (goal[1] - y)];
    const middle = plus(at, label.shift), box = box_at(middle, label.wide, kHigh);
    if (!Number.isFinite(middle[0] + middle[1]) || !placement.free(box)) return false;
    placement.take(box);
    place(label.text, [middle[0], box.bottom - 4]);
    return true;
  }
}
