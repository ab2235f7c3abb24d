// SPDX-License-Identifier: Apache-2.0
// Scene and curves together: the small scene, cursors, where multipliers act; and what can be taken away: tables, pictures.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, no_browser } from "./browser.mjs";
import { open } from "./check_page.mjs";
import { fixtures } from "./fixtures.mjs";
import { filled, unpack } from "./page.mjs";

describe("reading a page", { skip: no_browser }, () => {
  let browser, folder;
  const file_of = (name) => join(folder, `${name}.html`);
  const opened = (name, options = {}) => open(browser, file_of(name), { reducedMotion: "reduce", ...options });
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "reading-"));
    for (const name of ["slider_crank", "spatial"]) writeFileSync(file_of(name), filled(fixtures[name]()));
  });
  after(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });
  const pinned = (page) => page.locator(".stage-frame.pinned");
  const below = async (page, section = "reactions") => {
    await page.locator(`#${section} h2`).evaluate((one) => one.scrollIntoView());
    await pinned(page).waitFor();
  };

  for (const [width, height] of [[1280, 900], [390, 844]])
    test(`the scene stays in view below it, on ${width} px, until it is closed`, async () => {
      const { context, page, faults } = await opened("slider_crank", { viewport: { width, height } });
      assert.equal(await pinned(page).count(), 0);
      const place = () => page.locator(".stage-place").evaluate((one) => one.offsetHeight), tall = await place();
      await below(page);
      const box = await pinned(page).boundingBox();
      assert.ok(box.width < 0.5 * width && box.height < 0.4 * height && box.y >= 0 && box.x + box.width <= width, JSON.stringify(box));
      assert.ok(Math.abs(await place() - tall) < 2, "it keeps its place: nothing below it moves");
      await page.getByRole("button", { name: "Close the small scene" }).click();
      assert.equal(await pinned(page).count(), 0);
      await page.getByRole("button", { name: "Scene", exact: true }).click();
      await page.getByRole("button", { name: "To the scene" }).click();
      await pinned(page).waitFor({ state: "detached" });
      assert.ok(await page.locator(".stage").isVisible());
      assert.deepEqual(faults, []);
      await context.close();
    });

  // Oracle: the same numbers by 180/π. The address, which may have been made by hand, and a page made by `report --degrees` ask for degrees.
  test("angles are in degrees everywhere, where the switch or the address says so", async () => {
    const turn = 180 / Math.PI, { context, page, faults } = await opened("slider_crank");
    const values = (one) => one.evaluate(() => Object.fromEntries([...document.querySelectorAll("[data-value-of]")].map(({ dataset }) => [dataset.valueOf, Number(dataset.value)])));
    const head = async () => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download data" }).click()]);
      return readFileSync(await download.path(), "utf8").split("\n")[0];
    };
    const before = await values(page), plain = await head();
    await page.getByLabel("Angles").selectOption("deg");
    assert.equal(new URL(page.url()).hash, "#values:angles=deg");
    const after = await values(page);
    for (const [name, factor] of [["q/theta", turn], ["v/theta", turn], ["q/x", 1], ["v/x", 1]])
      assert.ok(Math.abs(after[name] - factor * before[name]) <= 1e-5 * Math.abs(after[name]) + 1e-9, name);
    assert.equal(await head(), plain.replace(/([qv]\/(?:theta|phi))(?=,|$)/g, (name) => `${name} [deg${name[0] === "v" ? "/s" : ""}]`));
    const titles = await page.locator("figure.plot h3").allTextContents();
    assert.ok(titles.includes("Coordinates [deg]") && titles.includes("Coordinates [m]"), titles.join());
    assert.ok(!(await page.locator("main").innerText()).includes("rad/s"));
    const start = (await page.locator("#model tr", { has: page.locator("code", { hasText: /^theta$/ }) }).first().innerText()).split(/\s+/);
    assert.ok(start.includes("34.377") && start.includes("deg"), start.join());
    const other = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" }, "#values:angles=deg");
    assert.equal((await values(other.page))["q/theta"], after["q/theta"]);
    await other.page.getByLabel("Angles").selectOption("rad");
    assert.equal(new URL(other.page.url()).hash, "");
    assert.equal((await values(other.page))["q/theta"], before["q/theta"]);
    assert.deepEqual([...faults, ...other.faults], []);
    await other.context.close();
    await context.close();
    const told = fixtures.slider_crank();
    told.degrees = true;
    told.run.verdict.rows = [{ label: "Error at the end", value: "below 1.41e-10 rad in theta (cross-check)", level: "ok" }];
    told.run.verdict.warnings = ["the start is far from the guess: theta = 0.5 rad, not −1.5 rad; x = 2 m, `until \"2 rad\"`, 3 rad/s and 4 N*m/rad"];
    writeFileSync(file_of("in_degrees"), filled(told));
    const made = await opened("in_degrees"), quality = await made.page.locator("#quality").textContent();
    assert.ok(quality.includes("below 8.08e-09 deg in theta"), quality);
    assert.ok(quality.includes("theta = 28.6 deg, not −85.9 deg; x = 2 m, until \"2 rad\", 172 deg/s and 4 N*m/rad"), quality);
    assert.equal((await values(made.page))["q/theta"], after["q/theta"]);
    await made.page.getByLabel("Angles").selectOption("rad");
    assert.equal(new URL(made.page.url()).hash, "#values:angles=rad");
    assert.ok((await made.page.locator("#quality").textContent()).includes("theta = 0.5 rad, not −1.5 rad"));
    await made.context.close();
  });

  test("a cursor in a plot moves the scene that stands, and not the one that plays", async () => {
    const { context, page } = await opened("slider_crank");
    await below(page);
    const over = page.locator("#reactions .u-over").first(), drawn = () => page.locator(".stage [data-kind=bar]").first().getAttribute("d");
    const scrub = () => page.locator(".scrub").inputValue().then(Number);
    const box = await over.boundingBox(), first = await drawn();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + 120);
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 120);
    assert.ok(Math.abs(await scrub() - 60) <= 1, `instant ${await scrub()} of 240`);
    assert.notEqual(await drawn(), first);
    // All other plots show the same instant.
    const marks = await page.evaluate(() => [...document.querySelectorAll(".time-mark")].map((mark) =>
      Number(/translateX\(([\d.]+)px/.exec(mark.style.transform)?.[1]) / mark.parentElement.clientWidth));
    assert.ok(marks.length > 1 && marks.every((share) => Math.abs(share - 0.25) < 0.01), `${marks}`);
    await page.locator(".mini-play").click();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + 120);
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 120);
    assert.equal(await page.locator(".play").getAttribute("aria-label"), "Pause");
    await context.close();
  });

  test("keys move the cursor of a plot, and it says where it is", async () => {
    const { context, page, faults } = await opened("slider_crank");
    await below(page);
    const plot = page.locator("#reactions .canvas").first(), scrub = () => page.locator(".scrub").inputValue().then(Number);
    const told = (what) => plot.getAttribute(`aria-${what}`);
    await plot.focus();
    assert.equal(await told("valuemin"), "0");
    await page.keyboard.press("End");
    assert.equal(await scrub(), 240);
    assert.equal(await told("valuenow"), await told("valuemax"));
    const last = await told("valuetext");
    assert.match(last, /^t = \S+ s: .+ [−\d.e]+/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await scrub(), 238);
    assert.notEqual(await told("valuetext"), last);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await scrub(), 0, "it stops at the start");
    assert.equal(await told("valuenow"), "0");
    assert.notEqual(await plot.evaluate((node) => getComputedStyle(node).outlineStyle), "none", "the focus is seen");
    assert.equal(await plot.getAttribute("role"), "slider");
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a multiplier shows where it acts: in tables, legends, under equations and in them, by keyboard", async () => {
    const { context, page, faults } = await opened("slider_crank");
    const ring = page.locator(".pointer circle");
    const at = async () => [Number(await ring.getAttribute("cx")), Number(await ring.getAttribute("cy"))];
    const places = ["#model [data-acts='pin.x']", "#reactions .mark[data-acts='pin.x']", "#equations .acting-line [data-acts='pin.x']"];
    for (const place of places) {
      assert.equal(await ring.isVisible(), false);
      const one = page.locator(place).first();
      await one.focus();
      await page.keyboard.press("Enter");
      await pinned(page).waitFor();
      assert.ok(await ring.isVisible(), place);
      // The ring is around A, the end of the crank: where its bar ends.
      const bar = /M([\d.-]+) ([\d.-]+)/.exec(await page.locator(".reaction .s-force").first().getAttribute("d"));
      const [x, y] = await at();
      assert.ok(Math.hypot(x - bar[1], y - bar[2]) < 1, `${x} ${y}, not ${bar[1]} ${bar[2]}`);
      await page.keyboard.press("Escape");
    }
    const symbol = page.locator("#equations .display .mord", { hasText: /^λpin/ }).first();
    await symbol.click();
    assert.ok(await ring.isVisible(), "in an equation");
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("tables are copied as CSV", async () => {
    const { context, page } = await opened("slider_crank");
    await page.evaluate(() => {
      const value = { writeText: async (text) => { window.copied = text; } };
      Object.defineProperty(navigator, "clipboard", { value });
    });
    const tables = page.locator("table"), count = await tables.count();
    assert.equal(await page.locator("table .copy-table").count(), count);
    await page.locator("table:has(caption:has-text('Parameters')) .copy-table").click();
    assert.equal(await page.evaluate(() => window.copied), "Symbol,Name,Value,Unit,Meaning\nL_1,L1,0.15,m,half length of the crank\n" +
      "m_3,m3,1.2,kg,mass of the slider\n");
    await page.locator(".readout .copy-table").click();
    const rows = (await page.evaluate(() => window.copied)).trim().split("\n"), { series } = fixtures.slider_crank();
    assert.equal(rows.length, series.columns.length + 1);
    assert.equal(Number(rows[1].split(",")[1]), unpack(series.columns[0].data)[0]);
    await context.close();
  });

  // 40 products are longer than a cell: the formula is folded, and nobody has opened it. A minus is one on the page, and a hyphen for programs.
  test("a table copied as CSV has folded formulas, and minus signs as programs read them", async () => {
    const document = fixtures.slider_crank(), long = Array(40).fill("\\frac{a}{b}").join(" ");
    document.bodies = [{ name: "rod", mass: "m", inertia: "", position: long, angle: "" }];
    document.symbols.find(({ name }) => name === "m3").value = "-1.2";
    const file = join(folder, "csv.html");
    writeFileSync(file, filled(document));
    const { context, page } = await open(browser, file, { reducedMotion: "reduce" });
    await page.evaluate(() => {
      const value = { writeText: async (text) => { window.copied = text; } };
      Object.defineProperty(navigator, "clipboard", { value });
    });
    const copied = async (caption) => {
      await page.locator(`table:has(caption:has-text('${caption}')) .copy-table`).click();
      return page.evaluate(() => window.copied);
    };
    assert.equal(await copied("Bodies"), `Body,Mass,Centre of mass\nrod,m,${long}\n`);
    assert.match(await copied("Parameters"), /\nm_3,m3,-1\.2,kg,/);
    assert.match(await page.locator("table:has(caption:has-text('Parameters'))").innerText(), /\t−1\.2\t/);
    await context.close();
  });

  test("scene and plots are saved as SVG and PNG that stand alone", async () => {
    const { context, page, faults } = await opened("slider_crank", { colorScheme: "dark" });
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    for (const place of [".scene-tools", "#reactions .plot", ".phase", ".steps", ".equilibrium"]) {
      const host = page.locator(place).first();
      const { name, bytes } = await saved(host.getByRole("button", { name: "SVG", exact: true }));
      assert.match(name, /^[\w.-]+\.svg$/);
      const text = bytes.toString("utf8");
      assert.match(text, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.doesNotMatch(text, /var\(|class=|light-dark/, "it needs no rules of the page");
      // As a picture alone: it has paper and ink.
      const shown = await context.newPage();
      await shown.setContent(`<img src="data:image/svg+xml;base64,${bytes.toString("base64")}">`);
      const size = await shown.locator("img").evaluate(async (image) => { await image.decode(); return [image.naturalWidth, image.naturalHeight]; });
      assert.ok(size[0] > 200 && size[1] > 100, `${place}: ${size}`);
      await shown.close();
      const png = await saved(host.getByRole("button", { name: "PNG", exact: true }));
      assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
      assert.ok(png.bytes.readUInt32BE(16) >= 2 * size[0] - 2, "at twice its size");
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
});
