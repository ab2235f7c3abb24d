// SPDX-License-Identifier: Apache-2.0
// Where pages begin with other parameters: at the state to which `dalembert assemble` comes (STARTS=FILE.json, made by
// tests/web/run_web_tests.py: [{page, values, ok, q, v, doubts}]), with the warnings that it has. Without a browser: the worker's own text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { document_of, kFolder } from "./page.mjs";

const given = process.env.STARTS;
// Both end where the residual's square is below 1e-24; held to that a coordinate may be off by a few 1e-9 where rows are nearly dependent.
const kSame = 1e-8;

async function starts_module() {
  const contents = 'export { Starts, settings } from "./worker/start"; export { doubts_of } from "./doubts";';
  const stdin = { contents, resolveDir: join(kFolder, "src", "live"), loader: "ts" };
  const built = await build({ stdin, bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
}

test("pages begin where the command begins", { skip: given === undefined }, async () => {
  const { Starts, settings, doubts_of } = await starts_module(), cases = JSON.parse(readFileSync(given, "utf8"));
  assert.ok(cases.length > 20, "something is compared");
  const met = new Set();
  for (const { page, values: changed, ok, q, v, doubts } of cases) {
    const { live } = document_of(readFileSync(page, "utf8")), program = new Function(live.code)(), what = `${page} with ${JSON.stringify(changed)}`;
    const setup = {
      ...live, parameters: live.parameters.map((one) => one.value), along: live.coordinates.map(({ along }) => along),
      held_q: live.coordinates.map(({ held }) => held), held_v: live.velocities.map(({ held }) => held),
      units: live.coordinates.map(({ unit }) => unit), follows: live.coordinates.map(({ follows }) => follows),
    };
    const values = {
      parameters: live.parameters.map((one) => changed[one.name] ?? one.value), inputs: [], q: live.coordinates.map(({ name }) => changed[name] ?? null),
      v: live.velocities.map(() => null), held_q: live.coordinates.map(({ name, held }) => held || name in changed), held_v: setup.held_v, end: 1,
    };
    const s = settings(program, values), starts = new Starts(program, setup, setup), { problem, state, guess } = starts.find(s, values);
    assert.equal(problem === "", ok, `${what}: ${problem}`);
    if (!ok) continue;
    const answer = { problem, until: 1, start: { q: Array.from(state.q) }, guess, negative: [], doubts: starts.doubts(s, values, state) };
    const codes = doubts_of(live, values, answer).map((words) => /singular position/.test(words) ? "W0206" : /^another assembly|is one of/.test(words) ? "W0207" : "W0208");
    for (const code of codes) met.add(code);
    assert.deepEqual([...new Set(codes)].sort(), doubts, what);
    if (doubts.includes("W0206")) continue;  // which the page meets to 1e-6 only
    q.forEach((x, i) => assert.ok(Math.abs(x - state.q[i]) < kSame * Math.max(1, Math.abs(x)), `${what}: coordinate ${i} ${state.q[i]}, not ${x}`));
    if (v.length === state.v.length)
      v.forEach((x, i) => assert.ok(Math.abs(x - state.v[i]) < kSame * Math.max(1, Math.abs(x)), `${what}: velocity ${i} ${state.v[i]}, not ${x}`));
  }
  assert.deepEqual([...met].sort(), ["W0206", "W0207", "W0208"]);
});
