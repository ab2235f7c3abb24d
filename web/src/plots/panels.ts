// SPDX-License-Identifier: Apache-2.0
// Curves sorted into panels: one unit each, and no more than have colours of their own.
import { on_change } from "../changes";
import type { Clock } from "../clock";
import { h } from "../dom";
import { later } from "../later";
import { inline_math } from "../math";
import { without_round_off } from "../numbers";
import type { Curve, Series } from "../series";
import { kPanelCurves, TimePlot } from "./time_plot";

const kPanelsAtOnce = 12;
const kMostZeros = 40;  // that are named

/** All plots of the page, and which of them shows a curve. */
export class Plots {
  private readonly plots: TimePlot[] = [];
  constructor(readonly series: Series, readonly clock: Clock) {}

  panels(host: HTMLElement, title: string, curves: Curve[], log = false) {
    const sizes = new Map<string, number>(), flat = curves.filter((curve) => this.is_zero(curve, sizes));
    const zero = new Set(flat);
    this.plot(host, title, curves.filter((curve) => !zero.has(curve)), log);
    if (flat.length > 0) host.append(this.zeros(title, flat, log));
  }

  private plot(host: HTMLElement, title: string, curves: Curve[], log: boolean) {
    const by_unit = new Map<string, Curve[]>();
    for (const curve of curves) {
      const unit = curve.column.unit;
      by_unit.set(unit, [...(by_unit.get(unit) ?? []), curve]);
    }
    const panels: Curve[][] = [];
    for (const group of by_unit.values())
      for (let k = 0; k < group.length; k += kPanelCurves) panels.push(group.slice(k, k + kPanelCurves));
    const make = (panel: Curve[], into: HTMLElement) => later(() => {
      const plot = new TimePlot(title, panel, this.series, this.clock, log);
      this.plots.push(plot);
      into.append(plot.node);
    });
    for (const panel of panels.slice(0, kPanelsAtOnce)) make(panel, host);
    const rest = panels.slice(kPanelsAtOnce);
    if (rest.length === 0) return;
    const more = h("details", {}, h("summary", {}, `${rest.length} more panels of ${title.toLowerCase()}`));
    more.addEventListener("toggle", () => {
      for (const panel of rest.splice(0)) make(panel, more);
    });
    host.append(more);
  }

  // `sizes`: what is known of sizes around, by group and unit, which is the same for all curves of them.
  private is_zero(curve: Curve, sizes: Map<string, number>): boolean {
    const { range: { min, max }, group, column } = curve, key = `${group} ${column.unit}`;
    if (!sizes.has(key)) sizes.set(key, this.series.size_around(curve));
    return without_round_off(Math.max(Math.abs(min), Math.abs(max)), sizes.get(key)!) === 0;
  }

  // What is zero all along is said in a line; a live run may make curves of it.
  private zeros(title: string, flat: Curve[], log: boolean): HTMLElement {
    const list = (of: (curve: Curve) => unknown) => JSON.stringify(flat.map(of));
    const names = flat.slice(0, kMostZeros).flatMap(({ column, short_name }, k) =>
      [k > 0 ? ", " : "", inline_math(column.latex, short_name)]);
    const more = flat.length > kMostZeros ? ` and ${flat.length - kMostZeros} more` : "";
    const exactly = flat.every(({ range }) => range.min === 0 && range.max === 0);
    const words = `${more} ${flat.length === 1 ? "is" : "are"} zero all along${exactly ? "" : ", but for round-off"}.`;
    const node = h("p", {
      class: "hint zeros", "data-series": list(({ name }) => name), "data-min": list(({ range }) => range.min),
      "data-max": list(({ range }) => range.max),
    }, `${title}: `, ...names, words);
    const plots = h("div");
    on_change(() => {
      const now = new Map<string, number>();
      if (flat.every((curve) => this.is_zero(curve, now))) return plots.replaceWith(node);
      if (plots.childElementCount === 0) this.plot(plots, title, flat, log);
      node.replaceWith(plots);
    });
    return node;
  }

  /** Brings the plot of these curves into view. */
  show(names: string[]) {
    for (const name of names) {
      const plot = this.plots.find(({ curves }) => curves.some((curve) => curve.name === name));
      if (plot === undefined) continue;
      plot.highlight(name);
      if (name !== names[0]) continue;
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      plot.node.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
      plot.node.classList.add("found");
      setTimeout(() => plot.node.classList.remove("found"), 2400);
    }
  }
}
