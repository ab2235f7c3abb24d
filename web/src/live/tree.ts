// SPDX-License-Identifier: Apache-2.0
// Formulas as trees, which can be sent to a worker, and their values. Nothing of a text is run as code.

/** A number, ["t"], ["p", place of a parameter], or an operation and what it is of. Conditions have the values 1 and 0. */
export type Tree = number | [string, ...Tree[]];
export type Eval = (t: number) => number;

type Value = (a: number, b: number) => number;
const truth = (holds: (a: number, b: number) => boolean): Value => (a, b) => Number(holds(a, b));

// ∑ 2ⁿ x²ⁿ⁺¹/(2n + 1)!!, whose terms all have the sign of x (Abramowitz and Stegun 7.1.6).
function erf(x: number): number {
  if (!(Math.abs(x) < 6)) return Math.sign(x);
  let term = x, sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); ++n) sum += term *= 2 * x * x / (2 * n + 1);
  return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
}

const { sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, sign, floor } = Math;
/** Of one number. */
export const kOfOne: Record<string, (x: number) => number> = { sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, erf, exp, log, sqrt, abs, sign, floor };
/** Of two numbers. */
export const kOfTwo: Record<string, Value> = {
  atan2: Math.atan2, mod: (x, y) => x - y * floor(x / y), hypot: (x, y) => sqrt(x * x + y * y),
  min: (a, b) => a <= b ? a : b, max: (a, b) => a >= b ? a : b,
};
const kOperations: Record<string, Value> = {
  ...kOfOne, ...kOfTwo, "+": (a, b) => a + b, "*": (a, b) => a * b, "/": (a, b) => a / b, "^": (a, b) => a ** b,
  "<": truth((a, b) => a < b), "<=": truth((a, b) => a <= b), "==": truth((a, b) => a === b),
  and: truth((a, b) => a !== 0 && b !== 0), or: truth((a, b) => a !== 0 || b !== 0), not: truth((a) => a === 0),
};

/** Parts that a tree has twice are evaluated once for each instant. */
export function function_of(tree: Tree, parameters: number[], known = new Map<Tree, Eval>()): Eval {
  if (typeof tree === "number") return () => tree;
  const [name, ...rest] = tree;
  if (name === "t") return (t) => t;
  if (name === "p") return () => parameters[rest[0] as number]!;
  const before = known.get(tree);
  if (before !== undefined) return before;
  const [a, b, c] = rest.map((one) => function_of(one, parameters, known)), operation = kOperations[name]!;
  const value: Eval = name === "if" ? (t) => (a!(t) !== 0 ? b! : c!)(t) : (t) => operation(a!(t), b === undefined ? 0 : b(t));
  let at = NaN, last = NaN;
  const kept: Eval = (t) => t === at ? last : (last = value(t), at = t, last);
  known.set(tree, kept);
  return kept;
}
