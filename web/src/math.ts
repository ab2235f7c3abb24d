// SPDX-License-Identifier: Apache-2.0
// Formulas of the document, typeset. What cannot be typeset is shown as it is written.
import katex from "katex";
import { cut, h, user_text } from "./dom";
import { before_printing, when_near } from "./later";

const kLongest = 150_000;      // characters; beyond, typesetting would take seconds
const kLongestInline = 2000;  // in a line of text
const kPaperCell = 540;       // pixels, of one that is folded, on paper
const kLongCell = 80;         // letters, in a cell of a table

function typeset(host: HTMLElement, latex: string, display: boolean): boolean {
  if (latex.length > (display ? kLongest : kLongestInline)) return false;
  try {
    katex.render(latex, host, {
      displayMode: display, throwOnError: false, trust: false, strict: "ignore", maxExpand: 2000, maxSize: 20,
      errorColor: "currentColor",
    });
  } catch {
    return false;  // too deeply nested
  }
  return host.querySelector(".katex-error") === null;
}

/** A formula that nobody wants to meet unasked: typeset when it is opened. `words`: what it is. */
export function folded_math(latex: string, words: string): HTMLElement {
  const block = h("div", { class: "display", "data-csv": latex });
  when_near(block, () => {
    display_math(block, latex, "");
    reachable(block, words);
  });
  const details = fold(words, block);
  fits_paper(block, kPaperCell);
  return details;
}

/** On paper a formula is so small that it is no wider than this. */
export function fits_paper(block: HTMLElement, most: number) {
  before_printing(() => {
    const wide = Math.max(0, ...[...block.querySelectorAll(".katex-html")].map((part) =>
      [...part.children].reduce((sum, base) => sum + base.getBoundingClientRect().width, 0)));
    if (wide > most) block.style.fontSize = `${(100 * most / wide).toFixed(1)}%`;
  });
  addEventListener("afterprint", () => { block.style.fontSize = ""; });
}

/** Wide equations scroll; the keyboard must reach them then. `words`: what they are, for ears. */
export function reachable(block: HTMLElement, words: string) {
  new ResizeObserver(() => {
    if (block.scrollWidth > block.clientWidth + 1) {
      block.tabIndex = 0;
      block.setAttribute("role", "region");
      block.setAttribute("aria-label", words);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) block.removeAttribute(name);
    }
  }).observe(block);
}

/** What is long, folded; open on paper. */
export function fold(words: string, ...content: Node[]): HTMLDetailsElement {
  const details = h("details", { class: "fold" }, h("summary", {}, words), ...content);
  let opened = false;
  before_printing(() => { if (!details.open) details.open = opened = true; });
  addEventListener("afterprint", () => { if (opened) details.open = opened = false; });
  return details;
}

/** How many letters a formula shows, about. */
function letters_of(latex: string): number {
  return latex.replace(/\\(left|right|[bB]igg?[lr]|mathrm|operatorname|d?dot|frac|[,!; ])/g, "").replace(/\\(?!sin|cos|tan|sqrt|exp|log)[a-z]+/gi, "x")
    .replace(/[{}_^\\&\s]/g, "").length;
}

/** In a cell of a table: long ones are folded. */
export function cell_math(latex: string, words: string): HTMLElement {
  if (latex === "…") return h("span", { class: "hint" }, "too long for a table");
  return letters_of(latex) > kLongCell ? folded_math(latex, words) : inline_math(latex, "");
}

function as_written(host: HTMLElement, text: string) {
  host.textContent = "";
  host.append(h("code", { class: "as-written" }, user_text(text)));
}

/** In a line of text. `plain` is shown when there is no formula or it fails. */
export function inline_math(latex: string, plain: string): HTMLElement {
  const host = h("span", { class: "math" });
  if (latex.trim() === "") host.append(user_text(plain, 200));
  else if (!typeset(host, latex, false)) as_written(host, plain === "" ? latex : plain);
  return host;
}

const kSign = /^[,.;:]/;
/** Text with formulas between dollar signs, as titles of equations have them. */
export function text_with_math(text: string): HTMLElement {
  const host = h("span"), parts = text.split("$");
  parts.forEach((part, k) => {
    if (k % 2 === 0) {
      // A sign of punctuation stays with the formula before it.
      const rest = k > 0 ? part.replace(kSign, "") : part;
      if (rest !== "") host.append(user_text(rest));
    } else if (part !== "") {
      const sign = kSign.exec(parts[k + 1] ?? "")?.[0] ?? "", formula = inline_math(part, part);
      host.append(sign === "" ? formula : h("span", { class: "unbroken" }, formula, sign));
    }
  });
  return host;
}

export function display_math(host: HTMLElement, latex: string, plain: string) {
  if (latex.length > kLongest)
    host.replaceChildren(h("p", { class: "hint" }, `${latex.length.toLocaleString("en")} characters: too long to be typeset here.`));
  else if (!typeset(host, latex, true)) as_written(host, plain === "" ? latex : plain);
}

/** Units as the field writes them: N·m, m/s². */
export function unit_text(unit: string): string {
  const powers: Record<string, string> = { "1": "¹", "2": "²", "3": "³", "4": "⁴", "-": "⁻" };
  return cut(unit, 40).replaceAll("*", "·").replace(/\^(-?[1-4])/g, (_, power: string) =>
    [...power].map((digit) => powers[digit] ?? digit).join(""));
}
