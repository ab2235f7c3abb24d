// SPDX-License-Identifier: Apache-2.0
// Curves sorted into panels: one unit each, and no more than have colours of their own.
import type { Clock } from "../clock";
import { h } from "../dom";
import { later } from "../later";
import type { Curve, Series } from "../series";
import { kPanelCurves, TimePlot } from "./time_plot";

const kPanelsAtOnce = 12;

/** All plots of the page, and which of them shows a curve. */
export class Plots {
  private readonly plots: TimePlot[] = [];
  constructor(readonly series: Series, readonly clock: Clock) {}

  panels(host: HTMLElement, title: string, curves: Curve[], log = false) {
    if (curves.length === 0) return;
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
