// SPDX-License-Identifier: Apache-2.0
// What a reader would stumble over, counted: texts of the scene that lie on each other, on bars or outside its frame, pages that
// are wider than the screen, tables that are wider than a desktop has room for, words that are broken, cells that are cut, formulas as they are written, zeros with a sign, pictures' texts too small to read.

const kInstants = [0, 0.21, 0.37, 0.64, 1];  // shares of the motion
export const kPhone = { width: 390, height: 844 }, kDesktop = { width: 1280, height: 900 };

/** Lists by what is wrong; all empty where nothing is. `own`: texts are the program's or a shipped model's. */
export async function looks(page) {
  const found = { overlaps: [], outside: [], wide: [], sideways: [], broken: [], cut: [], raw: [], zeros: [], small: [] };
  for (const size of [kDesktop, kPhone]) {
    await page.setViewportSize(size);
    await page.waitForTimeout(60);
    await show_layers(page);
    for (const share of kInstants) {
      await scrub_to(page, share);
      const { overlaps, outside } = await page.evaluate(texts_of_scene);
      const at = (one) => `${one} (${size.width} px, ${share} of the motion)`;
      found.overlaps.push(...overlaps.map(at));
      found.outside.push(...outside.map(at));
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > size.width) found.wide.push(`${width} px on a screen of ${size.width} px`);
    if (size === kDesktop) found.sideways.push(...await page.evaluate(wide_tables));
    await page.evaluate(open_all);
    await page.waitForTimeout(60);
    for (const [what, list] of Object.entries(await page.evaluate(texts_of_page))) found[what].push(...list);
    found.small.push(...(await page.evaluate(small_texts)).map((one) => `${one} (${size.width} px)`));
    const opened = await page.evaluate(() => document.documentElement.scrollWidth);
    if (opened > size.width) found.wide.push(`${opened} px when everything is opened, on a screen of ${size.width} px`);
  }
  await page.setViewportSize(kDesktop);
  return found;
}

async function show_layers(page) {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll("[data-layer=forces], [data-layer=labels]"))
      if (one.getAttribute("aria-pressed") !== "true") one.click();
  });
}

async function scrub_to(page, share) {
  await page.evaluate((where) => {
    const scrub = document.querySelector(".scrub");
    if (scrub === null) return;
    scrub.value = String(Math.round(where * Number(scrub.max)));
    scrub.dispatchEvent(new Event("input"));
  }, share);
}

// In the page: which texts of the scene lie on each other, which are not inside of the frame.
function texts_of_scene() {
  const stage = document.querySelector(".stage svg"), overlaps = [], outside = [];
  if (stage === null) return { overlaps, outside };
  const frame = stage.getBoundingClientRect();
  const seen = [...stage.querySelectorAll("text")].filter((one) => one.checkVisibility() && one.textContent !== "")
    .map((one) => ({ words: one.textContent, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
  // Letters fill their line's height not: what touches by a pixel is apart.
  seen.forEach(({ words, box }, k) => {
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      outside.push(words);
    for (const other of seen.slice(k + 1)) {
      const x = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const y = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (x > 1 && y > 4) overlaps.push(`${words} | ${other.words}`);
    }
  });
  // Of points along bars, and of letters, which are lower than their line.
  const pixels = stage.viewBox.baseVal.width / frame.width;
  for (const bar of stage.querySelectorAll("[data-kind=bar]"))
    for (let along = 0, whole = bar.getTotalLength?.() ?? 0; along < whole; along += 2) {
      const at = bar.getPointAtLength(along), x = frame.left + at.x / pixels, y = frame.top + at.y / pixels;
      const on = seen.find(({ box }) => x > box.left + 1 && x < box.right - 1 && y > box.top + 4 && y < box.bottom - 4);
      if (on !== undefined) overlaps.push(`${on.words} | a bar`);
    }
  return { overlaps, outside };
}

// In the page: what is folded stays so.
function wide_tables() {
  return [...document.querySelectorAll(".scrolling")].filter((one) => one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.ariaLabel}: ${one.scrollWidth} px in ${one.clientWidth} px`);
}

// In the page: everything that is folded is opened, everything that waits is typeset.
function open_all() {
  for (const one of document.querySelectorAll("details:not(.licences)")) one.open = true;
  dispatchEvent(new Event("beforeprint"));
  dispatchEvent(new Event("afterprint"));
}

// In the page: texts of pictures, as large as they are seen.
function small_texts() {
  return [...document.querySelectorAll("svg text")].filter((one) => one.checkVisibility() && one.textContent !== "").flatMap((one) => {
    const { a, b } = one.getScreenCTM(), size = Number.parseFloat(getComputedStyle(one).fontSize) * Math.hypot(a, b);
    return size < 9.5 ? [`${one.textContent}: ${size.toFixed(1)} px`] : [];
  });
}

// In the page. Model files, commands and code are shown as they are written.
function texts_of_page() {
  const broken = [], cut = [], raw = [], zeros = [];
  const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("pre:not(.command pre), script, style, noscript, select, annotation, .katex-mathml, svg, .unseen, .licence, #still, .origin")) continue;
    if (!parent.checkVisibility()) continue;
    const text = node.data;
    if (/\\[a-zA-Z]{2,}/.test(text) || text.includes("`")) raw.push(text.slice(0, 100));
    if (/(^|[^\w.])[−-]0(\.0*)?(?![\w.])/.test(text)) zeros.push(text.slice(0, 100));
    if (parent.closest(".katex")) continue;
    // What is longer than a line may have, as addresses are, may be broken.
    for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
      const number = /^\d[\d.]*e-\d+$/.test(word), option = /^--[a-z]+$/.test(word);
      if (word.length > 24 || (/[-–−/(]/.test(word) && !number && !option)) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0.5).map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(`${word} in ${text.slice(0, 60)}`);
    }
  }
  raw.push(...[...document.querySelectorAll(".as-written, .katex-error")].filter((one) => one.checkVisibility())
    .map((one) => one.textContent.slice(0, 100)));
  // Of eigenvalues no part is round-off beside the largest one.
  zeros.push(...[...document.querySelectorAll(".equilibrium .number")].map((one) => one.textContent)
    .filter((text) => /^Eigenvalues.*e−1[5-9]/.test(text)));
  // What is for ears alone has a place that nobody sees.
  const unseen = [...document.querySelectorAll(".unseen")].filter((one) => one.closest("td, th, dd, dt") !== null);
  for (const one of unseen) one.style.display = "none";
  for (const cell of document.querySelectorAll("td, th, dd, dt, li.chip, .live-name")) {
    if (!cell.checkVisibility()) continue;
    range.selectNodeContents(cell);
    const { width, right } = range.getBoundingClientRect(), own = cell.getBoundingClientRect();
    // Typeset formulas claim some pixels beside them.
    const beyond = cell.querySelector(".math") === null ? 1 : 10;
    if (width > 0 && right > own.right + beyond && cell.querySelector(".display") === null)
      cut.push(`${Math.round(right - own.right)} px beyond its cell: ${cell.textContent.slice(0, 60)}`);
    const clip = cell.querySelector(".math");
    if (clip !== null && clip.scrollWidth > clip.clientWidth + 2 && getComputedStyle(clip).overflowX !== "visible")
      cut.push(`cut: ${cell.textContent.slice(0, 60)}`);
  }
  for (const one of unseen) one.style.display = "";
  return { broken, cut, raw, zeros };
}
