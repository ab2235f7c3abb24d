// SPDX-License-Identifier: Apache-2.0
// What must hold of every report page, whatever it reports. The page itself says, by its document, what it must show.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { looks } from "./looks.mjs";
import { document_of, unpack } from "./page.mjs";
import { schema_faults } from "./schema.mjs";

const kRepeats = 1e-3;  // of the scene's size: steps have an error of 1e-7, which grows along a motion

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Opens a page and collects what it must not do. `fragment`: what the address ends with, from # on. */
export async function open(browser, file, options = {}, fragment = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage(), faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  const address = pathToFileURL(file).href;
  page.on("request", (request) => {
    if (request.url().split("#")[0] !== address && !/^(data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  await page.goto(address + fragment);
  await ready(page);
  return { context, page, faults };
}

function ready(page) {
  return page.waitForFunction(() => document.documentElement.dataset.ready === "true");
}

/**
 * `whole`: with what takes long and is the same for most pages: keyboard, contrast, narrow screens, print.
 * `typeset`: the equations are the program's own, none may be shown as it is written; what a reader would stumble over is counted.
 * `only_looks`: nothing but that.
 */
export async function checkPage(browser, file, { whole = true, typeset = false, only_looks = false } = {}) {
  const report = document_of(readFileSync(file, "utf8"));
  assert.deepEqual(schema_faults(report), [], "the document follows its schema");
  const { context, page, faults } = await open(browser, file);
  try {
    if (only_looks) return await check_looks(page, faults);
    assert.equal(await page.evaluate(() => window.broken), undefined, "no text of a model runs");
    if (typeset) await check_equations(page, report.equations);
    if (report.scene !== null) {
      await check_parts(page, report.scene);
      await check_play(page, report.scene);
    }
    if (report.series !== null) {
      await check_values(page, report);
      await check_ranges(page, report.series);
    }
    if (whole) {
      if (report.live !== null && typeset) await check_live(page, report);
      await check_keyboard(page);
      await check_schemes(page);
      await check_narrow(page);
      await check_print(page);
    }
    if (typeset) await check_looks(page, faults);
    assert.deepEqual(faults, []);
  } finally {
    await context.close();
  }
}

async function check_looks(page, faults) {
  for (const [what, list] of Object.entries(await looks(page))) assert.deepEqual([...new Set(list)].slice(0, 5), [], what);
  assert.deepEqual(faults, []);
}

// What the program writes is typeset, all of it.
async function check_equations(page, equations) {
  if (equations.some(({ latex }) => latex.join("").length > 2500)) return;  // typeset when someone opens them
  const failed = await page.evaluate(() => [...document.querySelectorAll(".display .as-written")].map((one) =>
    one.textContent.slice(0, 200)));
  assert.deepEqual(failed, [], "equations that are not typeset");
}

// Every shape of the scene is one drawn part; parts of large scenes are drawn together and counted.
async function check_parts(page, scene) {
  const wanted = {};
  for (const { kind } of scene.shapes) wanted[kind] = (wanted[kind] ?? 0) + 1;
  const drawn = await page.evaluate((kinds) => {
    const counts = {};
    for (const part of document.querySelectorAll(".stage [data-kind]")) {
      const { kind, parts } = part.dataset;
      if (kinds.includes(kind)) counts[kind] = (counts[kind] ?? 0) + Number(parts ?? 1);
    }
    return counts;
  }, Object.keys(wanted));
  assert.deepEqual(drawn, wanted, "drawn parts");
}

function moves(scene) {
  const positions = unpack(scene.frames.positions), each = scene.tracks.length * scene.space;
  return positions.some((value, i) => Math.abs(value - positions[i % each]) > 0.02 * scene.size);
}

async function check_play(page, scene) {
  if (scene.frames.count < 2 || !moves(scene)) return;
  const drawn = () => page.evaluate(() =>
    [...document.querySelectorAll(".stage path")].map((path) => path.getAttribute("d")).join("|"));
  const play = page.locator(".play");
  if (await play.getAttribute("aria-label") === "Pause") await play.click();
  const before = await drawn();
  await page.waitForTimeout(150);
  assert.equal(await drawn(), before, "a scene that is paused stands still");
  await play.click();
  await page.waitForFunction((was) =>
    [...document.querySelectorAll(".stage path")].map((path) => path.getAttribute("d")).join("|") !== was, before);
  await play.click();
  assert.equal(await play.getAttribute("aria-label"), "Play");
}

// A page repeats its own run, a slider gives another one, and nothing of that is left after a reset.
async function check_live(page, { live, series }) {
  const shown = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-series]")]
    .map(({ dataset }) => [dataset.series, `${dataset.min} ${dataset.max}`])));
  const stored = await shown();
  assert.equal(await page.locator(".live-row[data-kind=parameter]").count(), Math.min(live.parameters.length, 40));
  if (live.parameters.length === 0) return;
  await page.locator(".live-row input[type=range]").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector("[data-repeats]") !== null, null, { timeout: 60_000 });
  const share = Number(await page.locator("[data-repeats]").getAttribute("data-repeats"));
  assert.ok(share < kRepeats, `the page repeats its run to ${share} of its size only`);
  assert.ok(await page.locator(".live-banner").isVisible());
  const at_once = await page.evaluate(() => [...document.querySelectorAll("[data-value-of]")].filter(({ dataset }) =>
    Number.isNaN(Number(dataset.value))).map(({ dataset }) => dataset.valueOf));
  // Beyond an event that ends the motion there are none.
  const ends = (await page.locator(".live-banner").textContent()).includes("an event ends the motion");
  const gaps = new Set(series.columns.map(({ name }) => name).filter((_, c) => ends || (live.columns[c] ?? null) === null));
  assert.deepEqual(at_once.filter((name) => !gaps.has(name)), [], "values that a live run lacks");
  await page.locator(".live-reset").click();
  assert.deepEqual(await shown(), stored);
}

function nearest_row(time, t) {
  let best = 0;
  for (let i = 1; i < time.length; ++i) if (Math.abs(time[i] - t) < Math.abs(time[best] - t)) best = i;
  return best;
}

// Scrubbing shows the recorded state: what can be read on the page is what is packed in the document.
async function check_values(page, report) {
  const { series } = report, time = unpack(series.time);
  const instants = report.scene === null ? time : unpack(report.scene.frames.time);
  if (instants.length < 2) return;
  const columns = series.columns.slice(0, 300).map(({ name, data }) => ({ name, values: unpack(data) }));
  for (const share of [0, 0.37, 1]) {
    const which = Math.round(share * (instants.length - 1));
    await page.locator(".scrub").evaluate((scrub, value) => {
      scrub.value = String(value);
      scrub.dispatchEvent(new Event("input"));
    }, which);
    const shown = await page.evaluate(() => Object.fromEntries(
      [...document.querySelectorAll("[data-value-of]")].map((cell) => [cell.dataset.valueOf, cell.dataset.value])));
    const row = nearest_row(time, instants[which]);
    for (const { name, values } of columns) {
      const right = Number(shown[name]) === values[row] || Object.is(Number(shown[name]), values[row]);
      assert.ok(right, `${name} at instant ${which}: ${shown[name]}, not ${values[row]}`);
    }
  }
}

async function check_ranges(page, series) {
  const plots = await page.evaluate(() => [...document.querySelectorAll("[data-series]")].map(({ dataset }) =>
    ({ series: JSON.parse(dataset.series), min: JSON.parse(dataset.min), max: JSON.parse(dataset.max) })));
  const ranges = new Map(series.columns.map(({ name, data }) => {
    const values = unpack(data).filter(Number.isFinite);
    let min = null, max = null;
    for (const value of values) {
      if (min === null || value < min) min = value;
      if (max === null || value > max) max = value;
    }
    return [name, { min, max }];
  }));
  const shown = new Set();
  for (const plot of plots)
    plot.series.forEach((name, k) => {
      if (name.startsWith("reaction/")) return;  // computed by the page from the scene's forces
      shown.add(name);
      const wanted = ranges.get(name);
      assert.ok(plot.min[k] === wanted.min && plot.max[k] === wanted.max, `range of ${name}`);
    });
  // Only panels beyond the first dozen of a group wait until they are asked for.
  const waiting = await page.evaluate(() => document.querySelectorAll(".panels details").length);
  if (waiting === 0) assert.equal(shown.size, ranges.size, "every curve has a plot");
}

// Tab alone reaches whatever can be pressed, chosen or scrolled.
async function check_keyboard(page) {
  const play = page.locator(".play");
  if (await play.count() > 0 && await play.getAttribute("aria-label") === "Pause") await play.click();
  const count = await page.evaluate(() => {
    const focusable = "a[href], button, select, input, textarea, summary, [tabindex='0']";
    const all = [...document.querySelectorAll(focusable)]
      .filter((one) => one.checkVisibility() && one.getClientRects().length > 0 && !one.disabled);
    all.forEach((one) => { one.dataset.walk = "open"; });
    document.activeElement?.blur();
    scrollTo(0, 0);
    return all.length;
  });
  for (let k = 0; k < count + 12; ++k) {
    await page.keyboard.press("Tab");
    const left = await page.evaluate(() => {
      if (document.activeElement instanceof Element) delete document.activeElement.dataset.walk;
      return document.querySelectorAll("[data-walk]").length;
    });
    if (left === 0) return;
  }
  const missed = await page.evaluate(() =>
    [...document.querySelectorAll("[data-walk]")].filter((one) => one.getClientRects().length > 0)
      .map((one) => one.outerHTML.slice(0, 120)));
  assert.deepEqual(missed, [], "controls that Tab does not reach");
}

async function check_schemes(page) {
  const backs = [];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    backs.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => {
      // That formulas are text, in MathML, this rule does not see.
      globalThis.axe.configure({ rules: [{ id: "empty-table-header", selector: "th:not(:has(math))" }] });
      return globalThis.axe.run(document, { resultTypes: ["violations"] });
    });
    const findings = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))}`);
    assert.deepEqual(findings, [], `accessibility, ${colorScheme}`);
  }
  assert.notEqual(backs[0], backs[1], "dark is not light");
  await page.emulateMedia({ colorScheme: "light" });
}

async function check_narrow(page) {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.waitForTimeout(100);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `the page is ${width} px wide on a screen of 360 px`);
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function check_print(page) {
  const file = await page.pdf({ format: "A4" });
  assert.equal(file.subarray(0, 5).toString(), "%PDF-");
  const [plots, drawn] = await page.evaluate(() =>
    [document.querySelectorAll(".plot[data-series]").length, document.querySelectorAll(".plot .uplot").length]);
  assert.equal(drawn, plots, "all plots are drawn before printing");
  // As wide as a page between its margins: no figure is wider, and none is cut by the end of a page.
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 680, height: 1000 });
  const cut = await page.evaluate(() => [...document.querySelectorAll("figure")]
    .filter((one) => one.checkVisibility()).filter((one) => {
      const { height } = one.getBoundingClientRect(), whole = getComputedStyle(one).breakInside === "avoid";
      const wide = [...one.querySelectorAll("svg")].some((part) =>
        part.checkVisibility() && part.getBoundingClientRect().right > 681);
      return wide || !whole || height > 1000;
    }).map((one) => one.outerHTML.slice(0, 120)));
  assert.deepEqual(cut, [], "figures that a printed page would cut");
  await page.emulateMedia({ media: "screen" });
}
