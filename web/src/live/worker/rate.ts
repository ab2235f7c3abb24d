// SPDX-License-Identifier: Apache-2.0
// Derivatives of formulas by the time.
import type { Tree } from "../tree";

const sum = (a: Tree, b: Tree): Tree => a === 0 ? b : b === 0 ? a : ["+", a, b];
const product = (a: Tree, b: Tree): Tree => a === 0 || b === 0 ? 0 : a === 1 ? b : b === 1 ? a : ["*", a, b];
const minus = (a: Tree) => product(-1, a);
const over = (a: Tree, b: Tree): Tree => a === 0 ? 0 : ["/", a, b];
const squared = (a: Tree) => product(a, a);

// Of one argument: the derivative by it.
const kSlopes: Record<string, (x: Tree, self: Tree) => Tree> = {
  sin: (x) => ["cos", x], cos: (x) => minus(["sin", x]), tan: (_, self) => sum(1, squared(self)),
  asin: (x) => over(1, ["sqrt", sum(1, minus(squared(x)))]), acos: (x) => over(-1, ["sqrt", sum(1, minus(squared(x)))]),
  atan: (x) => over(1, sum(1, squared(x))), sinh: (x) => ["cosh", x], cosh: (x) => ["sinh", x], tanh: (_, self) => sum(1, minus(squared(self))),
  erf: (x) => product(2 / Math.sqrt(Math.PI), ["exp", minus(squared(x))]), exp: (_, self) => self, log: (x) => over(1, x),
  sqrt: (_, self) => over(0.5, self), abs: (x) => ["sign", x],
};

// Of two arguments a and b with the rates da and db.
const kRates: Record<string, (a: Tree, b: Tree, da: Tree, db: Tree, self: Tree) => Tree> = {
  "+": (_, __, da, db) => sum(da, db),
  "*": (a, b, da, db) => sum(product(da, b), product(a, db)),
  "/": (_, b, da, db, self) => over(sum(da, minus(product(self, db))), b),
  "^": (a, b, da, db, self) => db === 0 ? product(product(b, ["^", a, sum(b, -1)]), da)
    : product(self, sum(product(db, ["log", a]), product(b, over(da, a)))),
  atan2: (a, b, da, db) => over(sum(product(da, b), minus(product(a, db))), sum(squared(a), squared(b))),
  mod: (a, b, da, db) => sum(da, minus(product(["floor", ["/", a, b]], db))),
  hypot: (a, b, da, db, self) => over(sum(product(a, da), product(b, db)), self),
  min: (a, b, da, db) => ["if", ["<=", a, b], da, db],
  max: (a, b, da, db) => ["if", ["<=", b, a], da, db],
};

export function rate_of(tree: Tree, known = new Map<Tree, Tree>()): Tree {
  if (typeof tree === "number" || tree[0] === "p") return 0;
  if (tree[0] === "t") return 1;
  const before = known.get(tree);
  if (before !== undefined) return before;
  const [name, a = 0, b = 0, c = 0] = tree, rate = (one: Tree) => rate_of(one, known);
  const slope = kSlopes[name], both = kRates[name];
  // sign and floor have none.
  const found: Tree = name === "if" ? ["if", a, rate(b), rate(c)] : both !== undefined ? both(a, b, rate(a), rate(b), tree)
    : slope !== undefined ? product(slope(a, tree), rate(a)) : 0;
  known.set(tree, found);
  return found;
}
