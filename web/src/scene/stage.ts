// SPDX-License-Identifier: Apache-2.0
// The picture that moves: layers of drawn parts, painted at the clock's time as the camera sees them.
import { on_change } from "../changes";
import type { Clock } from "../clock";
import type { Force, SceneBlock } from "../document";
import { h, svg } from "../dom";
import { unit_text } from "../math";
import { number_text } from "../numbers";
import { amount_text, ForceArrows, VelocityArrows } from "./arrows";
import { size } from "./geometry";
import { Labels } from "./labels";
import { Pointer } from "./pointer";
import { Motion } from "./motion";
import { Mover, type Starter } from "./mover";
import { Placement } from "./placement";
import { ScaleArrow } from "./scale_arrow";
import { Batches, Sheet } from "./sheet";
import { ShapePainter } from "./shapes";
import { Background, Corners } from "./surroundings";
import { start_camera, View } from "./view";

export type Layer = "forces" | "velocities" | "traces" | "labels";

export class Stage {
  readonly node = h("div", { class: "stage" });
  readonly camera = start_camera();
  readonly view: View;
  readonly velocities: VelocityArrows;
  readonly pointer: Pointer;
  private mover: Mover | null = null;
  private readonly picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg" });
  private readonly image = svg("g", { role: "img" });
  private readonly sheet: Sheet | Batches;
  private readonly painter: ShapePainter;
  private readonly background: Background;
  private readonly corners: Corners;
  private readonly forces: ForceArrows;
  private readonly labels: Labels;
  private readonly scale: ScaleArrow;
  private readonly placement = new Placement();
  private readonly shown: Record<Layer, boolean> = { forces: true, velocities: false, traces: true, labels: true };
  private room: [number, number] = [0, 0];

  constructor(readonly scene: SceneBlock, readonly motion: Motion, private readonly clock: Clock,
              chosen: (force: Force) => void) {
    this.view = new View(scene, motion);
    this.view.follow(this.view.travel?.far ?? false);
    this.sheet = scene.simplified ? new Batches() : new Sheet();
    this.painter = new ShapePainter(scene, motion, this.view, this.sheet);
    this.background = new Background(scene, motion, this.view);
    this.corners = new Corners(scene, this.view, motion);
    this.forces = new ForceArrows(scene, motion, this.view, chosen);
    this.velocities = new VelocityArrows(scene, motion, this.view);
    this.labels = new Labels(scene, motion, this.view);
    this.pointer = new Pointer(scene, motion, this.view);
    this.scale = new ScaleArrow(this.view, unit_text(scene.forces.find(({ turns }) => !turns)?.unit ?? ""), scene, motion);
    this.velocities.node.style.display = "none";
    this.image.append(this.background.node, this.sheet.node, this.velocities.node, this.corners.node, this.scale.node,
      this.labels.node);
    this.picture.append(this.image, this.forces.node, this.pointer.node);
    this.node.append(this.picture);
    clock.listen((cause) => this.paint(cause !== "run"));
    on_change(() => {
      this.view.renew();
      this.velocities.renew();
      if (this.room[0] > 0) this.look();
    });
  }

  /** Fits the picture into a new room, in pixels. */
  resize(width: number, height: number) {
    if (width === this.room[0] && height === this.room[1]) return;
    this.room = [width, height];
    this.look();
  }

  /** After the camera moved. */
  look() {
    this.view.fit(this.room[0], this.room[1], this.camera);
    this.picture.setAttribute("viewBox", `0 0 ${this.view.width} ${this.view.height}`);
    this.background.look();
    this.corners.look();
    this.scale.look(this.shown.forces);
    this.paint(true);
  }

  /** Whether arrows of forces are as long as the logarithm of their loads. */
  scale_forces(log: boolean) {
    this.view.scale_forces(log);
    this.look();
  }

  /** Whether the camera goes with a mechanism that travels. */
  follow(on: boolean) {
    this.view.follow(on);
    this.look();
  }

  show(layer: Layer, on: boolean) {
    this.shown[layer] = on;
    const node = layer === "traces" ? this.background.traces : this[layer].node;
    node.style.display = on ? "" : "none";
    if (layer === "forces") this.scale.look(on);
    this.paint(true);
  }

  private paint(stands: boolean) {
    if (this.room[0] === 0) return;
    this.motion.go(this.clock.place());
    this.view.go();
    this.sheet.begin();
    this.painter.paint();
    this.sheet.end();
    this.background.frame(this.motion.index, this.shown.traces);
    if (this.shown.velocities) this.velocities.frame();
    if (this.shown.forces) this.forces.frame(stands);
    this.pointer.frame(!this.shown.forces);
    this.mover?.frame();
    this.write(stands);
    if (stands) this.image.setAttribute("aria-label", this.sentence());
  }

  // Texts last: none lies on another. Numbers of forces come before names.
  private write(stands: boolean) {
    const { forces, labels } = this.shown;
    if (!forces && !labels) return;
    const drawn = [...this.painter.obstacles, ...this.scale.obstacles, ...(forces ? this.forces.obstacles : [])];
    this.placement.begin(this.view.width, this.view.height, drawn, [...this.corners.boxes, ...this.scale.boxes], this.painter.bars);
    if (forces) this.forces.put_amounts(this.placement, stands);
    if (labels) this.labels.frame(this.placement, stands);
  }

  /** Points that can be dragged at the start; null: none. */
  let_move(starter: Starter): Mover | null {
    const mover = new Mover(this.scene, this.motion, this.view, this.clock, starter, () => this.paint(true));
    if (!mover.any) return null;
    this.mover = mover;
    this.picture.append(mover.node);
    return mover;
  }

  /** What is drawn, to be saved. */
  get drawn(): SVGSVGElement { return this.picture; }

  /** What the picture shows, in words. */
  sentence(): string {
    const parts = [`t ${number_text(this.clock.t, 4)} s`];
    const named = this.scene.tracks.map(({ name, label }, track) => ({ name, label, track }))
      .filter(({ name, label }) => label && name !== "");
    for (const { name, track } of named.slice(0, 4)) {
      const at = this.motion.at(track);
      const words = (this.scene.space === 3 ? ["x", "y", "z"] : ["x", "y"])
        .map((axis, k) => `${axis} ${number_text(at[k]!, 3)} m`);
      parts.push(`${name.slice(0, 60)} at ${words.join(", ")}`);
    }
    this.scene.forces.slice(0, 4).forEach((force, which) => {
      const value = size(this.motion.force(which));
      const unnamed = force.name === "" ? `force ${number_text(value, 3)} ${unit_text(force.unit)}` : "";
      if (Number.isFinite(value)) parts.push(unnamed || amount_text(force, value));
    });
    if (named.length === 0) parts.push(`${this.scene.shapes.length} parts`);
    return parts.join("; ");
  }
}
