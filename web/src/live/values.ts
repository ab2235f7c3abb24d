// SPDX-License-Identifier: Apache-2.0
// What a reader may change, each with a name of its own: parameters, inputs, values at the start, the end. A name that is
// not unique is that of its first owner.
import type { LiveBlock } from "../document";
import { is_setting, kMark } from "../address";
import { angle_factor, shown_amount } from "../angles";
import { unit_text } from "../math";
import { formula_of, type Scope } from "./formula";
import type { Formula, Values } from "./messages";
import { function_of, type Tree } from "./tree";

export type Kind = "parameter" | "input" | "coordinate" | "velocity" | "end";
/** One number that can be changed. `stored`: null where the model states a formula or samples, which no number is. */
export interface Item {
  kind: Kind; place: number; name: string; latex: string; unit: string; meaning: string; stored: number | null;
  stated: string;    // in place of a number
  holds: boolean;    // whether it can be held at the start
}

const kEnd = "until";

export function items_of(live: LiveBlock, end: number): Item[] {
  const plain = { meaning: "", stated: "", holds: false };
  const items: Item[] = [
    ...live.parameters.map(({ name, latex, unit, value, meaning }, place) =>
      ({ ...plain, kind: "parameter" as const, place, name, latex, unit, meaning, stored: value })),
    ...live.inputs.map(({ name, latex, unit, stated }, place) =>
      ({ ...plain, kind: "input" as const, place, name, latex, unit, stored: null, stated })),
    ...live.coordinates.flatMap(({ name, latex, unit, follows }, place) => follows ? [] : [{
      ...plain, kind: "coordinate" as const, place, name, latex, unit, stored: live.start.q[place] ?? 0, holds: true,
    }]),
    ...live.velocities.flatMap(({ name, latex, unit, follows }, place) => follows ? [] : [{
      ...plain, kind: "velocity" as const, place, name, latex, unit, stored: live.start.v[place] ?? 0, holds: true,
    }]),
    { ...plain, kind: "end", place: 0, name: kEnd, latex: "t_{\\mathrm{end}}", unit: "s", meaning: "end of the run", stored: end },
  ];
  return items;
}

/** The numbers that differ from the stored run, and what is held at its start. */
export class Choice {
  readonly items: Item[];
  private readonly chosen = new Map<Item, number>();
  private readonly formulas = new Map<Item, { text: string; tree: Tree }>();  // of inputs, in place of a number
  private readonly scope: Scope;
  private readonly held = new Map<Item, boolean>();
  constructor(private readonly live: LiveBlock, readonly end: number) {
    this.items = items_of(live, end);
    const { parameters, inputs, coordinates, velocities } = live;
    this.scope = {
      names: parameters, others: [...inputs, ...coordinates, ...velocities].map(({ name }) => name),
      compares: [...parameters, ...inputs, ...coordinates].some(({ unit }) => unit !== ""),
    };
  }

  get begins(): number { return this.live.start.t; }
  get changed(): boolean { return this.chosen.size > 0 || this.held.size > 0 || this.formulas.size > 0; }
  now(item: Item): number | null { return this.chosen.get(item) ?? item.stored; }
  is_changed(item: Item): boolean { return this.chosen.has(item) || this.held.has(item); }

  formula(item: Item): string | null { return this.formulas.get(item)?.text ?? null; }
  /** Of an input; why it is none, as the end of a sentence, or empty. `shown`: a plain number is in the unit that is shown. */
  set_formula(item: Item, text: string, shown = false): string {
    try {
      const { tree, plain } = formula_of(text, this.scope, item.unit), in_degrees = shown && plain && angle_factor(item.unit) !== 1;
      this.chosen.delete(item);
      this.formulas.set(item, in_degrees ? { text: `(${text})*pi/180`, tree: ["*", tree, Math.PI / 180] } : { text, tree });
      return "";
    } catch (problem) {
      return (problem as Error).message;
    }
  }
  /** The number that a text says now, such as 20 mm or 2*L: in SI. Throws as formula_of. */
  number_of(item: Item, text: string): number {
    const { tree, plain } = formula_of(text, this.scope, item.unit);
    const moves = (one: Tree): boolean => typeof one !== "number" && (one[0] === "t" || (one.slice(1) as Tree[]).some(moves));
    if (moves(tree)) throw new Error("only inputs may depend on t");
    const value = function_of(tree, this.values().parameters)(0) / (plain ? angle_factor(item.unit) : 1);
    if (!Number.isFinite(value)) throw new Error("its value is no finite number");
    return value;
  }

  /** Null, or the stored value, is none. */
  set(item: Item, value: number | null) {
    this.formulas.delete(item);
    if (value === null || value === item.stored) this.chosen.delete(item);
    else this.chosen.set(item, value);
  }
  stated_held({ kind, place }: Item): boolean {
    return (kind === "coordinate" ? this.live.coordinates : this.live.velocities)[place]?.held ?? false;
  }
  holds(item: Item): boolean { return this.held.get(item) ?? this.stated_held(item); }
  hold(item: Item, on: boolean) {
    if (on === this.stated_held(item)) this.held.delete(item);
    else this.held.set(item, on);
  }
  clear() {
    this.chosen.clear();
    this.formulas.clear();
    this.held.clear();
  }

  values(): Values {
    const { live } = this, of = (kind: Kind, count: number) => {
      const list = new Array<number | null>(count).fill(null);
      for (const [item, value] of this.chosen) if (item.kind === kind) list[item.place] = value;
      return list;
    };
    const numbers = live.inputs.reduce((most, { place, derivatives }) => Math.max(most, place + derivatives + 1), 0);
    const inputs = new Array<number | Formula | null>(numbers).fill(null);
    for (const item of this.items) {
      const value = this.chosen.get(item), tree = this.formulas.get(item)?.tree;
      if (item.kind !== "input" || (value === undefined && tree === undefined)) continue;
      const { place, derivatives } = live.inputs[item.place]!;
      for (let d = 0; d <= derivatives; ++d)
        inputs[place + d] = tree !== undefined ? { tree, derivative: d } : d === 0 ? value! : 0;
    }
    const holds = (kind: Kind, count: number) => {
      const list = new Array<boolean>(count).fill(false);
      for (const item of this.items) if (item.kind === kind) list[item.place] = this.holds(item);
      return list;
    };
    const parameters = of("parameter", live.parameters.length);
    return {
      parameters: live.parameters.map(({ value }, i) => parameters[i] ?? value), inputs,
      q: of("coordinate", live.coordinates.length), v: of("velocity", live.velocities.length),
      held_q: holds("coordinate", live.coordinates.length), held_v: holds("velocity", live.velocities.length),
      end: of("end", 1)[0] ?? this.end,
    };
  }

  /** "L1 = 0.2 m, held phi". */
  words(): string {
    const numbers = [...this.chosen].map(([{ name, unit }, value]) =>
      `${name.slice(0, 40)} = ${shown_amount(value, unit)}`);
    for (const [{ name, unit }, { text }] of this.formulas) numbers.push(`${name.slice(0, 40)} = ${text.slice(0, 80)} ${unit_text(unit)}`.trim());
    const held = [...this.held].map(([{ name }, on]) => `${name.slice(0, 40)} ${on ? "held" : "free"}`);
    const all = [...numbers, ...held], left_out = all.length - kWords;
    return left_out > 1 ? `${all.slice(0, kWords).join(", ")} and ${left_out} more` : all.join(", ");
  }

  /** What stands after # in an address, without it; empty: nothing is changed. */
  link(): string {
    const parts = [...this.chosen].map(([item, value]) => `${key_of(item)}=${value}`);
    for (const [item, { text }] of this.formulas) parts.push(`${key_of(item)}=${encodeURIComponent(text)}`);
    for (const [item, on] of this.held) parts.push(`${on ? "hold" : "free"}:${key_of(item)}`);
    return parts.length === 0 ? "" : `${kMark}${parts.join("&")}`;
  }

  /** Reads such a text; what is wrong with it, a sentence each. What is right of it is set. */
  read(text: string): string[] {
    if (text.length > kLongest) return [`The address has ${text.length} characters after #, more than ${kLongest}: they are not read.`];
    // Programs that pass addresses on may have escaped more of them.
    const items = new Map(this.items.map((item) => [plain(key_of(item)), item]).reverse() as [string, Item][]), faults: string[] = [];
    for (const part of text.slice(kMark.length).split("&")) {
      if (part === "" || is_setting(part)) continue;
      const flag = /^(hold|free)(?::|%3A)/i.exec(part), [key = "", ...rest] = part.slice(flag?.[0].length ?? 0).split("=");
      const number = rest.length > 0 ? rest.join("=") : undefined;
      const item = items.get(plain(key)), shown = name_in(key);
      if (item === undefined) faults.push(`The address names ${shown}, which this page does not have.`);
      else if (flag !== null) this.hold(item, flag[1] === "hold" && item.holds);
      else if (item.kind === "end" && Number(number) <= this.begins) faults.push(`The address ends the run at ${name_in(number ?? "")} s, where it begins.`);
      else if (item.kind === "input" && number !== undefined && number !== "" && Number.isNaN(Number(number))) {
        const text = plain(number), fault = text.toLowerCase() === "nan" ? "it is no number" : this.set_formula(item, text);
        if (fault !== "") faults.push(`The address sets ${shown} to ${name_in(number)}, which is no formula of t: ${fault}.`);
      } else if (number === undefined || number === "" || !Number.isFinite(Number(number)))
        faults.push(`The address sets ${shown} to ${name_in(number ?? "")}, which is no finite number.`);
      else {
        this.set(item, Number(number));
        if (item.holds) this.hold(item, true);
      }
    }
    const left_out = faults.length - kFaults;
    return left_out > 0 ? [...faults.slice(0, kFaults), `${left_out} more parts of the address are not read.`] : faults;
  }
}

const kLongest = 20_000;  // characters of an address that are read
const kWords = 12;        // changes that are told one by one
const kFaults = 4;        // that are told one by one
const kLetters: Record<Kind, string> = { parameter: "p", input: "u", coordinate: "q", velocity: "v", end: "t" };
const key_of = ({ kind, name }: Item) => `${kLetters[kind]}.${encodeURIComponent(name)}`;

// What is no escaped text stays as it is.
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// As a person would read it, and no longer than a name.
function name_in(key: string): string {
  const text = plain(key);
  return `“${text.slice(0, 40)}${text.length > 40 ? "…" : ""}”`;
}
