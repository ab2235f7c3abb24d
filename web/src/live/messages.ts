// SPDX-License-Identifier: Apache-2.0
// What the page and its worker tell each other.
import type { Tree } from "./tree";

/** The model's code: functions that write into arrays, with `s` = { p, prepared, given }. A status of 0 is a success. */
export interface Program {
  nq: number; nv: number; nr: number; nh: number; np: number; nu: number; ny: number; ne: number; prepared: number;
  prepare(s: object): void;
  project(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array): number;
  // What is held by velocity: no displacement along it, no change of it; which contacts are closed. Null: without constraints, or of too many.
  assemble: ((s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, held_q: Float64Array,
              held_v: Float64Array, closed: Float64Array) => number) | null;
  // Numbers that must be within limits, whatever the state is.
  limits: ((s: object, t: number, out: Float64Array) => void) | null;
  // Those that formulas of parameters give.
  initial_values: ((s: object, t: number, out: Float64Array) => void) | null;
  // q, v, then the impulses of the last impacts where outputs or events read them.
  step(s: object, t: number, h: number, ...state: Float64Array[]): number;
  inputs(s: object, t: number, u: Float64Array): void;
  accelerations(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, vdot: Float64Array,
                ...multipliers: Float64Array[]): number;
  energy(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, e: Float64Array): void;
  // dE/dt; multipliers, then of models with friction its forces, then inputs.
  power_balance(s: object, t: number, q: Float64Array, v: Float64Array, ...others: Float64Array[]): number;
  // Multipliers, then of models with friction its forces, then impulses as in step, then inputs and outputs.
  outputs: ((s: object, t: number, q: Float64Array, v: Float64Array, vdot: Float64Array,
             ...others: Float64Array[]) => void) | null;
  position_residual: ((s: object, t: number, q: Float64Array, u: Float64Array, h: Float64Array) => void) | null;
  velocity_residual: ((s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array,
                       residual: Float64Array) => void) | null;
  // Integrals over the run, the last entries of q.
  nz?: number;
  // Rows of contacts and those that hold nothing, which do not count in the rank of a start.
  uncounted?: number[];
  // With contacts only; the level of each is its place in the residuals of positions.
  nc?: number;
  contact_levels?: number[];
  keeps_impulses?: boolean;
  contact_states?: (s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, closed: Float64Array,
                    gap: Float64Array, rate: Float64Array) => number;
  // With friction, with events.
  nf?: number; nk?: number;
  // The state as in step, then the instant that was reached and how often each event happened.
  step_events?: (s: object, t: number, h: number, ...state: Float64Array[]) => number;
  scene: ((s: object, t: number, q: Float64Array, v: Float64Array, lambda: Float64Array, u: Float64Array,
           out: Float64Array) => void) | null;
}

/** A number in [0, 1], one not below 0, one not below the next. */
export interface Limit { rule: "share" | "positive" | "ordered"; values: number[]; words: string; }

/** The first message; all others are requests. */
export interface Setup {
  parameters: number[];  // as stored
  start: { t: number; q: number[]; v: number[] };
  guess: { q: number[]; v: number[]; formulas: ["q" | "v", number][] };
  limits: Limit[];
  along: number[][];     // by coordinate: the velocities along which it is displaced
  units: string[]; follows: boolean[];   // by coordinate
  held_q: boolean[]; held_v: boolean[];  // as the model says
  columns: ([string, number] | null)[];
  rows: Float32Array;    // instants of the curves
  frames: Float32Array;  // and of the scene, in ascending order
  space: number; tracks: number;
  forces: number[][];    // rows of each reaction; empty: an applied force
}

/** An input as a formula of the time and of parameters, or its derivative. */
export interface Formula { tree: Tree; derivative: number; }

/** What a run is to be made with. Where a number is null, what the model states is taken. */
export interface Values {
  parameters: number[];
  inputs: (number | Formula | null)[];   // by number of an input
  q: (number | null)[]; v: (number | null)[];
  held_q: boolean[]; held_v: boolean[];
  end: number;                 // s
}
/** `move`: no run, but the start that brings this point of the scene nearest to a place; null: which points can be moved. */
export interface Request { id: number; values: Values; move?: { track: number; to: number[] } | null; }
/** Ends the run, which answers with what it has. */
export interface Stop { stop: number; }

/** What is doubtful about a start. */
export interface Doubts {
  others: number[][];  // assemblies with the same held values
  turns: boolean[];    // coordinates of which a whole turn changes nothing
  singular: { rank: number; nearby: number } | null;  // the rank of the rows there, and nearby
  unlooked: string;    // what is not looked for, and why; empty: both are, or there is none
}

export interface Progress { id: number; at: number; }
export interface Answer {
  id: number;
  problem: string;  // why it is not whole; empty: it is
  until: number;    // s; NaN: there is no start
  start: { q: number[]; v: number[] };
  guess: number[];                                 // of the coordinates, from which the start was assembled
  negative: { velocity: number; value: number }[]; // inertias at the start
  below: { contact: number; gap: number }[];       // contacts that begin below 0
  doubts: Doubts;
  /** Largest |E − E₀ − work|, and how well the work is known, over the size of the energy; the share of the time that this is judged over: not over
   *  steps with impacts and events. Null: no row. */
  energy: { off: number; of_work: number; judged: number } | null;
  positions: Float32Array; forces: Float32Array; columns: Float32Array[];
}
/** Where all points are at the start that was looked for; `problem` as above. `movable`: of all points, where that was asked for. */
export interface Moved { id: number; moved: true; problem: string; q: number[]; positions: Float32Array; movable: boolean[]; }
