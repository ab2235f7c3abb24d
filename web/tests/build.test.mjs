// SPDX-License-Identifier: Apache-2.0
// The built page is what the sources give, and documents are what the schema says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fixtures } from "./fixtures.mjs";
import { filled, kFolder, template } from "./page.mjs";
import { schema_faults } from "./schema.mjs";

test("dist/report.html is what the sources give", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(kFolder, "build.mjs"), "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("each placeholder is there once, and the page loads nothing", () => {
  const page = template();
  for (const mark of ["@@TITLE@@", "@@STILL@@", "@@DOCUMENT@@"]) assert.equal(page.split(mark).length, 2, mark);
  assert.doesNotMatch(page, /url\((?!data:)/);
  assert.match(page, /default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]{43}='; style-src 'unsafe-inline'/);
});

test("placeholders in a document's text stay text", () => {
  const page = filled({ ...fixtures.hostile(), title: "@@DOCUMENT@@" });
  assert.match(page, /<title>@@DOCUMENT@@<\/title>/);
});

for (const [name, make] of Object.entries(fixtures))
  test(`${name} is a report document`, () => assert.deepEqual(schema_faults(make()), []));

test("the schema knows every field and no other", () => {
  const document = fixtures.slider_crank();
  assert.notDeepEqual(schema_faults({ ...document, extra: 1 }), []);
  assert.notDeepEqual(schema_faults({ ...document, scene: { ...document.scene, extra: 1 } }), []);
  for (const field of Object.keys(document)) {
    const { [field]: _, ...rest } = document;
    assert.notDeepEqual(schema_faults(rest), [], field);
  }
});
