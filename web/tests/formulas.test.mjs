// SPDX-License-Identifier: Apache-2.0
// Formulas that a reader types, against the command's values of the same texts, and what the command refuses (FORMULAS: a file that
// tests/web/formulas.py writes). What needs no command is in units.test.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./page.mjs";

const { formula_of } = await load("live", "formula.ts"), { function_of } = await load("live", "tree.ts");
const { values, taken, names, parameters } = JSON.parse(readFileSync(process.env.FORMULAS, "utf8"));
const scope = { names, others: ["x", "f"], compares: true };

test(`${values.length} random formulas have the command's values`, () => {
  assert.ok(values.length > 100);
  for (const { text, t, value } of values) {
    const f = function_of(formula_of(text, { ...scope, compares: false }, "").tree, parameters);
    t.forEach((at, k) => assert.ok(Math.abs(f(at) - value[k]) <= 1e-11 * Math.max(1, Math.abs(value[k])), `${text} at ${at}: ${f(at)}, not ${value[k]}`));
  }
});

test("the page takes what the command takes, and refuses what it refuses", () => {
  const wrong = [];
  for (const { text, ok } of taken) {
    let why = "";
    try {
      formula_of(text, scope, "N");
    } catch (problem) {
      why = problem.message;
    }
    if ((why === "") !== ok) wrong.push(`${text}: ${ok ? `the page says: ${why}` : "taken by the page"}`);
  }
  assert.deepEqual(wrong, []);
});
