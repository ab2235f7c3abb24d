// SPDX-License-Identifier: Apache-2.0
// Units of what a reader types, as model files have them (dalembert/base/units.cpp).

/** Exponents of kg, m, s, A, K, mol, cd. */
export type Dimension = number[];
export interface Unit { factor: number; dimension: Dimension; }

export const kPure: Dimension = [0, 0, 0, 0, 0, 0, 0], kTime: Dimension = [0, 0, 1, 0, 0, 0, 0];
const kDegree = Math.PI / 180;
// Name, factor, exponents; those before the mark take prefixes.
const kWithPrefixes: [string, number, ...number[]][] = [
  ["m", 1, 0, 1], ["g", 1e-3, 1], ["s", 1, 0, 0, 1], ["A", 1, 0, 0, 0, 1], ["K", 1, 0, 0, 0, 0, 1], ["mol", 1, 0, 0, 0, 0, 0, 1],
  ["cd", 1, 0, 0, 0, 0, 0, 0, 1], ["N", 1, 1, 1, -2], ["J", 1, 1, 2, -2], ["W", 1, 1, 2, -3], ["Pa", 1, 1, -1, -2], ["bar", 1e5, 1, -1, -2],
  ["Hz", 1, 0, 0, -1], ["C", 1, 0, 0, 1, 1], ["V", 1, 1, 2, -3, -1], ["ohm", 1, 1, 2, -3, -2], ["F", 1, -1, -2, 4, 2], ["H", 1, 1, 2, -2, -2],
  ["T", 1, 1, 0, -2, -1], ["Wb", 1, 1, 2, -2, -1], ["rad", 1], ["l", 1e-3, 0, 3], ["L", 1e-3, 0, 3],
];
const kAlone: [string, number, ...number[]][] = [
  ["sr", 1], ["deg", kDegree], ["°", kDegree], ["rev", 360 * kDegree], ["rpm", 6 * kDegree, 0, 0, -1], ["min", 60, 0, 0, 1], ["h", 3600, 0, 0, 1],
  ["in", 0.0254, 0, 1], ["ft", 0.3048, 0, 1], ["lb", 0.45359237, 1], ["lbf", 4.4482216152605, 1, 1, -2], ["%", 0.01],
];
const kPrefixes: Record<string, number> = {
  f: 1e-15, p: 1e-12, n: 1e-9, u: 1e-6, µ: 1e-6, μ: 1e-6, m: 1e-3, c: 1e-2, d: 0.1, da: 10, h: 100, k: 1e3, M: 1e6, G: 1e9, T: 1e12,
};

export const same = (a: Dimension, b: Dimension) => a.every((x, i) => Math.abs(x - b[i]!) < 1e-9);
export const times = (a: Dimension, b: Dimension, power = 1): Dimension => a.map((x, i) => x + power * b[i]!);

function named(name: string): Unit | null {
  const in_table = (table: [string, number, ...number[]][], wanted: string, prefix: number) => {
    const found = table.find(([unit]) => unit === wanted);
    return found === undefined ? null : { factor: prefix * found[1], dimension: kPure.map((_, i) => (found[i + 2] as number | undefined) ?? 0) };
  };
  const plain = in_table(kWithPrefixes, name, 1) ?? in_table(kAlone, name, 1);
  if (plain !== null) return plain;
  for (const [prefix, factor] of Object.entries(kPrefixes)) {
    const unit = name.startsWith(prefix) ? in_table(kWithPrefixes, name.slice(prefix.length), factor) : null;
    if (unit !== null) return unit;
  }
  return null;
}
export const is_unit = (name: string) => named(name) !== null;

/** The whole text, such as kg*m^2, N m, 1/s, m/(s*kg); null: it is no unit. */
export function unit_of(text: string): Unit | null {
  const signs = text.match(/\^ *(?:\( *[-+]?[\d.]+(?: *\/ *[\d.]+)? *\)|[-+]?[\d.]+)|[²³]|[A-Za-z°µμ%]+|[*·/()1]|[^ ]/g) ?? [];
  let at = 0;
  const product = (): Unit | null => {
    let unit = factor();
    while (unit !== null && at < signs.length && signs[at] !== ")") {
      const sign = signs[at]!, joins = "*·/".includes(sign);
      if (joins) ++at;
      const next = factor(), power = sign === "/" ? -1 : 1;
      unit = next === null ? null : { factor: unit.factor * next.factor ** power, dimension: times(unit.dimension, next.dimension, power) };
    }
    return unit;
  };
  const factor = (): Unit | null => {
    const sign = signs[at++];
    let unit: Unit | null = sign === undefined ? null : sign === "1" ? { factor: 1, dimension: kPure } : named(sign);
    if (sign === "(") {
      unit = product();
      if (signs[at++] !== ")") return null;
    }
    const raised = signs[at];
    if (unit === null || raised === undefined || !/^[\^²³]/.test(raised)) return unit;
    ++at;
    const [above = NaN, below = 1] = raised === "²" ? [2] : raised === "³" ? [3] : raised.replace(/[\^() ]/g, "").split("/").map(Number);
    const power = above / below;
    return Math.abs(power) <= 16 ? { factor: unit.factor ** power, dimension: times(kPure, unit.dimension, power) } : null;
  };
  const unit = product();
  return unit !== null && at === signs.length && Number.isFinite(unit.factor) && unit.factor !== 0 ? unit : null;
}

/** As messages name it: N*s/m. */
export function unit_name(dimension: Dimension): string {
  if (same(dimension, kPure)) return "a pure number";
  for (const name of ["N", "N*m", "W", "N/m", "N*s", "N*s/m", "N*m*s", "Pa"]) if (same(unit_of(name)!.dimension, dimension)) return name;
  const part = (side: number) => ["kg", "m", "s", "A", "K", "mol", "cd"].flatMap((name, i) => {
    const power = side * dimension[i]!;
    return power <= 1e-9 ? [] : [power === 1 ? name : `${name}^${Number.isInteger(power) ? power : `(${Math.round(6 * power)}/6)`}`];
  });
  const below = part(-1);
  return (part(1).join("*") || "1") + (below.length > 0 ? `/${below.join("/")}` : "");
}
