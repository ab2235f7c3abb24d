// SPDX-License-Identifier: Apache-2.0
// Angles as the reader wants them: the document, the model's code and addresses have radians.
import { address_setting, keep_setting, on_setting } from "./address";
import { on_change, tell_change } from "./changes";
import type { ReportDocument } from "./document";
import { h, prose, select } from "./dom";
import { unit_text } from "./math";
import { number_text, plain_number } from "./numbers";

const kDegrees = 180 / Math.PI;
let degrees = false;
let at_first = false;  // as the page was made

const is_angle = (unit: string) => unit === "rad" || unit.startsWith("rad/");

/** The factor from a value of the document to the one that is shown. */
export const angle_factor = (unit: string) => degrees && is_angle(unit) ? kDegrees : 1;
/** The unit that a value of this unit is shown in: deg/s for rad/s. */
export const shown_unit = (unit: string) => degrees && is_angle(unit) ? `deg${unit.slice(3)}` : unit;
/** A value in its unit, as it is shown. */
export const shown_amount = (value: number, unit: string) =>
  `${number_text(value * angle_factor(unit))} ${unit_text(shown_unit(unit))}`.trim();

/** A text that follows the choice, where the unit is that of an angle. */
function following(unit: string, text: () => string): HTMLElement {
  const cell = h("span", {}, text());
  if (is_angle(unit)) on_change(() => { cell.textContent = text(); });
  return cell;
}
export const unit_cell = (unit: string) => following(unit, () => unit_text(shown_unit(unit)));
/** A number that the document has as a number, or as a text; other texts stay as they are. */
export function value_cell(value: number | string, unit: string, digits: number): HTMLElement {
  const number = Number(typeof value === "string" ? value.replace("−", "-") : value);
  // What is no number is a formula, as it is typed.
  const given = Number.isFinite(number) ? String(value).replaceAll("-", "−") : String(value);
  const as_given = () => typeof value === "string" && (!Number.isFinite(number) || value === "" || angle_factor(unit) === 1);
  const cell = following(unit, () => as_given() ? given : number_text(number * angle_factor(unit), digits));
  if (as_given() && !is_angle(unit)) cell.replaceChildren(prose(given));
  cell.className = "number";
  return cell;
}

// A number in rad within words: none between backquotes, where the model's own text stands.
const kAngle = /([-−]?\d[\d.]*(?:e[-−+]?\d+)?) rad(\/s(?:\^2|²)?)?(?![\w*/^·²])/g;
/** Words of the command, or of the page, with each amount in rad in the unit that is shown, to its digits. */
export function words_shown(words: string): string {
  if (!degrees) return words;
  const in_degrees = (part: string) => part.replace(kAngle, (_, number: string, rate = "") => {
    const digits = /[\d.]*/.exec(number.replace(/^[-−]/, ""))![0].replace(/^0\.0*|\./g, "").length;
    const text = plain_number(Number(number.replaceAll("−", "-")) * kDegrees, Math.max(digits, 3));
    return `${number.includes("−") ? text.replaceAll("-", "−") : text} deg${rate}`;
  });
  return words.split("`").map((part, k) => k % 2 === 1 ? part : in_degrees(part)).join("`");
}
/** Such words, which follow the choice. */
export function words_cell(words: string): HTMLElement {
  const cell = h("span", {}, prose(words_shown(words)));
  if (words.includes(" rad")) on_change(() => { cell.replaceChildren(prose(words_shown(words))); });
  return cell;
}

function set(on: boolean) {
  if (on === degrees) return;
  degrees = on;
  tell_change();
}

const asked = () => {
  const words = address_setting();
  return words === "" ? at_first : words === "deg";
};

/** Before anything is shown. */
export function begin_angles(report: ReportDocument) {
  at_first = report.degrees;
  degrees = asked();
  on_setting(() => set(asked()));
}

/** Null: the page has no angles. */
export function angle_switch({ symbols, series, live }: ReportDocument): HTMLElement | null {
  const units = [...symbols, ...(series?.columns ?? []), ...(live?.parameters ?? [])];
  if (!units.some(({ unit }) => is_angle(unit))) return null;
  const name = () => degrees ? "deg" : "rad";
  const choice = select("Angles", ["rad", "deg"].map((value) => ({ value, text: value })), name(), (value) => {
    keep_setting((value === "deg") === at_first ? "" : value);
    set(value === "deg");
  });
  on_change(() => { choice.querySelector("select")!.value = name(); });
  return choice;
}
