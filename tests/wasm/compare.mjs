// SPDX-License-Identifier: Apache-2.0
// node --experimental-wasi-unstable-preview1 compare.mjs STUDY.wasm STUDY MODEL UNTIL [APART]: runs both programs on the model and compares what they write,
// line by line and digit by digit; numbers may be APART (0), relative to the larger of both and 1. Exit status: 0 the same, 1 not.
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";

const [wasm, native, model, until, apart = "0"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "study-"));

async function runWasm() {
  const output = join(folder, "wasm.txt");
  const stdin = openSync(model, "r"), stdout = openSync(output, "w");
  const wasi = new WASI({ version: "preview1", args: ["study", until], env: {}, stdin, stdout, returnOnExit: true });
  const { instance } = await WebAssembly.instantiate(readFileSync(wasm), { wasi_snapshot_preview1: wasi.wasiImport });
  const status = wasi.start(instance);
  closeSync(stdin);
  closeSync(stdout);
  return { status, text: readFileSync(output, "utf8") };
}

function runNative() {
  const run = spawnSync(native, [until], { input: readFileSync(model), encoding: "utf8", maxBuffer: 1 << 30 });
  if (run.error) throw run.error;
  process.stderr.write(run.stderr);
  return { status: run.status, text: run.stdout };
}

// The largest difference of two numbers at the same place of two lines of numbers, relative to the larger of both and 1; NaN where one is not a number.
function difference(a, b) {
  const x = a.split(",").map(Number), y = b.split(",").map(Number);
  let most = 0;
  for (let i = 0; i < Math.max(x.length, y.length); ++i) {
    if (x[i] === y[i]) continue;
    most = Math.max(most, Math.abs(x[i] - y[i]) / Math.max(1, Math.abs(x[i]), Math.abs(y[i])));
  }
  return most;
}

function compare(a, b) {
  const left = a.text.split("\n"), right = b.text.split("\n");
  let different = 0;
  if (a.status !== b.status) console.log(`exit status: ${a.status} as WebAssembly, ${b.status} here`);
  for (let i = 0; i < Math.max(left.length, right.length); ++i) {
    if (left[i] === right[i]) continue;
    if (left[i] && right[i] && difference(left[i], right[i]) <= Number(apart)) continue;
    if (++different > 10) continue;
    console.log(`line ${i + 1}\n  WebAssembly: ${left[i]}\n  here:        ${right[i]}`);
    if (left[i] && right[i] && /^[-0-9.]/.test(left[i])) console.log(`  differ by ${difference(left[i], right[i])}`);
  }
  console.log(`${model}: ${left.length} lines, ${different} of them different${Number(apart) > 0 ? ` by more than ${apart}` : ""}`);
  return a.status === b.status && different === 0 && left.length > 20;
}

try {
  process.exitCode = compare(await runWasm(), runNative()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
