// SPDX-License-Identifier: Apache-2.0
// Parts of the page that need no browser: where texts go, how long arrows are, which events share a mark.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Placement, around, box_at, kHigh, meet } = await load("scene", "placement.ts");
const { ForceScale } = await load("scene", "force_scale.ts");
const { grouped, words_of } = await load("happenings.ts");
const { fixed_text, number_text } = await load("numbers.ts");
const { movable } = await load("live", "worker", "drag.ts");
const { Between } = await load("live", "worker", "between.ts");

// Any thirty names at random points, with random bars: by construction of the test nothing is known of where they go, but
// no two may meet, and none may leave the frame.
test("texts never lie on each other, nor outside of the frame", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 200; ++round) {
    const wide = 200 + 800 * random(), high = 120 + 400 * random(), placement = new Placement();
    placement.begin(wide, high, [], [box_at([30, 20], 40, 15)]);
    const boxes = [box_at([30, 20], 40, 15)];
    for (let k = 0; k < 30; ++k) {
      const long = 10 + 120 * random();
      const box = placement.best(around([1.2 * wide * random() - 0.1 * wide, high * random()], long, [12, 19, 28]), long);
      if (box === null) continue;
      assert.ok(box.left >= 0 && box.top >= 0 && box.right <= wide && box.bottom <= high);
      for (const other of boxes) assert.ok(!meet(box, other));
      placement.take(box);
      boxes.push(box);
    }
    assert.ok(boxes.length > 4, "most have room");
  }
});

// A bar from the point to the right: a name on the bar covers it, one on the left or above does not.
test("a name keeps off bars where it can", () => {
  const placement = new Placement(), bar = Array.from({ length: 60 }, (_, k) => [100 + 5 * k, 100]);
  placement.begin(400, 200, bar);
  const box = placement.best(around([100, 100], 30, [12, 19, 28]), 30);
  for (const [x, y] of bar) assert.ok(x < box.left || x > box.right || y < box.top || y > box.bottom);
  assert.ok(placement.covers(box_at([200, 100], 30, kHigh)) > 0);
});

// A wide bar across the nearest place: a cell that is covered costs more than some pixels of distance.
test("a text goes farther rather than onto a bar", () => {
  const placement = new Placement();
  placement.begin(400, 200, Array.from({ length: 40 }, (_, k) => [100, 5 * k]));
  const box = placement.best([{ at: [100, 100], cost: 0 }, { at: [200, 100], cost: 6.5 }], 40);
  assert.equal(box.left, 180);
});

// Four places around a crossing of bars, all of them on one: nowhere. Lines that are no bars only cost.
test("no text lies on a bar", () => {
  const placement = new Placement(), across = Array.from({ length: 134 }, (_, k) => [3 * k, 100]), down = Array.from({ length: 67 }, (_, k) => [200, 3 * k]);
  const places = [[200, 80], [200, 120], [170, 100], [230, 100]].map((at) => ({ at, cost: 0 }));
  placement.begin(400, 200, [...across, ...down], [], [...across, ...down]);
  assert.equal(placement.best(places, 30), null);
  assert.equal(placement.best([...places, { at: [280, 60], cost: 90 }], 30).left, 265);
  placement.begin(400, 200, [...across, ...down]);
  assert.notEqual(placement.best(places, 30), null);
});

test("a name without any room is left out", () => {
  const placement = new Placement();
  placement.begin(100, 100, [], [{ left: 0, top: 0, right: 100, bottom: 100 }]);
  assert.equal(placement.best(around([50, 50], 20, [12, 19]), 20), null);
});

// 99 instants of 1 N and a blow of 1,000 N: by the largest an arrow of 1 N would have a thousandth of the length.
test("arrows are scaled by what is usual, and what exceeds it is cut", () => {
  const scale = new ForceScale([...Array(99).fill(1), 1000]);
  assert.equal(scale.full, 1.25);
  assert.equal(scale.share(1), 0.8);
  assert.equal(scale.share(1000), 1);
  assert.deepEqual([scale.cuts(1), scale.cuts(1.25), scale.cuts(1000), scale.cuts_some], [false, false, true, true]);
  assert.equal(scale.round, 1);
});

test("loads that differ little are drawn whole; instants without a load do not count", () => {
  const scale = new ForceScale([0, 0, 0, 9, 10, 9.5, NaN]);
  assert.deepEqual([scale.full, scale.cuts_some, scale.round], [10, false, 10]);
});

// log(1 + 1000 x)/log(1001): a tenth of the largest has two thirds of the length, a thousandth a tenth.
test("by the logarithm nothing is cut, and small loads are seen", () => {
  const scale = new ForceScale([...Array(99).fill(1), 1000], true);
  assert.equal(scale.share(1000), 1);
  assert.ok(Math.abs(scale.share(100) - Math.log(101) / Math.log(1001)) < 1e-12);
  assert.ok(scale.share(1) > 0.1);
  assert.ok(!scale.cuts_some);
});

test("the scale arrow has a round load and is no longer than the longest", () => {
  for (const largest of [1, 1.9, 2, 4.99, 5, 9.99, 10, 0.003, 3e7]) {
    const { round, full } = new ForceScale([largest]);
    assert.ok(round <= full * (1 + 1e-9) && round > 0.39 * full, `${round} of ${full}`);
    assert.match(String(round.toExponential()), /^[125]e/);
  }
  assert.equal(new ForceScale([]).round, 0);
  assert.equal(new ForceScale([0, NaN]).share(1), 0);
});

// A point that stays in the lower right, and a bar whose middle comes through the upper right, of three corners.
test("what has a corner goes where the mechanism does not come", async () => {
  const { emptiest } = await load("scene", "corner.ts"), paths = [[[90, 90], [92, 91]], [[60, 10], [60, 12]], [[120, 10], [120, 12]]];
  const scene = { tracks: [{}, {}, {}], shapes: [{ tracks: [1, 2] }] }, motion = { count: 2, recorded: (k, track) => paths[track][k] }, view = { px: (at) => at };
  const corner = (left, top) => ({ left, top, right: left + 20, bottom: top + 20 });
  assert.equal(emptiest(view, scene, motion, [corner(80, 80), corner(80, 0), corner(0, 0)]), 2);
  assert.equal(emptiest(view, scene, motion, [corner(0, 80), corner(0, 0)]), 0);
});

test("events that are near each other share a mark, which names them", () => {
  const events = [{ name: "ground impact", t: 0 }, { name: "ground impact", t: 0.001 }, { name: "stop", t: 5 }, { name: "late", t: 11 }];
  const groups = grouped(events, (t) => t / 10, 100);
  assert.deepEqual(groups.map(({ share, list }) => [share, list.length]), [[0, 2], [0.5, 1]]);
  assert.equal(words_of(groups[0].list), "ground impact at 0 s; ground impact at 0.001 s");
});

test("a zero has no sign", () => {
  assert.deepEqual([fixed_text(-0.0001, 2), fixed_text(-0, 1), fixed_text(-1.25, 1), number_text(-0)], ["0.00", "0.0", "−1.3", "0"]);
});

// A ball that falls from 1 m and bounces with a restitution of 1/2, in closed form, with a drag that takes energy at 0.3 W and is known as work:
// each impact takes 3/4 of the kinetic energy, which no work says, and steps with one do not count. What is judged holds to round-off; where the
// energy misses the drag it is off by that, and where a velocity is set within a step by so little as 1e-3 of itself, the step does not count.
test("between impacts the energy is judged, over steps with one it is not", () => {
  const g = 10, fall = Math.sqrt(2 / g), loses = (missing, nudge = 0) => {
    const program = { ne: 3, nu: 0, nc: 1, inputs() {}, energy(_, t, q, v, __, e) { e.set([v[0] ** 2 / 2, g * q[0], v[0] ** 2 / 2 + g * q[0] - 0.3 * (1 - missing) * t]); } };
    const at = (t) => {  // until the second impact
      const after = t - fall, up = 0.5 * g * fall, since = Math.max(0, after - 0.2);
      return t < fall ? [1 - g * t * t / 2, -g * t] : [up * after - g * after * after / 2 + nudge * since, up - g * after + (since > 0 ? nudge : 0)];
    };
    const state = (t) => at(t).map((x) => Float64Array.of(x)), [q, v] = state(0), between = new Between(program, {}, 0, q, v);
    const h = fall * 1.9 / 50, a = [0, 1, 2].map(() => Float64Array.of(-g));
    for (let k = 0; k < 50; ++k) between.add(h, (k + 1) * h, ...state((k + 1) * h), state(k * h)[1], a, () => g * fall, -0.3 * h, false);
    return { off: between.off, left_out: Math.round(50 - between.judged / h), whole: 49 * h };
  };
  const right = loses(0), wrong = loses(1), nudged = loses(0, 1e-3 * g * fall);
  assert.equal(right.left_out, 1);
  assert.ok(right.off < 1e-12, String(right.off));
  assert.ok(Math.abs(wrong.off - 0.3 * wrong.whole) < 1e-12, String(wrong.off));
  assert.equal(nudged.left_out, 2);
  assert.ok(nudged.off < 1e-12, String(nudged.off));
});

// Derivatives by differences of the formula itself; values and names as docs/model-format.md has them.
test("formulas of the time: values, derivatives, and what is wrong with a text", async () => {
  const { formula_of } = await load("live", "formula.ts"), { function_of } = await load("live", "tree.ts"), { rate_of } = await load("live", "worker", "rate.ts");
  const scope = { names: [{ name: "k", unit: "" }, { name: "t1", unit: "s" }], others: ["x"], compares: false };
  const read = (text, derivative) => {
    let { tree } = formula_of(text, scope, "");
    for (let d = 0; d < derivative; ++d) tree = rate_of(tree);
    return function_of(tree, [3, 0.4]);
  };
  const erf = (x) => 2 / Math.sqrt(Math.PI) * simpson((y) => Math.exp(-y * y), x);
  const cases = {
    "2*sin(3*t)": (t) => 2 * Math.sin(3 * t), "-t^2": (t) => -(t ** 2), "2^3^t": (t) => 2 ** (3 ** t), "k*t - 1/(1 + t)": (t) => 3 * t - 1 / (1 + t),
    "exp(-t/t1)*cos(pi*t)": (t) => Math.exp(-t / 0.4) * Math.cos(Math.PI * t), "t^-2 + t^0.5": (t) => t ** -2 + t ** 0.5, "t^t": (t) => t ** t,
    "if(t < 1, t^2, 2*t - 1)": (t) => t < 1 ? t * t : 2 * t - 1, "min(t, 0.5, 1 - t/9)": (t) => Math.min(t, 0.5, 1 - t / 9), "max(t, 2)*abs(t - 5)": (t) => Math.max(t, 2) * Math.abs(t - 5),
    "tan(t/4) + tanh(t) + sinh(t)/cosh(t)": (t) => Math.tan(t / 4) + 2 * Math.tanh(t), "atan(t) + asin(t/9) + acos(t/9)": (t) => Math.atan(t) + Math.PI / 2,
    "sqrt(1 + log(1 + t)) + floor(t)*sign(t - 9) + 1e-3 + .5": (t) => Math.sqrt(1 + Math.log(1 + t)) - Math.floor(t) + 0.501,
    "hypot(t, 2) + atan2(t, k - t)": (t) => Math.hypot(t, 2) + Math.atan2(t, 3 - t), "mod(3*t, 1.1*t + 1)": (t) => 3 * t - (1.1 * t + 1) * Math.floor(3 * t / (1.1 * t + 1)),
    "if(not t < 1 and t <= 2 or t == 9, sin(t), t^3)": (t) => t >= 1 && t <= 2 ? Math.sin(t) : t ** 3, "20 mm*t + 30 deg": (t) => 0.02 * t + Math.PI / 6,
    // Abramowitz and Stegun, table 7.1.
    "erf(t - t + 0.5) + erf(1.5) - erf(-8)": () => 0.5204998778130465 + 0.9661051464753108 + 1, "erf(t)*exp(t)": (t) => erf(t) * Math.exp(t),
  };
  for (const [text, value] of Object.entries(cases)) {
    const [f, rate, second] = [0, 1, 2].map((k) => read(text, k)), h = 1e-4;
    for (const t of [0.31, 1.7, 3.3]) {
      const near = (a, b, least, what) => assert.ok(Math.abs(a - b) <= least * Math.max(1, Math.abs(b)), `${what} of ${text} at ${t}: ${a}, not ${b}`);
      near(f(t), value(t), 1e-14, "value");
      near(rate(t), (f(t + h) - f(t - h)) / (2 * h), 1e-5, "rate");
      near(second(t), (rate(t + h) - rate(t - h)) / (2 * h), 1e-5, "second rate");
    }
  }
  for (const [text, words] of [
    ["", /ends too early/], ["2*", /ends too early/], ["sin", /argument follows in brackets/], ["sin(t", /not closed/], ["t)", /“\)” is not expected/], ["x", /depends on the motion/],
    ["y", /y is not known: t, pi/], ["K", /did you mean k\?/], ["constructor", /not known/], ["foo(t)", /foo is no function: sin, cos/], ["__proto__(t)", /no function/],
    ["min(t)", /2 arguments or more, not 1/], ["sin(t, t)", /1 argument, not 2/], ["if(t, 1, 2)", /compare it/], ["if(t > 1, 2)", /if\(condition, value/], ["t > 1", /write if/],
    ["2 t", /write 2\*t for a product/], ["1..2", /is missing|not expected/], ["t t".repeat(300), /900 characters/], ["(".repeat(201), /200 brackets/], ["1 < t < 2", /chained/],
    ["2**3", /write \^/], ["1,5", /decimal point/], ["2 − t", /write -/], ["t²", /write \^2/], ["1e999", /out of range/], ["a && b".replace(/[ab]/g, "t"), /write and/], ["1/0", /divides by 0/],
  ]) assert.throws(() => formula_of(text, scope, ""), words, text.slice(0, 30));
  // A long sum of products, twice differentiated: parts that occur twice are evaluated once.
  assert.ok(Number.isFinite(read("t*".repeat(240) + "t", 2)(1.01)));
});

// Simpson's rule from 0 to x: for erf, whose error is 1e-15 with 2,000 parts.
function simpson(f, x) {
  const n = 2000, h = x / n;
  let sum = f(0) + f(x);
  for (let k = 1; k < n; ++k) sum += (k % 2 === 1 ? 4 : 2) * f(k * h);
  return sum * h / 3;
}

// A crank of length 1 whose angle is prescribed, a slider that a rod of length 2 joins to it, and a free mass: x_P = cos θ + √(4 − sin² θ) with θ = 1 s⁻¹ t.
// A row that repeats another one, and a contact, change nothing.
test("what is prescribed, or follows from it, cannot be moved; what is free, or in contact, can", () => {
  const program = (rows, contact_levels) => ({
    nq: 3, nr: 0, nh: rows.length, nu: 0, inputs: () => {}, contact_levels,
    position_residual: (s, t, q, u, out) => { out.set(rows.map((row) => row(t, q))); },
    scene: (s, t, [angle, x, y], v, lambda, u, out) => { out.set([0, 0, Math.cos(angle), Math.sin(angle), x, 0, 5, y]); },
  });
  const driven = (t, [angle]) => angle - t, rod = (t, [angle, x]) => (x - Math.cos(angle)) ** 2 + Math.sin(angle) ** 2 - 4, floor = (t, [, , y]) => y;
  const t = 0.7, state = { t, q: Float64Array.of(t, Math.cos(t) + Math.sqrt(4 - Math.sin(t) ** 2), 0), v: new Float64Array(3) };
  const of = (rows, contacts = []) => movable(program(rows, contacts), {}, state, 4, 2, 8);
  assert.deepEqual(of([driven, rod]), [false, false, false, true]);
  assert.deepEqual(of([driven, rod, rod]), [false, false, false, true]);
  assert.deepEqual(of([rod]), [false, true, true, true]);
  assert.deepEqual(of([]), [false, true, true, true]);
  assert.deepEqual(of([rod, floor], [1]), [false, true, true, true]);
  assert.deepEqual(of([rod, floor]), [false, true, true, false]);
  assert.deepEqual([...state.q.slice(2), state.q[0]], [0, t], "the state stays");
});
