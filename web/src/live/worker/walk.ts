// SPDX-License-Identifier: Apache-2.0
// One accepted step after the other, by the classical method of order 4: one step against two of half the length.
import type { Program } from "../messages";
import { Between, kJump } from "./between";

const kTolerance = 1e-7;   // of a step, relative
const kShortest = 1e-9;     // of the run: what changes by more than its rate says within so short a step jumps
const kReasons: Record<number, string> = {
  1: "the mass is singular there", 2: "the constraints contradict each other there", 3: "a number is not finite there",
  4: "the equations are singular there", 5: "no state on the constraints is near",
  6: "nothing that contacts and friction may do is consistent there", 7: "contacts and friction may do several things there",
  8: "contacts, friction or events change again and again there", 10: "two events set one quantity to two values there",
  11: "what an event sets contradicts the constraints there",
};
export const reason = (status: number, otherwise: string) => kReasons[status] ?? otherwise;

/** Arrays for the multipliers and forces of friction at a state; `all` are both, one after the other. */
export class Multipliers {
  readonly all: Float64Array;
  readonly lambda: Float64Array;
  readonly friction: Float64Array;
  readonly parts: Float64Array[];
  constructor(program: Program) {
    const frictions = program.nf ?? 0;
    this.all = new Float64Array(program.nr + frictions);
    this.lambda = this.all.subarray(0, program.nr);
    this.friction = this.all.subarray(program.nr);
    this.parts = frictions > 0 ? [this.lambda, this.friction] : [this.lambda];
  }
}

export class Walk {
  t: number;
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly impulse: Float64Array[];  // of the last impacts, where the model reads them: one array
  work = 0;                          // of all forces since the start, J
  work_error = 0;                    // of it with friction, over the steps that `between` judges
  readonly between: Between | null;  // of models whose velocities or accelerations may jump
  private h: number;
  private readonly most_q: Float64Array;
  private readonly most_v: Float64Array;
  private readonly state: Float64Array[];  // q, v, impulse
  private readonly one: Float64Array[];    // what it becomes
  private readonly two: Float64Array[];
  private ended = false;  // by an event
  private ends = false;   // the last step that was tried
  private readonly happened: Float64Array;
  private readonly reached = new Float64Array(1);
  private readonly u: Float64Array;
  private readonly multipliers: Multipliers;
  private power = NaN;    // at t
  private readonly a: Float64Array[];  // accelerations at the begin, the middle and the end of a step
  private readonly v0: Float64Array;   // velocities at its begin
  private readonly middle: Float64Array;  // and in its middle

  constructor(private readonly program: Program, private readonly s: object, start: { t: number; q: Float64Array; v: Float64Array },
              private readonly span: number) {
    this.t = start.t;
    this.q = start.q;
    this.v = start.v;
    this.h = span / 2000;
    this.most_q = this.q.map(Math.abs);
    this.most_v = this.v.map(Math.abs);
    this.impulse = program.keeps_impulses ? [new Float64Array(program.nc ?? 0)] : [];
    this.state = [this.q, this.v, ...this.impulse];
    this.one = this.state.map((array) => array.slice());
    this.two = this.state.map((array) => array.slice());
    this.happened = new Float64Array(program.nk ?? 0);
    this.u = new Float64Array(program.nu);
    this.multipliers = new Multipliers(program);
    this.a = [0, 1, 2].map(() => new Float64Array(program.nv));
    this.v0 = this.v.slice();
    this.middle = this.v.slice();
    this.between = (program.nc ?? 0) > 0 || (program.nk ?? 0) > 0 || (program.nf ?? 0) > 0 ? new Between(program, s, this.t, this.q, this.v) : null;
  }

  /** Why it cannot go on; empty: it is there; null: the time to compute in is over, and it is not there yet. */
  go(to: number, until: number): string | null {
    const { q, v, state, one, two } = this;
    while (this.t < to) {
      // Instants of rows are rounded.
      if (this.ended) return to - this.t <= 1e-6 * this.span ? "" : "an event ends the motion there";
      if (performance.now() > until) return null;
      const left = to - this.t, h = Math.min(this.h, left), last = h === left;
      state.forEach((array, k) => { one[k]!.set(array), two[k]!.set(array); });
      let status = this.step(this.t, h, one), middle = NaN;
      const ends = this.ends;
      if (status === 0) status = this.step(this.t, h / 2, two);
      this.middle.set(two[1]!);
      if (status === 0 && !this.ends) {
        middle = this.power_at(this.t + h / 2, two, 1);
        status = this.step(this.t + h / 2, h / 2, two);
      }
      const begun = this.t, before = Number.isNaN(this.power) ? this.power_at(begun, state, 0) : this.power;
      let error = status === 0 && ends === this.ends ? this.error(h) : Infinity;
      if (error <= 1 && !ends && this.jumps(begun, h)) {
        if (h < kShortest * this.span) return "the motion would have to jump there, as where a constraint has a corner: no law says how";
        error = Infinity;
      }
      if (error <= 1) {
        this.v0.set(v);
        this.ended = ends;
        this.t = ends ? this.reached[0]! : last ? to : this.t + h;
        state.forEach((array, k) => array.set(two[k]!));
        this.power = this.power_at(this.t, state, 2);
        const [work, uncertain] = this.add_work(this.t - begun, before, ends ? (before + this.power) / 2 : middle, this.power);
        const judged = this.between?.add(this.t - begun, this.t, q, v, this.v0, this.a, (i) => Math.max(this.most_v[i]!, this.least()[1]), work,
          ends || this.happened.some((count) => count > 0));
        if (judged && this.multipliers.friction.length > 0) this.work_error += uncertain;
        this.a[0]!.set(this.a[2]!);
        for (let i = 0; i < q.length; ++i) this.most_q[i] = Math.max(this.most_q[i]!, Math.abs(q[i]!));
        for (let i = 0; i < v.length; ++i) this.most_v[i] = Math.max(this.most_v[i]!, Math.abs(v[i]!));
      }
      const factor = Number.isFinite(error) ? Math.min(4, Math.max(0.2, 0.9 * Math.max(error, 1e-10) ** -0.2)) : 0.2;
      // A step that ends at an instant says little of how long the next may be.
      this.h = error <= 1 && last ? Math.max(this.h, h * factor) : h * factor;
      if (this.h < 1e-11 * this.span) return reason(status, "the motion becomes singular");
    }
    return "";
  }

  // Whether the step jumps although neither an impact nor an event says how: projection brings it onto a branch of a constraint that does not
  // join the one before. With contacts velocities may jump and positions may not: they go no further than the velocities take them.
  private jumps(t: number, h: number): boolean {
    const { program, q, v, a, middle } = this, [q1, v1] = this.two as [Float64Array, Float64Array], [least_q, least_v] = this.least();
    if (program.nr === 0 || this.happened.some((count) => count > 0)) return false;
    if ((program.nc ?? 0) > 0) {
      // Rates of a quaternion are no velocities.
      return this.coordinates() === v.length && v.some((begin, i) => Math.abs(q1[i]! - q[i]!) >
        2 * h * Math.max(Math.abs(begin), Math.abs(middle[i]!), Math.abs(v1[i]!)) + kJump * Math.max(this.most_q[i]!, least_q));
    }
    this.power_at(t + h, this.two, 2);
    return v.some((begin, i) => Math.abs(v1[i]! - begin - h * (a[0]![i]! + 4 * a[1]![i]! + a[2]![i]!) / 6) >
      kJump * Math.max(this.most_v[i]!, least_v));
  }

  // By Simpson's rule, and how far it is from that of straight lines.
  private add_work(h: number, before: number, middle: number, after: number): [number, number] {
    const simpson = h * (before + 4 * middle + after) / 6;
    this.work += simpson;
    return [simpson, Math.abs(simpson - h * (before + 2 * middle + after) / 4)];
  }

  // Of all forces; 0 where there are no accelerations. `place`: in the step, where the accelerations are kept.
  private power_at(t: number, [q, v]: Float64Array[], place: number): number {
    const { program, s, u, multipliers: { parts } } = this, vdot = this.a[place]!;
    program.inputs(s, t, u);
    if (program.accelerations(s, t, q!, v!, u, vdot, ...parts) !== 0) {
      vdot.fill(NaN);
      return 0;
    }
    return program.power_balance(s, t, q!, v!, ...parts, u);
  }

  // A step, as far as to an event that ends the motion.
  private step(t: number, h: number, state: Float64Array[]): number {
    const { program } = this;
    if (!program.step_events) return program.step(this.s, t, h, ...state);
    const status = program.step_events(this.s, t, h, ...state, this.reached, this.happened);
    this.ends = status === 0 && this.reached[0]! < t + h;
    return status;
  }

  // Of the two, relative to how large each has been; what is still small counts as a thousandth of the others.
  private error(h: number): number {
    const coordinates = this.coordinates(), [least_q, least_v] = this.least();
    let error = 0;
    const compare = (a: Float64Array, b: Float64Array, most: Float64Array, least: number) => {
      for (let i = 0; i < a.length; ++i) {
        const off = Math.abs(a[i]! - b[i]!) / (15 * kTolerance * Math.max(most[i]!, least));
        if (!(off <= error)) error = off;
      }
    };
    const of_q = (from: number, to: number, least: number) =>
      compare(this.one[0]!.subarray(from, to), this.two[0]!.subarray(from, to), this.most_q.subarray(from, to), least);
    of_q(0, coordinates, least_q);
    // An integral has a unit of its own: a thousandth of what it would be after the whole run at the rate of this step. One that is not a number
    // does not end the motion.
    for (let i = coordinates; i < this.q.length; ++i) {
      const change = Math.abs(this.two[0]![i]! - this.q[i]!);
      if (Number.isFinite(change)) of_q(i, i + 1, 1e-3 * this.span / h * change + 1e-300);
    }
    compare(this.one[1]!, this.two[1]!, this.most_v, least_v);
    return Number.isNaN(error) ? Infinity : error;
  }

  // Entries of q before the integrals.
  private coordinates(): number { return this.q.length - (this.program.nz ?? 0); }

  private least(): [number, number] {
    const largest = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b), 0);
    const size_q = largest(this.most_q.subarray(0, this.coordinates())), size_v = largest(this.most_v);
    return [1e-3 * Math.max(size_q, size_v * this.span) + 1e-12, 1e-3 * Math.max(size_v, size_q / this.span) + 1e-12];
  }
}
