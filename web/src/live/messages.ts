// SPDX-License-Identifier: Apache-2.0
// What the page and its worker tell each other.

/** The model's code: functions that write into arrays, with `s` = { p, prepared }. A status of 0 is a success. */
export interface Program {
  nq: number; nv: number; nr: number; nh: number; np: number; nu: number; ny: number; ne: number; prepared: number;
  prepare(s: object): void;
  project(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array): number;
  // q, v, then the impulses of the last impacts where outputs or events read them.
  step(s: object, t: number, h: number, ...state: Float64Array[]): number;
  inputs(s: object, t: number, u: Float64Array): void;
  accelerations(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, vdot: Float64Array,
                ...multipliers: Float64Array[]): number;
  energy(s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array, e: Float64Array): void;
  // Multipliers, then of models with friction its forces, then impulses as in step, then inputs and outputs.
  outputs: ((s: object, t: number, q: Float64Array, v: Float64Array, vdot: Float64Array,
             ...others: Float64Array[]) => void) | null;
  position_residual: ((s: object, t: number, q: Float64Array, u: Float64Array, h: Float64Array) => void) | null;
  velocity_residual: ((s: object, t: number, q: Float64Array, v: Float64Array, u: Float64Array,
                       residual: Float64Array) => void) | null;
  // With contacts only.
  nc?: number;
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

/** The first message; all others are requests. */
export interface Setup {
  start: { t: number; q: number[]; v: number[] };
  columns: ([string, number] | null)[];
  rows: Float32Array;    // instants of the curves
  frames: Float32Array;  // and of the scene, in ascending order
  space: number; tracks: number;
  forces: number[][];    // rows of each reaction; empty: an applied force
}
export interface Request { id: number; parameters: number[]; }
export interface Answer {
  id: number;
  problem: string;  // why it is not whole; empty: it is
  until: number;    // s
  moved: number;    // how far the start was moved onto the constraints, at most of the coordinates
  positions: Float32Array; forces: Float32Array; columns: Float32Array[];
}
