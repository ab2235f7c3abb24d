// SPDX-License-Identifier: Apache-2.0
// Fills the page with a document, as the command does.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const kFolder = dirname(dirname(fileURLToPath(import.meta.url)));

/** A part of the page by itself. */
export async function load(...path) {
  const { outputFiles } = await build({
    entryPoints: [join(kFolder, "src", ...path)], bundle: true, write: false, format: "esm", target: "es2021", logLevel: "warning",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

export function template() {
  return readFileSync(join(kFolder, "dist", "report.html"), "utf8");
}

const kEntities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** `still`: an SVG element, or nothing. What is filled in is never searched for further placeholders. */
export function filled(document, still = "", page = template()) {
  const values = {
    "@@TITLE@@": document.title.replace(/[&<>"']/g, (c) => kEntities[c]),
    "@@STILL@@": still,
    "@@DOCUMENT@@": JSON.stringify(document).replaceAll("<", "\\u003c"),
  };
  return page.replace(/@@(?:TITLE|STILL|DOCUMENT)@@/g, (mark) => values[mark]);
}

/** Of a filled page. */
export function document_of(page) {
  const text = /<script type="application\/json" id="document">([\s\S]*?)<\/script>/.exec(page)?.[1];
  if (text === undefined) throw new Error("the page has no document");
  return JSON.parse(text);
}

export function pack(values) {
  const buffer = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => buffer.writeFloatLE(value, 4 * i));
  return buffer.toString("base64");
}

export function unpack(text) {
  const buffer = Buffer.from(text, "base64");
  return Float32Array.from({ length: buffer.length >> 2 }, (_, i) => buffer.readFloatLE(4 * i));
}
