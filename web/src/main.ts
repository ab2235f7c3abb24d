// SPDX-License-Identifier: Apache-2.0
// Fills the page from its document: first the scene, which begins to move, then all the rest.
import { begin_angles } from "./angles";
import { Clock } from "./clock";
import { type NoticeEntry, type ReportDocument, read_document } from "./document";
import { facts, h, prose, user_text } from "./dom";
import { later } from "./later";
import { LivePanel, no_live } from "./live/panel";
import { Plots } from "./plots/panels";
import { Motion } from "./scene/motion";
import { scene_view } from "./scene/section";
import { equations_section } from "./sections/equations";
import { equilibria_section } from "./sections/equilibria";
import { Frame } from "./sections/frame";
import { header, notices, place_about } from "./sections/header";
import { model_section } from "./sections/model";
import { reproduce_section } from "./sections/reproduce";
import { quality_section, reactions_section, simulation_section } from "./sections/simulation";
import { Series } from "./series";

function fill(page: HTMLElement, report: ReportDocument) {
  begin_angles(report);
  const series = report.series === null ? null : new Series(report.series);
  if (series !== null) series.events = report.run?.events ?? [];
  const motion = report.scene === null ? null : new Motion(report.scene);
  const clock = new Clock(motion?.time ?? series?.time ?? new Float32Array(1));
  const plots = series === null ? null : new Plots(series, clock);
  const frame = new Frame();
  const { top, about } = header(report, series);
  page.replaceChildren(top, frame.contents, frame.main);
  const live = report.live === null || series === null ? null : new LivePanel(report.live, series, motion, clock);
  const values = live?.node ?? no_live(report.live_note);
  if (live !== null) frame.main.append(live.banner);
  const first = notices(all_notices(report));
  if (first !== null) frame.main.append(first);

  let scene: HTMLElement | null = null;
  if (report.scene !== null && motion !== null)
    scene = frame.add("scene", "Scene", scene_view(report.scene, motion, clock, series, values, live, (names) => plots?.show(names)));
  else if (report.scene_note !== "")
    frame.add("scene", "Scene", h("p", { class: "notice note" }, prose(report.scene_note)));
  place_about(top, about, scene);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches && report.scene !== null) clock.play();
  if (report.scene !== null) requestAnimationFrame(() => performance.mark("scene"));

  later(() => frame.add("model", "Model", ...model_section(report)));
  later(() => frame.add("equations", "Equations", ...equations_section(report.equations, report.equations_text, report.constraints)));
  later(() => frame.add("structure", "Structure", structure_facts(report)));
  later(() => frame.add("simulation", "Simulation", ...simulation_section(report, plots, clock, values)));
  later(() => frame.add("reactions", "Reactions", ...reactions_section(report, plots, motion, clock)));
  later(() => frame.add("quality", "Quality", ...quality_section(report, plots)));
  later(() => frame.add("equilibria", "Equilibria", ...equilibria_section(report)));
  later(() => frame.add("reproduce", "Reproduce", ...reproduce_section(report)));
  if (live !== null) later(() => live.follow_link());
}

const kShortFormula = 28;  // characters

// Long formulas of what is conserved stand typeset in the equations.
function structure_facts({ structure, equations }: ReportDocument): HTMLElement | null {
  if (structure.length === 0) return null;
  const typeset = equations.find(({ title }) => title.startsWith("Conserved "));
  const formulas = new Set(structure.filter(({ label, value }) => typeset && label.startsWith("conserved: ") &&
    value.length > kShortFormula).map(({ value }) => value));
  return facts(structure, (value) => formulas.has(value)
    ? h("a", { href: `#equation-${typeset!.id}` }, "its formula, in the equations") : user_text(value));
}

// A run that did not end well says so, also when nobody else did.
function all_notices({ notices: given, run }: ReportDocument): NoticeEntry[] {
  if (run === null || run.status === "ok" || given.length > 0) return given;
  const level = run.status === "failed" ? "error" : "warning";
  return [{ level, text: `The run ${run.status === "failed" ? "failed" : "was stopped"}: ${run.reason}` }];
}

function start() {
  const page = document.getElementById("page"), data = document.getElementById("document");
  if (page === null || data === null) return;
  try {
    fill(page, read_document(data.textContent ?? ""));
  } catch (problem) {
    const words = problem instanceof Error ? problem.message : String(problem);
    page.prepend(h("p", { class: "notice error", role: "alert" }, words));
    throw problem;
  }
}

start();
