// SPDX-License-Identifier: Apache-2.0
// A plane with two axes, drawn as SVG: phase curves, eigenvalues, and curves over time on paper.
import { svg } from "../dom";
import { number_text, round_ticks } from "../numbers";

export interface PlaneOptions {
  width: number; height: number; x: [number, number]; y: [number, number]; x_label: string; y_label: string;
  label: string;
  y_ticks?: { value: number; text: string }[];  // where round numbers are not what is meant
}

export class Plane {
  readonly node: SVGSVGElement;
  private readonly inner: { left: number; top: number; right: number; bottom: number };

  constructor(private readonly options: PlaneOptions) {
    const { width, height, label, x_label, y_label } = options;
    this.inner = { left: 58, top: 12, right: width - 14, bottom: height - 42 };
    this.node = svg("svg", { class: "plane", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    const { left, top, right, bottom } = this.inner;
    for (const value of round_ticks(...options.x, width < 450 ? 4 : 6)) {
      const x = this.x(value);
      this.node.append(svg("path", { class: "grid-line", d: `M${x} ${top}V${bottom}` }),
        svg("text", { x, y: bottom + 16, "text-anchor": "middle" }, number_text(value, 4)));
    }
    const rounded = () => round_ticks(...options.y, 5).map((value) => ({ value, text: number_text(value, 4) }));
    for (const { value, text } of options.y_ticks ?? rounded()) {
      const y = this.y(value);
      this.node.append(svg("path", { class: "grid-line", d: `M${left} ${y}H${right}` }),
        svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, text));
    }
    this.node.append(
      svg("path", { class: "frame-line", d: `M${left} ${top}V${bottom}H${right}` }),
      svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, x_label),
      svg("text", { "text-anchor": "middle", transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)` }, y_label));
  }

  /** A line through points, interrupted where a value is no number; with `marks` thin, with a dot at each point. */
  curve(xs: ArrayLike<number>, ys: ArrayLike<number>, marks: boolean, look: Record<string, string>): SVGGElement {
    let line = "", dots = "", begins = true;
    for (let i = 0; i < xs.length; ++i) {
      const a = xs[i] ?? NaN, b = ys[i] ?? NaN, gap = !Number.isFinite(a + b);
      if (!gap) line += `${begins ? "M" : "L"}${this.x(a)} ${this.y(b)}`;
      if (!gap && marks) dots += `M${this.x(a)} ${this.y(b)}h0`;
      begins = gap;
    }
    const { style, class: name = "" } = look;
    const node = svg("g", {}, svg("path", { ...look, d: line, class: marks ? `${name} thin-line` : name }));
    if (marks) node.append(svg("path", { class: "row-marks", d: dots, ...(style === undefined ? {} : { style }) }));
    return node;
  }

  x(value: number): number {
    const { x: [low, high] } = this.options, { left, right } = this.inner;
    return Math.round((left + (value - low) / (high - low) * (right - left)) * 100) / 100;
  }
  y(value: number): number {
    const { y: [low, high] } = this.options, { top, bottom } = this.inner;
    return Math.round((bottom - (value - low) / (high - low) * (bottom - top)) * 100) / 100;
  }
}

const kNarrowest = 240;  // px
/** Draws a plane as wide as its host, at most `widest`, again when that changes: shrunk to a phone its letters could not be read. */
export function draw_to_fit(host: HTMLElement, widest: number, draw: (width: number) => void) {
  let drawn = NaN;
  const fit = () => {
    // A host that is not in the page yet has no width.
    const width = Math.round(Math.min(widest, Math.max(kNarrowest, host.clientWidth || widest)));
    if (width !== drawn) draw(drawn = width);
  };
  fit();
  new ResizeObserver(fit).observe(host);
}

const kFewRows = 100;
/** Rows so few that each is marked: between them are straight lines, which nobody computed. */
export function few_rows(time: Float32Array): boolean { return time.length < kFewRows; }

/** With some room around; never empty. A constant is shown as one: its rounding is not blown up into a curve. */
export function roomy(low: number, high: number, pad = 0.08): [number, number] {
  if (!(low <= high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const room = high - low > 2e-6 * size ? pad * (high - low) : size > 0 ? 0.1 * size : 1;
  return [low - room, high + room];
}
