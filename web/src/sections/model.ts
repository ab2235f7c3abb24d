// SPDX-License-Identifier: Apache-2.0
import { unit_cell, value_cell } from "../angles";
import type { BodyEntry, ConstraintEntry, ReportDocument, SymbolEntry, SymbolKind } from "../document";
import { multiplier as acting } from "../acting";
import { copy_button, h, prose, scrolling, table, user_text } from "../dom";
import { cell_math, inline_math, unit_text } from "../math";
import { heading } from "./frame";
import { highlighted } from "./toml";

const kKinds: [SymbolKind, string][] = [
  ["coordinate", "Coordinates"], ["velocity", "Velocities"], ["parameter", "Parameters"], ["input", "Inputs"],
  ["prescribed", "Prescribed motions"], ["multiplier", "Multipliers"], ["output", "Outputs"],
];

export function model_section(report: ReportDocument): (Node | null)[] {
  const parts: (Node | null)[] = [];
  for (const [kind, title] of kKinds) {
    const symbols = report.symbols.filter((symbol) => symbol.kind === kind);
    if (symbols.length > 0) parts.push(symbol_table(title, symbols));
  }
  if (report.bodies.length > 0) parts.push(body_table(report.bodies));
  if (report.constraints.length > 0) parts.push(constraint_table(report.constraints));
  if (report.source.text !== "") parts.push(source(report));
  return parts;
}

const kDigits = 5;  // that all texts of values have: 1.0472 rad is 60 deg, and not 60.0001
const kAtStart = "value at the start";

function symbol_table(title: string, symbols: SymbolEntry[]): HTMLElement {
  // What all of them are is said once.
  const at_start = symbols.every(({ meaning }) => meaning === kAtStart);
  const valued = symbols.some(({ value }) => value !== ""), meant = !at_start && symbols.some(({ meaning }) => meaning !== "");
  const head = ["Symbol", "Name", ...(valued ? [at_start ? "At the start" : "Value"] : []), "Unit", ...(meant ? ["Meaning"] : [])];
  const rows = symbols.map(({ latex, name, value, unit, meaning, kind }) => [
    kind === "multiplier" ? acting(name, latex) : inline_math(latex, name), h("code", {}, user_text(name)),
    ...(valued ? [value_cell(value, unit, kDigits)] : []), unit_cell(unit),
    ...(meant ? [kind === "multiplier" ? roomy(meaning) : prose(meaning)] : []),
  ]);
  return scrolling(title, table(title, head, rows));
}

const roomy = (words: string) => h("div", { class: "roomy" }, prose(words));

// Columns that no body has are left out.
function body_table(bodies: BodyEntry[]): HTMLElement {
  const columns = ([["mass", "Mass"], ["inertia", "Moment of inertia"], ["position", "Centre of mass"], ["angle", "Angle"]] as const)
    .filter(([field]) => bodies.some((body) => body[field] !== ""));
  const rows = bodies.map((body) =>
    [h("code", {}, user_text(body.name)), ...columns.map(([field, title]) => cell_math(body[field], title))]);
  return scrolling("Bodies", table("Bodies", ["Body", ...columns.map(([, title]) => title)], rows));
}

// What the multipliers are stands in their own table.
function constraint_table(constraints: ConstraintEntry[]): HTMLElement {
  const rows = constraints.map(({ name, latex, kind, unit, multiplier, symbol }) => [
    h("code", {}, user_text(name)), cell_math(latex, "Equation"), user_text(kind), unit_text(unit),
    acting(multiplier, symbol),
  ]);
  const head = ["Constraint", "Equation", "Kind", "Unit", "Multiplier"];
  return scrolling("Constraints", table("Constraints", head, rows));
}

function source(report: ReportDocument): HTMLElement {
  return h("div", { class: "source" },
    h("div", { class: "source-head" }, heading("Model file"), h("code", {}, user_text(report.source.name)),
      copy_button("Copy model", {}, () => report.source.text)),
    h("pre", { tabindex: 0, role: "region", "aria-label": "Model file" }, highlighted(report.source.text)));
}
