// SPDX-License-Identifier: Apache-2.0
// Runs a model in a worker: steps with an error that is looked at, and all that the page shows at its instants. It stands
// behind the model's own code, which makes the program.
import { type Answer, type Moved, type Program, type Progress, type Request, type Setup, type Stop } from "../messages";
import { stretched } from "../../numbers";
import { drag, movable } from "./drag";
import { negative_inertias, settings, Starts } from "./start";
import { Multipliers, Walk } from "./walk";

declare const make_program: () => Program;

const kTurn = 40;  // ms of computing before messages are looked for

const scope = self as unknown as { postMessage(answer: Answer | Moved | Progress, moved: Transferable[]): void; onmessage: unknown };
let setup: Setup;
let program: Program;
let starts: Starts | null = null;
let stopped = 0;  // the request that is to end

scope.onmessage = ({ data }: MessageEvent<Setup | Request | Stop>) => {
  if ("stop" in data) {
    stopped = data.stop;
  } else if ("columns" in data) {
    setup = data;
    program = make_program();
  } else if (data.move !== undefined) {
    move(data, data.move);
  } else {
    void run(data);
  }
};

function move({ id, values }: Request, asked: NonNullable<Request["move"]> | null) {
  const s = settings(program, values), start = start_of(s, values), { state } = start;
  const places = (setup.tracks + parts_of(setup.forces)) * setup.space;
  const answer: Moved = { id, moved: true, problem: start.problem, q: [], positions: new Float32Array(0), movable: [] };
  if (program.scene === null) answer.problem = "nothing is drawn";
  else if (start.problem === "" && asked === null) answer.movable = movable(program, s, state, setup.tracks, setup.space, places);
  else if (start.problem === "" && !drag(program, s, state, asked!.track, asked!.to, setup.space, places)) answer.problem = "no state on the constraints is near";
  if (answer.problem === "") {
    const u = new Float64Array(program.nu), out = new Float64Array(places);
    program.inputs(s, state.t, u);
    program.scene!(s, state.t, state.q, state.v, new Float64Array(program.nr + (program.nf ?? 0)), u, out);
    answer.q = Array.from(state.q);
    answer.positions = Float32Array.from(out.subarray(0, setup.tracks * setup.space));
  }
  scope.postMessage(answer, [answer.positions.buffer]);
}

const parts_of = (forces: number[][]) => forces.reduce((sum, list) => sum + Math.max(list.length, 1), 0);
// The held ones of the first request are the model's.
const start_of = (s: object, values: Request["values"]) => (starts ??= new Starts(program, setup, setup)).find(s, values);
const rest = () => new Promise<void>((resolve) => { setTimeout(resolve, 0); });

async function run({ id, values }: Request) {
  const { start, space, tracks, forces, columns } = setup;
  const rows = stretched(setup.rows, start.t, values.end), frames = stretched(setup.frames, start.t, values.end);
  const gaps = (size: number) => new Float32Array(size).fill(NaN), s = settings(program, values);
  const { problem, state, guess, below } = start_of(s, values);
  const answer: Answer = {
    id, problem, until: NaN, start: { q: Array.from(state.q), v: Array.from(state.v) }, guess, below,
    negative: problem === "" ? negative_inertias(program, s, state) : [], energy: null,
    doubts: problem === "" ? starts!.doubts(s, values, state) : { others: [], turns: [], singular: null, unlooked: "" },
    positions: gaps(frames.length * tracks * space), forces: gaps(frames.length * forces.length * space),
    columns: columns.map(() => gaps(rows.length)),
  };
  if (problem === "") {
    const end = Math.max(rows[rows.length - 1] ?? start.t, frames[frames.length - 1] ?? start.t);
    const walk = new Walk(program, s, state, end - start.t), record = recorder(s, walk, answer), begun = performance.now();
    let told = begun, until = begun + kTurn;
    // Instants of rows and of frames, in order; the same ones once.
    for (let row = 0, frame = 0; answer.problem === "" && (row < rows.length || frame < frames.length);) {
      const t = Math.min(rows[row] ?? Infinity, frames[frame] ?? Infinity), ended = walk.go(t, until);
      if (ended === null) {
        if (performance.now() > told + 200) scope.postMessage({ id, at: walk.t }, []), told = performance.now();
        await rest();
        if (stopped === id) answer.problem = "it was stopped";
        until = performance.now() + kTurn;
        continue;
      }
      answer.problem = ended;
      if (ended === "") record(rows[row] === t ? row++ : -1, frames[frame] === t ? frame++ : -1);
    }
    answer.until = walk.t;
  }
  scope.postMessage(answer, [answer.positions.buffer, answer.forces.buffer, ...answer.columns.map(({ buffer }) => buffer)]);
}

// Writes what is shown at the walk's instant: a row of the curves, a frame of the scene.
function recorder(s: object, walk: Walk, answer: Answer) {
  const { space, tracks, forces, columns } = setup, { q, v } = walk;
  const u = new Float64Array(program.nu), vdot = new Float64Array(program.nv), multipliers = new Multipliers(program);
  const { lambda, friction } = multipliers;
  const e = new Float64Array(program.ne), y = new Float64Array(program.ny), level = new Float64Array(program.nh);
  const rate = new Float64Array(program.nr), drawn = new Float64Array((tracks + parts_of(forces)) * space);
  const contacts = program.nc ?? 0, closed = new Float64Array(contacts), gap = new Float64Array(contacts);
  const opens = new Float64Array(contacts), held = new Float64Array(contacts);  // the gap of a closed contact
  const found: Record<string, Float64Array> = { q, v, a: vdot, lambda, u, energy: e, output: y, level, rate, closed, gap, held, friction };
  const balance = energy_balance(walk);
  return (row: number, frame: number) => {
    program.inputs(s, walk.t, u);
    if (program.accelerations(s, walk.t, q, v, u, vdot, ...multipliers.parts) !== 0) vdot.fill(NaN), multipliers.all.fill(NaN);
    if (row >= 0) {
      program.energy(s, walk.t, q, v, u, e);
      program.outputs?.(s, walk.t, q, v, vdot, ...multipliers.parts, ...walk.impulse, u, y);
      program.position_residual?.(s, walk.t, q, u, level);
      program.velocity_residual?.(s, walk.t, q, v, u, rate);
      program.contact_states?.(s, walk.t, q, v, u, closed, gap, opens);
      held.forEach((_, k) => { held[k] = closed[k] === 0 ? 0 : gap[k]!; });
      answer.energy = balance(e);
      columns.forEach((source, c) => {
        if (source !== null) answer.columns[c]![row] = found[source[0]]?.[source[1]] ?? NaN;
      });
    }
    if (frame < 0 || program.scene === null) return;
    program.scene(s, walk.t, q, v, multipliers.all, u, drawn);
    answer.positions.set(drawn.subarray(0, tracks * space), frame * tracks * space);
    let next = tracks * space;
    forces.forEach((list, f) => {
      const at = (frame * forces.length + f) * space;
      for (let k = 0; k < space; ++k) answer.forces[at + k] = 0;
      for (let part = 0; part < Math.max(list.length, 1); ++part, next += space)
        for (let k = 0; k < space; ++k)
          answer.forces[at + k]! += (list.length === 0 ? 1 : multipliers.all[list[part]!]!) * drawn[next + k]!;
    });
  };
}

// Largest |E − E₀ − work| so far, over the largest kinetic energy or the range of the potential one, as the verdict of a
// stored run has it; where impacts or events may change the energy at once, between them.
function energy_balance(walk: Walk): (e: Float64Array) => Answer["energy"] {
  const { between } = walk, begun = walk.t;
  let first = NaN, off = 0, kinetic = 0, low = Infinity, high = -Infinity;
  return (e) => {
    if (Number.isNaN(first)) first = e[2]!;
    off = between?.off ?? Math.max(off, Math.abs(e[2]! - first - walk.work));
    kinetic = Math.max(kinetic, Math.abs(e[0]!)), low = Math.min(low, e[1]!), high = Math.max(high, e[1]!);
    const size = Math.max(kinetic, high - low, 1e-300);
    const judged = between === null || walk.t === begun ? 1 : between.judged / (walk.t - begun);
    return { off: off / size, of_work: walk.work_error / size, judged };
  };
}
