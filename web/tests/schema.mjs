// SPDX-License-Identifier: Apache-2.0
// Documents against report-document.schema.json.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { kFolder } from "./page.mjs";

const valid = new Ajv({ allErrors: true })
  .compile(JSON.parse(readFileSync(join(kFolder, "report-document.schema.json"), "utf8")));

/** What is wrong with a document; empty where it is as the schema says. */
export function schema_faults(document) {
  return valid(document) ? [] : valid.errors.slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
