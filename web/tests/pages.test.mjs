// SPDX-License-Identifier: Apache-2.0
// Pages in a real browser: those of the fixtures, and with REPORT_PAGES=FOLDER every *.html of a folder
// (REPORT_CHECKS=quick: without what takes long; looks: what a reader would stumble over, nothing else; other: models whose own
// LaTeX may be none).
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, no_browser } from "./browser.mjs";
import { checkPage, open } from "./check_page.mjs";
import { fixtures } from "./fixtures.mjs";
import { filled, unpack } from "./page.mjs";

const given = process.env.REPORT_PAGES;

describe("report pages", { skip: no_browser }, () => {
  let browser, folder;
  const file_of = (name) => join(folder, `${name}.html`);
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "report-pages-"));
    for (const [name, make] of Object.entries(fixtures)) writeFileSync(file_of(name), filled(make()));
  });
  after(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  if (given !== undefined) {
    for (const name of readdirSync(given).filter((one) => one.endsWith(".html")).sort())
      test(name, () =>
        checkPage(browser, join(given, name), {
          whole: process.env.REPORT_CHECKS !== "quick", typeset: process.env.REPORT_CHECKS !== "other",
          only_looks: process.env.REPORT_CHECKS === "looks",
        }));
    return;
  }

  for (const name of Object.keys(fixtures)) test(`${name} holds`, () => checkPage(browser, file_of(name)));

  test("hostile text is text", async () => {
    const { context, page, faults } = await open(browser, file_of("hostile"));
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator("#page script, #page img, #page iframe, #page a[href^='javascript']").count(), 0);
    assert.match(await page.locator("h1").textContent(), /^<\/script><script>window\.broken = true/);
    assert.match(await page.title(), /^<\/script><script>/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a run that failed says so before everything", async () => {
    const { context, page } = await open(browser, file_of("failed_run"));
    assert.match(await page.locator("main > :first-child").textContent(), /^Error: The run stopped/);
    await context.close();
  });

  test("the mechanism moves by itself", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"));
    assert.equal(await page.locator(".play").getAttribute("aria-label"), "Pause");
    await context.close();
  });

  test("who asks for less motion gets a picture that stands", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    assert.equal(await page.locator(".play").getAttribute("aria-label"), "Play");
    await context.close();
  });

  test("keys play, step and go to the ends", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    const scrub = page.locator(".scrub"), last = String(fixtures.slider_crank().scene.frames.count - 1);
    await page.locator(".stage").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await scrub.inputValue(), "1");
    await page.keyboard.press("End");
    assert.equal(await scrub.inputValue(), last);
    assert.match(await page.locator("[aria-live=polite]").textContent(), /^t 3 s; O at x 0 m, y 0 m; A at/);
    await page.keyboard.press("Home");
    assert.equal(await scrub.inputValue(), "0");
    await page.keyboard.press(" ");
    assert.equal(await page.locator(".play").getAttribute("aria-label"), "Pause");
    await context.close();
  });

  const live_values = (page) => page.evaluate(() => ({
    x: Number(document.querySelector("[data-value-of='q/x']").dataset.value),
    energy: Number(document.querySelector("[data-value-of='energy/total']").dataset.value),
    gap: document.querySelector("[data-value-of='balance/energy']").dataset.value,
    least: JSON.parse(document.querySelector("[data-series*='q/x']").dataset.min)[0],
    block: document.querySelector(".stage [data-kind=block]").getAttribute("d"),
    banner: document.querySelector(".live-banner").checkVisibility() ? document.querySelector(".live-banner").textContent : "",
  }));
  const scrub_to = (page, which) => page.locator(".scrub").evaluate((scrub, k) => {
    scrub.value = String(k);
    scrub.dispatchEvent(new Event("input"));
  }, which);

  // Oracle: cos(√(k/m) t). The page's own steps and error control are tested too: the fixture gives only one step.
  test("a slider runs the model again, the page says so, and reset brings the stored run back", async () => {
    const { context, page, faults } = await open(browser, file_of("spring"), { reducedMotion: "reduce" });
    await scrub_to(page, 50);
    for (const name of ["q/y", "lambda/guide"])
      assert.equal(await page.locator(`[data-value-of='${name}']`).textContent(), "0", "round-off is no value");
    const stored = await live_values(page);
    assert.equal(stored.banner, "");
    const slider = page.getByRole("slider", { name: "k, stiffness" });
    await slider.focus();
    for (let k = 0; k < 50; ++k) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.documentElement.dataset.live === "yes" && document.querySelector("[data-repeats]"));
    const live = await live_values(page), k = Number(await page.getByRole("textbox", { name: "k, stiffness" }).inputValue());
    assert.equal(k, 18);  // 9·4^(1/2)
    assert.ok(Math.abs(live.x - Math.cos(Math.sqrt(k) * 2)) < 1e-6, `${live.x}`);
    assert.ok(Math.abs(live.energy - k / 2) < 1e-5, `${live.energy}`);
    assert.equal(live.gap, "NaN", "what is not computed anew is a gap");
    assert.notEqual(live.block, stored.block);
    assert.match(live.banner, /^Live – not the stored run\. k = 18 N\/m\./);
    assert.ok(Number(await page.locator("[data-repeats]").getAttribute("data-repeats")) < 1e-6);
    await page.getByRole("button", { name: "Reset", exact: true }).click();
    assert.deepEqual(await live_values(page), stored);
    assert.equal(await page.locator("html").getAttribute("data-live"), null);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a live run that cannot be made says why, and one of a number typed in is of that number", async () => {
    const { context, page } = await open(browser, file_of("spring"), { reducedMotion: "reduce" });
    const box = page.getByRole("textbox", { name: "m: value in kg" });
    await box.fill("-1");
    await box.press("Enter");
    await page.getByText(/It ends at t = 0 s: the mass is singular there\./).waitFor();
    await box.fill("4");
    await box.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.live === "yes" &&
      document.querySelector(".live-banner").textContent.includes("m = 4 kg"));
    await scrub_to(page, 100);
    await page.waitForFunction((x) => Math.abs(document.querySelector("[data-value-of='q/x']").dataset.value - x) < 1e-6,
      Math.cos(1.5 * 4));
    await context.close();
  });

  test("the camera of a spatial scene turns by drag and by buttons", async () => {
    const { context, page } = await open(browser, file_of("spatial"), { reducedMotion: "reduce" });
    const drawn = () => page.locator(".stage [data-kind=disk]").getAttribute("d");
    const first = await drawn(), box = await page.locator(".stage").boundingBox();
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 90, { steps: 4 });
    await page.mouse.up();
    const second = await drawn();
    assert.notEqual(second, first);
    await page.getByRole("button", { name: "Fit" }).click();
    assert.equal(await drawn(), first);
    await page.getByRole("button", { name: "Turn the view to the left" }).click();
    assert.notEqual(await drawn(), first);
    await context.close();
  });

  test("a reaction's arrow leads to its curve and formula", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    const name = (await page.locator(".reaction").getAttribute("aria-label"));
    assert.match(name, /^Reaction pin [\d.]+ N: show its curve$/);
    await page.locator(".reaction").focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".formula .katex").count(), 1);
    const found = await page.waitForSelector(".plot.found"); // the plot itself: it is marked for a moment only
    assert.deepEqual(JSON.parse(await found.getAttribute("data-series")), ["lambda/pin.x", "lambda/pin.y"]);
    await context.close();
  });

  // Oracle: the packed force and places of the pin A and the slider P, projected here.
  test("a reaction is shown in the frame that is chosen", async () => {
    const { context, page, faults } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    const { frames } = fixtures.slider_crank().scene, at = unpack(frames.positions), force = unpack(frames.forces);
    const along = [], across = [], largest = [];
    for (let k = 0; k < frames.count; ++k) {
      const [ax, ay, px, py] = at.slice(10 * k + 2, 10 * k + 6), [fx, fy] = force.slice(2 * k, 2 * k + 2);
      const d = Math.hypot(px - ax, py - ay), e = [(px - ax) / d, (py - ay) / d];
      along.push(e[0] * fx + e[1] * fy), across.push(e[0] * fy - e[1] * fx), largest.push(Math.hypot(fx, fy));
    }
    const shown = () => page.locator(".reaction-frames [data-series]").evaluate(({ dataset }) =>
      ({ min: JSON.parse(dataset.min), max: JSON.parse(dataset.max) }));
    const equal = (a, b) => assert.ok(a.length === b.length && a.every((x, k) => Math.abs(x - b[k]) < 1e-4), `${a}, not ${b}`);
    equal((await shown()).max, [Math.max(...largest)]);
    const frame = page.locator(".reaction-frames select").nth(1);
    assert.deepEqual(await frame.locator("option").allTextContents(),
      ["magnitude", "x, y", "along and across A–O", "along and across A–P"]);
    await frame.selectOption({ label: "along and across A–P" });
    equal((await shown()).min, [Math.min(...along), Math.min(...across)]);
    equal((await shown()).max, [Math.max(...along), Math.max(...across)]);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a click in a plot sets the scene's time", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    const plot = page.locator(".plot[data-series]").first();
    await plot.scrollIntoViewIfNeeded();
    const over = plot.locator(".u-over");
    await over.waitFor();
    const box = await over.boundingBox();
    await over.click({ position: { x: box.width / 2, y: 40 } });
    const middle = Number(await page.locator(".scrub").inputValue());
    assert.ok(Math.abs(middle - 120) <= 1, `instant ${middle} of 240`);
    await context.close();
  });

  test("a run that was stopped says so, also when nobody else did", async () => {
    const { context, page } = await open(browser, file_of("travelling"));
    const first = await page.locator("main > :first-child").textContent();
    assert.match(first, /^Warning: The run was stopped: interrupted at t = 6 s/);
    await context.close();
  });

  test("the camera goes with what travels, and stands where it is asked to", async () => {
    const { context, page } = await open(browser, file_of("travelling"), { reducedMotion: "reduce" });
    const boxes = async (selector) => {
      const box = (one) => page.locator(one).first().boundingBox();
      return { stage: await box(".stage"), part: await box(selector) };
    };
    const at = async (share) => {
      await page.locator(".scrub").evaluate((scrub, s) => {
        scrub.value = String(Math.round(s * Number(scrub.max)));
        scrub.dispatchEvent(new Event("input"));
      }, share);
      return boxes(".stage [data-kind=bar]");
    };
    const follow = page.getByRole("button", { name: "Follow" });
    assert.equal(await follow.getAttribute("aria-pressed"), "true");
    for (const share of [0, 0.5, 1]) {
      const { stage, part } = await at(share);
      const middle = part.x + part.width / 2 - stage.x - stage.width / 2;
      assert.ok(Math.abs(middle) < 0.1 * stage.width, `${middle} px from the middle at ${share}`);
      assert.ok(part.width > 0.25 * stage.width, "it fills the picture");
    }
    // The ground slides under it: the way that has gone by is behind.
    assert.match(await page.locator(".traces").getAttribute("transform"), /^translate\(-\d/);
    await follow.click();
    const start = await at(0), end = await at(1);
    assert.ok(end.part.x - start.part.x > 0.5 * end.stage.width, "it drives through a picture that stands");
    assert.ok(end.part.x + end.part.width <= end.stage.x + end.stage.width, "and stays in it");
    await context.close();
  });

  test("a mechanism on the ground is not followed", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    assert.equal(await page.getByRole("button", { name: "Follow" }).count(), 0);
    await context.close();
  });

  test("a torque is an arrow around its point, the longer the larger it is", async () => {
    const { context, page } = await open(browser, file_of("travelling"), { reducedMotion: "reduce" });
    const length_at = async (index) => {
      await page.locator(".scrub").evaluate((scrub, k) => {
        scrub.value = String(k);
        scrub.dispatchEvent(new Event("input"));
      }, index);
      return page.locator(".forces .s-force").evaluate((path) => path.getTotalLength());
    };
    const small = await length_at(4), large = await length_at(31);  // sin 0.2, sin 1.55
    assert.ok(large > 2 * small, `${small} and ${large} px`);
    assert.match(await page.locator(".forces .s-amount").textContent(), /^motor 1 N·m$/);
    await context.close();
  });

  test("plots are printed as lines, each with its curves", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    await page.pdf({ format: "A4" });
    await page.emulateMedia({ media: "print" });
    const wrong = await page.evaluate(() => [...document.querySelectorAll(".plot[data-series]")].filter((plot) => {
      const drawn = [...plot.querySelectorAll(".printed .printed-curve")].filter((path) => path.getTotalLength() > 0);
      const seen = (one) => plot.querySelector(one).checkVisibility();
      return drawn.length !== JSON.parse(plot.dataset.series).length || seen(".canvas") || !seen(".printed");
    }).length);
    assert.equal(wrong, 0);
    assert.ok(await page.locator(".printed").count() > 3);
    await context.close();
  });

  test("equations are copied as LaTeX and as MathML", async () => {
    const { context, page } = await open(browser, file_of("travelling"));
    await page.evaluate(() => {
      const value = { writeText: async (text) => { window.copied = text; } };
      Object.defineProperty(navigator, "clipboard", { value });
    });
    await page.getByRole("button", { name: "Copy LaTeX" }).first().click();
    assert.equal(await page.evaluate(() => window.copied), "T = \\frac{1}{2} m \\dot{x}^{2}");
    await page.getByRole("button", { name: "MathML" }).first().click();
    const copied = await page.evaluate(() => window.copied);
    assert.match(copied, /^<math xmlns="http:\/\/www\.w3\.org\/1998\/Math\/MathML"/);
    assert.match(copied, /<mfrac>/);
    await page.getByRole("button", { name: "Copy all as text" }).click();
    assert.equal(await page.evaluate(() => window.copied), "T = 1/2*m*x'^2\n");
    await context.close();
  });

  test("downloaded data are the packed ones", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"));
    const [download] = await Promise.all([
      page.waitForEvent("download"), page.getByRole("button", { name: "Download data" }).click(),
    ]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
    const { series } = fixtures.slider_crank();
    assert.equal(lines[0], ["time", ...series.columns.map(({ name }) => name)].join(","));
    const row = lines[6].split(","), columns = [series.time, ...series.columns.map(({ data }) => data)].map(unpack);
    columns.forEach((values, k) => {
      const value = row[k] === "" ? NaN : Math.fround(Number(row[k]));
      assert.ok(Object.is(value, values[5]), `column ${k}: ${row[k]}, not ${values[5]}`);
    });
    await context.close();
  });

  test("long equations are typeset in pieces", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"));
    const blocks = page.locator("#equation-terms .display");
    assert.deepEqual([await blocks.count(), await blocks.locator(".katex").count()], [3, 3]);
    assert.equal(await page.locator(".katex-error, .as-written").count(), 0);
    await context.close();
  });

  // The page knows nothing of fonts that are not in it: their letters are as high as those of the font that is.
  test("letters of every font are typeset", async () => {
    const fonts = ["mathrm", "mathbf", "mathit", "boldsymbol", "mathbb", "mathcal", "mathfrak", "mathscr", "mathsf", "mathtt", "textbf", "textit", "textsf", "texttt"];
    const document = fixtures.slider_crank(), [block] = document.equations;
    block.latex = fonts.map((font) => `\\${font}{A}_1 = \\frac{\\${font}{M}}{2}`);
    writeFileSync(file_of("fonts"), filled(document));
    const { context, page, faults } = await open(browser, file_of("fonts"));
    await page.evaluate(() => { dispatchEvent(new Event("beforeprint")); });
    const formulas = page.locator(`#equation-${block.id} .display`);
    assert.deepEqual([await formulas.count(), await formulas.locator(".katex").count()], [fonts.length, fonts.length]);
    assert.equal(await page.locator(".katex-error, .as-written").count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("the notices of what is inside are shown", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"));
    const text = await page.locator("details.licences").textContent();
    for (const words of ["KaTeX", "uPlot", "Permission is hereby granted", "SIL OPEN FONT LICENSE"]) assert.ok(text.includes(words), words);
    await context.close();
  });

  test("without JavaScript the still picture is shown", async () => {
    const file = file_of("still");
    writeFileSync(file, filled(fixtures.slider_crank(), '<svg xmlns="http://www.w3.org/2000/svg" id="given"></svg>'));
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    assert.equal(await page.locator("#still #given").count(), 1);
    await context.close();
  });
});
