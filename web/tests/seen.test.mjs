// SPDX-License-Identifier: Apache-2.0
// What is seen on a page, in a real browser: arrows and their scale, events on the time line, what is folded, phones, the wheel.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, no_browser } from "./browser.mjs";
import { open } from "./check_page.mjs";
import { fixtures } from "./fixtures.mjs";
import { kPhone, looks } from "./looks.mjs";
import { filled, pack, unpack } from "./page.mjs";

describe("what is seen", { skip: no_browser }, () => {
  let browser, folder;
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "report-seen-"));
  });
  after(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });
  const open_document = (name, document, options = {}) => {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, filled(document));
    return open(browser, file, { reducedMotion: "reduce", ...options });
  };
  const file_of = (name) => {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, filled(fixtures[name]()));
    return file;
  };

  test("nothing that a reader would stumble over", async () => {
    for (const name of ["slider_crank", "without_scene"]) {
      const { context, page } = await open(browser, file_of(name), { reducedMotion: "reduce" });
      for (const [what, list] of Object.entries(await looks(page))) assert.deepEqual(list, [], `${name}: ${what}`);
      await context.close();
    }
  });

  // So that the counting is known to count.
  test("what a reader would stumble over is found", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    await page.evaluate(() => {
      const add = (html) => document.getElementById("main").insertAdjacentHTML("beforeend", html);
      add("<p>\\frac{1}{2} and −0.00</p><p style='width: 3rem; overflow-wrap: anywhere'>Antidisestablish</p>");
      add("<table style='table-layout: fixed; width: 60px; min-width: 0'><tr><td style='white-space: nowrap'>much wider than its cell</td></tr></table>");
      add("<div style='width: 2000px'>wide</div><div class='scrolling'><div style='width: 3000px'>wide</div></div>");
      add("<svg width='200' height='50' viewBox='0 0 400 100'><text y='50' font-size='14'>small</text></svg>");
      const text = document.querySelector(".stage text[data-kind=label]");
      for (const x of [50, 52, -30]) {
        const other = text.cloneNode(true);
        Object.entries({ x, y: 60 }).forEach(([name, value]) => other.setAttribute(name, value));
        other.style.display = "";
        text.parentElement.append(other);
      }
    });
    for (const [what, list] of Object.entries(await looks(page))) assert.notEqual(list.length, 0, what);
    await context.close();
  });

  // One blow of a hundred times the usual load: by the largest load all other arrows would be a pixel long.
  test("usual loads have long arrows, a blow is cut and marked, and a scale arrow says how long a load is", async () => {
    const document = fixtures.slider_crank(), { frames, forces, space } = document.scene, values = unpack(frames.forces);
    const which = forces.findIndex(({ turns }) => !turns), each = forces.length * space;
    for (let k = 0; k < frames.count; ++k) values.set([k === 7 ? 1000 : 10, 0], k * each + which * space);
    frames.forces = pack(values);
    const { context, page, faults } = await open_document("blow", document);
    const scrub_to = (k) => page.locator(".scrub").evaluate((scrub, value) => {
      scrub.value = String(value);
      scrub.dispatchEvent(new Event("input"));
    }, k);
    const long = () => page.evaluate(() => {
      const [, x, , to] = /^M([-\d.]+) ([-\d.]+)L([-\d.]+)/.exec(document.querySelector(".reaction .s-force").getAttribute("d"));
      return Number(to) - Number(x);
    });
    const cut = () => page.locator(".reaction.cut").count();
    await scrub_to(3);
    assert.ok(Math.abs(await long() - 0.8 * 74) < 0.2, "10 N of 12.5 N, on a screen that is not narrow");
    assert.equal(await cut(), 0);
    assert.match(await page.locator(".scale-arrow").textContent(), /10 N.*more, up to 1000 N/);
    await scrub_to(7);
    assert.ok(Math.abs(await long() - 74) < 0.2);
    assert.equal(await cut(), 1);
    assert.match(await page.locator(".reaction").getAttribute("aria-label"), /its arrow is cut: show its curve$/);
    await page.locator("[data-layer=log]").click();
    assert.equal(await cut(), 0);
    await scrub_to(3);
    assert.ok(Math.abs(await long() - 74 * Math.log(11) / Math.log(1001)) < 0.2);
    assert.match(await page.locator(".scale-arrow").textContent(), /1000 N \(log\)/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a force with two ends has an arrow at each, against each other", async () => {
    const document = fixtures.slider_crank(), pin = document.scene.forces.find(({ turns }) => !turns);
    pin.opposite = 2;
    const { context, page, faults } = await open_document("two-ends", document);
    const [one, other, rest] = await page.locator(".reaction .s-force").evaluate((line) =>
      [...line.getAttribute("d").matchAll(/M([-\d.]+) ([-\d.]+)L([-\d.]+) ([-\d.]+)(?!L|[-\d.])/g)].map((found) => found.slice(1).map(Number)));
    assert.equal(rest, undefined);
    for (const k of [0, 1]) {
      assert.ok(Math.abs(one[k + 2] - one[k] + (other[k + 2] - other[k])) < 0.3);
      assert.ok(one[k] !== other[k] || k === 1, "they begin at two points");
    }
    assert.equal(await page.locator(".s-amount").count(), document.scene.forces.length, "with one number");
    assert.deepEqual(faults, []);
    await context.close();
  });

  // 1e-16 N beside an energy of 0.1 J and more: no scale of forces is that of round-off.
  test("a force that is round-off all along has no arrow", async () => {
    const document = fixtures.slider_crank(), { frames } = document.scene, size = 1e-16;
    frames.forces = pack(unpack(frames.forces).map((value) => size * Math.sign(value)));
    for (const column of document.series.columns)
      if (column.name.startsWith("lambda/")) column.data = pack(unpack(column.data).map((value) => size * Math.sign(value)));
    const { context, page, faults } = await open_document("round-off", document);
    assert.equal(await page.locator(".reaction").evaluateAll((all) => all.filter((one) => one.style.display !== "none").length), 0);
    assert.doesNotMatch(await page.locator(".stage").textContent(), /e−1\d/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("events are marks on the bar of the time, and lines with a legend in the plots", async () => {
    const document = fixtures.slider_crank();
    document.run.events = [{ name: "dead centre", t: 0.75 }, { name: "ground impact", t: 1.5 }, { name: "dead centre", t: 2.25 }];
    const { context, page } = await open_document("events", document);
    const marks = await page.locator(".scrub-marks span").evaluateAll((all) => all.map((one) => [one.title, one.style.left]));
    assert.deepEqual(marks, [["dead centre at 0.75 s", "25%"], ["ground impact at 1.5 s", "50%"], ["dead centre at 2.25 s", "75%"]]);
    const legend = page.locator(".plot .event-legend").first();
    assert.match(await legend.textContent(), /^dead centre \(2 times\), ground impact$/);
    // The cursor of a plot is at an event.
    await page.locator(".plot").first().scrollIntoViewIfNeeded();
    const over = page.locator(".plot .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.waitForFunction(() => document.querySelector(".event-here").textContent !== "");
    assert.match(await legend.textContent(), /here: ground impact at 1.5 s$/);
    await context.close();
  });

  test("of fewer than 100 rows each is a dot on a thin line, of more none is", async () => {
    for (const [name, dots] of [["thousand_bodies", 61], ["slider_crank", 0]]) {
      const { context, page } = await open_document(`rows-${name}`, fixtures[name]());
      await page.pdf({ format: "A4" });
      const drawn = await page.locator(".printed").evaluateAll((plots) => plots.map((plot) => ({
        dots: [...plot.querySelectorAll(".row-marks")].map((one) => one.getAttribute("d").split("h0").length - 1),
        curves: plot.querySelectorAll(".printed-curve").length, thin: plot.querySelectorAll(".printed-curve.thin-line").length,
      })));
      assert.ok(drawn.length > 1);
      for (const plot of drawn) {
        assert.deepEqual(plot.dots, dots === 0 ? [] : Array(plot.curves).fill(dots));
        assert.equal(plot.thin, dots === 0 ? 0 : plot.curves);
      }
      await context.close();
    }
  });

  test("a page without events has no marks", async () => {
    const { context, page } = await open(browser, file_of("spatial"), { reducedMotion: "reduce" });
    assert.equal(await page.locator(".scrub-marks, .event-legend").count(), 0);
    await context.close();
  });

  test("long equations wait, folded, until they are opened", async () => {
    const document = fixtures.slider_crank(), long = Array(200).fill("\\frac{a}{b}").join(" + ");
    document.equations[0].latex = [long];
    const { context, page } = await open_document("long", document);
    const block = page.locator(".equation").first();
    assert.equal(await block.locator(".katex").count() - await block.locator("h3 .katex").count(), 0);
    await block.locator("summary").click();
    await block.locator(".display .katex").waitFor();
    assert.equal(await page.locator(".as-written").count(), 0);
    await context.close();
  });

  // By what they show, not by how long their LaTeX is: \\sin is as wide as three letters, \\alpha as one. The first is the upper arm of a robot.
  test("formulas of cells are folded where they are wide", async () => {
    const document = fixtures.slider_crank(), arm = (i) => `a_{2} \\${i} q_{1} \\cos q_{2} + (0.11336 \\sin q_{1} + 0.2125 \\cos q_{1} \\cos q_{2})`;
    const turned = "\\cos\\!\\left(\\frac{2}{3} \\pi\\right)", short = Array(5).fill(`\\alpha_{2} ${turned}`).join(" + ");
    const long = `\\left(${arm("cos")},\\ ${arm("sin")},\\ d_{1} + 0.2125 \\sin q_{2} + a_{2} \\sin q_{2}\\right)`;
    assert.ok(short.length > 0.9 * long.length && long.length < 280);
    document.bodies = [long, short].map((position, k) => ({ name: `arm${k}`, mass: "m", inertia: "", position, angle: "" }));
    const { context, page } = await open_document("cells", document);
    assert.deepEqual(await page.evaluate(() => [...globalThis.document.querySelectorAll("[aria-label=Bodies] tbody tr")].map((row) => row.querySelectorAll(".fold").length)), [1, 0]);
    await context.close();
  });

  // What scrolls is reached by the keyboard, and has a name without formulas, of its own.
  test("wide equations are reached by keyboard, in tables, too, and are named in words", async () => {
    const document = fixtures.slider_crank(), long = Array(200).fill("\\frac{a}{b}").join(" + ");
    Object.assign(document.equations[0], { title: "Names: $\\mathbf{P}$, and more", latex: [long, long] });
    document.bodies = [{ name: "rod", mass: "m", inertia: "", position: long, angle: "" }];
    const { context, page } = await open_document("wide", document);
    for (const summary of await page.locator("td summary, .equation summary").all()) await summary.click();
    await page.waitForFunction(() => globalThis.document.querySelectorAll(".fold .display[tabindex='0'] .katex").length >= 3);
    assert.deepEqual(await page.evaluate(() => [...globalThis.document.querySelectorAll(".fold .display")].map((one) => one.ariaLabel)),
      ["Centre of mass", "Equation: Names, part 1", "Equation: Names, part 2"]);
    await context.close();
  });

  test("what is zero all along is a line, not a panel", async () => {
    const document = fixtures.slider_crank(), column = document.series.columns.find(({ name }) => name.startsWith("q/"));
    column.data = pack(new Float32Array(unpack(column.data).length));
    const { context, page } = await open_document("zeros", document);
    const said = page.locator(".zeros[data-series*='" + column.name + "']");
    assert.match(await said.textContent(), /^Coordinates: .* is zero all along\.$/);
    assert.equal(await page.locator(`figure.plot[data-series*='"${column.name}"']`).count(), 0);
    await context.close();
  });

  test("gaps, contacts and rates of quasi-velocities have panels of their names", async () => {
    const document = fixtures.slider_crank(), [first] = document.series.columns;
    for (const [name, unit] of [["gap/wall", "m"], ["contact/wall", ""], ["vdot/top.omega.x", "rad/s^2"]])
      document.series.columns.push({ ...first, name, unit, latex: "x" });
    const { context, page } = await open_document("panels", document);
    const title = (name) => page.locator(`figure.plot[data-series*='"${name}"'] h3`).textContent();
    assert.match(await title("gap/wall"), /^Gaps/);
    assert.match(await title("contact/wall"), /^Contacts: 1 where closed/);
    assert.match(await title("vdot/top.omega.x"), /^Accelerations/);
    await context.close();
  });

  // Of a page between its margins. Each test of a long formula is one that would be cut; the small scene has buttons, paper has none.
  test("on paper tables and folded formulas fit, and the small scene has no buttons", async () => {
    const document = fixtures.slider_crank(), product = (n) => Array(n).fill("\\frac{a}{b}").join(" ");
    document.bodies = ["rod", "crank"].map((name, k) => ({ name, mass: product(20), inertia: product(20), position: product(k === 0 ? 20 : 90), angle: "" }));
    const { context, page } = await open_document("paper", document);
    await page.locator("#reactions h2").evaluate((one) => one.scrollIntoView());
    await page.locator(".stage-frame.pinned").waitFor();
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 680, height: 1000 });
    assert.equal(await page.locator(".mini-tools").isVisible(), false);
    const ends = await page.evaluate(() => [...globalThis.document.querySelectorAll("table, td .katex-html, .display .katex-html > *")]
      .filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().right));
    assert.ok(ends.length > 10 && Math.max(...ends) < 681, `${Math.max(...ends)} px of 680`);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("[style*=zoom]").count(), 0);
    await context.close();
  });

  test("on a phone the mechanism is seen before what is said about it", async () => {
    const document = { ...fixtures.slider_crank(), description: "Many words. ".repeat(60) };
    const { context, page } = await open_document("phone", document, { viewport: kPhone });
    const top = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().top + scrollY);
    const stage = await page.locator(".stage").boundingBox();
    assert.ok(stage.y + stage.height < kPhone.height, "the whole scene is on the first screen");
    assert.ok(await top(".about") > await top(".stage"));
    await page.setViewportSize({ width: 1280, height: 900 });
    assert.ok(await top(".about") < await top(".stage"), "elsewhere it is below the title");
    await context.close();
  });

  // A point that jumps 100 times from one side to the other, and one that swings twice: 100 and 4 times the width.
  test("of a path that goes over the same place again and again the last part is drawn", async () => {
    for (const [turns, often] of [[80, true], [2, false]]) {
      const document = fixtures.spring(), { frames } = document.scene, positions = unpack(frames.positions), last = frames.count - 1;
      for (let k = 0; k <= last; ++k) positions[4 * k + 2] = turns > 50 ? (k % 2 === 0 ? 1 : -1) : Math.cos(2 * Math.PI * turns * k / last);
      frames.positions = pack(positions);
      const { context, page } = await open_document(`often-${turns}`, document);
      await page.locator(".scrub").evaluate((scrub) => {
        scrub.value = scrub.max;
        scrub.dispatchEvent(new Event("input"));
      });
      const { whole, from, shown, wide } = await page.evaluate(() => {
        const past = globalThis.document.querySelector(".s-past"), [, before, dash] = past.getAttribute("stroke-dasharray").split(" ").map(Number);
        return { whole: globalThis.document.querySelector("[data-kind=trace]").getAttribute("d"), from: before, shown: dash, wide: past.getBBox().width };
      });
      assert.equal(whole === "", often);
      assert.ok(often ? Math.abs(shown / wide - 6) < 0.1 && Math.abs(from / wide - 94) < 0.5 : from === 0 && Math.abs(shown / wide - 4) < 0.1, `${from} ${shown} ${wide}`);
      await context.close();
    }
  });

  // The ground is as wide as it likes: what moves is what must be seen. Of a disc on a tilting axle, over its motion.
  test("what moves in space fills its frame, on phones in its height, too", async () => {
    const document = fixtures.spatial(), { context, page } = await open_document("filled", document);
    for (const size of [{ width: 1280, height: 900 }, kPhone]) {
      await page.setViewportSize(size);
      await page.waitForTimeout(100);
      const { share, high, wide } = await page.evaluate(() => {
        const stage = globalThis.document.querySelector(".stage svg"), frame = stage.getBoundingClientRect(), scrub = globalThis.document.querySelector(".scrub");
        const box = [Infinity, Infinity, -Infinity, -Infinity];
        for (let k = 0; k <= 20; ++k) {
          scrub.value = String(Math.round(k / 20 * Number(scrub.max)));
          scrub.dispatchEvent(new Event("input"));
          for (const part of stage.querySelectorAll("[data-kind=disk], [data-kind=bar], [data-kind=ellipsoid], [data-kind=rail]")) {
            const { left, top, right, bottom } = part.getBoundingClientRect();
            box[0] = Math.min(box[0], left), box[1] = Math.min(box[1], top), box[2] = Math.max(box[2], right), box[3] = Math.max(box[3], bottom);
          }
        }
        return { share: Math.max((box[2] - box[0]) / frame.width, (box[3] - box[1]) / frame.height), high: frame.height, wide: frame.width };
      });
      assert.ok(share > 0.72, `${share} of the frame, ${size.width} px`);
      if (size === kPhone) assert.ok(high > 0.8 * wide && high <= wide, `${high} px, ${wide} px wide`);
    }
    await context.close();
  });

  test("the tools stand beside a short title and below a long one; a description flows, and keeps its paragraphs", async () => {
    const description = "Lines of a model file\nend where its writer's\npage does.\n\nThis is another paragraph\n  - and a list.";
    const document = { ...fixtures.slider_crank(), description }, { context, page } = await open_document("top", document);
    const box = (selector) => page.locator(selector).boundingBox();
    const title = await box("h1"), tools = await box(".header-tools");
    assert.ok(tools.y < title.y + title.height && tools.x > title.x + title.width, "beside the title");
    assert.equal(await page.locator(".description").innerText(),
      "Lines of a model file end where its writer's page does.\n\nThis is another paragraph\n- and a list.");
    await context.close();
    const long = await open_document("long-top", { ...document, title: "a name of many words ".repeat(9) });
    const [above, below] = [await long.page.locator("h1").boundingBox(), await long.page.locator(".header-tools").boundingBox()];
    assert.ok(below.y >= above.y + above.height, "below the title");
    await long.context.close();
  });

  test("the wheel scrolls the page over the scene, and zooms after a click or with Ctrl", async () => {
    const { context, page } = await open(browser, file_of("slider_crank"), { reducedMotion: "reduce" });
    const drawn = () => page.locator(".stage [data-kind=block]").first().getAttribute("d");
    const box = await page.locator(".stage").boundingBox(), first = await drawn();
    await page.locator(".stage").focus();  // by the keyboard: the wheel is still the page's
    await page.mouse.move(box.x + 30, box.y + 30);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction(() => scrollY > 0);
    assert.equal(await drawn(), first);
    await page.evaluate(() => scrollTo(0, 0));
    await page.mouse.click(box.x + 30, box.y + 30);
    await page.mouse.wheel(0, -120);
    await page.waitForFunction((was) => document.querySelector(".stage [data-kind=block]").getAttribute("d") !== was, first);
    assert.equal(await page.evaluate(() => scrollY), 0);
    const second = await drawn();
    await page.mouse.move(5, 5);
    await page.mouse.move(box.x + 30, box.y + 30);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction(() => scrollY > 0);
    assert.equal(await drawn(), second, "the pointer has left since");
    await context.close();
  });
});
