// SPDX-License-Identifier: Apache-2.0
// Points of space and of the screen, and data of SVG paths.

export type Pixel = readonly [number, number];
export type Point = readonly [number, number, number];

export const plus = (a: Pixel, b: Pixel): Pixel => [a[0] + b[0], a[1] + b[1]];
export const minus = (a: Pixel, b: Pixel): Pixel => [a[0] - b[0], a[1] - b[1]];
export const times = (s: number, a: Pixel): Pixel => [s * a[0], s * a[1]];
export const length = (a: Pixel) => Math.hypot(a[0], a[1]);
export const unit = (a: Pixel): Pixel => {
  const l = length(a);
  return l > 1e-9 ? [a[0] / l, a[1] / l] : [1, 0];
};
/** On the screen, y down. */
export const left_of = (a: Pixel): Pixel => [a[1], -a[0]];

export const dot = (a: Point, b: Point) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Point, b: Point): Point =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const difference = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (s: number, a: Point): Point => [s * a[0], s * a[1], s * a[2]];
export const size = (a: Point) => Math.hypot(a[0], a[1], a[2]);
export const finite = (a: Point) => Number.isFinite(a[0] + a[1] + a[2]);
export const point = (values: readonly number[]): Point => [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];

const number_of = (x: number) => Math.round(Math.min(Math.max(x, -1e5), 1e5) * 10) / 10;

/** Nothing is drawn of a path with a number that is not finite. */
export class Path {
  private text = "";
  private broken = false;

  move(p: Pixel) { return this.add("M", p); }
  line(p: Pixel) { return this.add("L", p); }
  curve(a: Pixel, b: Pixel, c: Pixel) { return this.add("C", a).add(" ", b).add(" ", c); }
  close() {
    this.text += "Z";
    return this;
  }
  /** Through the ends of two conjugate radii. */
  ellipse(c: Pixel, u: Pixel, v: Pixel) {
    const k = 0.5522847498;
    const at = (s: number, t: number): Pixel => [c[0] + s * u[0] + t * v[0], c[1] + s * u[1] + t * v[1]];
    this.move(at(1, 0)).curve(at(1, k), at(k, 1), at(0, 1)).curve(at(-k, 1), at(-1, k), at(-1, 0));
    return this.curve(at(-1, -k), at(-k, -1), at(0, -1)).curve(at(k, -1), at(1, -k), at(1, 0)).close();
  }
  circle(c: Pixel, r: number) { return this.ellipse(c, [r, 0], [0, r]); }
  take() { return this.broken ? "" : this.text; }

  private add(command: string, p: Pixel) {
    if (!Number.isFinite(p[0] + p[1])) this.broken = true;
    this.text += `${command}${number_of(p[0])} ${number_of(p[1])}`;
    return this;
  }
}

export function arrow(path: Path, from: Pixel, to: Pixel): Path {
  const v = minus(to, from), head = Math.min(10, 0.45 * length(v));
  const d = unit(v), n = left_of(d), back = minus(to, times(head, d));
  path.move(from).line(to);
  return path.move(plus(back, times(0.42 * head, n))).line(to).line(minus(back, times(0.42 * head, n)));
}

/** Two strokes across an arrow's shaft: it would be longer. */
export function cut_mark(path: Path, from: Pixel, to: Pixel): Path {
  const d = unit(minus(to, from)), aslant = plus(times(5, left_of(d)), times(3, d)), middle = times(0.5, plus(from, to));
  for (const s of [-2.5, 2.5]) {
    const at = plus(middle, times(s, d));
    path.move(minus(at, aslant)).line(plus(at, aslant));
  }
  return path;
}

/**
 * Around `c` from u towards v, or back where `share` is negative; a share of 1 is most of a turn. Its middle is at v.
 */
export function curved_arrow(path: Path, c: Pixel, u: Pixel, v: Pixel, share: number): Path {
  const sweep = Math.sign(share) * (0.7 + 4 * Math.min(Math.abs(share), 1)), pieces = 24;
  const at = (s: number): Pixel => {
    const angle = Math.PI / 2 + (s - 0.5) * sweep;
    return plus(c, plus(times(Math.cos(angle), u), times(Math.sin(angle), v)));
  };
  path.move(at(0));
  for (let k = 1; k <= pieces; ++k) path.line(at(k / pieces));
  const tip = at(1), d = unit(minus(tip, at(1 - 1.5 / pieces))), n = left_of(d), back = minus(tip, times(9, d));
  return path.move(plus(back, times(4, n))).line(tip).line(minus(back, times(4, n)));
}
