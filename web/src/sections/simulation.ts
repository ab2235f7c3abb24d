// SPDX-License-Identifier: Apache-2.0
// What the run gave: curves of coordinates and energies, and apart from them what holds the mechanism together.
import { angle_factor, unit_cell, value_cell, words_cell } from "../angles";
import type { Clock } from "../clock";
import type { ReportDocument, Run } from "../document";
import { facts, h, prose, scrolling, table, user_text } from "../dom";
import { inline_math } from "../math";
import { number_text, without_round_off } from "../numbers";
import type { Plots } from "../plots/panels";
import { phase_plot } from "../plots/phase_plot";
import { step_plot } from "../plots/step_plot";
import type { Motion } from "../scene/motion";
import { readout } from "../scene/readout";
import { time_controls } from "../scene/controls";
import type { Series } from "../series";
import { hint } from "./frame";
import { reaction_frames } from "./reaction_frames";

const kGroups: [string, string[]][] = [
  ["Coordinates", ["q"]], ["Velocities", ["v"]], ["Accelerations", ["a", "vdot"]], ["Energies", ["energy"]],
  ["Outputs", ["output"]], ["Inputs", ["u"]], ["Gaps", ["gap"]], ["Contacts: 1 where closed", ["contact"]],
];
const kReactions: [string, string[]][] = [
  ["Multipliers", ["lambda"]], ["Actuation", ["F"]], ["Friction", ["friction"]],
];
const kFewEvents = 12, kFirstEvents = 4;
const kElsewhere = ["residual", "balance"];

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

export function simulation_section(report: ReportDocument, plots: Plots | null, clock: Clock,
                                   live: HTMLElement | null): (Node | null)[] {
  const { run } = report, parts: (Node | null)[] = [];
  if (run !== null && run.summary.length > 0) parts.push(facts(run.summary, prose));
  if (run !== null && run.events.length > 0) parts.push(events(run));
  if (plots === null) return parts;
  if (report.scene === null) {
    parts.push(live);
    if (clock.moves) parts.push(time_controls(clock, plots.series.events));
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

// Few events one by one; many by their names, with the first instants and the last one.
function events(run: Run): HTMLElement {
  const number = (text: string) => h("span", { class: "number" }, text);
  const time = (t: number) => number_text(t, 7);
  if (run.events.length <= kFewEvents) {
    const rows = run.events.map(({ name, t }) => [user_text(name), number(time(t))]);
    return scrolling("Events", table("Events", ["Event", "t [s]"], rows));
  }
  const times = new Map<string, number[]>();
  for (const { name, t } of run.events) {
    const all = times.get(name);
    if (all === undefined) times.set(name, [t]);
    else all.push(t);
  }
  const rows = [...times].map(([name, all]) => {
    const left_out = all.length > kFirstEvents + 1 ? "…, " : "";
    const last = all.length > kFirstEvents ? `, ${left_out}${time(all[all.length - 1]!)}` : "";
    return [user_text(name), number(String(all.length)), number(all.slice(0, kFirstEvents).map(time).join(", ") + last)];
  });
  return scrolling("Events", table("Events", ["Event", "Times", "t [s]"], rows));
}

export function reactions_section(report: ReportDocument, plots: Plots | null, motion: Motion | null,
                                  clock: Clock): (Node | null)[] {
  const parts: (Node | null)[] = plots === null ? [] : groups(plots, kReactions);
  if (plots !== null && report.scene !== null && motion !== null) parts.push(reaction_frames(report.scene, motion, clock));
  const peaks = report.run?.peaks ?? [];
  if (peaks.length > 0) parts.push(peaks_table(peaks, plots?.series ?? null));
  return parts;
}

function peaks_table(peaks: Run["peaks"], series: Series | null): HTMLElement {
  const number = (value: number) => h("span", { class: "number" }, number_text(value, 6));
  const rows = peaks.map(({ series: name, min, t_min, max, t_max }) => {
    const curve = series?.find(name), column = curve?.column, unit = column?.unit ?? "";
    const size = curve === undefined ? 0 : series!.size_around(curve) / angle_factor(unit);
    const [least, most] = [min, max].map((value) => value_cell(without_round_off(value, size), unit, 6));
    return [inline_math(column?.latex ?? "", name), least!, number(t_min), most!, number(t_max), unit_cell(unit)];
  });
  const head = ["Quantity", "Least", "at t [s]", "Largest", "at t [s]", "Unit"];
  return scrolling("Peaks", table("Peaks", head, rows, { class: "numbers" }));
}

function singular(places: Run["singular"]): HTMLElement {
  const rows = places.map(({ t, rank, of }) =>
    [h("span", { class: "number" }, number_text(t, 7)), `${rank} of ${of} directions are held`]);
  return scrolling("Singular configurations", table("Singular configurations met", ["t [s]", "Rank"], rows));
}

export function quality_section(report: ReportDocument, plots: Plots | null): (Node | null)[] {
  const parts: (Node | null)[] = [];
  if (report.run !== null) {
    const { holds, rows, warnings } = report.run.verdict;
    const words = holds === null ? "The run has no verdict." : holds ? "The run can be trusted: every check holds."
      : "Not every check holds.";
    const level = holds === null ? "note" : holds ? "ok" : "error";
    parts.push(h("p", { class: `notice verdict ${level}` }, words), facts(rows, words_cell));
    if (report.run.singular.length > 0) parts.push(singular(report.run.singular));
    for (const text of warnings)
      parts.push(h("p", { class: "notice warning" }, h("strong", {}, "Warning: "), words_cell(text)));
  }
  if (report.run?.steps) parts.push(step_plot(report.run.steps));
  if (plots === null) return parts;
  const residuals = plots.series.of_groups("residual");
  if (residuals.length > 0) {
    const host = h("div", { class: "panels" },
      hint("How far the constraints are from holding; sizes on a logarithmic axis, on which zero is a gap."));
    plots.panels(host, "Residuals", residuals, true);
    parts.push(host);
  }
  const balances = plots.series.of_groups("balance"), energy = plots.series.find("energy/total");
  if (balances.length > 0) {
    const host = h("div", { class: "panels" }, hint("How far the energy is from its start and the work A of the forces since " +
      "then, and what else is conserved from its start; on a logarithmic axis."));
    plots.panels(host, "Balances", balances, true);
    parts.push(host);
  }
  if (energy !== undefined) {
    const host = h("div", { class: "panels" });
    plots.panels(host, "Total energy", [energy]);
    parts.push(host);
  }
  return parts;
}
