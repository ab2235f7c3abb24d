// SPDX-License-Identifier: Apache-2.0
// How long the steps of a run were: a band from the shortest to the longest of each stretch, on a logarithmic axis.
import { type Run, unpack } from "../document";
import { h, svg } from "../dom";
import { picture_buttons } from "../pictures";
import { number_text } from "../numbers";
import { draw_to_fit, Plane, roomy } from "./plane";

const kWidest = 860;  // px, as styles/plots.css has it

export function step_plot({ each, from, to, shortest, longest }: NonNullable<Run["steps"]>): HTMLElement {
  const begin = unpack(from), end = unpack(to), low = unpack(shortest), high = unpack(longest);
  let least = Infinity, most = 0, first = Infinity, last = -Infinity;
  for (let k = 0; k < begin.length; ++k) {
    if (low[k]! > 0) least = Math.min(least, low[k]!);
    most = Math.max(most, high[k]!);
    first = Math.min(first, begin[k]!, end[k]!), last = Math.max(last, begin[k]!, end[k]!);
  }
  const bottom = Math.floor(Math.log10(least)), top = Math.max(Math.ceil(Math.log10(most)), bottom + 1);
  const y_ticks: { value: number; text: string }[] = [], apart = Math.ceil((top - bottom) / 6);
  for (let power = bottom; power <= top; power += apart) y_ticks.push({ value: power, text: number_text(10 ** power, 3) });
  const host = h("div");
  draw_to_fit(host, kWidest, (width) => {
    const plane = new Plane({
      width, height: 215, x: last > first ? [first, last] : roomy(first, last), y: [bottom, top], y_ticks,
      x_label: "t [s]", y_label: "[s]",
      label: `Lengths of steps over time, from ${number_text(least)} s to ${number_text(most)} s`,
    });
    let band = "";
    for (let k = 0; k < begin.length; ++k) {
      const a = plane.x(begin[k]!), b = plane.x(end[k]!), up = plane.y(Math.log10(high[k]!)), down = plane.y(Math.log10(low[k]!));
      // What is but a line is seen as well.
      band += `M${a} ${up}H${b}V${Math.max(down, up + 2.5)}H${a}Z`;
    }
    plane.node.append(svg("path", { class: "step-band", d: band }));
    host.replaceChildren(plane.node);
  });
  const words = each === 1 ? "each step" : `the shortest and the longest of every ${each} steps`;
  return h("figure", { class: "plot steps" },
    h("figcaption", {}, h("h3", {}, "Lengths of steps", h("span", { class: "unit" }, " [s]")),
      h("div", { class: "plot-tools" }, ...picture_buttons(() => "steps", () => host.querySelector("svg")))), host,
    h("p", { class: "hint" }, `From ${number_text(least, 3)} s to ${number_text(most, 3)} s; ${words} on a logarithmic axis.`));
}
