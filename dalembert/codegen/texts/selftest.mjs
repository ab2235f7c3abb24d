// SPDX-License-Identifier: Apache-2.0
// Functions by which self-tests in JavaScript compare results; MODEL is the module.

//: kJsSelftest
// Compares MODEL.mjs with reference values; exit status 0 when all agree.
import { Model, Unsolved } from "./MODEL.mjs";

let checks = 0, failures = 0;

function fill(count) {
  return Array.from({length: count}, (_, i) => (37 * i + 5) % 101 / 101.0 - 0.5);
}

function check(model, routine, status, given, expected) {
  let got = {}, returned = 0;
  try {
    got = model[routine](...given);
  } catch (problem) {
    if (!(problem instanceof Unsolved)) throw problem;
    returned = problem.status;
  }
  ++checks;
  if (returned !== status) {
    ++failures;
    console.log(`${routine}: status ${returned} instead of ${status}`);
    return;
  }
  for (const [name, stride, allowed, values] of expected) {
    const array = typeof got === "number" ? [got] : got instanceof Float64Array ? got : got[name];
    values.forEach((value, i) => {
      const tolerance = allowed[allowed.length === 1 ? 0 : i];
      ++checks;
      if (Math.abs(array[i * stride] - value) <= tolerance) return;
      ++failures;
      console.log(`${routine}: ${name}[${i * stride}] = ${array[i * stride]} instead of ${value}, allowed are ${tolerance}`);
    });
  }
}
