// SPDX-License-Identifier: Apache-2.0
// Runs a model in a worker: steps with an error that is looked at, and all that the page shows at its instants. It stands
// behind the model's own code, which makes the program.
import type { Answer, Program, Request, Setup } from "./messages";

declare const make_program: () => Program;

const kTolerance = 1e-7;   // of a step, relative
const kMostTime = 6000;    // ms
const kReasons: Record<number, string> = {
  1: "the mass is singular there", 2: "the constraints contradict each other there", 3: "a number is not finite there",
  4: "the equations are singular there", 5: "no state on the constraints is near",
  6: "nothing that contacts and friction may do is consistent there", 7: "contacts and friction may do several things there",
  8: "contacts, friction or events change again and again there", 10: "two events set one quantity to two values there",
  11: "what an event sets contradicts the constraints there",
};

const scope = self as unknown as { postMessage(answer: Answer, moved: Transferable[]): void; onmessage: unknown };
let setup: Setup;
let program: Program;

scope.onmessage = ({ data }: MessageEvent<Setup | Request>) => {
  if ("columns" in data) {
    setup = data;
    program = make_program();
    return;
  }
  const answer = run(data);
  scope.postMessage(answer, [answer.positions.buffer, answer.forces.buffer, ...answer.columns.map(({ buffer }) => buffer)]);
};

/** One accepted step after the other, by the classical method of order 4: one step against two of half the length. */
class Walk {
  t: number;
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly impulse: Float64Array[];  // of the last impacts, where the model reads them: one array
  private h: number;
  private readonly begun = performance.now();
  private readonly most_q: Float64Array;
  private readonly most_v: Float64Array;
  private readonly state: Float64Array[];  // q, v, impulse
  private readonly one: Float64Array[];    // what it becomes
  private readonly two: Float64Array[];
  private ended = false;  // by an event
  private ends = false;   // the last step that was tried
  private readonly happened = new Float64Array(program.nk ?? 0);
  private readonly reached = new Float64Array(1);

  constructor(private readonly s: object, private readonly span: number) {
    this.t = setup.start.t;
    this.q = Float64Array.from(setup.start.q);
    this.v = Float64Array.from(setup.start.v);
    this.h = span / 2000;
    this.most_q = this.q.map(Math.abs);
    this.most_v = this.v.map(Math.abs);
    this.impulse = program.keeps_impulses ? [new Float64Array(program.nc ?? 0)] : [];
    this.state = [this.q, this.v, ...this.impulse];
    this.one = this.state.map((array) => array.slice());
    this.two = this.state.map((array) => array.slice());
  }

  /** Why it cannot go on; empty: it is there. */
  go(to: number): string {
    const { q, v, state, one, two } = this;
    while (this.t < to) {
      // Instants of rows are rounded.
      if (this.ended) return to - this.t <= 1e-6 * this.span ? "" : "an event ends the motion there";
      if (performance.now() - this.begun > kMostTime) return "it takes too long";
      const left = to - this.t, h = Math.min(this.h, left), last = h === left;
      state.forEach((array, k) => { one[k]!.set(array), two[k]!.set(array); });
      let status = this.step(this.t, h, one);
      const ends = this.ends;
      if (status === 0) status = this.step(this.t, h / 2, two);
      if (status === 0 && !this.ends) status = this.step(this.t + h / 2, h / 2, two);
      const error = status === 0 && ends === this.ends ? this.error() : Infinity;
      if (error <= 1) {
        this.ended = ends;
        this.t = ends ? this.reached[0]! : last ? to : this.t + h;
        state.forEach((array, k) => array.set(two[k]!));
        for (let i = 0; i < q.length; ++i) this.most_q[i] = Math.max(this.most_q[i]!, Math.abs(q[i]!));
        for (let i = 0; i < v.length; ++i) this.most_v[i] = Math.max(this.most_v[i]!, Math.abs(v[i]!));
      }
      const factor = Number.isFinite(error) ? Math.min(4, Math.max(0.2, 0.9 * Math.max(error, 1e-10) ** -0.2)) : 0.2;
      // A step that ends at an instant says little of how long the next may be.
      this.h = error <= 1 && last ? Math.max(this.h, h * factor) : h * factor;
      if (this.h < 1e-11 * this.span) return kReasons[status] ?? "the motion becomes singular";
    }
    return "";
  }

  // A step, as far as to an event that ends the motion.
  private step(t: number, h: number, state: Float64Array[]): number {
    if (!program.step_events) return program.step(this.s, t, h, ...state);
    const status = program.step_events(this.s, t, h, ...state, this.reached, this.happened);
    this.ends = status === 0 && this.reached[0]! < t + h;
    return status;
  }

  // Of the two, relative to how large each has been; what is still small counts as a thousandth of the others.
  private error(): number {
    const largest = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b), 0);
    const size_q = largest(this.most_q), size_v = largest(this.most_v);
    const least_q = 1e-3 * Math.max(size_q, size_v * this.span) + 1e-12;
    const least_v = 1e-3 * Math.max(size_v, size_q / this.span) + 1e-12;
    let error = 0;
    const compare = (a: Float64Array, b: Float64Array, most: Float64Array, least: number) => {
      for (let i = 0; i < a.length; ++i) {
        const off = Math.abs(a[i]! - b[i]!) / (15 * kTolerance * Math.max(most[i]!, least));
        if (!(off <= error)) error = off;
      }
    };
    compare(this.one[0]!, this.two[0]!, this.most_q, least_q);
    compare(this.one[1]!, this.two[1]!, this.most_v, least_v);
    return Number.isNaN(error) ? Infinity : error;
  }
}

function run({ id, parameters }: Request): Answer {
  const { rows, frames, space, tracks, forces, columns } = setup;
  const gaps = (size: number) => new Float32Array(size).fill(NaN);
  const answer: Answer = {
    id, problem: "", until: NaN, moved: 0, positions: gaps(frames.length * tracks * space),
    forces: gaps(frames.length * forces.length * space), columns: columns.map(() => gaps(rows.length)),
  };
  const s = { p: Float64Array.from(parameters), prepared: new Float64Array(program.prepared) };
  program.prepare(s);
  const end = Math.max(rows[rows.length - 1] ?? setup.start.t, frames[frames.length - 1] ?? setup.start.t);
  const walk = new Walk(s, end - setup.start.t), before = walk.q.slice();
  const u = new Float64Array(program.nu), vdot = new Float64Array(program.nv), frictions = program.nf ?? 0;
  const multipliers = new Float64Array(program.nr + frictions), lambda = multipliers.subarray(0, program.nr);
  const friction = multipliers.subarray(program.nr), found_forces = frictions > 0 ? [lambda, friction] : [lambda];
  const e = new Float64Array(program.ne), y = new Float64Array(program.ny), level = new Float64Array(program.nh);
  const rate = new Float64Array(program.nr), parts = forces.reduce((sum, list) => sum + Math.max(list.length, 1), 0);
  const drawn = new Float64Array((tracks + parts) * space), contacts = program.nc ?? 0;
  const closed = new Float64Array(contacts), gap = new Float64Array(contacts), opens = new Float64Array(contacts);
  const held = new Float64Array(contacts);  // the gap of a closed contact
  program.inputs(s, walk.t, u);
  const status = program.project(s, walk.t, walk.q, walk.v, u);
  if (status !== 0) return { ...answer, problem: `no consistent start: ${kReasons[status] ?? "the constraints fail"}` };
  walk.q.forEach((q, i) => { answer.moved = Math.max(answer.moved, Math.abs(q - before[i]!)); });

  const found: Record<string, Float64Array> = { q: walk.q, v: walk.v, a: vdot, lambda, u, energy: e, output: y, level, rate,
    closed, gap, held, friction };
  const record = (row: number, frame: number) => {
    program.inputs(s, walk.t, u);
    if (program.accelerations(s, walk.t, walk.q, walk.v, u, vdot, ...found_forces) !== 0) vdot.fill(NaN), multipliers.fill(NaN);
    if (row >= 0) {
      program.energy(s, walk.t, walk.q, walk.v, u, e);
      program.outputs?.(s, walk.t, walk.q, walk.v, vdot, ...found_forces, ...walk.impulse, u, y);
      program.position_residual?.(s, walk.t, walk.q, u, level);
      program.velocity_residual?.(s, walk.t, walk.q, walk.v, u, rate);
      program.contact_states?.(s, walk.t, walk.q, walk.v, u, closed, gap, opens);
      held.forEach((_, k) => { held[k] = closed[k] === 0 ? 0 : gap[k]!; });
      columns.forEach((source, c) => {
        if (source !== null) answer.columns[c]![row] = found[source[0]]?.[source[1]] ?? NaN;
      });
    }
    if (frame < 0 || program.scene === null) return;
    program.scene(s, walk.t, walk.q, walk.v, multipliers, u, drawn);
    answer.positions.set(drawn.subarray(0, tracks * space), frame * tracks * space);
    let next = tracks * space;
    forces.forEach((list, f) => {
      const at = (frame * forces.length + f) * space;
      for (let k = 0; k < space; ++k) answer.forces[at + k] = 0;
      for (let part = 0; part < Math.max(list.length, 1); ++part, next += space)
        for (let k = 0; k < space; ++k)
          answer.forces[at + k]! += (list.length === 0 ? 1 : multipliers[list[part]!]!) * drawn[next + k]!;
    });
  };
  // Instants of rows and of frames, in order; the same ones once.
  for (let row = 0, frame = 0; row < rows.length || frame < frames.length;) {
    const t = Math.min(rows[row] ?? Infinity, frames[frame] ?? Infinity);
    answer.problem = walk.go(t);
    if (answer.problem !== "") break;
    record(rows[row] === t ? row++ : -1, frames[frame] === t ? frame++ : -1);
  }
  answer.until = walk.t;
  return answer;
}
