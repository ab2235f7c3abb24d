// SPDX-License-Identifier: Apache-2.0
// What the run gave: curves of coordinates and energies, and apart from them what holds the mechanism together.
import type { Clock } from "../clock";
import type { ReportDocument, Run } from "../document";
import { facts, h, scrolling, table, user_text } from "../dom";
import { inline_math, unit_text } from "../math";
import { number_text } from "../numbers";
import type { Plots } from "../plots/panels";
import { phase_plot } from "../plots/phase_plot";
import { readout } from "../scene/readout";
import { time_controls } from "../scene/controls";
import type { Series } from "../series";
import { hint } from "./frame";

const kGroups: [string, string[]][] = [
  ["Coordinates", ["q"]], ["Velocities", ["v"]], ["Accelerations", ["a"]], ["Energies", ["energy"]],
  ["Outputs", ["output"]], ["Inputs", ["u"]],
];
const kReactions: [string, string[]][] = [
  ["Multipliers", ["lambda"]], ["Actuation", ["F"]], ["Friction", ["friction"]],
];
const kElsewhere = ["residual"];

function groups(plots: Plots, list: [string, string[]][]): HTMLElement[] {
  const { series } = plots;
  return list.flatMap(([title, prefixes]) => {
    const curves = series.of_groups(...prefixes);
    if (curves.length === 0) return [];
    const host = h("div", { class: "panels" });
    plots.panels(host, title, curves);
    return [host];
  });
}

export function simulation_section(report: ReportDocument, plots: Plots | null, clock: Clock): (Node | null)[] {
  const { run } = report, parts: (Node | null)[] = [];
  if (run !== null && run.summary.length > 0) parts.push(facts(run.summary));
  if (run !== null && run.events.length > 0) parts.push(events(run));
  if (plots === null) return parts;
  if (report.scene === null) {
    if (clock.moves) parts.push(time_controls(clock));
    parts.push(readout(plots.series, clock));
  }
  const known = [...kGroups, ...kReactions].flatMap(([, prefixes]) => prefixes).concat(kElsewhere);
  const others = [...new Set(plots.series.curves.map(({ group }) => group))].filter((group) => !known.includes(group));
  parts.push(hint("Drag in a plot to zoom all of them, double-click to see the whole, click to set the scene's time."));
  parts.push(...groups(plots, kGroups), ...groups(plots, others.length > 0 ? [["Others", others]] : []));
  const phase = phase_plot(plots.series, clock);
  if (phase !== null) parts.push(h("div", { class: "panels" }, phase));
  return parts;
}

function events(run: Run): HTMLElement {
  const rows = run.events.map(({ name, t }) => [user_text(name), h("span", { class: "number" }, number_text(t, 7))]);
  return scrolling("Events", table("Events", ["Event", "t [s]"], rows));
}

export function reactions_section(report: ReportDocument, plots: Plots | null): (Node | null)[] {
  const parts: (Node | null)[] = plots === null ? [] : groups(plots, kReactions);
  const peaks = report.run?.peaks ?? [];
  if (peaks.length > 0) parts.push(peaks_table(peaks, plots?.series ?? null));
  return parts;
}

function peaks_table(peaks: Run["peaks"], series: Series | null): HTMLElement {
  const number = (value: number) => h("span", { class: "number" }, number_text(value, 6));
  const rows = peaks.map(({ series: name, min, t_min, max, t_max }) => {
    const column = series?.find(name)?.column;
    return [inline_math(column?.latex ?? "", name), number(min), number(t_min), number(max), number(t_max),
      unit_text(column?.unit ?? "")];
  });
  const head = ["Quantity", "Least", "at t [s]", "Largest", "at t [s]", "Unit"];
  return scrolling("Peaks", table("Peaks", head, rows, { class: "numbers" }));
}

export function quality_section(report: ReportDocument, plots: Plots | null): (Node | null)[] {
  const parts: (Node | null)[] = [];
  if (report.run !== null) {
    const { holds, rows, warnings } = report.run.verdict;
    const words = holds === null ? "The run has no verdict." : holds ? "The run can be trusted: every check holds."
      : "Not every check holds.";
    const level = holds === null ? "note" : holds ? "ok" : "error";
    parts.push(h("p", { class: `notice verdict ${level}` }, words), facts(rows));
    for (const text of warnings)
      parts.push(h("p", { class: "notice warning" }, h("strong", {}, "Warning: "), user_text(text)));
  }
  if (plots === null) return parts;
  const residuals = plots.series.of_groups("residual");
  if (residuals.length > 0) {
    const host = h("div", { class: "panels" },
      hint("How far the constraints are from holding; sizes on a logarithmic axis, on which zero is a gap."));
    plots.panels(host, "Residuals", residuals, true);
    parts.push(host);
  }
  const energy = plots.series.find("energy/total");
  if (energy !== undefined) {
    const host = h("div", { class: "panels" });
    plots.panels(host, "Total energy", [energy]);
    parts.push(host);
  }
  return parts;
}
