// SPDX-License-Identifier: Apache-2.0
import { unit_cell, value_cell } from "../angles";
import type { ReportDocument } from "../document";
import { command_text, h, svg, user_text } from "../dom";
import { number_text, without_round_off } from "../numbers";
import { picture_buttons } from "../pictures";
import { Plane, roomy } from "../plots/plane";

// Beside the largest eigenvalue. A double one on the axis may be off it by the root of round-off.
const kRoundOff = 1e-8;

export function equilibria_section({ equilibria, symbols }: ReportDocument): HTMLElement[] {
  if (equilibria.length === 0) return [];
  const further = h("p", { class: "hint" }, "How they move with a parameter, and where their stability changes: ",
    h("code", {}, command_text("dalembert linearize MODEL --vary NAME=FROM:TO:STEP")), ".");
  const units = new Map(symbols.map(({ name, unit }) => [name, unit]));
  return [...equilibria.map((equilibrium, k) => {
    const { kind, stability, at, family } = equilibrium, eigenvalues = without_noise(equilibrium.eigenvalues);
    const places = h("dl", { class: "places" });
    for (const { name, value } of at) {
      const unit = units.get(name) ?? "";
      places.append(h("div", {}, h("dt", {}, user_text(name)), h("dd", {}, value_cell(value, unit, 6), " ", unit_cell(unit))));
    }
    return h("article", { class: "equilibrium" },
      h("div", {},
        h("h3", {}, `${k + 1}. `, user_text(kind), ": ", user_text(stability)), places,
        family.length === 0 ? null : h("p", { class: "hint" }, "A family along ", user_text(family.join(", "))),
        eigenvalues.length === 0 ? null : h("p", { class: "number" },
          `Eigenvalues [1/s]: ${eigenvalues.slice(0, 24).map(complex_text).join(", ")}`)),
      eigenvalues.length === 0 ? null : eigenvalue_figure(eigenvalues, stability, `eigenvalues-${k + 1}`));
  }), further];
}

// Parts that are round-off beside the largest eigenvalue are zero.
function without_noise(eigenvalues: [number, number][]): [number, number][] {
  const largest = Math.max(0, ...eigenvalues.map(([re, im]) => Math.hypot(re, im)));
  return eigenvalues.map(([re, im]) => [without_round_off(re, largest), without_round_off(im, largest)]);
}

function complex_text([re, im]: [number, number]): string {
  if (im === 0) return number_text(re, 4);
  const size = number_text(Math.abs(im), 4), sign = im < 0 ? "−" : "+";
  return re === 0 ? `${im < 0 ? "−" : ""}${size}i` : `${number_text(re, 4)} ${sign} ${size}i`;
}

function eigenvalue_figure(eigenvalues: [number, number][], stability: string, name: string): HTMLElement {
  const plane = eigenvalue_plane(eigenvalues, stability);
  return h("div", { class: "eigenvalues" }, plane, h("div", { class: "plot-tools" }, ...picture_buttons(() => name, () => plane)));
}

function eigenvalue_plane(eigenvalues: [number, number][], stability: string): SVGSVGElement {
  const range = (k: 0 | 1): [number, number] => {
    const values = eigenvalues.map((value) => value[k]);
    return [Math.min(0, ...values), Math.max(0, ...values)];
  };
  // One scale for both axes; a quarter turn looks like one.
  const [left, right] = range(0), [low, high] = range(1);
  const half = 0.5 * (Math.max(right - left, high - low) || 1), x = (left + right) / 2, y = (low + high) / 2;
  const size = Math.max(...eigenvalues.map(([re, im]) => Math.hypot(re, im)));
  const plane = new Plane({
    width: 300, height: 260, x: roomy(x - half, x + half, 0.1), y: roomy(y - half, y + half, 0.1),
    x_label: "Re [1/s]", y_label: "Im [1/s]",
    label: `Eigenvalues in the complex plane: ${eigenvalues.slice(0, 24).map(complex_text).join(", ")}`,
  });
  plane.node.append(svg("path", { class: "zero-line", d: `M${plane.x(0)} 12V218M58 ${plane.y(0)}H286` }));
  for (const [re, im] of eigenvalues) {
    const a = plane.x(re), b = plane.y(im);
    plane.node.append(svg("path", {
      class: stability.startsWith("unstable") && re > kRoundOff * size ? "eigenvalue unstable" : "eigenvalue",
      d: `M${a - 4} ${b - 4}L${a + 4} ${b + 4}M${a - 4} ${b + 4}L${a + 4} ${b - 4}`,
    }));
  }
  return plane.node;
}
