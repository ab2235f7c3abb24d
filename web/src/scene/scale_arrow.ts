// SPDX-License-Identifier: Apache-2.0
// In a corner: an arrow of a round load, so that those in the picture can be read; and what the marked ones mean.
import { svg } from "../dom";
import { number_text } from "../numbers";
import { arrow, cut_mark, Path, type Pixel, plus } from "./geometry";
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

  constructor(private readonly view: View, private readonly unit: string) {
    this.node.append(this.line, this.text, this.cut_line, this.cut_text);
  }

  /** After the view has changed. `on`: forces are shown. */
  look(on: boolean) {
    const { forces, force_length, width, height } = this.view, load = forces.round;
    this.boxes = [], this.obstacles = [];
    this.node.style.display = on && load > 0 ? "" : "none";
    if (!on || !(load > 0)) return;
    const long = force_length * forces.share(load), tip: Pixel = [width - kEdge, height - kEdge];
    const words = [number_text(load), this.unit, forces.log ? "(log)" : ""].filter((word) => word !== "").join(" ");
    this.line.setAttribute("d", arrow(new Path(), plus(tip, [-long, 0]), tip).take());
    for (let s = 0; s <= long; s += 5) this.obstacles.push(plus(tip, [-s, 0]));
    this.write(this.text, words, plus(tip, [-long - 6, 4]));
    this.cut_line.setAttribute("d", "");
    this.cut_text.textContent = "";
    if (!forces.cuts_some) return;
    const up: Pixel = plus(tip, [0, -kHigh - 3]);
    this.cut_line.setAttribute("d", cut_mark(new Path().move(plus(up, [-24, 0])).line(up), plus(up, [-24, 0]), up).take());
    this.write(this.cut_text, `more, up to ${number_text(forces.largest, 3)} ${this.unit}`.trim(), plus(up, [-30, 4]));
  }

  private write(text: SVGTextElement, words: string, at: Pixel) {
    const wide = text_width(words, kAmountFont);
    text.textContent = words;
    place(text, at);
    this.boxes.push(box_at([at[0] - wide / 2, at[1] - 4], wide, kHigh));
  }
}
