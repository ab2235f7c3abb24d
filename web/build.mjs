// SPDX-License-Identifier: Apache-2.0
// Makes dist/report.html: the page with everything inlined, and three placeholders for what differs between reports.
//   node build.mjs           writes it, and the types of its document
//   node build.mjs --check   exits with 1 when a file is not what the sources give
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transformSync } from "esbuild";
import { document_types } from "./document_types.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "dist", "report.html");
// Bytes, before the document is filled in: KaTeX has 239 kB of them and its fonts 185 kB, uPlot 53 kB, and what is ours the rest. Pages are sent
// by mail, many at a time: a feature that needs more than this says what it is worth.
const kLimit = 700_000;

// The fonts that our equations use, and AMS and Caligraphic for what a model's own symbols may (\mathbb has no other glyphs). Upright text that a
// symbol sets in italics (\mathit) is Main-Regular, slanted by the browser. Others fall back to the reader's own.
const kFonts = [
  "Main-Regular", "Main-Bold", "Math-Italic", "Math-BoldItalic", "AMS-Regular", "Caligraphic-Regular",
  "Size1-Regular", "Size2-Regular", "Size3-Regular", "Size4-Regular",
];

const read = (...parts) => readFileSync(join(here, ...parts), "utf8");

function minified(css) {
  return transformSync(css, { loader: "css", minify: true, target: "chrome123" }).code.trim();
}

// KaTeX's rules, with the fonts that are used as data and without the rules of the others.
function katex_style() {
  const faces = [];
  const rules = read("node_modules", "katex", "dist", "katex.min.css").replace(/@font-face\{[^}]*\}/g, (face) => {
    const name = /fonts\/KaTeX_([A-Za-z0-9-]+)\.woff2/.exec(face)?.[1];
    if (name === undefined || !kFonts.includes(name)) return "";
    faces.push(name);
    const data = readFileSync(join(here, "node_modules", "katex", "dist", "fonts", `KaTeX_${name}.woff2`));
    const source = `src:url(data:font/woff2;base64,${data.toString("base64")}) format("woff2")`;
    return face.replace(/src:[^}]*/, source);
  });
  const missing = kFonts.filter((name) => !faces.includes(name));
  if (missing.length > 0) throw new Error(`fonts not found in katex.min.css: ${missing.join(", ")}`);
  return rules;
}

// KaTeX knows the sizes of letters in each of its fonts. Those of fonts that are not in the page are dead: what shows there is another font.
const without_fonts = {
  name: "without-fonts",
  setup({ onLoad }) {
    onLoad({ filter: /katex\.mjs$/ }, ({ path }) => {
      const [before, rest] = readFileSync(path, "utf8").split("var fontMetricsData = "), end = rest.indexOf("\n};") + 2;
      const sizes = JSON.parse(rest.slice(0, end)), others = Object.keys(sizes).filter((name) => !kFonts.includes(name));
      for (const name of others) delete sizes[name];
      const instead = `for (const name of ${JSON.stringify(others)})
        fontMetricsData[name] = fontMetricsData[name.includes("Bold") ? "Main-Bold" : "Main-Regular"];`;
      return { contents: `${before}var fontMetricsData = ${JSON.stringify(sizes)};${instead}${rest.slice(end + 1)}` };
    });
  },
};

async function bundled(entry, define = {}) {
  const result = await build({
    entryPoints: [join(here, "src", ...entry)],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2021",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    define,
    plugins: [without_fonts],
  });
  return result.outputFiles[0].text.trim();
}

async function script() {
  // What a worker runs is a text of the page's script, which hands it over.
  const code = await bundled(["main.ts"], { LIVE_LOOP: JSON.stringify(await bundled(["live", "worker", "loop.ts"])) });
  // A comment's opening in a string would change how the browser reads the script element.
  return code.replaceAll("<!--", "\\x3c!--");
}

// The notices of what is inside, as a comment: of these versions, and of these fonts.
function notices() {
  const text = read("notices.txt").trim();
  const { devDependencies } = JSON.parse(read("package.json"));
  const expected = [`KaTeX ${devDependencies.katex}`, `uPlot ${devDependencies.uplot}`,
    ...kFonts.map((name) => `KaTeX_${name.split("-")[0]}`)];
  const missing = expected.filter((words) => !text.includes(words));
  if (missing.length > 0) throw new Error(`notices.txt does not name ${missing.join(", ")}`);
  if (/--!?>/.test(text)) throw new Error("notices.txt would end its comment");
  return text;
}

function put(page, mark, text) {
  const parts = page.split(mark);
  if (parts.length !== 2) throw new Error(`${mark} is in the page ${parts.length - 1} times`);
  return parts[0] + text + parts[1];
}

async function page() {
  const sheets = ["base", "text", "scene", "plots", "print"].map((name) => read("src", "styles", `${name}.css`));
  const ours = sheets.join("\n").replace(/^\/\*.*SPDX.*\*\/\n/gm, "");
  const style = katex_style() + minified(read("node_modules", "uplot", "dist", "uPlot.min.css") + ours);
  const code = await script();
  let text = read("src", "page.html");
  text = put(text, "%NOTICES%", notices());
  text = put(text, "%HASH%", createHash("sha256").update(code, "utf8").digest("base64"));
  text = put(text, "%STYLE%", style);
  text = put(text, "%SCRIPT%", code);
  for (const mark of ["@@TITLE@@", "@@STILL@@", "@@DOCUMENT@@"]) put(text, mark, "");
  if (Buffer.byteLength(text) > kLimit) throw new Error(`${Buffer.byteLength(text)} bytes: more than ${kLimit}`);
  return text;
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function check(path, text) {
  const name = relative(here, path);
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  console.error(`${name} is ${existsSync(path) ? "not what the sources give" : "missing"}: run node build.mjs`);
  process.exitCode = 1;
}

const keep = process.argv.includes("--check") ? check : write;
keep(join(here, "src", "document_types.ts"), document_types(join(here, "report-document.schema.json")));
const text = await page();
keep(target, text);
if (keep === write) console.log(`dist/report.html: ${Buffer.byteLength(text)} bytes`);
