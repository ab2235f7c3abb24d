// SPDX-License-Identifier: Apache-2.0
// The energy of models with contacts or events, which may change it at once, and with friction, whose power may jump within a step: E − E₀ − work
// over those steps within which neither a velocity nor its derivative jumps and no event happens. A jump is seen by its own meaning: the velocity
// changes by another amount than its derivative says.
import type { Program } from "../messages";

// Of the largest velocity. What a step's error of 1e-7 leaves of Simpson's rule is smaller, and a smaller jump changes the energy by less than it.
export const kJump = 1e-5;

export class Between {
  /** The largest |E − E₀ − work|, J. */
  off = 0;
  /** How long the steps are that count, s. */
  judged = 0;
  private sum = 0;
  private last: number;
  private readonly e: Float64Array;
  private readonly u: Float64Array;

  constructor(private readonly program: Program, private readonly s: object, t: number, q: Float64Array, v: Float64Array) {
    this.e = new Float64Array(program.ne);
    this.u = new Float64Array(program.nu);
    this.last = this.energy(t, q, v);
  }

  private energy(t: number, q: Float64Array, v: Float64Array): number {
    this.program.inputs(this.s, t, this.u);
    this.program.energy(this.s, t, q, v, this.u, this.e);
    return this.e[2]!;
  }

  /** Whether it counts: a step of length `h` to the state at `t`, from the velocities `v0`; `a`: accelerations at its begin, middle and end; `scale` of velocities. */
  add(h: number, t: number, q: Float64Array, v: Float64Array, v0: Float64Array, a: Float64Array[], scale: (i: number) => number, work: number,
      happened: boolean): boolean {
    const now = this.energy(t, q, v), change = now - this.last - work;
    this.last = now;
    const smooth = !happened && v.every((value, i) => {
      const [begin, middle, end] = a.map((one) => one[i]!) as [number, number, number];
      return Math.abs(value - v0[i]! - h * (begin + 4 * middle + end) / 6) <= kJump * scale(i);
    });
    if (!smooth || !Number.isFinite(change)) return false;
    this.sum += change;
    this.judged += h;
    this.off = Math.max(this.off, Math.abs(this.sum));
    return true;
  }
}
