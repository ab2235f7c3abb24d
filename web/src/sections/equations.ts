// SPDX-License-Identifier: Apache-2.0
import { acting_in, acting_line } from "../acting";
import type { ConstraintEntry, EquationEntry } from "../document";
import { copy_button, h, user_text } from "../dom";
import { kPaper, later, now, when_near } from "../later";
import { display_math, fits_paper, fold, reachable, text_with_math } from "../math";
import { pieces } from "./pieces";

const kLong = 2500;       // characters: longer ones are folded

export function equations_section(equations: EquationEntry[], text: string, constraints: ConstraintEntry[]): HTMLElement[] {
  const shown = equations.map((equation) => {
    // The title's words; its formulas are none.
    const words = `Equation: ${equation.title.split("$")[0]!.slice(0, 80).replace(/[:, ]*$/, "")}`;
    const long = equation.latex.join("").length > kLong;
    const parts = equation.latex.flatMap(pieces);
    const blocks = parts.map((latex, k) => {
      const block = h("div", { class: "display" });
      acting_in(block, constraints);
      const typeset = () => {
        display_math(block, latex, equation.text);
        reachable(block, parts.length > 1 ? `${words}, part ${k + 1}` : words);
      };
      // Long ones would hold up what moves: they wait until someone opens them.
      if (!long) later(typeset);
      else when_near(block, typeset);
      fits_paper(block, kPaper);
      return block;
    });
    if (blocks.length === 0 && equation.text !== "")
      blocks.push(h("div", { class: "display" }, h("code", { class: "as-written" }, user_text(equation.text))));
    // Formulas have one as the page shows them, for word processors and other programs.
    const mathml = () => {
      blocks.forEach(now);
      const formulas = blocks.flatMap((block) => [...block.querySelectorAll("math")]);
      return formulas.map((formula) => new XMLSerializer().serializeToString(formula)).join("\n");
    };
    const copy = equation.latex.length === 0 ? null : h("span", { class: "copies" },
      copy_button("Copy LaTeX", { class: "copy" }, () => equation.latex.join("\n\n")),
      copy_button("MathML", { class: "copy", title: "Copy MathML" }, mathml));
    return h("div", { class: "equation", id: `equation-${equation.id}` },
      h("div", { class: "equation-head" }, h("h3", {}, text_with_math(equation.title)), count(equation.operations), copy),
      equation.note === "" ? null : h("p", { class: "hint" }, text_with_math(equation.note)),
      ...(long ? [fold(`Show (${lines(blocks.length)})`, ...blocks)] : blocks),
      acting_line(equation.latex, constraints));
  });
  if (text === "") return shown;
  const title = "All equations as plain text, as model files and claims take formulas";
  return [h("p", { class: "copy-all" }, copy_button("Copy all as text", { title }, () => text)), ...shown];
}

const lines = (parts: number) => parts === 1 ? "long" : `${parts} parts`;

function count(operations: number): HTMLElement | null {
  if (operations === 0) return null;
  const title = "Additions, multiplications, divisions and functions, what is used twice counted once";
  return h("span", { class: "operations", title }, `${operations} operation${operations === 1 ? "" : "s"}`);
}
