// SPDX-License-Identifier: Apache-2.0
// Numbers as they are shown, and ticks at round ones.

export function number_text(value: number, digits = 5): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4
    ? value.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

/** With so many decimals; never a zero with a sign. */
export function fixed_text(value: number, digits: number): string {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
}

/** Zero where the value is round-off beside what is large. */
export function without_round_off(value: number, large: number): number {
  return Math.abs(value) < 1e-13 * large ? 0 : value;
}

/** A number as C's %.{digits}g writes it. */
export function plain_number(value: number, digits: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const [mantissa = "", exponent = "0"] = value.toExponential(digits - 1).split("e"), power = Number(exponent);
  const short = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (power < -4 || power >= digits)
    return `${short(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return short(value.toFixed(Math.max(0, digits - 1 - power)));
}

export interface Range { min: number; max: number; at_min: number; at_max: number; }

/** Where the values are least and largest; NaN where there are none. */
export function range_of(values: ArrayLike<number>): Range {
  const range: Range = { min: NaN, max: NaN, at_min: 0, at_max: 0 };
  for (let i = 0; i < values.length; ++i) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    if (!(value >= range.min)) range.min = value, range.at_min = i;
    if (!(value <= range.max)) range.max = value, range.at_max = i;
  }
  return range;
}

/** Round numbers inside [low, high], about `wanted` of them. */
export function round_ticks(low: number, high: number, wanted: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(k * step);
  return ticks;
}

/** The index whose time is nearest; of two equally near ones the earlier. */
export function nearest(times: ArrayLike<number>, t: number): number {
  const after = first_not_before(times, t);
  if (after === 0) return 0;
  if (after >= times.length) return times.length - 1;
  return t - times[after - 1]! <= times[after]! - t ? after - 1 : after;
}

export function first_not_before(times: ArrayLike<number>, t: number): number {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The shortest text that reads back to the same Float32. */
export function float_text(value: number): string {
  for (let digits = 6; digits < 9; ++digits) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(Number(value.toPrecision(9)));
}

/** The instants of a run that ends at another time. */
export function stretched(times: Float32Array, from: number, end: number): Float32Array {
  const last = times[times.length - 1] ?? from;
  if (!(last > from) || Math.fround(end) === last) return times;
  return times.map((t) => from + (t - from) * (end - from) / (last - from));
}
