// SPDX-License-Identifier: Apache-2.0
// Draws the eye to where a reaction acts: a ring around its point, with the force as an arrow.
import type { Force, SceneBlock } from "../document";
import { svg } from "../dom";
import { amount_text } from "./arrows";
import { arrow, finite, length, Path, plus, size } from "./geometry";
import type { Motion } from "./motion";
import { place } from "./surroundings";
import type { View } from "./view";

const kRing = 17;  // pixels

export class Pointer {
  readonly node = svg("g", { class: "pointer", "data-kind": "pointer" });
  private readonly ring = svg("circle", { class: "s-ring-around", r: kRing });
  private readonly line = svg("path", { class: "s-pointed" });
  private readonly text = svg("text", { class: "s-pointed-name", "text-anchor": "middle" });
  private which = -1;
  private named = false;

  constructor(private readonly scene: SceneBlock, private readonly motion: Motion, private readonly view: View) {
    this.node.append(this.line, this.ring, this.text);
    this.node.style.display = "none";
  }

  get force(): Force | null { return this.scene.forces[this.which] ?? null; }
  /** The force that a row of the constraints is part of; -1: none. */
  find(row: string): number { return this.scene.forces.findIndex(({ series }) => series.includes(`lambda/${row}`)); }
  /** -1: nothing is pointed at. */
  show(which: number) {
    this.which = which;
    this.frame(this.named);
  }

  /** `named`: the arrow of the force is not there to say its name and amount. */
  frame(named: boolean) {
    this.named = named;
    const { force } = this;
    const at = force === null ? null : this.view.px(this.motion.at(force.track));
    const seen = force !== null && at !== null && Number.isFinite(at[0] + at[1]);
    this.node.style.display = seen ? "" : "none";
    if (!seen) return;
    const value = this.motion.force(this.which), reach = this.view.reach(value);
    const drawn = !force.turns && finite(value) && length(reach) >= 2;
    this.line.setAttribute("d", drawn ? arrow(new Path(), at, plus(at, reach)).take() : "");
    this.ring.setAttribute("cx", at[0].toFixed(1));
    this.ring.setAttribute("cy", at[1].toFixed(1));
    this.text.textContent = named ? amount_text(force, size(value)) : "";
    const below = at[1] + kRing + 16 < this.view.height || at[1] < kRing + 20;
    place(this.text, [Math.min(Math.max(at[0], 50), this.view.width - 50), below ? at[1] + kRing + 14 : at[1] - kRing - 6]);
  }
}
