// SPDX-License-Identifier: Apache-2.0
// When something happened, in a plot over time: a line at each event, or a short stroke where lines would hide the curves;
// below the plot what they are, and the one at the cursor.
import type uPlot from "uplot";
import { h } from "../dom";
import { grouped, type Happening, names_of, words_of } from "../happenings";
import { color } from "../theme";

const kMostLines = 40;   // more would hide the curves
const kStroke = 7;       // pixels of a short stroke
const kNear = 4;         // pixels between the cursor and an event that it is at
const kMostNames = 4;

export class EventMarks {
  /** What the marks are; null where nothing happened. */
  readonly node: HTMLElement | null;
  private readonly at_cursor = h("span", { class: "event-here" });

  /** `shown`: whether they belong to what is plotted. */
  constructor(private readonly events: Happening[], private readonly shown: () => boolean) {
    this.node = events.length === 0 ? null : h("p", { class: "event-legend" }, h("span", { class: "event-swatch" }),
      this.names(), this.at_cursor);
  }

  private names(): string {
    const names = names_of(this.events), texts = names.slice(0, kMostNames)
      .map(({ name, count }) => `${name.slice(0, 60)}${count > 1 ? ` (${count} times)` : ""}`);
    return texts.join(", ") + (names.length > kMostNames ? `, and ${names.length - kMostNames} more` : "");
  }

  draw(plot: uPlot) {
    if (this.node === null) return;
    this.node.hidden = !this.shown();
    if (!this.shown()) return;
    const { left, top, width, height } = plot.bbox, { ctx } = plot;
    const places = this.places(plot, Math.max(1, Math.floor(width / (2 * devicePixelRatio))));
    const from = places.length > kMostLines ? top + height - kStroke * devicePixelRatio : top;
    ctx.save();
    ctx.strokeStyle = color("--quiet");
    ctx.lineWidth = devicePixelRatio;
    if (places.length <= kMostLines) ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    for (const { share } of places) {
      const x = Math.round(left + share * width);
      ctx.moveTo(x, top + height);
      ctx.lineTo(x, from);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Says what happened where the cursor is. */
  point(plot: uPlot) {
    const x = plot.cursor.left ?? -1, words: Happening[] = [];
    if (this.node === null) return;
    if (x >= 0 && this.shown())
      for (const event of this.events) if (Math.abs(plot.valToPos(event.t, "x") - x) <= kNear) words.push(event);
    this.at_cursor.textContent = words.length === 0 ? "" : ` – here: ${words_of(words)}`;
  }

  private places(plot: uPlot, places: number) {
    const { min, max } = plot.scales["x"]!;
    if (min === undefined || max === undefined) return [];
    return grouped(this.events, (t) => (t - min) / (max - min), places);
  }
}
