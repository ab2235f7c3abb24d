// SPDX-License-Identifier: Apache-2.0
// A verdict on a live run of its own, from what the worker computed: residuals of the constraints, and the energy.
import type { Series } from "../series";
import { number_text } from "../numbers";
import { unit_text } from "../math";
import type { Answer } from "./messages";

// Steps end on the constraints to round-off; a residual beyond 1e-10 of its size, as a start may have it, is more than that.
const kResidual = 1e-10;
// Steps have an error of 1e-7; some hundred of them one after the other may add up to this.
const kBalance = 1e-4;

export interface Verdict { holds: boolean | null; words: string; }

export function verdict_of(series: Series, answer: Answer): Verdict {
  if (answer.problem !== "" && Number.isNaN(answer.until)) return { holds: null, words: "" };
  let residual = -1, row = "", unit = "", size = 1;
  series.curves.forEach((curve, c) => {
    const values = answer.columns[c];
    if (values === undefined) return;
    let most = 0;
    for (const value of values) if (Math.abs(value) > most) most = Math.abs(value);
    if (curve.group === "residual" && values.some((value) => !Number.isNaN(value)) && most > residual)
      residual = most, row = curve.short_name, unit = unit_text(curve.column.unit);
    else if (["q", "v"].includes(curve.group)) size = Math.max(size, most);
  });
  const parts: string[] = [];
  let holds = true;
  if (residual >= 0) {
    holds = residual <= kResidual * size;
    parts.push(`largest residual ${number_text(residual, 2)} ${unit}`.trimEnd() + (residual > 0 ? ` (${row.slice(0, 60)})` : ""));
  }
  if (answer.energy !== null) {
    const { off, of_work, judged } = answer.energy;
    holds &&= off <= kBalance + of_work;
    const known = of_work > 0.1 * kBalance ? `, where the work of friction is known to ${number_text(of_work, 2)}` : "";
    // Not more than is so: 100 % is all of it.
    const share = judged === 1 ? "" : `, between impacts and events (${Math.floor(1000 * judged) / 10} % of the time)`;
    parts.push(judged === 0 ? "the energy is not judged, as each step has impacts or events" : `energy off by ${number_text(off, 2)} of its size${share}${known}`);
  }
  const beginning = answer.problem !== "" ? "As far as it goes, its" : "Its";
  return { holds, words: `${beginning} checks ${holds ? "hold" : "do not hold"}: ${parts.join("; ")}.` };
}
