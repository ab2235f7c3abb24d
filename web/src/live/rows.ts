// SPDX-License-Identifier: Apache-2.0
// A line of the panel for each number that can be changed: a slider, a box, and for the start whether it is held.
import { angle_factor, shown_amount, shown_unit, unit_cell } from "../angles";
import { button, h, user_text } from "../dom";
import { later } from "../later";
import { inline_math, unit_text } from "../math";
import { number_text } from "../numbers";
import type { Choice, Item } from "./values";

const kReach = 4;       // a slider goes from a quarter of the stored value to four times it
const kNotches = 100;   // to each side
const kRoom = 10;       // characters of a box

/** Where a slider stands for a value, and the other way round: by factors; about zero by differences. */
export const notch_of = (value: number, stored: number) =>
  Math.round(kNotches * (stored === 0 ? value : value / stored > 0 ? Math.log(value / stored) / Math.log(kReach) : -1));
export function value_at(notch: number, stored: number): number {
  if (notch === 0) return stored;
  if (stored === 0) return notch / kNotches;
  return Number((stored * kReach ** (notch / kNotches)).toPrecision(3));
}

export class Row {
  readonly node: HTMLElement;
  private readonly slider: HTMLInputElement | null;
  private readonly box: HTMLInputElement;
  private readonly held: HTMLElement | null;
  private readonly label: string;
  private readonly unit = h("span");

  /** `change` is told of each new value; of what is no number `refuse` is told why it is not taken. */
  constructor(private readonly item: Item, private readonly choice: Choice, change: () => void, refuse: (why: string) => void) {
    const { name, latex, unit, stored, meaning, kind, stated } = item;
    const at_start = item.holds ? " at the start" : "", words = meaning === "" ? at_start : `, ${meaning.slice(0, 200)}`;
    const label = `${name.slice(0, 80)}${words}`;
    const set = (value: number | null) => {
      choice.set(item, value);
      if (item.holds) choice.hold(item, value !== stored || choice.stated_held(item));
      this.show();
      change();
    };
    this.slider = kind !== "parameter" ? null : h("input", {
      type: "range", min: -kNotches, max: kNotches, step: 1, value: 0, "aria-label": label,
    });
    this.box = h("input", {
      type: "text", autocomplete: "off", spellcheck: "false", placeholder: stored === null ? "as stated" : null,
    });
    this.label = label;
    this.slider?.addEventListener("input", () => set(value_at(Number(this.slider!.value), stored ?? 0)));
    this.box.addEventListener("change", () => {
      const text = this.box.value.trim();
      if (text === "" && stored === null) set(null);
      else if (kind === "input" && text !== "" && Number.isNaN(Number(text))) this.set_formula(text, change, refuse);
      else this.set_number(text, set, refuse);
    });
    this.held = !item.holds ? null : button("", {
      class: "toggle live-held", title: "The start keeps what is held; what is free moves onto the constraints",
    }, () => {
      choice.hold(item, !choice.holds(item));
      this.show();
      change();
    });
    const symbol = h("span", { class: "live-name", title: stated === "" ? label : `${label}: ${stated}` }, user_text(name, 30));
    later(() => symbol.replaceChildren(inline_math(latex, name)));
    const middle = this.slider ?? (item.holds ? this.held : h("span", { class: "live-stated", title: stated }, user_text(stated, 40)));
    this.show();
    this.node = h("div", { class: "live-row", "data-kind": kind, "data-name": name }, symbol, middle, this.box,
      h("span", { class: "live-unit" }, kind === "input" ? this.unit : unit_cell(unit)));
  }

  // A number, or what has one: 20 mm, 2*L.
  private set_number(text: string, set: (value: number) => void, refuse: (why: string) => void) {
    let value = NaN, fault = "";
    try {
      value = text === "" || !Number.isNaN(Number(text)) ? Number(text || NaN) / angle_factor(this.item.unit) : this.choice.number_of(this.item, text);
    } catch (problem) {
      fault = (problem as Error).message;
    }
    if (Number.isFinite(value) && this.allowed(value)) return set(value);
    refuse(fault === "" ? this.why_not(text, value) : `“${text.slice(0, 40)}” is no finite number: ${fault}. ${this.stays()}.`);
    this.show();
  }

  // Plain numbers that are typed are in the unit that is shown; formulas are kept in SI.
  private set_formula(text: string, change: () => void, refuse: (why: string) => void) {
    const fault = this.choice.set_formula(this.item, text, true);
    if (fault !== "") refuse(`“${text.slice(0, 40)}” is no number and no formula of t: ${fault}. ${this.stays()}.`);
    this.show();
    if (fault === "") change();
  }

  private why_not(text: string, value: number): string {
    const stays = this.stays();
    if (this.item.kind === "end" && Number.isFinite(value))
      return `The run begins at ${number_text(this.choice.begins)} s and must end later: ${stays}.`;
    return `${text === "" ? "What was typed" : `“${text.slice(0, 40)}”`} is no finite number: ${stays}.`;
  }

  private stays(): string {
    const { name, unit } = this.item, now = this.choice.now(this.item), formula = this.choice.formula(this.item);
    return `${name.slice(0, 80)} stays ${formula ?? (now === null ? "as stated" : shown_amount(now, unit))}`;
  }

  // A run goes forwards.
  private allowed(value: number): boolean { return this.item.kind !== "end" || value > this.choice.begins; }

  show() {
    const { stored, unit } = this.item, now = this.choice.now(this.item);
    if (this.slider !== null) {
      this.slider.value = String(notch_of(now ?? 0, stored ?? 0));
      this.slider.setAttribute("aria-valuetext", shown_amount(now ?? 0, unit));
    }
    // All digits, as far as the box has room for them.
    const factor = angle_factor(unit), all = now === null ? "" : String(factor === 1 ? now : Number((factor * now).toPrecision(12)));
    const formula = this.choice.formula(this.item), in_unit = formula === null ? shown_unit(unit) : unit;
    this.unit.textContent = unit_text(in_unit);
    if (formula !== null) this.box.value = this.box.title = formula;
    else this.box.value = all.length > kRoom ? String(Number(Number(all).toPrecision(6))) : all;
    if (formula === null) this.box.title = this.item.kind === "input" ? "A number, or a formula of t and of parameters: 2*sin(3*t)" : `${all}. 20 mm, 30 deg and 2*pi are numbers, too.`;
    this.box.setAttribute("aria-label", `${this.label}: value${this.item.kind === "input" ? " or formula of t" : ""}${unit === "" ? "" : ` in ${in_unit}`}`);
    if (this.held === null) return;
    this.held.textContent = this.choice.holds(this.item) ? "held" : "free";
    this.held.classList.toggle("on", this.choice.holds(this.item));
    this.held.setAttribute("aria-label", `${this.held.textContent}: ${this.item.name.slice(0, 80)} at the start`);
  }
}
