// SPDX-License-Identifier: Apache-2.0
// In a corner: an arrow of a round load, so that those in the picture can be read; and what the marked ones mean.
import type { SceneBlock } from "../document";
import { svg } from "../dom";
import { number_text } from "../numbers";
import { emptiest } from "./corner";
import { arrow, cut_mark, Path, type Pixel, plus } from "./geometry";
import type { Motion } from "./motion";
import { type Box, box_at, kHigh } from "./placement";
import { place } from "./surroundings";
import { kAmountFont, text_width } from "./text_size";
import type { View } from "./view";

const kEdge = 12;  // pixels to the frame

export class ScaleArrow {
  readonly node = svg("g", { class: "scale-arrow" });
  /** Where its texts are, and points of its line. */
  boxes: Box[] = [];
  obstacles: Pixel[] = [];
  private readonly line = svg("path", { class: "s-scale", "data-kind": "scale" });
  private readonly text = svg("text", { class: "s-scale-text", "text-anchor": "end" });
  private readonly cut_line = svg("path", { class: "s-scale" });
  private readonly cut_text = svg("text", { class: "s-scale-text", "text-anchor": "end" });

  constructor(private readonly view: View, private readonly unit: string, private readonly scene: SceneBlock, private readonly motion: Motion) {
    this.node.append(this.line, this.text, this.cut_line, this.cut_text);
  }

  /** After the view has changed. `on`: forces are shown. */
  look(on: boolean) {
    const { forces, force_length } = this.view, load = forces.round;
    this.boxes = [], this.obstacles = [];
    this.node.style.display = on && load > 0 ? "" : "none";
    if (!on || !(load > 0)) return;
    const long = force_length * forces.share(load);
    const words = [number_text(load), this.unit, forces.log ? "(log)" : ""].filter((word) => word !== "").join(" ");
    const more = forces.cuts_some ? `more, up to ${number_text(forces.largest, 3)} ${this.unit}`.trim() : "";
    const tip = this.corner(Math.max(long + 6 + text_width(words, kAmountFont), more === "" ? 0 : 30 + text_width(more, kAmountFont)), more === "" ? kHigh : 2 * kHigh + 3);
    this.line.setAttribute("d", arrow(new Path(), plus(tip, [-long, 0]), tip).take());
    for (let s = 0; s <= long; s += 5) this.obstacles.push(plus(tip, [-s, 0]));
    this.write(this.text, words, plus(tip, [-long - 6, 4]));
    this.cut_line.setAttribute("d", "");
    this.cut_text.textContent = "";
    if (more === "") return;
    const up: Pixel = plus(tip, [0, -kHigh - 3]);
    this.cut_line.setAttribute("d", cut_mark(new Path().move(plus(up, [-24, 0])).line(up), plus(up, [-24, 0]), up).take());
    this.write(this.cut_text, more, plus(up, [-30, 4]));
  }

  // Where the tip goes. The other corners are those of gravity and of the axes.
  private corner(wide: number, high: number): Pixel {
    const { width, height } = this.view, right = width - kEdge, left = kEdge + wide, bottom = height - kEdge, top = kEdge + high - kHigh / 2;
    const tips: Pixel[] = [[right, bottom], ...(this.scene.space === 3 ? [[right, top], [left, top]] as Pixel[] : [[left, bottom] as Pixel])];
    const boxes = tips.map(([x, y]) => ({ left: x - wide, top: y - high, right: x, bottom: y + kHigh / 2 }));
    return tips[emptiest(this.view, this.scene, this.motion, boxes)]!;
  }

  private write(text: SVGTextElement, words: string, at: Pixel) {
    const wide = text_width(words, kAmountFont);
    text.textContent = words;
    place(text, at);
    this.boxes.push(box_at([at[0] - wide / 2, at[1] - 4], wide, kHigh));
  }
}
