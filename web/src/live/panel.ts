// SPDX-License-Identifier: Apache-2.0
// Other values: the model runs again with them, and the page shows that run, and says so, until it is reset.
import { address, has_values, keep_values, kMark } from "../address";
import { words_shown } from "../angles";
import { on_change, shows_live, tell_change } from "../changes";
import type { Clock } from "../clock";
import type { LiveBlock } from "../document";
import { button, copy_button, h, user_text } from "../dom";
import { number_text } from "../numbers";
import type { Motion } from "../scene/motion";
import type { Starter } from "../scene/mover";
import type { Series } from "../series";
import { doubts_of } from "./doubts";
import { LiveRun } from "./live_run";
import type { Answer, Request, Values } from "./messages";
import { Row } from "./rows";
import { Choice, type Item, type Kind } from "./values";
import { verdict_of } from "./verdict";

const kMost = 40;        // lines of a group
const kSlow = 700;       // ms until the progress of a run is shown
const kGroups: [string, Kind[]][] = [
  ["Parameters", ["parameter"]], ["Inputs", ["input"]], ["Start", ["coordinate", "velocity"]], ["End", ["end"]],
];

export class LivePanel implements Starter {
  readonly node: HTMLElement;
  /** Before everything, while what is shown is not the stored run. */
  readonly banner: HTMLElement;
  readonly choice: Choice;
  private readonly runner: LiveRun;
  private readonly changed = h("span");
  private readonly said = h("span", { class: "live-said" });
  private readonly checks = h("p", { class: "live-verdict" });
  private readonly repeated = h("span", { class: "live-repeats" });
  private readonly unlooked = h("span", { class: "live-unlooked" });
  private readonly doubts = h("ul", { class: "live-doubts" });
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "How far the run has come" });
  private readonly slow: HTMLElement;
  private readonly faults = h("p", { class: "notice warning live-faults", role: "status", hidden: true });
  private readonly rows = new Map<Item, Row>();
  private repeats = "";
  private stopped = false;
  private judged = { verdict: "", doubts: [] as string[] };  // of the run that is shown, in radians
  private begun = 0;       // when the run that is going on began

  constructor(private readonly live: LiveBlock, private readonly series: Series, private readonly motion: Motion | null,
              private readonly clock: Clock) {
    const end = Math.max(last_of(series.time), last_of(motion?.time ?? series.time)), scene = motion?.scene;
    this.choice = new Choice(live, end);
    this.runner = new LiveRun(live, {
      parameters: live.parameters.map(({ value }) => value), start: live.start, guess: live.guess, limits: live.limits,
      along: live.coordinates.map(({ along }) => along), units: live.coordinates.map(({ unit }) => unit),
      follows: live.coordinates.map(({ follows }) => follows), held_q: live.coordinates.map(({ held }) => held),
      held_v: live.velocities.map(({ held }) => held), columns: live.columns.slice(0, series.curves.length),
      rows: series.time.slice(), frames: motion?.time.slice() ?? new Float32Array(0), space: scene?.space ?? 2,
      tracks: scene?.tracks.length ?? 0, forces: live.forces,
    }, (t) => this.progress(t));
    this.node = h("section", { class: "live", "aria-labelledby": "live-title" },
      h("h3", { id: "live-title" }, "Other values"), this.faults, h("div", { class: "live-list" }, ...this.groups()));
    this.slow = h("div", { class: "live-progress", hidden: true }, this.bar,
      button("Stop", { class: "live-stop", title: "Shows the run as far as it has come" }, () => {
        this.stopped = true;
        this.runner.stop();
      }));
    this.banner = h("div", { class: "live-banner", role: "status", hidden: true },
      h("div", { class: "live-words" },
        h("p", {}, h("strong", {}, "Live – not the stored run. "), this.changed, " ", this.said), this.checks, this.doubts, this.slow,
        h("details", { class: "live-more" }, h("summary", {}, "What is shown"),
          h("p", {}, "Scene, curves and values are those of this run. Equations, verdict, events, peaks and equilibria are those of the stored run. ", this.repeated, this.unlooked))),
      h("div", { class: "live-buttons" },
        copy_button("Copy link", { class: "live-link", title: "The address of this page with these values" },
          () => `${location.href.split("#")[0]}#${address()}`),
        button("Reset", { class: "live-reset", title: "Back to the stored run" }, () => this.reset())));
    addEventListener("hashchange", () => this.follow_link());
    on_change(() => {
      this.show();
      if (document.documentElement.dataset.live === "yes") this.show_judged();
      if (this.choice.changed) this.changed.textContent = `${this.choice.words()}.`;
    });
  }

  /** What the address asks for. */
  follow_link() {
    const text = location.hash.slice(1);
    // Links within the page leave the values alone.
    if (!text.startsWith(kMark)) return keep_values(this.choice.link());
    const before = this.choice.link();
    this.choice.clear();
    this.tell(this.choice.read(text));
    this.show();
    if (this.choice.link() !== before) this.change();
  }

  /** Coordinates of another start, as a drag in the scene gives them. */
  put_start(q: number[]) {
    for (const item of this.choice.items) if (item.kind === "coordinate") this.choice.set(item, q[item.place] ?? null);
    this.show();
    this.changed.textContent = this.choice.changed ? `${this.choice.words()}.` : "";
    this.said.textContent = this.choice.changed ? "It runs from there when it is let go." : "The start stays as it is.";
    this.checks.textContent = "";
    this.doubts.replaceChildren();
    this.banner.hidden = false;
  }
  move(asked: NonNullable<Request["move"]> | null) { return this.runner.move(this.choice.values(), asked); }
  run_again() { this.change(); }

  // The first group is open; one with nothing in it is not there.
  private groups(): HTMLElement[] {
    return kGroups.flatMap(([title, kinds]) => {
      const items = this.choice.items.filter(({ kind }) => kinds.includes(kind));
      if (items.length === 0) return [];
      const list = h("div", { class: "live-rows" });
      const group = h("details", { class: "live-group", open: title === "Parameters" || this.live.parameters.length === 0 },
        h("summary", {}, title), list);
      for (const item of items.slice(0, kMost)) {
        const row = new Row(item, this.choice, () => {
          this.tell([]);
          this.change();
        }, (why) => this.tell([why]));
        this.rows.set(item, row);
        list.append(row.node);
      }
      if (items.length > kMost) group.append(h("p", { class: "hint" }, `${items.length - kMost} more have no line here.`));
      return [group];
    });
  }

  private tell(faults: string[]) {
    this.faults.replaceChildren(...faults.flatMap((fault, k) => [k === 0 ? "" : " ", user_text(fault)]));
    this.faults.hidden = faults.length === 0;
  }

  private show_judged() {
    this.checks.textContent = words_shown(this.judged.verdict);
    this.doubts.replaceChildren(...this.judged.doubts.map((text) => h("li", {}, h("strong", {}, "Warning: "), user_text(words_shown(text)))));
  }

  private show() { for (const row of this.rows.values()) row.show(); }

  private change() {
    if (!this.choice.changed) return this.reset();
    this.changed.textContent = `${this.choice.words()}.`;
    keep_values(this.choice.link());
    void this.run();
  }

  private async run() {
    const values = this.choice.values();
    document.documentElement.dataset.live = "computing";
    this.banner.hidden = false;
    this.begun = performance.now();
    this.said.textContent = "";
    this.slow.hidden = true;
    this.bar.value = 0;
    try {
      this.stopped = false;
      const answer = await this.runner.run(values);
      if (answer === null && !this.stopped) return;
      this.slow.hidden = true;
      if (answer === null) {
        this.put(values, null);
        this.said.textContent = "It was stopped within a step: nothing of it is shown.";
        return;
      }
      this.put(values, answer);
      if (this.repeats === "" && !this.stopped) await this.repeat();
    } catch (problem) {
      this.slow.hidden = true;
      this.put(values, null);
      this.said.textContent = `It cannot be run here: ${problem instanceof Error ? problem.message : String(problem)}.`;
    }
  }

  private progress(t: number) {
    if (performance.now() - this.begun < kSlow || document.documentElement.dataset.live !== "computing") return;
    const { begins } = this.choice;
    this.said.textContent = `It has come to t = ${number_text(t, 3)} s; until it is there, what is shown is the run before.`;
    this.bar.value = (t - begins) / (this.choice.values().end - begins);
    this.slow.hidden = false;
  }

  private put(values: Values, answer: Answer | null) {
    const end = answer === null ? this.choice.end : values.end;
    this.series.reach(this.live.start.t, end);
    this.motion?.reach(this.live.start.t, end);
    this.motion?.show(answer);
    shows_live(answer !== null);
    // What is not computed anew is a gap, not the stored curve.
    const gap = new Float32Array(this.series.time.length).fill(NaN);
    this.series.curves.forEach((curve, c) => curve.show(answer === null ? null : answer.columns[c] ?? gap));
    document.documentElement.dataset.live = answer === null ? "no" : "yes";
    if (answer !== null) {
      this.said.textContent = this.words(answer);
      const verdict = verdict_of(this.series, answer);
      const { unlooked } = answer.doubts;
      this.unlooked.textContent = unlooked === "" ? "" : ` ${unlooked}.`;
      this.judged = { verdict: verdict.words, doubts: doubts_of(this.live, values, answer) };
      this.show_judged();
      this.checks.className = `live-verdict ${verdict.holds === null ? "" : verdict.holds ? "ok" : "error"}`.trim();
      this.banner.dataset.holds = String(verdict.holds);
    }
    this.clock.within();
    tell_change();
  }

  private words({ problem, until, below }: Answer): string {
    const parts = [];
    if (problem !== "")
      parts.push(Number.isNaN(until) ? `There is ${problem}${below.map((one) => this.gap_words(one)).join("")}.`
        : `It ends at t = ${number_text(until, 4)} s: ${problem}.`);
    return parts.join(" ");
  }

  private gap_words({ contact, gap }: { contact: number; gap: number }): string {
    const c = this.live.columns.findIndex((source) => source !== null && source[0] === "gap" && source[1] === contact);
    return ` (${this.series.curves[c]?.short_name.slice(0, 60) ?? "one"} by ${number_text(-gap, 4)} m)`;
  }

  // How well this page repeats the stored run with its own values: once, when someone uses it.
  private async repeat() {
    const stored = new Choice(this.live, this.choice.end), answer = await this.runner.run(stored.values());
    if (answer === null) return;
    const share = this.difference(answer);
    this.repeats = answer.problem !== "" ? `With the stored values it does not come to the end: ${answer.problem}.`
      : Number.isNaN(share) ? "With the stored values it does not repeat the stored run."
      : `With the stored values it repeats the stored run to ${number_text(share, 3)} of its size.`;
    this.repeated.textContent = this.repeats;
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
    this.choice.clear();
    this.show();
    this.faults.hidden = true;
    keep_values("");
    this.runner.give_up();
    this.series.reach(this.live.start.t, this.choice.end);
    this.motion?.reach(this.live.start.t, this.choice.end);
    this.motion?.show(null);
    shows_live(false);
    for (const curve of this.series.curves) curve.show(null);
    this.banner.hidden = true;
    delete document.documentElement.dataset.live;
    this.clock.within();
    tell_change();
  }
}

/** In the place of the panel: why there is none. */
export function no_live(note: string): HTMLElement | null {
  if (note === "") return null;
  const asked = has_values() ? " The values in the address are not taken." : "";
  return h("p", { class: "hint live-note" }, "Values cannot be changed here: ", user_text(note), `.${asked}`);
}

const last_of = (times: Float32Array) => times[times.length - 1] ?? 0;
