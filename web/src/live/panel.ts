// SPDX-License-Identifier: Apache-2.0
// Sliders for the parameters: the model runs again with other values, and the page shows that run, and says so, until it
// is reset.
import { tell_change } from "../changes";
import type { LiveBlock } from "../document";
import { button, h, user_text } from "../dom";
import { later } from "../later";
import { inline_math, unit_text } from "../math";
import { number_text } from "../numbers";
import type { Motion } from "../scene/motion";
import type { Series } from "../series";
import { LiveRun } from "./live_run";
import type { Answer } from "./messages";

const kMost = 40;       // parameters with a slider
const kReach = 4;       // a slider goes from a quarter of the stored value to four times it
const kNotches = 100;   // to each side

/** Where a slider stands for a value, and the other way round: by factors; about zero by differences. */
export const notch_of = (value: number, stored: number) =>
  Math.round(kNotches * (stored === 0 ? value : value / stored > 0 ? Math.log(value / stored) / Math.log(kReach) : -1));
export function value_at(notch: number, stored: number): number {
  if (notch === 0) return stored;
  if (stored === 0) return notch / kNotches;
  return Number((stored * kReach ** (notch / kNotches)).toPrecision(3));
}

export class LivePanel {
  readonly node: HTMLElement;
  /** Before everything, while what is shown is not the stored run. */
  readonly banner: HTMLElement;
  private readonly runner: LiveRun;
  private readonly values: number[];
  private readonly changed = h("span");
  private readonly said = h("span", { class: "live-said" });
  private readonly rows: { slider: HTMLInputElement; box: HTMLInputElement }[] = [];
  private repeats = "";

  constructor(private readonly live: LiveBlock, private readonly series: Series, private readonly motion: Motion | null) {
    this.values = live.parameters.map(({ value }) => value);
    const scene = motion?.scene;
    this.runner = new LiveRun(live, {
      start: live.start, columns: live.columns.slice(0, series.curves.length), rows: series.time,
      frames: motion?.time ?? new Float32Array(0), space: scene?.space ?? 2, tracks: scene?.tracks.length ?? 0,
      forces: live.forces,
    });
    const list = h("div", { class: "live-list" });
    live.parameters.slice(0, kMost).forEach((_, k) => list.append(this.row(k)));
    this.node = h("section", { class: "live", "aria-labelledby": "live-title" },
      h("h3", { id: "live-title" }, "Other values"), list,
      live.parameters.length > kMost
        ? h("p", { class: "hint" }, `${live.parameters.length - kMost} more parameters have no slider.`) : null);
    this.banner = h("div", { class: "live-banner", role: "status", hidden: true },
      h("p", {}, h("strong", {}, "Live – not the stored run. "), this.changed, " ", this.said),
      button("Reset", { class: "live-reset", title: "Back to the stored run" }, () => this.reset()));
  }

  private row(k: number): HTMLElement {
    const { name, latex, unit, value, meaning } = this.live.parameters[k]!;
    const label = `${name.slice(0, 80)}${meaning === "" ? "" : `, ${meaning.slice(0, 200)}`}`;
    const slider = h("input", {
      type: "range", min: -kNotches, max: kNotches, step: 1, value: 0, "aria-label": label,
    });
    const box = h("input", {
      type: "number", step: "any", value: String(value), "aria-label": `${label}: value${unit === "" ? "" : ` in ${unit}`}`,
    });
    slider.addEventListener("input", () => this.set(k, value_at(Number(slider.value), value)));
    box.addEventListener("change", () => {
      if (box.value.trim() !== "" && Number.isFinite(Number(box.value))) this.set(k, Number(box.value));
      else box.value = String(this.values[k]);
    });
    this.rows.push({ slider, box });
    const symbol = h("span", { class: "live-name", title: label }, user_text(name, 30));
    later(() => symbol.replaceChildren(inline_math(latex, name)));
    this.show(k);
    return h("div", { class: "live-row" }, symbol, slider, box, h("span", { class: "live-unit" }, unit_text(unit)));
  }

  private show(k: number) {
    const { value, unit } = this.live.parameters[k]!, { slider, box } = this.rows[k]!, now = this.values[k]!;
    slider.value = String(notch_of(now, value));
    slider.setAttribute("aria-valuetext", `${number_text(now)} ${unit_text(unit)}`.trim());
    box.value = String(now);
  }

  private set(k: number, value: number) {
    this.values[k] = value;
    this.show(k);
    if (this.values.every((one, i) => one === this.live.parameters[i]!.value)) return this.reset();
    this.changed.textContent = this.live.parameters.flatMap(({ name, unit, value: stored }, i) =>
      this.values[i] === stored ? [] : [`${name.slice(0, 40)} = ${number_text(this.values[i]!)} ${unit_text(unit)}`.trim()])
      .join(", ") + ".";
    void this.run();
  }

  private async run() {
    document.documentElement.dataset.live = "computing";
    this.banner.hidden = false;
    try {
      const answer = await this.runner.run(this.values);
      if (answer === null) return;
      this.put(answer);
      if (this.repeats === "") await this.repeat();
    } catch (problem) {
      this.put(null);
      this.said.textContent = `It cannot be run here: ${problem instanceof Error ? problem.message : String(problem)}.`;
    }
  }

  private put(answer: Answer | null) {
    this.motion?.show(answer);
    // What is not computed anew is a gap, not the stored curve.
    const gap = new Float32Array(this.series.time.length).fill(NaN);
    this.series.curves.forEach((curve, c) => curve.show(answer === null ? null : answer.columns[c] ?? gap));
    document.documentElement.dataset.live = answer === null ? "no" : "yes";
    if (answer !== null) this.said.textContent = this.words(answer);
    tell_change();
  }

  private words({ problem, until, moved }: Answer): string {
    const parts = [];
    if (problem !== "")
      parts.push(Number.isNaN(until) ? `There is ${problem}.` : `It ends at t = ${number_text(until, 4)} s: ${problem}.`);
    else if (moved > 1e-9) parts.push("The stored start was moved onto the constraints.");
    parts.push("Equations, verdict, events, peaks and equilibria are those of the stored run.");
    if (this.repeats !== "") parts.push(this.repeats);
    return parts.join(" ");
  }

  // How well this page repeats the stored run with its own values: once, when someone uses it.
  private async repeat() {
    const answer = await this.runner.run(this.live.parameters.map(({ value }) => value));
    if (answer === null) return;
    const share = this.difference(answer);
    this.repeats = answer.problem !== "" ? `With the stored values it does not come to the end: ${answer.problem}.`
      : Number.isNaN(share) ? "With the stored values it does not repeat the stored run."
      : `With the stored values it repeats the stored run to ${number_text(share, 3)} of its size.`;
    this.said.textContent += ` ${this.repeats}`;
    this.banner.dataset.repeats = String(share);
  }

  private difference(answer: Answer): number {
    if (this.motion !== null) return this.motion.distance_to(answer) / this.motion.scene.size;
    let most = 0;
    this.series.curves.forEach((curve, c) => {
      const stored = curve.stored_values, size = curve.stored_size;
      if (curve.group !== "q" || this.series.block.decimated) return;
      stored.forEach((value, i) => {
        const off = Math.abs(value - (answer.columns[c]![i] ?? NaN)) / size;
        if (!(off <= most)) most = off;
      });
    });
    return most;
  }

  private reset() {
    this.live.parameters.forEach(({ value }, k) => {
      this.values[k] = value;
      if (k < this.rows.length) this.show(k);
    });
    this.runner.give_up();
    this.motion?.show(null);
    for (const curve of this.series.curves) curve.show(null);
    this.banner.hidden = true;
    delete document.documentElement.dataset.live;
    tell_change();
  }
}
