// SPDX-License-Identifier: Apache-2.0
// The start that brings a point of the scene nearest to a place: Gauss and Newton's method along the constraints.
//   minimise |J d − r|² + ε|d|²  where  A d = −h        J: the point by the coordinates, A: the constraints by them
import type { Program } from "../messages";
import type { State } from "./start";

const kTurns = 25, kBack = 10, kDamping = 1e-4, kEnough = 1e-9;
const kErrors = 1e-6;  // relative, of differences: a derivative that is smaller is none

/** Solves a x = b in place, by elimination with pivots; what has no pivot is 0. */
export function solve(a: number[][], b: number[]): number[] {
  const n = b.length, size = Math.max(...a.flat().map(Math.abs), 1e-300);
  for (let k = 0; k < n; ++k) {
    let pivot = k;
    for (let i = k + 1; i < n; ++i) if (Math.abs(a[i]![k]!) > Math.abs(a[pivot]![k]!)) pivot = i;
    [a[k], a[pivot]] = [a[pivot]!, a[k]!], [b[k], b[pivot]] = [b[pivot]!, b[k]!];
    if (Math.abs(a[k]![k]!) <= 1e-13 * size) continue;
    for (let i = k + 1; i < n; ++i) {
      const f = a[i]![k]! / a[k]![k]!;
      if (f === 0) continue;
      for (let j = k; j < n; ++j) a[i]![j]! -= f * a[k]![j]!;
      b[i]! -= f * b[k]!;
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let k = n - 1; k >= 0; --k) {
    let sum = b[k]!;
    for (let j = k + 1; j < n; ++j) sum -= a[k]![j]! * x[j]!;
    x[k] = Math.abs(a[k]![k]!) <= 1e-13 * size ? 0 : sum / a[k]![k]!;
  }
  return x;
}

/** By coordinate: the derivatives of what `look` gives, which is `here`. */
function slopes_of(look: () => number[], here: number[], q: Float64Array): number[][] {
  return Array.from(q, (stay, i) => {
    const step = 1e-6 * Math.max(1, Math.abs(stay));
    q[i] = stay + step;
    const slope = look().map((value, k) => (value - here[k]!) / step);
    q[i] = stay;
    return slope;
  });
}

/** What looks at so many numbers of the scene from the first one, and at the two-sided constraints after them; how many these are; and the inputs. */
function looking(program: Program, s: object, { t, q, v }: State, first: number, count: number, places: number): [() => number[], number, Float64Array] {
  const u = new Float64Array(program.nu), out = new Float64Array(places), levels = new Float64Array(program.nh);
  const lambda = new Float64Array(program.nr + (program.nf ?? 0)), one_sided = new Set(program.contact_levels ?? []);
  const rows = Array.from({ length: program.nh }, (_, k) => k).filter((row) => !one_sided.has(row));
  program.inputs(s, t, u);
  return [() => {
    program.scene!(s, t, q, v, lambda, u, out);
    program.position_residual?.(s, t, q, u, levels);
    return [...out.slice(first, first + count), ...rows.map((row) => levels[row]!)];
  }, rows.length, u];
}

/** By point of the scene: whether it can move while the constraints hold, as far as first derivatives tell: a derivative of its place is no combination
 *  of theirs. */
export function movable(program: Program, s: object, state: State, tracks: number, space: number, places: number): boolean[] {
  const count = tracks * space, [look, rows] = looking(program, s, state, 0, count, places), slopes = slopes_of(look, look(), state.q);
  const along: number[][] = [];  // an orthonormal basis of the derivatives of the constraints
  // What is left of a derivative across them; null: nothing but errors of differences.
  const across = (k: number) => {
    const whole = slopes.map((slope) => slope[k]!);
    let rest = whole;
    for (const b of [...along, ...along]) {
      const part = rest.reduce((sum, x, i) => sum + x * b[i]!, 0);
      rest = rest.map((x, i) => x - part * b[i]!);
    }
    const length = Math.hypot(...rest);
    return length > kErrors * Math.hypot(...whole) ? rest.map((x) => x / length) : null;
  };
  for (let row = 0; row < rows; ++row) {
    const rest = across(count + row);
    if (rest !== null) along.push(rest);
  }
  return Array.from({ length: tracks }, (_, track) => Array.from({ length: space }, (_, k) => track * space + k).some((k) => across(k) !== null));
}

/** `state` is moved; its velocities are projected. Whether it is on the constraints. */
export function drag(program: Program, s: object, state: State, track: number, to: number[], space: number, places: number): boolean {
  const { t, q, v } = state, n = program.nq, [look, rows, u] = looking(program, s, state, track * space, space, places);
  // Where the place cannot be reached the last turns only lead back onto the constraints.
  for (let turn = 0; turn < kTurns + kBack; ++turn) {
    const pull = turn < kTurns ? 1 : 0, here = look(), slopes = slopes_of(look, here, q);
    const size = n + rows, matrix = Array.from({ length: size }, () => new Array<number>(size).fill(0));
    const right = new Array<number>(size).fill(0);
    const largest = Math.max(...slopes.map((slope) => Math.hypot(...slope.slice(0, space))), 1e-12);
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j < n; ++j)
        for (let k = 0; k < space; ++k) matrix[i]![j]! += pull * slopes[i]![k]! * slopes[j]![k]!;
      matrix[i]![i]! += kDamping * largest * largest;
      for (let k = 0; k < space; ++k) right[i]! += pull * slopes[i]![k]! * (to[k]! - here[k]!);
      for (let row = 0; row < rows; ++row) matrix[i]![n + row] = matrix[n + row]![i] = slopes[i]![space + row]!;
    }
    for (let row = 0; row < rows; ++row) {
      right[n + row] = -here[space + row]!;
      matrix[n + row]![n + row] = -1e-12 * largest * largest;
    }
    const moved = solve(matrix, right).slice(0, n), length = Math.hypot(...moved);
    if (!Number.isFinite(length)) return false;
    // Far away slopes say little: no step is longer than a third of a turn, or of a metre.
    const share = Math.min(1, 0.3 / Math.max(...moved.map(Math.abs), 1e-300));
    moved.forEach((value, i) => { q[i]! += share * value; });
    if (length <= kEnough) break;
  }
  return program.project(s, t, q, v, u) === 0;
}
