// SPDX-License-Identifier: Apache-2.0
// Points that can be dragged while the scene stands at its start: the mechanism follows along its constraints, and the run
// starts from there. Whoever cannot drag types the values of the start in their boxes.
import type { Clock } from "../clock";
import type { SceneBlock } from "../document";
import { announce, svg } from "../dom";
import type { Moved, Request } from "../live/messages";
import { difference, type Pixel, type Point, size } from "./geometry";
import type { Motion } from "./motion";
import type { View } from "./view";

const kMost = 60;    // points with a handle
const kRadius = 9;   // pixels
const kReach = 13;   // of what is touched

/** Who finds the start for a place of a point, or which points can be moved, and runs from it. */
export interface Starter {
  move(asked: NonNullable<Request["move"]> | null): Promise<Moved | null>;
  put_start(q: number[]): void;
  run_again(): void;
}

export class Mover {
  readonly node = svg("g", { class: "handles" });
  private readonly handles: { track: number; seen: SVGCircleElement; touch: SVGCircleElement }[] = [];
  private on = false;
  private dragged: { track: number; from: Point; press: Pixel; to: Point } | null = null;
  private asking = false;
  private moved = false;
  private movable: boolean[] = [];  // by track: what is prescribed, or held by the constraints, is not

  /** `paint`: the picture has changed. */
  constructor(private readonly scene: SceneBlock, private readonly motion: Motion, private readonly view: View, private readonly clock: Clock,
              private readonly starter: Starter, private readonly paint: () => void) {
    for (const track of this.loose().slice(0, kMost)) {
      const seen = svg("circle", { class: "s-handle", r: kRadius }), touch = svg("circle", { class: "s-handle-touch", r: kReach, "data-track": track });
      touch.addEventListener("pointerdown", (event) => this.press(event, track));
      touch.addEventListener("pointermove", (event) => this.pull(event));
      for (const name of ["pointerup", "pointercancel"] as const) touch.addEventListener(name, () => this.release());
      this.handles.push({ track, seen, touch });
      this.node.append(seen, touch);
    }
    this.show(false);
  }

  get any() { return this.handles.length > 0; }
  show(on: boolean) {
    this.on = on;
    if (on) this.clock.show(0), void this.look();
    this.frame();
  }

  private async look() {
    const answer = await this.starter.move(null).catch(() => null);
    this.movable = answer?.problem === "" ? answer.movable : this.motion.scene.tracks.map(() => true);
    if (!this.handles.some(({ track }) => this.movable[track])) announce("Nothing here can be moved: all of it is prescribed or held.");
    this.frame();
  }

  frame() {
    const seen = this.on && !this.clock.playing && this.motion.index === 0 && this.motion.now.fraction === 0;
    this.node.style.display = seen ? "" : "none";
    if (!seen) return;
    for (const { track, seen: ring, touch } of this.handles) {
      const [x, y] = this.movable[track] ? this.view.px(this.motion.at(track)) : [NaN, NaN];
      for (const part of [ring, touch]) {
        part.setAttribute("cx", Number.isFinite(x) ? x.toFixed(1) : "-99");
        part.setAttribute("cy", Number.isFinite(y) ? y.toFixed(1) : "-99");
      }
    }
  }

  // Points that are drawn and that are not of the ground, as far as anything says; each place once. What a surface is known by is not drawn.
  private loose(): number[] {
    const { scene, motion } = this, end = motion.count - 1;
    const apart = (a: number, b: number, k: number) => size(difference(motion.recorded(k, a), motion.recorded(k, b))) > 1e-6 * scene.size;
    const grounded: number[] = [], drawn = new Set<number>(), list: number[] = [];
    for (const { kind, tracks } of scene.shapes) {
      if (kind === "support" || kind === "fixed") grounded.push(tracks[0]!);
      else if (kind !== "surface") for (const track of tracks) drawn.add(track);
    }
    for (const track of drawn) {
      // Springs end in points of their own.
      const loose = grounded.every((other) => [0, end >> 1, end].some((k) => apart(track, other, k)));
      if (loose && list.every((other) => apart(track, other, 0))) list.push(track);
    }
    return list;
  }

  private press(event: PointerEvent, track: number) {
    event.stopPropagation();
    event.preventDefault();
    (event.target as Element).setPointerCapture(event.pointerId);
    const from = this.motion.at(track);
    this.dragged = { track, from, press: [event.clientX, event.clientY], to: from };
    this.moved = false;
  }

  private pull(event: PointerEvent) {
    if (this.dragged === null) return;
    event.stopPropagation();
    const { from, press } = this.dragged, [right, up] = this.view.axes;
    const svg_wide = (event.target as SVGElement).ownerSVGElement!, zoom = this.view.width / (svg_wide.clientWidth || this.view.width);
    const way = [event.clientX - press[0], event.clientY - press[1]].map((d) => d * zoom / this.view.scale) as [number, number];
    const shift = [0, 1, 2].map((k) => way[0] * right[k]! - way[1] * up[k]!) as unknown as Point;
    this.dragged.to = [from[0] + shift[0], from[1] + shift[1], from[2] + shift[2]];
    void this.ask();
  }

  // The last place counts; one question at a time.
  private async ask() {
    if (this.asking || this.dragged === null) return;
    this.asking = true;
    while (this.dragged !== null) {
      const { track, to } = this.dragged, answer = await this.starter.move({ track, to: to.slice(0, this.scene.space) });
      if (answer !== null && answer.problem === "") {
        this.moved = true;
        this.starter.put_start(answer.q);
        this.motion.show_first(answer.positions);
        this.paint();
      } else if (answer !== null) {
        announce(`It cannot go there: ${answer.problem}`);
      }
      if (this.dragged === null || this.dragged.to === to) break;
    }
    this.asking = false;
    if (this.dragged === null && this.moved) void this.run();
  }

  private release() {
    if (this.dragged === null) return;
    this.dragged = null;
    if (!this.asking && this.moved) void this.run();
  }

  private async run() {
    this.moved = false;
    await this.look();
    this.starter.run_again();
  }
}
