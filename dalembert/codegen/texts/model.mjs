// SPDX-License-Identifier: Apache-2.0
// The parts of modules in JavaScript that do not depend on the model.
const DEFAULTS = [1.0, 2.0], NPREPARED = 1, PARAMETERS = ["m", "length"];

function _prepare(model) {
  model.prepared[0] = model.p[0] * model.p[1];
}

//: kJsErf

// erf, by its series with positive terms and its continued fraction: Abramowitz and Stegun, 7.1.6 and 7.1.14.
function _erf(x) {
  const a = Math.abs(x), s = a * a;
  if (!(a < 6)) return a >= 6 ? Math.sign(x) : x;
  if (a < 2.5) {
    let term = a, sum = a;
    for (let n = 1; term > 1e-17 * sum; ++n) sum += term *= 2 * s / (2 * n + 1);
    return Math.sign(x) * 2 / Math.sqrt(Math.PI) * Math.exp(-s) * sum;
  }
  let fraction = a;
  for (let n = 60; n > 0; --n) fraction = a + n / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-s) / Math.sqrt(Math.PI) / fraction);
}

//: kJsModel

const REASONS = {1: "the mass is singular on what the constraints allow", 2: "constraint rows contradict each other",
  3: "something is not finite", 4: "a pivot cannot be trusted", 5: "the state is too far from the constraints"};

// Thrown if a routine has no result for a state; `status` says why.
export class Unsolved extends Error {
  constructor(routine, status) {
    super(`${routine}: ${REASONS[status] ?? status}`);
    this.status = status;
  }
}

function _vector(x, size, name) {
  if (x.length !== size) throw new RangeError(`${name} has ${size} entries, not ${x.length}`);
  return Float64Array.from(x);
}

// The model with values of its parameters: new Model({name: value}). Matrices are stored row by row.
export class Model {
  constructor(parameters = {}) {
    this.p = Float64Array.from(DEFAULTS);
    this.prepared = new Float64Array(NPREPARED);
    this.set(parameters);
  }
  // Changes parameters by name.
  set(parameters) {
    for (const [name, value] of Object.entries(parameters)) {
      const i = PARAMETERS.indexOf(name);
      if (i < 0) throw new RangeError(`${name} is no parameter; they are ${PARAMETERS.join(", ")}`);
      this.p[i] = value;
    }
    _prepare(this);
  }

//: end
}
