// SPDX-License-Identifier: Apache-2.0
// Numbers of all curves at the recorded row that is nearest to the scene's time.
import { unit_cell } from "../angles";
import { on_change } from "../changes";
import type { Clock } from "../clock";
import { h, table, user_text } from "../dom";
import { later } from "../later";
import { inline_math } from "../math";
import { nearest, number_text, without_round_off } from "../numbers";
import type { Series } from "../series";

const kMost = 300;      // curves with a line of their own
const kLongName = 12;   // letters: longer ones are written so that they can be broken
const kPause = 90;      // ms between changes of the numbers while the scene plays

export function readout(series: Series, clock: Clock): HTMLElement {
  const curves = series.curves.slice(0, kMost);
  const cells = curves.map((curve) => h("td", { "data-value-of": curve.name }));
  const rows = curves.map((curve, k): [HTMLElement, HTMLElement, HTMLElement] => [
    user_text(curve.short_name, 200), cells[k]!, unit_cell(curve.column.unit),
  ]);
  // Typeset names can wait until the scene moves.
  rows.forEach((row, k) => later(() => {
    const { column, short_name } = curves[k]!;
    if (short_name.length <= kLongName) row[0].replaceWith(inline_math(column.latex, short_name));
  }));
  const body = table("Values at this time", ["Quantity", "Value", "Unit"], rows, { class: "readout" });
  // Cells are made by the table; those that change stand in their place.
  cells.forEach((cell) => cell.parentElement?.replaceWith(cell));
  const host = h("div", { class: "scrolling readout-host", tabindex: 0, role: "region", "aria-label": "Values" }, body);
  if (series.curves.length > kMost)
    host.append(h("p", { class: "hint" }, `${series.curves.length - kMost} more are in the downloaded data.`));
  let last = -Infinity, sizes: number[] | null = null;
  const update = (cause: string) => {
    const now = performance.now();
    if (cause === "run" && now - last < kPause) return;
    last = now;
    const row = nearest(series.time, clock.t);
    sizes ??= curves.map((curve) => series.size_around(curve));
    host.dataset.time = String(series.time[row]);
    curves.forEach((curve, k) => {
      const value = curve.values[row] ?? NaN, cell = cells[k]!;
      cell.textContent = number_text(without_round_off(value, sizes![k]!));
      cell.dataset.value = String(value);
    });
  };
  clock.listen(update);
  on_change(() => {
    sizes = null;
    update("set");
  });
  later(() => update("set"));
  return host;
}
