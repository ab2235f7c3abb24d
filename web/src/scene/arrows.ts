// SPDX-License-Identifier: Apache-2.0
// Forces and velocities as arrows. A reaction's arrow is a button: it leads to the reaction's curve.
import type { Force, SceneBlock } from "../document";
import { svg } from "../dom";
import { unit_text } from "../math";
import { number_text } from "../numbers";
import {
  arrow, cross, curved_arrow, finite, length, Path, type Pixel, plus, type Point, size, times, unit,
} from "./geometry";
import type { Motion } from "./motion";
import { place } from "./surroundings";
import type { View } from "./view";

const kTurn = 24;  // radius of the arrow of a torque, pixels

interface Drawn { force: Force; group: SVGGElement; line: SVGPathElement; touch: SVGPathElement; text: SVGTextElement; }

export class ForceArrows {
  readonly node = svg("g", { class: "forces" });
  /** Where arrows and their numbers are. */
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
    const { largest_force, force_length, scale } = this.view;
    this.drawn.forEach(({ force, group, line, touch, text }, which) => {
      const value = this.motion.force(which), from = this.view.px(this.motion.at(force.track));
      const along = this.view.along(value);
      const reach = times(largest_force > 0 ? force_length / largest_force / scale : 0, along);
      const turn = force.turns && finite(value) && size(value) > 0 ? this.turn(from, value) : null;
      const v: Pixel = force.turns ? [0, kTurn] : reach;  // the number of a torque is below it
      const seen = force.turns ? turn !== null : finite(value) && length(v) >= 2;
      group.style.display = seen ? "" : "none";
      if (!seen) return;
      const tip = plus(from, v), d = unit(v), amount = amount_text(force, size(value));
      const data = turn ?? arrow(new Path(), from, tip).take();
      line.setAttribute("d", data);
      touch.setAttribute("d", data);
      // The number continues the arrow.
      const side = Math.abs(d[0]) < 0.35 ? "middle" : d[0] > 0 ? "start" : "end";
      text.textContent = amount;
      text.setAttribute("text-anchor", side);
      const wide = 7 * amount.length, at = plus(tip, plus(times(8, d), [0, 4 + 5 * d[1]]));
      const left = side === "middle" ? at[0] - wide / 2 : side === "start" ? at[0] : at[0] - wide;
      // Inside the picture, whatever is written.
      const inside = Math.min(Math.max(left, 4), Math.max(4, this.view.width - wide - 4)) - left;
      place(text, [at[0] + inside, Math.min(Math.max(at[1], 12), this.view.height - 4)]);
      for (let s = 0; s < 1; s += force.turns ? 0.04 : 0.1) {
        const around: Pixel = [kTurn * Math.cos(2 * Math.PI * s), kTurn * Math.sin(2 * Math.PI * s)];
        this.obstacles.push(plus(from, force.turns ? around : times(s, v)));
      }
      for (let s = 0; s <= wide; s += 7) this.obstacles.push([left + inside + s, at[1] - 4]);
      if (named && force.series.length > 0) group.setAttribute("aria-label", `Reaction ${amount}: show its curve`);
    });
  }

  // About the axis of a torque, the longer the larger it is.
  private turn(from: Pixel, torque: Point): string {
    const planar = this.scene.space === 2, { largest_torque, scale } = this.view;
    let u: Pixel = [kTurn, 0], v: Pixel = [0, -kTurn];
    if (!planar) {
      const a = cross(torque, Math.abs(torque[2]) < 0.9 * size(torque) ? [0, 0, 1] : [1, 0, 0]), b = cross(torque, a);
      u = times(kTurn / size(a) / scale, this.view.along(a));
      v = times(kTurn / size(b) / scale, this.view.along(b));
    }
    return curved_arrow(new Path(), from, u, v, (planar ? torque[0] : size(torque)) / largest_torque).take();
  }

  private make(force: Force, chosen: (force: Force) => void): Drawn {
    const reaction = force.series.length > 0;
    const group = svg("g", {
      class: reaction ? "force reaction" : "force applied", "data-kind": "force",
      tabindex: reaction ? 0 : null, role: reaction ? "button" : null,
      "aria-label": reaction ? `Reaction ${force.name}: show its curve` : null,
    });
    const line = svg("path", { class: "s-force" }), touch = svg("path", { class: "s-touch" });
    const text = svg("text", { class: "s-amount" });
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
    return { force, group, line, touch, text };
  }
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
