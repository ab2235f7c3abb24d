// SPDX-License-Identifier: Apache-2.0
// Curves over time for paper: lines that stay sharp, where the screen has a canvas of pixels.
import { number_text, range_of } from "../numbers";
import type { Curve } from "../series";
import { few_rows, Plane, roomy } from "./plane";

export interface PrintedCurve { curve: Curve; color: string; dash: string; }

/** `log`: sizes on a logarithmic axis, from one power of ten to another. */
export function printed_plot(time: Float32Array, drawn: PrintedCurve[], log: boolean, unit: string): SVGSVGElement {
  const value = (x: number) => !log ? x : x === 0 ? NaN : Math.log10(Math.abs(x));
  const values = drawn.map(({ curve }) => log ? Float64Array.from(curve.values, value) : curve.values);
  const ranges = values.map(range_of).filter(({ min }) => Number.isFinite(min));
  const low = Math.min(...ranges.map(({ min }) => min)), high = Math.max(...ranges.map(({ max }) => max));
  let y = roomy(low, high, 0.06), y_ticks: { value: number; text: string }[] | undefined;
  if (log) {
    y = ranges.length > 0 ? [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)] : [-16, -12];
    y_ticks = [];
    const step = Math.ceil((y[1] - y[0]) / 6);
    for (let power = y[0]; power <= y[1]; power += step)
      y_ticks.push({ value: power, text: number_text(10 ** power, 3) });
  }
  const x: [number, number] = [time[0] ?? 0, time[time.length - 1] ?? 1];
  const plane = new Plane({
    width: 680, height: 215, x: x[1] > x[0] ? x : roomy(x[0], x[1]), y, x_label: "t [s]",
    y_label: unit === "" ? "" : `[${unit}]`, label: "", ...(y_ticks === undefined ? {} : { y_ticks }),
  });
  values.forEach((column, k) => {
    const { color, dash } = drawn[k]!;
    const look = { class: "printed-curve", style: `stroke:${color}`, "stroke-dasharray": dash };
    plane.node.append(plane.curve(time, column, few_rows(time), look));
  });
  plane.node.classList.add("printed");
  return plane.node;
}
