// SPDX-License-Identifier: Apache-2.0
// Where a run with other values begins: held values are kept and the others moved onto the constraints, as the command does.
import { function_of } from "../tree";
import type { Doubts, Formula, Program, Setup, Values } from "../messages";
import { plain_number } from "../../numbers";
import { doubts_at } from "./others";
import { rate_of } from "./rate";
import { reason } from "./walk";

const kSame = 1e-6;     // relative: an assembly that gives the stored start
const kBelow = -1e-10;  // m or rad: a gap that is below 0

export interface State { t: number; q: Float64Array; v: Float64Array; }
export interface Start { problem: string; state: State; guess: number[]; below: { contact: number; gap: number }[]; }

function given_by(input: number | Formula, parameters: number[]) {
  if (typeof input === "number") return input;
  let { tree } = input;
  for (let k = 0; k < input.derivative; ++k) tree = rate_of(tree);
  return function_of(tree, parameters);
}

/** Parameters and inputs as the program takes them. */
export function settings(program: Program, { parameters, inputs }: Pick<Values, "parameters" | "inputs">) {
  const s = {
    p: Float64Array.from(parameters), prepared: new Float64Array(program.prepared),
    given: Array.from({ length: program.nu }, (_, k) => given_by(inputs[k] ?? NaN, parameters)),
  };
  program.prepare(s);
  return s;
}

const near = (a: Float64Array, b: number[]) => {
  const size = b.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  return a.every((x, i) => Math.abs(x - b[i]!) <= kSame * size);
};

export class Starts {
  private readonly from_guess: boolean;  // the model's guess leads to the stored start

  constructor(private readonly program: Program, private readonly setup: Setup, { held_q, held_v }: Pick<Values, "held_q" | "held_v">) {
    const stored: Values = { parameters: setup.parameters, inputs: [], q: [], v: [], end: 0, held_q, held_v };
    const { status, state } = this.assembled(settings(program, stored), stored, this.guess(stored, true));
    this.from_guess = status === 0 && near(state.q, setup.start.q) && near(state.v, setup.start.v);
  }

  find(s: object, values: Values): Start {
    const { program, setup } = this, beyond = beyond_limits(program, setup, s);
    const stored = values.q.concat(values.v).every((value) => value === null) && values.inputs.every((value) => value === null) &&
      values.parameters.every((value, i) => value === setup.parameters[i]);
    let guess = this.guess(values, this.from_guess);
    if (beyond !== "") return { problem: `no run: ${beyond}`, state: guess, guess: Array.from(guess.q), below: [] };
    let found = stored ? this.projected(s, this.guess(values, false)) : this.assembled(s, values, guess);
    // From the other side, where the model's guess does not lead to a start.
    if (!stored && found.status === 5 && this.from_guess)
      found = this.assembled(s, values, (guess = this.guess(values, false)));
    const { status, state, below } = found;
    // Positions may be well, and velocities that are held contradict the constraints.
    const of_velocities = status === 5 && values.held_v.some(Boolean) && this.assembled(s, { ...values, held_v: [] }, guess).status === 0;
    const problem = below.length > 0 ? "no start: a contact would begin below 0"
      : of_velocities ? "no consistent start: with the velocities that are held no others satisfy the constraints"
      : status === 0 ? "" : `no consistent start: ${reason(status, "the constraints fail")}`;
    return { problem, state, guess: Array.from(guess.q), below };
  }

  /** What is doubtful about a start that was found. */
  doubts(s: object, values: Values, state: State): Doubts {
    const { program, setup: { units, follows } } = this, free = units.map((_, i) => i).filter((i) => !values.held_q[i] && !follows[i]);
    return doubts_at(program, s, state, free, units, (q, held) => {
      const found = this.assembled(s, held ? values : { ...values, held_q: [], held_v: [] }, { t: state.t, q, v: state.v });
      return found.status === 0 ? found.state : null;
    });
  }

  // Contacts whose gaps are below 0.
  private below(s: object, { t, q, v }: State): Start["below"] {
    const { program } = this, count = program.nc ?? 0, gap = new Float64Array(count), u = new Float64Array(program.nu);
    if (!program.contact_states) return [];
    program.inputs(s, t, u);
    program.contact_states(s, t, q, v, u, new Float64Array(count), gap, new Float64Array(count));
    return Array.from(gap, (value, contact) => ({ contact, gap: value })).filter((one) => one.gap < kBelow);
  }

  // What is not given: of the model, or as the stored run began. Formulas of parameters are evaluated in either.
  private guess(values: Values, of_model: boolean): State {
    const { program, setup: { start, guess, parameters } } = this, from = of_model ? guess : start;
    const state = { t: start.t, q: Float64Array.from(from.q), v: Float64Array.from(from.v) };
    if (program.initial_values !== null && values.parameters.some((value, i) => value !== parameters[i])) {
      const numbers = new Float64Array(guess.formulas.length);
      program.initial_values(settings(program, values), start.t, numbers);
      guess.formulas.forEach(([array, place], k) => { state[array][place] = numbers[k]!; });
    }
    values.q.forEach((value, i) => { if (value !== null) state.q[i] = value; });
    values.v.forEach((value, i) => { if (value !== null) state.v[i] = value; });
    return state;
  }

  private assembled(s: object, { held_q, held_v }: Values, guess: State): Found {
    const { program, setup } = this;
    if (program.assemble === null) return this.projected(s, guess);
    const q = new Float64Array(program.nv), v = new Float64Array(program.nv), u = new Float64Array(program.nu);
    held_q.forEach((held, i) => { if (held) for (const along of setup.along[i] ?? []) q[along] = 1; });
    held_v.forEach((held, i) => { if (held) v[i] = 1; });
    program.inputs(s, guess.t, u);
    // Contacts are open. Where gaps are below 0 the deepest one is closed, if what is held allows it, and so on.
    const closed = new Float64Array(program.nc ?? 0);
    let first: Start["below"] = [];
    for (;;) {
      const state = { t: guess.t, q: guess.q.slice(), v: guess.v.slice() };
      const status = program.assemble(s, state.t, state.q, state.v, u, q, v, closed);
      if (status !== 0) return { status, state, below: status === 5 ? first : [] };
      const below = this.below(s, state).filter(({ contact }) => closed[contact] === 0);
      if (below.length === 0) return this.projected(s, state);
      if (first.length === 0) first = below;
      closed[below.reduce((a, b) => (b.gap < a.gap ? b : a)).contact] = 1;
    }
  }

  private projected(s: object, state: State): Found {
    const u = new Float64Array(this.program.nu);
    this.program.inputs(s, state.t, u);
    return { status: this.program.project(s, state.t, state.q, state.v, u), state, below: [] };
  }
}

interface Found { status: number; state: State; below: Start["below"]; }

// What is beyond its limits, in words; empty: nothing.
function beyond_limits(program: Program, { start, limits }: Setup, s: object): string {
  if (program.limits === null) return "";
  const numbers = new Float64Array(Math.max(0, ...limits.flatMap(({ values }) => values)) + 1);
  program.limits(s, start.t, numbers);
  for (const { rule, values, words } of limits) {
    const [first = NaN, second = NaN] = values.map((place) => numbers[place]!);
    // Parameters that are meant to be equal may differ by round-off.
    const holds = rule === "share" ? first >= 0 && first <= 1 : rule === "positive" ? !(first < 0) : !(first < second * (1 - 1e-12));
    const texts = [first, second].map((value) => plain_number(value, 6));
    if (!holds) return words.replace(/\{\}/g, () => texts.shift() ?? "");
  }
  return "";
}

/** Velocities along which the kinetic energy is negative: M_kk = T(e_k) + T(−e_k) − 2 T(0). */
export function negative_inertias(program: Program, s: object, { t, q }: State): { velocity: number; value: number }[] {
  const u = new Float64Array(program.nu), e = new Float64Array(program.ne), v = new Float64Array(program.nv), list = [];
  program.inputs(s, t, u);
  const kinetic = () => {
    program.energy(s, t, q, v, u, e);
    return e[0]!;
  };
  const at_rest = kinetic();
  for (let k = 0; k < program.nv; ++k) {
    v[k] = 1;
    const forwards = kinetic();
    v[k] = -1;
    const value = forwards + kinetic() - 2 * at_rest;
    v[k] = 0;
    if (value < -1e-12 * Math.abs(forwards)) list.push({ velocity: k, value });
  }
  return list;
}
