// SPDX-License-Identifier: Apache-2.0
// Pages that the command wrote, run again with other values: the same as its pages with these values (LIVE_PAGES=FOLDER
// with pairs.json: [{page, link, other}]). And what is in an address.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch, no_browser } from "./browser.mjs";
import { open } from "./check_page.mjs";
import { fixtures } from "./fixtures.mjs";
import { document_of, filled, pack, unpack } from "./page.mjs";

const given = process.env.LIVE_PAGES;
// Of a curve's size: a step of the page has an error of 1e-7 and one of the command 1e-9; along these motions errors grow by at most 1e3.
const kSame = 2e-4;

const live = (page) => page.waitForFunction(() => document.documentElement.dataset.live === "yes" &&
  document.querySelector(".live-verdict").textContent + document.querySelector(".live-said").textContent !== "", null, { timeout: 60_000 });
const scrub = (page, which) => page.locator(".scrub").first().evaluate((one, k) => {
  one.value = String(k);
  one.dispatchEvent(new Event("input"));
}, which);
const values = (page) => page.evaluate(() => Object.fromEntries(
  [...document.querySelectorAll("[data-value-of]")].map(({ dataset }) => [dataset.valueOf, Number(dataset.value)])));

function nearest(times, t) {
  let best = 0;
  for (let i = 1; i < times.length; ++i) if (Math.abs(times[i] - t) < Math.abs(times[best] - t)) best = i;
  return best;
}

describe("live runs", { skip: no_browser }, () => {
  let browser, folder;
  before(async () => {
    browser = await launch();
    folder = mkdtempSync(join(tmpdir(), "live-pages-"));
    for (const name of ["spring", "without_scene"]) writeFileSync(join(folder, `${name}.html`), filled(fixtures[name]()));
  });
  after(async () => {
    await browser?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });
  const file_of = (name) => join(folder, `${name}.html`);
  const opened = (file, link) => open(browser, file, { reducedMotion: "reduce" }, link);

  if (given !== undefined) {
    const { pairs } = JSON.parse(readFileSync(join(given, "pairs.json"), "utf8"));
    for (const { page: name, link, other } of pairs)
      test(`${name} with ${link}`, async () => {
        const { context, page, faults } = await opened(join(given, name), link);
        await live(page);
        assert.equal(await page.locator(".live-faults").isVisible(), false);
        assert.notEqual(await page.locator(".live-banner").getAttribute("data-holds"), "false");
        const report = document_of(readFileSync(join(given, other), "utf8")), time = unpack(report.series.time);
        const instants = report.scene === null ? time : unpack(report.scene.frames.time);
        const columns = report.series.columns.filter((one) => /^[qv]\//.test(one.name)).map(({ name: of, data }) => {
          const all = unpack(data);
          return { of, all, size: all.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9) };
        });
        for (const share of [0, 0.31, 0.77, 1]) {
          const which = Math.round(share * (instants.length - 1)), row = nearest(time, instants[which]);
          await scrub(page, which);
          const shown = await values(page), at = Number(await page.locator("[data-time]").first().getAttribute("data-time"));
          assert.ok(Math.abs(at - time[row]) < 1e-6 * time[time.length - 1], `the same instants: ${at}, not ${time[row]}`);
          for (const { of, all, size } of columns) {
            const off = Math.abs(shown[of] - all[row]) / size;
            assert.ok(off < kSame, `${of} at instant ${which}: ${shown[of]}, not ${all[row]}`);
          }
        }
        assert.deepEqual(faults, []);
        await context.close();
      });
    // The command refuses the same values with the same words (E0285, E0302).
    for (const [name, link, words] of [
      ["bouncing-ball", "p.e=2", "There is no run: the restitution of `ground` is 2, not in [0, 1]."],
      ["bouncing-ball", "q.y=-1", "There is no start: a contact would begin below 0 (ground by 1.1 m)."],
      ["block-on-belt", "p.mu=-1", "There is no run: the coefficient of the friction `belt_friction` is -1."],
      ["block-on-belt", "p.mu=0.7", "There is no run: the friction `belt_friction` sticks with a coefficient of 0.5 and slides with one of 0.7."],
    ])
      test(`${name} with ${link} does not run`, async () => {
        const { context, page, faults } = await opened(join(given, `${name}-page.html`), `#values:${link}`);
        await page.getByText(words).waitFor();
        assert.deepEqual(faults, []);
        await context.close();
      });

    test("an input is a formula of t, which the address keeps; a wrong one is told", async () => {
      const { context, page, faults } = await opened(join(given, "slider-crank-page.html"), "");
      await page.getByText("Inputs", { exact: true }).click();
      const box = page.getByRole("textbox", { name: "f: value or formula of t in N" });
      await box.fill("2*sin(3*t");
      await box.press("Enter");
      assert.match(await page.locator(".live-faults").textContent(), /“2\*sin\(3\*t” is no number and no formula of t: a bracket is not closed\. f stays as stated\./);
      await box.fill("2*sin(3*t)");
      await box.press("Enter");
      await live(page);
      await scrub(page, 100);
      const shown = await values(page), t = Number(await page.locator("[data-time]").first().getAttribute("data-time"));
      assert.ok(Math.abs(shown["u/f"] - 2 * Math.sin(3 * t)) < 1e-6, JSON.stringify(shown));
      assert.match(await page.locator(".live-banner").textContent(), /f = 2\*sin\(3\*t\) N/);
      assert.equal(await page.locator(".live-banner").getAttribute("data-holds"), "true");
      const again = await opened(join(given, "slider-crank-page.html"), new URL(page.url()).hash);
      await live(again.page);
      await scrub(again.page, 100);
      assert.equal((await values(again.page))["q/x"], shown["q/x"]);
      await again.context.close();
      await box.fill("");
      await box.press("Enter");
      assert.equal(new URL(page.url()).hash, "");
      assert.deepEqual(faults, []);
      await context.close();
    });
    // Its energy is a function of y and y' alone: between impacts it keeps it.
    test("with impacts the energy is judged between them", async () => {
      const { context, page, faults } = await opened(join(given, "bouncing-ball-page.html"), "#values:p.e=0.6");
      await live(page);
      const words = await page.locator(".live-verdict").textContent();
      const found = /^Its checks hold: .*energy off by (\S+) of its size, between impacts and events \((\d+(?:\.\d)?) % of the time\)\.$/.exec(words);
      assert.ok(found !== null, words);
      assert.doesNotMatch(await page.locator(".live-more").textContent(), /not looked for/);
      assert.ok(Number(found[1].replace("−", "-")) < 1e-9 && Number(found[2]) > 80 && Number(found[2]) < 100, words);
      assert.deepEqual(faults, []);
      await context.close();
    });
    // It sticks and slips, which no step of a page ends at: the power of friction jumps within steps, which must be short there.
    test("where friction jumps the energy is judged right", async () => {
      const { context, page, faults } = await opened(join(given, "block-on-belt-page.html"), "#values:p.m=1.2");
      await live(page);
      const words = await page.locator(".live-verdict").textContent();
      const found = /^Its checks hold: .*energy off by (\S+) of its size/.exec(words);
      assert.ok(found !== null && Number(found[1].replace("−", "-")) < 1e-4, words);
      assert.deepEqual(faults, []);
      await context.close();
    });
    // The rod is level: the bob cannot move along it.
    test("velocities that contradict the constraints are blamed, not the positions", async () => {
      const { context, page, faults } = await opened(join(given, "cartesian-pendulum-page.html"), "#values:v.x'=0.1");
      await page.waitForFunction(() => document.querySelector(".live-said")?.textContent.includes("no consistent start"), null, { timeout: 20_000 });
      assert.match(await page.locator(".live-said").textContent(), /with the velocities that are held no others satisfy the constraints/);
      assert.deepEqual(faults, []);
      await context.close();
    });
    // A bilateral row that bends, one-sided ones that jump: no law says how the motion goes on, and the page does not go on.
    for (const name of ["bent", "saw"])
      test(`where a constraint breaks a run ends: ${name}`, async () => {
        const { context, page, faults } = await opened(join(given, `${name}.html`), "#values:p.m=0.7");
        await live(page);
        const said = await page.locator(".live-said").textContent(), end = /It ends at t = (\S+) s: the motion would have to jump there/.exec(said);
        assert.ok(end !== null && Math.abs(Number(end[1]) - 0.3) < 1e-3, said);
        assert.deepEqual(faults, []);
        await context.close();
      });
    // The page takes degrees, the address and the model's code radians.
    test("in degrees a start is typed and told in degrees, and is the same run", async () => {
      const file = join(given, "slider-crank-page.html"), { context, page, faults } = await opened(file, "#values:angles=deg");
      await page.getByText("Start", { exact: true }).click();
      const box = page.getByRole("textbox", { name: "theta at the start: value in deg" });
      await box.fill("30");
      await box.press("Enter");
      await live(page);
      assert.ok(Math.abs((await values(page))["q/theta"] - 30) < 1e-5);
      assert.match(await page.locator(".live-banner").textContent(), /theta = 30 deg/);
      const address = new URL(page.url()).hash;
      assert.match(address, /^#values:q\.theta=0\.523598775598\d*&angles=deg$/);
      await page.getByLabel("Angles").selectOption("rad");
      assert.match(await page.locator(".live-banner").textContent(), /theta = 0\.5236 rad/);
      assert.ok(Math.abs((await values(page))["q/theta"] - Math.PI / 6) < 1e-6);
      assert.equal(await box.count(), 0, "the box is named by its unit");
      assert.deepEqual(faults, []);
      await context.close();
    });
    // Oracle: L1 sin(theta) = L2 sin(phi).
    test("of a start what is held stays, what is free follows, and what contradicts itself is told", async () => {
      const file = join(given, "slider-crank-page.html"), { context, page } = await opened(file, "#values:q.phi=3&free:q.theta");
      await live(page);
      const start = await values(page);
      assert.ok(Math.abs(start["q/phi"] - 3) < 1e-6 && Math.abs(start["q/theta"] - Math.asin(0.35 * Math.sin(3) / 0.15)) < 1e-6, JSON.stringify(start));
      await page.getByText("Start", { exact: true }).click();
      const theta = page.locator(".live-row[data-kind=coordinate][data-name=theta] .live-held");
      assert.equal(await theta.textContent(), "free");
      await theta.click();
      await page.getByText("There is no consistent start: no state on the constraints is near.").waitFor();
      assert.match(page.url(), /#values:q\.phi=3&hold:q\.phi$/);
      await page.getByRole("link", { name: "Quality" }).click();
      await page.waitForFunction(() => location.hash.startsWith("#values:"), null, { timeout: 5000 });
      await context.close();
    });
    return;
  }

  // Oracle: x = x0 cos(ωt) + v0/ω sin(ωt), ω = 3 rad/s.
  test("the start and the end can be changed, by the boxes and by the address", async () => {
    const { context, page, faults } = await opened(file_of("spring"), "");
    await page.getByText("Start", { exact: true }).click();
    const box = page.getByRole("textbox", { name: "x' at the start: value in m/s" });
    await box.fill("6");
    await box.press("Enter");
    await live(page);
    await page.getByText("End", { exact: true }).click();
    const end = page.getByRole("textbox", { name: "until, end of the run" });
    await end.fill("8");
    await end.press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.live === "yes" &&
      document.querySelector(".time").textContent !== "" && document.querySelector(".live-banner").textContent.includes("until = 8 s"));
    await scrub(page, 100);
    assert.match(await page.locator(".time").first().textContent(), /t = 8\./);
    const x = (await values(page))["q/x"], wanted = Math.cos(24) + 2 * Math.sin(24);
    assert.ok(Math.abs(x - wanted) < 1e-5, `${x}, not ${wanted}`);
    const address = page.url();
    assert.match(address, /#values:v\.x'=6&t\.until=8$/);
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download data" }).click()]);
    assert.equal(file.suggestedFilename(), "spring-live.csv");
    const again = await opened(file_of("spring"), new URL(address).hash);
    await live(again.page);
    await scrub(again.page, 100);
    assert.equal((await values(again.page))["q/x"], x);
    await again.page.getByRole("button", { name: "Reset", exact: true }).click();
    assert.equal(new URL(again.page.url()).hash, "");
    assert.match(await again.page.locator(".time").first().textContent(), /t = 4\./);
    assert.deepEqual([...faults, ...again.faults], []);
    await again.context.close();
    await context.close();
  });

  test("addresses that make no sense are not followed, and the page says so", async () => {
    const cases = [
      ["#values:p.k=NaN", /sets “p\.k” to “NaN”, which is no finite number/],
      ["#values:p.k=1e999", /which is no finite number/],
      ["#values:p.k=", /which is no finite number/],
      ["#values:p.nobody=1&p.__proto__=2", /names “p\.nobody”.*names “p\.__proto__”/],
      ["#values:p.%3Cimg src=x onerror=broken=1%3E=1", /which this page does not have/],
      ["#values:%E0%A4%A", /which this page does not have/],
      ["#values:t.until=-3", /ends the run at “-3” s, where it begins/],
      [`#values:${"p.k=2&".repeat(170_000)}`, /has 10200\d\d characters after #, more than 20000/],
    ];
    for (const [link, words] of cases) {
      const { context, page, faults } = await opened(file_of("spring"), link);
      await page.locator(".live-faults").waitFor();
      assert.match(await page.locator(".live-faults").textContent(), words);
      assert.equal(await page.locator(".live-banner").isVisible(), false, link.slice(0, 40));
      assert.deepEqual(faults, []);
      await context.close();
    }
    // What is right beside it is followed, also where someone escaped it.
    const { context, page } = await opened(file_of("spring"), "#values:%70.k=18&p.q=1&v.x%27=0.5&hold%3Av.x%27");
    await live(page);
    assert.match(await page.locator(".live-banner").textContent(), /k = 18 N\/m, x' = 0\.5 m\/s\./);
    assert.match(await page.locator(".live-faults").textContent(), /names “p\.q”/);
    await context.close();
  });

  test("what is typed and is no number is told, and not taken", async () => {
    const { context, page } = await opened(file_of("spring"), "");
    const box = page.getByRole("textbox", { name: "k, stiffness" });
    await box.fill("1e999");
    await box.press("Enter");
    const words = page.locator(".live-faults");
    await words.waitFor();
    // Browsers hand such a text on or hide it.
    assert.match(await words.textContent(), /is no finite number: k stays 9 N\/m\.$/);
    assert.equal(await box.inputValue(), "9");
    for (const [typed, why] of [["20 mm", "it must be in N/m, not in m"], ["2*t", "only inputs may depend on t"], ["9 N/", "it ends too early"], ["1/0", "it divides by 0"]]) {
      await box.fill(typed);
      await box.press("Enter");
      assert.equal(await words.textContent(), `“${typed}” is no finite number: ${why}. k stays 9 N/m.`);
      assert.equal(await box.inputValue(), "9");
    }
    await box.fill("(0.018 kN/m)*hypot(3, 4)/5");
    await box.press("Enter");
    await live(page);
    assert.equal(await box.inputValue(), "18");
    assert.equal(await words.isVisible(), false);
    await page.locator(".live-reset").click();
    await page.getByText("End", { exact: true }).click();
    const end = page.getByRole("textbox", { name: "until, end of the run" });
    await end.fill("-1");
    await end.press("Enter");
    assert.match(await words.textContent(), /The run begins at 0 s and must end later: until stays 4 s\./);
    assert.equal(await page.locator(".live-banner").isVisible(), false);
    await context.close();
  });

  test("a page that cannot be run again says why, and that it does not take the address", async () => {
    const document = { ...fixtures.slider_crank(), live: null, live_note: "the output `w` reads an integral" };
    writeFileSync(file_of("none"), filled(document));
    const { context, page } = await opened(file_of("none"), "#values:p.k=2");
    assert.equal(await page.locator(".live-note").textContent(),
      "Values cannot be changed here: the output `w` reads an integral. The values in the address are not taken.");
    await context.close();
  });

  test("masses below 0 are warned of in the words of the command", async () => {
    const { context, page } = await opened(file_of("spring"), "#values:p.m=-1");
    await page.locator(".live-doubts li").waitFor();
    assert.equal(await page.locator(".live-doubts").textContent(), "Warning: the mass `m` is negative: -1 kg");
    await context.close();
  });

  // The mass follows along its rail; from there x = x0 cos(3 t).
  test("a point is dragged to another start, and the run begins there", async () => {
    const { context, page, faults } = await opened(file_of("spring"), "");
    await scrub(page, 30);
    await page.getByRole("button", { name: "Move", exact: true }).click();
    assert.match(await page.locator(".time").first().textContent(), /t = 0\./);
    const handle = page.locator(".s-handle-touch[data-track='1']"), middle = async () => {
      const box = await handle.boundingBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    await page.waitForFunction(() => document.querySelector(".s-handle-touch[data-track='1']").getAttribute("cx") > 0);
    const [x, y] = await middle();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 30, y - 25, { steps: 3 });
    await page.waitForFunction(() => /x = 0\.\d+ m\. It runs from there/.test(document.querySelector(".live-banner").textContent));
    const [there, level] = await middle();
    assert.ok(Math.abs(there - (x - 30)) < 1 && Math.abs(level - y) < 1, `along its rail only: ${there - x} ${level - y}`);
    await page.mouse.up();
    await live(page);
    await page.waitForFunction(() => document.querySelector("[data-repeats]") !== null);
    const start = Number(await page.locator(".live-row[data-kind=coordinate] input").first().inputValue());
    assert.ok(start > 0.3 && start < 0.99, `${start}`);
    await scrub(page, 50);
    const now = (await values(page))["q/x"];
    assert.ok(Math.abs(now - start * Math.cos(6)) < 1e-5, `${now}, not ${start * Math.cos(6)}`);
    assert.match(page.url(), /#values:q\.x=/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  // A point that the code moves by the time alone is where it is, whatever the start may be; the free one beside it is not.
  test("what is prescribed has no handle", async () => {
    const document = fixtures.spring(), { scene, live } = document, { frames } = scene, positions = unpack(frames.positions), all = [];
    scene.tracks.push({ name: "cam", label: false, link: "" });
    for (let k = 0; k < frames.count; ++k) all.push(...positions.subarray(4 * k, 4 * k + 4), 0.5, 0.5 + 0.01 * k);
    frames.positions = pack(all);
    scene.shapes.push({ ...scene.shapes[0], kind: "dot", tracks: [2] });
    live.code = live.code.replace("out.set([0, 0, q[0], 0,", "out.set([0, 0, q[0], 0, 0.5, 0.5 + t / 4,");
    writeFileSync(file_of("prescribed"), filled(document));
    const { context, page, faults } = await opened(file_of("prescribed"), "");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await page.waitForFunction(() => document.querySelector(".s-handle-touch[data-track='1']").getAttribute("cx") > 0);
    assert.equal(await page.locator(".s-handle-touch[data-track='2']").getAttribute("cx"), "-99");
    assert.deepEqual(faults, []);
    await context.close();
  });

  // The spring ends in a point of its own at the ground; of a surface only the line is drawn, and none of its three points is the mechanism's.
  test("what belongs to the ground has no handle", async () => {
    const document = fixtures.spring(), { scene } = document, { frames } = scene, positions = unpack(frames.positions), all = [];
    const nameless = { name: "", label: false, link: "" };
    scene.tracks.push(nameless, nameless, nameless, nameless);
    for (let k = 0; k < frames.count; ++k) {
      const [x0, y0, x, y] = positions.subarray(4 * k, 4 * k + 4);
      all.push(x0, y0, x, y, x0, y0, x, y - 0.1, 0, y - 0.1, 0.3, y - 0.1);
    }
    frames.positions = pack(all);
    scene.shapes.find(({ kind }) => kind === "spring").tracks = [2, 1];
    scene.shapes.push({ ...scene.shapes[0], kind: "surface", tracks: [3, 4, 5] });
    writeFileSync(file_of("ground"), filled(document));
    const { context, page, faults } = await opened(file_of("ground"), "");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    assert.deepEqual(await page.evaluate(() => [...globalThis.document.querySelectorAll(".s-handle-touch")].map(({ dataset }) => dataset.track)), ["1"]);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("a run that takes long shows how far it is, and ends when it is told to", async () => {
    const document = fixtures.spring();
    // Each step takes 20 ms.
    document.live.code = document.live.code.replace("function step(s, t, h, q, v) {",
      "function step(s, t, h, q, v) { const wait = performance.now() + 20; while (performance.now() < wait);");
    writeFileSync(file_of("slow"), filled(document));
    const { context, page, faults } = await opened(file_of("slow"), "#values:p.k=10");
    await page.getByText(/It has come to t = [\d.]+ s; until it is there, what is shown is the run before\./).waitFor();
    await page.locator(".live-stop").click();
    await live(page);
    assert.match(await page.locator(".live-banner").textContent(), /It ends at t = [\d.]+ s: it was stopped\./);
    assert.deepEqual(faults, []);
    await context.close();
  });
});
