// SPDX-License-Identifier: Apache-2.0
// The curves of a run by name, unpacked when they are first needed.
import { angle_factor, shown_unit } from "./angles";
import { type Column, type SeriesBlock, unpack } from "./document";
import { csv_field } from "./dom";
import type { Happening } from "./happenings";
import { float_text, type Range, range_of, stretched } from "./numbers";

const kRoundOff = ["residual", "balance"];

export class Curve {
  private stored: Float32Array | null = null;
  private live: Float32Array | null = null;
  private scaled: { of: Float32Array; values: Float32Array } | null = null;  // angles in degrees
  private range_: { of: Float32Array; range: Range } | null = null;
  constructor(readonly column: Column) {}

  get name() { return this.column.name; }
  get is_live() { return this.live !== null; }
  /** As they are shown, in `unit`. */
  get values(): Float32Array {
    const raw = this.live ?? this.stored_values, factor = angle_factor(this.column.unit);
    if (factor === 1) return raw;
    if (this.scaled?.of !== raw) this.scaled = { of: raw, values: raw.map((value) => factor * value) };
    return this.scaled.values;
  }
  get unit() { return shown_unit(this.column.unit); }
  get stored_values() { return (this.stored ??= unpack(this.column.data)); }
  /** The largest that is stored; 1 where all is 0. */
  get stored_size() { return this.stored_values.reduce((a, b) => Math.max(a, Math.abs(b) || 0), 0) || 1; }
  get range(): Range {
    const { values } = this;
    if (this.range_?.of !== values) this.range_ = { of: values, range: range_of(values) };
    return this.range_.range;
  }
  /** What stands before the first stroke of its name: q, v, lambda. */
  get group() {
    const stroke = this.name.indexOf("/");
    return stroke < 0 ? "" : this.name.slice(0, stroke);
  }
  /** Those of a live run; null: the stored ones. */
  show(live: Float32Array | null) {
    this.live = live;
  }
  get short_name() { return this.name.slice(this.name.indexOf("/") + 1); }
}

export class Series {
  /** Those of the run that is shown. */
  readonly time: Float32Array;
  private readonly stored_time: Float32Array;
  readonly curves: Curve[];
  /** What happened in the stored run. */
  events: Happening[] = [];
  private readonly by_name = new Map<string, Curve>();

  constructor(readonly block: SeriesBlock, computed?: { time: Float32Array; curves: Curve[] }) {
    this.time = computed?.time ?? unpack(block.time);
    this.curves = computed?.curves ?? block.columns.map((column) => new Curve(column));
    for (const curve of this.curves) this.by_name.set(curve.name, curve);
    this.stored_time = this.time.slice();
  }

  /**
   * The largest of all curves of this one's group and unit, of velocities over the time for accelerations, of the energy
   * over the way for forces: beside it a value may be round-off. Residuals and balances are what round-off leaves: beside
   * nothing.
   */
  size_around({ group, column: { unit }, range }: Curve): number {
    if (kRoundOff.includes(group)) return 0;
    let size = Math.max(Math.abs(range.min), Math.abs(range.max));
    for (const other of this.curves) {
      const rate = (group === "a" && other.group === "v" && unit.replace(/\^2$/, "") === other.column.unit) ||
        (group === "v" && other.group === "q" && unit === `${other.column.unit}/s`);
      if (!rate && (other.group !== group || other.column.unit !== unit)) continue;
      const { min, max } = other.range, span = this.time[this.time.length - 1]! - this.time[0]!;
      const largest = Math.max(Math.abs(min), Math.abs(max)) * (rate && span > 0 ? 1 / span : 1);
      if (largest > size) size = largest;
    }
    const energy = unit === "N" || unit === "N*m" ? this.largest(({ group: one }) => one === "energy") : 0;
    const way = unit === "N" ? this.largest((other) => other.group === "q" && other.column.unit === "m") : 1;
    return way > 0 ? Math.max(size, energy / way) : size;
  }

  private largest(of: (curve: Curve) => boolean): number {
    let size = 0;
    for (const { range } of this.curves.filter(of)) size = Math.max(size, Math.abs(range.min) || 0, Math.abs(range.max) || 0);
    return size;
  }

  /** A live run may end at another time; its rows are as many. */
  reach(from: number, end: number) { this.time.set(stretched(this.stored_time, from, end)); }

  /** Of curves that are made here. */
  static of(time: Float32Array, curves: Curve[]): Series {
    const block = { rows: time.length, kept: time.length, decimated: false, note: "", time: "", columns: [] };
    return new Series(block, { time, curves });
  }

  find(name: string): Curve | undefined { return this.by_name.get(name); }
  of_groups(...groups: string[]): Curve[] { return this.curves.filter((curve) => groups.includes(curve.group)); }
}

/** Header `time,q/theta,…`, with a unit where it is not that of the command's files: `q/theta [deg]`; a gap is an empty field. */
export function csv(time: Float32Array, curves: Curve[]): string {
  const lines = [["time", ...curves.map(({ name, unit, column }) => csv_field(unit === column.unit ? name : `${name} [${unit}]`))].join(",")];
  for (let i = 0; i < time.length; ++i) {
    const row = [float_text(time[i]!)];
    for (const curve of curves) {
      const value = curve.values[i] ?? NaN;
      row.push(Number.isNaN(value) ? "" : float_text(value));
    }
    lines.push(row.join(","));
  }
  return lines.join("\n") + "\n";
}
