// SPDX-License-Identifier: Apache-2.0
// The curves of a run by name, unpacked when they are first needed.
import { type Column, type SeriesBlock, unpack } from "./document";
import { float_text, type Range, range_of } from "./numbers";

export class Curve {
  private values_: Float32Array | null = null;
  private range_: Range | null = null;
  constructor(readonly column: Column) {}

  get name() { return this.column.name; }
  get values() { return (this.values_ ??= unpack(this.column.data)); }
  get range() { return (this.range_ ??= range_of(this.values)); }
  /** What stands before the first stroke of its name: q, v, lambda. */
  get group() {
    const stroke = this.name.indexOf("/");
    return stroke < 0 ? "" : this.name.slice(0, stroke);
  }
  get short_name() { return this.name.slice(this.name.indexOf("/") + 1); }
}

export class Series {
  readonly time: Float32Array;
  readonly curves: Curve[];
  private readonly by_name = new Map<string, Curve>();

  constructor(readonly block: SeriesBlock) {
    this.time = unpack(block.time);
    this.curves = block.columns.map((column) => new Curve(column));
    for (const curve of this.curves) this.by_name.set(curve.name, curve);
  }

  find(name: string): Curve | undefined { return this.by_name.get(name); }
  of_groups(...groups: string[]): Curve[] { return this.curves.filter((curve) => groups.includes(curve.group)); }
}

function csv_field(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Header `time,q/theta,…`; a gap is an empty field. */
export function csv(time: Float32Array, curves: Curve[]): string {
  const lines = [["time", ...curves.map((curve) => csv_field(curve.name))].join(",")];
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
