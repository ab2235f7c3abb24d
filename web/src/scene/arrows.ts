// SPDX-License-Identifier: Apache-2.0
// Forces and velocities as arrows. A reaction's arrow is a button: it leads to the reaction's curve.
import type { Force, SceneBlock } from "../document";
import { svg } from "../dom";
import { unit_text } from "../math";
import { number_text } from "../numbers";
import {
  arrow, cross, curved_arrow, cut_mark, finite, left_of, length, minus, Path, type Pixel, plus, type Point, size, times, unit,
} from "./geometry";
import type { Motion } from "./motion";
import { around, type Candidate, kHigh, type Placement } from "./placement";
import { place } from "./surroundings";
import { kAmountFont, text_width } from "./text_size";
import type { View } from "./view";

const kTurn = 24;  // radius of the arrow of a torque, pixels

const kMostAmounts = 60;  // numbers at once: those of the largest loads
const kStays = 5;  // how much worse a place may be than another before it moves to another place

interface Drawn {
  force: Force; group: SVGGElement; line: SVGPathElement; touch: SVGPathElement; text: SVGTextElement; amount: string; load: number;
  /** Of an arrow that is seen: where it begins and ends; where its number is, from its tip. */
  arrow: { from: Pixel; tip: Pixel } | null; off: Pixel | null;
}

export class ForceArrows {
  readonly node = svg("g", { class: "forces" });
  /** Where arrows are. */
  readonly obstacles: Pixel[] = [];
  private readonly drawn: Drawn[];

  constructor(private readonly scene: SceneBlock, private readonly motion: Motion, private readonly view: View,
              chosen: (force: Force) => void) {
    this.drawn = scene.forces.map((force) => this.make(force, chosen));
    this.node.append(...this.drawn.map(({ group }) => group));
  }

  /** `named`: buttons say their value; this waits until the picture stands still. */
  frame(named: boolean) {
    this.obstacles.length = 0;
    const { forces } = this.view;
    this.drawn.forEach((one, which) => {
      const { force, group, line, touch } = one;
      const value = this.motion.force(which), load = size(value), from = this.view.px(this.motion.at(force.track));
      const reach = this.view.reach(value);
      const turn = force.turns && finite(value) && load > 0 ? this.turn(from, value) : null;
      const v: Pixel = force.turns ? [0, kTurn] : reach;  // the number of a torque is below it
      const seen = force.turns ? turn !== null : finite(value) && length(v) >= 2;
      group.style.display = seen ? "" : "none";
      one.arrow = seen ? { from, tip: plus(from, v) } : null;
      if (!seen) return;
      const cut = !force.turns && forces.cuts(load), data = turn ?? this.straight(force, from, v, cut);
      line.setAttribute("d", data);
      touch.setAttribute("d", data);
      group.classList.toggle("cut", cut);
      one.load = load;
      one.amount = amount_text(force, load);
      const other = this.other_end(force);
      for (let s = 0; s < 1; s += force.turns ? 0.04 : 0.05) {
        if (other !== null) this.obstacles.push(minus(other, times(s, v)));
        const beside: Pixel = [kTurn * Math.cos(2 * Math.PI * s), kTurn * Math.sin(2 * Math.PI * s)];
        this.obstacles.push(plus(from, force.turns ? beside : times(s, v)));
      }
      if (named && force.series.length > 0)
        group.setAttribute("aria-label", `Reaction ${one.amount}${cut ? ", its arrow is cut" : ""}: show its curve`);
    });
  }

  /** Their numbers, where there is room for them. */
  put_amounts(placement: Placement, stands: boolean) {
    const loads = this.drawn.filter(({ arrow }) => arrow !== null).map(({ load }) => load).sort((a, b) => b - a);
    const least = loads[kMostAmounts] ?? 0;
    for (const one of this.drawn) {
      if (one.arrow === null) continue;
      if (one.load < least) {
        one.text.style.display = "none";
        continue;
      }
      const { text, amount, arrow: { from, tip } } = one, wide = text_width(amount, kAmountFont);
      const places = amount_places(from, tip, wide);
      // While it moves a number stays where it is beside its arrow, unless another place is much better.
      if (one.off !== null && !stands) places.push({ at: plus(tip, one.off), cost: -kStays });
      const box = placement.best(places, wide);
      text.style.display = box === null ? "none" : "";
      one.off = box === null ? null : minus([(box.left + box.right) / 2, (box.top + box.bottom) / 2], tip);
      if (box === null) continue;
      placement.take(box);
      if (text.textContent !== amount) text.textContent = amount;
      place(text, [(box.left + box.right) / 2, box.bottom - 4]);
    }
  }

  private other_end({ opposite }: Force): Pixel | null {
    const at = opposite === null ? null : this.motion.at(opposite);
    return at === null || !finite(at) ? null : this.view.px(at);
  }

  // A rod pulls or pushes both of its ends.
  private straight(force: Force, from: Pixel, v: Pixel, cut: boolean): string {
    const path = new Path(), other = this.other_end(force);
    for (const [foot, tip] of [[from, plus(from, v)], ...(other === null ? [] : [[other, minus(other, v)]])] as [Pixel, Pixel][]) {
      arrow(path, foot, tip);
      if (cut) cut_mark(path, foot, tip);
    }
    return path.take();
  }

  // About the axis of a torque, the longer the larger it is.
  private turn(from: Pixel, torque: Point): string {
    const planar = this.scene.space === 2, { torques, scale } = this.view, share = torques.share(size(torque));
    let u: Pixel = [kTurn, 0], v: Pixel = [0, -kTurn];
    if (!planar) {
      const a = cross(torque, Math.abs(torque[2]) < 0.9 * size(torque) ? [0, 0, 1] : [1, 0, 0]), b = cross(torque, a);
      u = times(kTurn / size(a) / scale, this.view.along(a));
      v = times(kTurn / size(b) / scale, this.view.along(b));
    }
    return curved_arrow(new Path(), from, u, v, planar && torque[0] < 0 ? -share : share).take();
  }

  private make(force: Force, chosen: (force: Force) => void): Drawn {
    const reaction = force.series.length > 0;
    const group = svg("g", {
      class: reaction ? "force reaction" : "force applied", "data-kind": "force",
      tabindex: reaction ? 0 : null, role: reaction ? "button" : null,
      "aria-label": reaction ? `Reaction ${force.name}: show its curve` : null,
    });
    const line = svg("path", { class: "s-force" }), touch = svg("path", { class: "s-touch" });
    const text = svg("text", { class: "s-amount", "text-anchor": "middle" });
    group.append(touch, line, text);
    if (reaction) {
      group.addEventListener("click", () => chosen(force));
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        chosen(force);
      });
    }
    return { force, group, line, touch, text, amount: "", load: 0, arrow: null, off: null };
  }
}

// The number continues the arrow; or it is beside it, or near its tip or its foot.
function amount_places(from: Pixel, tip: Pixel, wide: number): Candidate[] {
  const d = unit(minus(tip, from)), n = left_of(d), middle = times(0.5, plus(from, tip));
  const clear = (e: Pixel) => 8 + Math.abs(e[0]) * wide / 2 + Math.abs(e[1]) * kHigh / 2;
  const nearby = (at: Pixel, reaches: number[], more: number) =>
    around(at, wide, reaches).map(({ at: place, cost }) => ({ at: place, cost: cost + more }));
  return [
    { at: plus(tip, times(clear(d), d)), cost: 0 },
    { at: plus(middle, times(clear(n), n)), cost: 1 },
    { at: minus(middle, times(clear(n), n)), cost: 1.1 },
    ...nearby(tip, [14, 26], 1), ...nearby(from, [18], 2), ...nearby(tip, [40, 58, 78, 100], 3),
  ];
}

export function amount_text(force: Force, value: number): string {
  const name = force.name.length > 24 ? `${[...force.name].slice(0, 24).join("")}…` : force.name;
  return [name, number_text(value, 3), unit_text(force.unit)].filter((part) => part !== "").join(" ");
}

/** Of what is traced, and of masses. */
export class VelocityArrows {
  readonly node = svg("g", { class: "velocities" });
  private readonly tracks: number[];
  private readonly lines: SVGPathElement[];
  private largest = -1;

  constructor(scene: SceneBlock, private readonly motion: Motion, private readonly view: View) {
    const masses = scene.shapes.filter(({ kind }) => kind === "mass" || kind === "center");
    const tracks = new Set([...scene.traces, ...masses.map(({ tracks: [first] }) => first ?? 0)]);
    this.tracks = [...tracks].slice(0, 200);
    this.lines = this.tracks.map(() => svg("path", { class: "s-velocity", "data-kind": "velocity" }));
    this.node.append(...this.lines);
  }

  get any() { return this.tracks.length > 0; }
  /** The motion is another one. */
  renew() { this.largest = -1; }

  frame() {
    if (this.largest < 0) this.largest = this.motion.largest_velocity(this.tracks);
    const scale = this.largest > 0 ? 62 / this.largest / this.view.scale : 0;
    this.tracks.forEach((track, k) => {
      const from = this.view.px(this.motion.at(track));
      const v = times(scale, this.view.along(this.motion.velocity(track)));
      this.lines[k]!.setAttribute("d", length(v) < 2 ? "" : arrow(new Path(), from, plus(from, v)).take());
    });
  }
}
