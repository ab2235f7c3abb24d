// SPDX-License-Identifier: Apache-2.0
// A plot as one picture: title, curves, and a legend of their names.
import { svg } from "../dom";
import { type PrintedCurve, printed_plot } from "./printed_plot";

const kWide = 680, kHigh = 215, kTop = 26, kLine = 20;

export function plot_picture(title: string, time: Float32Array, drawn: PrintedCurve[], log: boolean, unit: string): SVGSVGElement {
  const plot = printed_plot(time, drawn, log, unit), legend = svg("g", {});
  for (const [name, value] of Object.entries({ y: kTop, width: kWide, height: kHigh })) plot.setAttribute(name, String(value));
  let x = 58, line = 0;
  for (const { curve, color, dash } of drawn) {
    const name = curve.short_name.slice(0, 60), wide = 46 + 7.2 * name.length;
    if (x > 58 && x + wide > kWide) x = 58, ++line;
    const y = kTop + kHigh + 14 + kLine * line;
    legend.append(svg("path", { class: "printed-curve", d: `M${x} ${y - 4}h26`, style: `stroke:${color}`, "stroke-dasharray": dash }),
      svg("text", { x: x + 32, y }, name));
    x += wide;
  }
  return svg("svg", { class: "plane", viewBox: `0 0 ${kWide} ${kTop + kHigh + 14 + kLine * (line + 1)}` },
    svg("text", { x: 58, y: 17, style: "font-weight:600" }, title), plot, legend);
}
