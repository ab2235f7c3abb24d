// SPDX-License-Identifier: Apache-2.0
// Where pages begin with other parameters: at the state to which `dalembert assemble` comes (STARTS=FILE.json, made by
// tests/web/run_web_tests.py: [{page, parameter, value, ok, q, v}]). Without a browser: the worker's own text.
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
  const built = await build({ entryPoints: [join(kFolder, "src", "live", "worker", "start.ts")], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].text).toString("base64")}`);
}

test("pages begin where the command begins", { skip: given === undefined }, async () => {
  const { Starts, settings } = await starts_module(), cases = JSON.parse(readFileSync(given, "utf8"));
  assert.ok(cases.length > 20, "something is compared");
  for (const { page, parameter, value, ok, q, v } of cases) {
    const { live } = document_of(readFileSync(page, "utf8")), program = new Function(live.code)(), what = `${page} with ${parameter} = ${value}`;
    const setup = {
      ...live, parameters: live.parameters.map((one) => one.value), along: live.coordinates.map(({ along }) => along),
      held_q: live.coordinates.map(({ held }) => held), held_v: live.velocities.map(({ held }) => held),
    };
    const values = {
      parameters: live.parameters.map((one) => one.name === parameter ? value : one.value), inputs: [], q: live.coordinates.map(() => null),
      v: live.velocities.map(() => null), held_q: setup.held_q, held_v: setup.held_v, end: 1,
    };
    const s = settings(program, values), { problem, state } = new Starts(program, setup, setup).find(s, values);
    assert.equal(problem === "", ok, `${what}: ${problem}`);
    if (!ok) continue;
    q.forEach((x, i) => assert.ok(Math.abs(x - state.q[i]) < kSame * Math.max(1, Math.abs(x)), `${what}: coordinate ${i} ${state.q[i]}, not ${x}`));
    if (v.length === state.v.length)
      v.forEach((x, i) => assert.ok(Math.abs(x - state.v[i]) < kSame * Math.max(1, Math.abs(x)), `${what}: velocity ${i} ${state.v[i]}, not ${x}`));
  }
});
