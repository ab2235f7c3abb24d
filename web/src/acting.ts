// SPDX-License-Identifier: Apache-2.0
// Where multipliers act: whoever names one can show its place in the scene, by a button or, in a formula, by a click.
import type { ConstraintEntry } from "./document";
import { h } from "./dom";
import { inline_math } from "./math";

export interface Acting { has(row: string): boolean; show(row: string): void; }

let scene: Acting | null = null;
/** The scene, which knows where rows act. Before the parts that name them are made. */
export function shows_acting(one: Acting) { scene = one; }

/** The row of a series or a multiplier: "lambda/pin[1]" and "pin[1]" are the same. */
export const row_of = (name: string) => name.replace(/^lambda\//, "");

/** A multiplier that is a button where the scene has a place for it. */
export function multiplier(name: string, latex: string): HTMLElement {
  const symbol = inline_math(latex, name), row = row_of(name);
  if (!(scene?.has(row) ?? false)) return symbol;
  const button = h("button", { type: "button", class: "acts", title: "Show where it acts", "data-acts": row },
    symbol, h("span", { class: "unseen" }, " show where it acts"));
  button.addEventListener("click", () => scene?.show(row));
  return button;
}

/** The same without its symbol, beside a curve that has one. */
export function acting_mark(name: string): HTMLElement | null {
  const row = row_of(name);
  if (!name.startsWith("lambda/") || !(scene?.has(row) ?? false)) return null;
  const button = h("button", { type: "button", class: "acts mark", title: "Show where it acts", "data-acts": row, "aria-label": `${row.slice(0, 80)}: show where its force acts` }, "◎");
  button.addEventListener("click", () => scene?.show(row));
  return button;
}

/** A line with the multipliers that a formula has; null: none of them acts somewhere in the scene. */
export function acting_line(latex: string[], constraints: ConstraintEntry[]): HTMLElement | null {
  const all = latex.join(" ");
  const those = constraints.filter(({ symbol, multiplier: name }) => symbol !== "" && all.includes(symbol) && (scene?.has(row_of(name)) ?? false));
  if (those.length === 0) return null;
  return h("p", { class: "acting-line" }, "Where they act: ", ...those.slice(0, 24).map(({ symbol, multiplier: name }) => multiplier(name, symbol)));
}

let typeset: Map<string, string> | null = null;  // the row of each multiplier by its text, once for all formulas

/** A click on a multiplier within a formula, as it is typeset. */
export function acting_in(block: HTMLElement, constraints: ConstraintEntry[]) {
  const found = (target: EventTarget | null): string | null => {
    const rows = (typeset ??= new Map(constraints.filter(({ multiplier: name }) => scene?.has(row_of(name)) ?? false)
      .map(({ symbol, multiplier: name }) => [typeset_text(inline_math(symbol, name)), row_of(name)])));
    if (rows.size === 0) return null;
    for (let part = target as Element | null; part !== null && part !== block; part = part.parentElement)
      if (part.classList.contains("mord")) {
        const row = rows.get(part.textContent ?? "");
        if (row !== undefined) return row;
      }
    return null;
  };
  block.addEventListener("click", (event) => {
    const row = found(event.target);
    if (row !== null) scene?.show(row);
  });
  block.addEventListener("pointerover", (event) => { block.style.cursor = found(event.target) === null ? "" : "pointer"; });
}

const typeset_text = (math: HTMLElement) => math.querySelector(".katex-html .mord")?.textContent ?? "";
