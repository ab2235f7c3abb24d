// SPDX-License-Identifier: Apache-2.0
// Elements made from code. Text of the document becomes text nodes only, so that nothing in it is read as markup.

import { is_live } from "./changes";
import { before_printing, kPaper } from "./later";

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const kSvg = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(kSvg, tag);
  fill(element, attributes, children);
  return element;
}

/** A name or text of the user, whose direction of writing does not disturb its surroundings. */
export function user_text(text: string, most = kLongest): HTMLElement {
  const shown = cut(text, most);
  return h("bdi", { class: kEndless.test(shown) ? "endless" : null }, shown);
}

const kUnbroken = /(\d[\d.]{0,20}e-\d{1,3}|-[a-z]\w{0,15}\([^\s)]{0,20}\))/;  // 1e-07, -lambda(rod)

/** Words of the program: names between backquotes as code; numbers and multipliers are not broken at their minus. */
export function prose(text: string): HTMLElement {
  const element = user_text("");
  cut(text, kLongest).split("`").forEach((part, k, { length }) => {
    if (k % 2 === 1 && k + 1 < length) element.append(h("code", {}, user_text(part)));
    else part.split(kUnbroken).forEach((piece, i) =>
      element.append(i % 2 === 1 ? h("span", { class: "unbroken" }, piece) : (k % 2 === 1 && i === 0 ? "`" : "") + piece));
  });
  if (kEndless.test(text)) element.className = "endless";
  return element;
}

/** A command, broken between its words only: an option keeps its dashes. */
export function command_text(text: string): HTMLElement {
  const element = user_text("");
  text.split(" ").forEach((word, k) => element.append(k > 0 ? " " : "", word.length > 30 ? word : h("span", { class: "unbroken" }, word)));
  return element;
}

const kEndless = /\S{30}/;  // a word that may have to be broken before it widens the page

const kLongest = 2000;  // characters that are shown of one text

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const letters = [...text];
  if (letters.length <= most) return text;
  return `${letters.slice(0, most).join("")}… (${letters.length - most} more characters)`;
}

export function button(label: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", press);
  return element;
}

/** A button that stays pressed. */
export function toggle(label: string, pressed: boolean, attributes: Attributes, change: (on: boolean) => void) {
  const element = button(label, { class: "toggle", "aria-pressed": String(pressed), ...attributes }, () => {
    const on = element.getAttribute("aria-pressed") !== "true";
    element.setAttribute("aria-pressed", String(on));
    change(on);
  });
  return element;
}

export function select(
  label: string, options: { value: string; text: string }[], chosen: string, change: (value: string) => void,
): HTMLLabelElement {
  const list = h("select", {});
  for (const { value, text } of options) list.append(h("option", { value, selected: value === chosen }, text));
  list.addEventListener("change", () => change(list.value));
  return h("label", { class: "choice" }, h("span", {}, label), list);
}

/** Wide content that scrolls by itself; the keyboard reaches it. On paper it is made to fit. */
export function scrolling(label: string, content: HTMLElement, kind = ""): HTMLElement {
  before_printing(() => {
    content.style.width = "min-content";
    const wide = content.offsetWidth;
    content.style.width = "";
    if (wide > kPaper) content.style.zoom = String(kPaper / wide);
  });
  addEventListener("afterprint", () => { content.style.zoom = ""; });
  return h("div", { class: `scrolling ${kind}`.trim(), tabindex: 0, role: "region", "aria-label": label }, content);
}

export function table(caption: string, head: Child[], rows: Child[][], attributes: Attributes = {}): HTMLTableElement {
  const element = h("table", attributes);
  element.append(h("caption", {}, caption, " ", copy_button("CSV", { class: "copy copy-table", title: "Copy this table as CSV" }, () => table_csv(element))));
  const top = h("tr");
  for (const cell of head) top.append(h("th", { scope: "col" }, cell));
  element.append(h("thead", {}, top));
  const body = h("tbody");
  for (const row of rows) {
    const line = h("tr");
    row.forEach((cell, i) => {
      const place = i === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell);
      // Ordinary words are not broken; longer ones are, before they widen the page.
      if ((place.textContent ?? "").split(/\s/).every((word) => word.length <= 26)) place.classList.add("words");
      line.append(place);
    });
    body.append(line);
  }
  element.append(body);
  if (rows.length <= 12) element.classList.add("brief");
  return element;
}

export const csv_field = (text: string) => /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

// As a program reads it: formulas as LaTeX, folded ones, too, numbers with all their digits, where the cell knows them, and a plain minus.
function table_csv(element: HTMLTableElement): string {
  const text_of = (cell: Element) => {
    const value = cell.querySelector("[data-csv]")?.getAttribute("data-csv") ?? cell.getAttribute("data-value");
    if (value !== null) return value === "NaN" ? "" : value;
    const copy = cell.cloneNode(true) as Element;
    for (const formula of copy.querySelectorAll(".katex")) formula.replaceWith(formula.querySelector("annotation")?.textContent ?? "");
    const text = (copy.textContent ?? "").trim();
    return /^−?[\d.]+(?:e−?\d+)?$/.test(text) ? text.replaceAll("−", "-") : text;
  };
  const rows = [...element.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => csv_field(text_of(cell))).join(","));
  return rows.join("\n") + "\n";
}

/** Pairs of a label and a value; `shown` makes what stands for a value. */
export function facts(entries: { label: string; value: string; level?: string }[], shown: (value: string) => HTMLElement = user_text): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const { label, value, level } of entries) {
    list.append(h("div", { class: level ? `level-${level}` : "" },
      h("dt", {}, user_text(label)), h("dd", {}, shown(value))));
  }
  return list;
}

/** What is of a live run says so in its name. */
export function download(name: string, type: string, content: BlobPart) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: is_live() ? name.replace(/(\.\w+)$/, "-live$1") : name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

let words: HTMLElement | null = null;

/** Tells readers of screens what a button did. */
export function announce(text: string) {
  if (words === null) {
    words = h("div", { class: "unseen", role: "status" });
    document.body.append(words);
  }
  words.textContent = text;
}

/** A button that copies a text and says so. */
export function copy_button(label: string, attributes: Attributes, text: () => string): HTMLButtonElement {
  const element = button(label, attributes, () => {
    void copy(text()).then((done) => {
      element.textContent = done ? "Copied" : "Copying is not allowed here";
      announce(element.textContent);
      setTimeout(() => { element.textContent = label; }, 1600);
    });
  });
  return element;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from the disk may be denied the clipboard: the older way.
    const area = h("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
