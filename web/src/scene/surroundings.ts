// SPDX-License-Identifier: Apache-2.0
// What is around a mechanism: the floor, paths of points, gravity, and the axes of space.
import type { SceneBlock } from "../document";
import { svg } from "../dom";
import { emptiest } from "./corner";
import { arrow, finite, length, minus, Path, type Pixel, plus, point, type Point, size, times, unit } from "./geometry";
import type { Motion } from "./motion";
import { type Box, box_at, kHigh } from "./placement";
import { floor_corners, type View } from "./view";

const kOften = 24;   // so many times as long as what it covers is wide, a path goes over the same place again and again
const kRecent = 6;   // of such a path so much is drawn, behind the point

/** Behind the mechanism. */
export class Background {
  readonly node = svg("g");
  readonly traces = svg("g", { class: "traces" });
  private readonly floor = svg("path", { class: "s-floor" });
  private readonly paths: { whole: SVGPathElement; past: SVGPathElement; track: number; reach: number[]; recent: number }[];

  constructor(private readonly scene: SceneBlock, private readonly motion: Motion, private readonly view: View) {
    this.paths = scene.traces.map((track) => ({
      whole: svg("path", { class: "s-trace", "data-kind": "trace" }), past: svg("path", { class: "s-past" }),
      track, reach: [], recent: Infinity,
    }));
    for (const { whole, past } of this.paths) this.traces.append(whole, past);
    this.node.append(this.floor, this.traces);
  }

  /** After the view has changed. */
  look() {
    if (!this.view.follows) {
      const corners = floor_corners(this.scene, this.view.corners);
      this.floor.setAttribute("d", corners.length === 4 ? this.grid(corners) : "");
    }
    for (const path of this.paths) {
      const { data, wide } = this.trace(path.track, path.reach), often = path.reach[path.reach.length - 1]! > kOften * wide;
      path.recent = often ? kRecent * wide : Infinity;
      path.whole.setAttribute("d", often ? "" : data);
      // Dashes begin anew after a gap: such a path is drawn alike before and after.
      path.past.setAttribute("d", data.lastIndexOf("M") > 0 ? "" : data);
    }
  }

  /** What the points have passed is drawn stronger: the path is dashed by the length so far, or the last part of it. */
  frame(index: number, traces: boolean) {
    if (this.view.follows) this.floor.setAttribute("d", this.moving_grid());
    if (!traces) return;
    const [x, y] = this.view.slide;
    this.traces.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    for (const { past, reach, recent } of this.paths) {
      const whole = reach[reach.length - 1] ?? 0, so_far = reach[Math.min(index, reach.length - 1)] ?? 0, shown = Math.min(so_far, recent);
      past.setAttribute("stroke-dasharray", [0, so_far - shown, shown, whole + 10].map((part) => part.toFixed(1)).join(" "));
    }
  }

  // The ground under what is followed: its lines stay where they are, and tell that it moves.
  private moving_grid(): string {
    const { view, scene } = this, [low, high] = view.corners, now = view.travel!.now(), path = new Path();
    const wide = Math.max(high[0] - low[0], high[1] - low[1]);
    const spacing = round_up(0.35 * Math.max(wide, 0.5 * scene.size));
    const reach = 0.5 * wide + (scene.space === 2 ? view.width / view.scale : 0.4 * scene.size);
    const z = scene.space === 2 ? 0 : scene.floor ?? now[2] + low[2];
    const lines = (middle: number) => {
      const list = [];
      for (let k = Math.floor((middle - reach) / spacing); k * spacing <= middle + reach; ++k) list.push(k * spacing);
      return list;
    };
    const xs = lines(now[0]), ys = lines(now[1]);
    const cross = (a: Point, b: Point) => path.move(view.px(a)).line(view.px(b));
    for (const x of xs) cross([x, ys[0]!, z], [x, ys[ys.length - 1]!, z]);
    for (const y of ys) cross([xs[0]!, y, z], [xs[xs.length - 1]!, y, z]);
    return path.take();
  }

  private grid(corners: Point[]): string {
    const [a, , , b] = corners as [Point, Point, Point, Point], lines = 6, path = new Path();
    const at = (x: number, y: number) =>
      this.view.px([a[0] + x * (b[0] - a[0]), a[1] + y * (b[1] - a[1]), a[2]]);
    for (let k = 0; k <= lines; ++k) {
      const s = k / lines;
      path.move(at(s, 0)).line(at(s, 1)).move(at(0, s)).line(at(1, s));
    }
    return path.take();
  }

  // How wide: the diagonal of the box around it.
  private trace(track: number, reach: number[]): { data: string; wide: number } {
    const path = new Path(), low: [number, number] = [Infinity, Infinity], high: [number, number] = [-Infinity, -Infinity];
    let begins = true, so_far = 0, last: Pixel = [0, 0];
    reach.length = 0;
    for (let k = 0; k < this.motion.count; ++k) {
      const p = this.motion.recorded(k, track);
      if (!finite(p)) {
        begins = true;
      } else {
        const here = minus(this.view.px(p), this.view.slide);
        if (!begins) so_far += length([here[0] - last[0], here[1] - last[1]]);
        begins ? path.move(here) : path.line(here);
        begins = false;
        last = here;
        for (const i of [0, 1] as const) low[i] = Math.min(low[i], here[i]), high[i] = Math.max(high[i], here[i]);
      }
      reach.push(so_far);
    }
    return { data: path.take(), wide: length(minus(high, low)) };
  }
}

/** In the corners, before everything. */
export class Corners {
  readonly node = svg("g");
  /** Where they and their letters are. */
  boxes: Box[] = [];
  private readonly gravity = svg("path", { class: "s-gravity", "data-kind": "gravity" });
  private readonly letter = svg("text", { class: "s-letter", "text-anchor": "start" }, "g");
  private readonly axes = ["x", "y", "z"].map((name) => ({
    line: svg("path", { class: "s-axis", "data-kind": "axes" }),
    name: svg("text", { class: "s-letter s-axis-name", "text-anchor": "middle" }, name),
  }));

  constructor(private readonly scene: SceneBlock, private readonly view: View, private readonly motion: Motion) {
    if (scene.space === 3) for (const { line, name } of this.axes) this.node.append(line, name);
    else if (size(point(scene.gravity)) > 0) this.node.append(this.gravity, this.letter);
  }

  look() {
    if (this.scene.space === 2) {
      const d = unit(this.view.along(point(this.scene.gravity)));
      const feet: Pixel[] = [[this.view.width - 34, 20], [18, 20]];
      // With room for the names of what comes near.
      const from = feet[emptiest(this.view, this.scene, this.motion, feet.map(([x]) => ({ left: x - 40, top: 0, right: x + 50, bottom: 66 })))]!;
      this.gravity.setAttribute("d", arrow(new Path(), from, plus(from, times(34, d))).take());
      place(this.letter, plus(from, [9, 20]));
      const along = box_at(plus(from, times(17, d)), 12 + 34 * Math.abs(d[0]), 12 + 34 * Math.abs(d[1]));
      this.boxes = size(point(this.scene.gravity)) > 0 ? [along, box_at(plus(from, [14, 16]), 14, kHigh)] : [];
      return;
    }
    const origin: Pixel = [46, this.view.height - (this.scene.up < 0 ? 66 : 40)];
    this.boxes = [];
    this.axes.forEach(({ line, name }, k) => {
      const e: Point = [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
      const tip = times(34 / this.view.scale, this.view.along(e)), end = plus(origin, tip);
      line.setAttribute("d", arrow(new Path(), origin, end).take());
      place(name, plus(end, plus(times(9, unit(tip)), [0, 4])));
      this.boxes.push(box_at(plus(end, times(9, unit(tip))), 14, kHigh));
    });
  }
}

// 1, 2 or 5 times a power of ten.
function round_up(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

export function place(text: SVGTextElement, at: Pixel) {
  text.setAttribute("x", at[0].toFixed(1));
  text.setAttribute("y", at[1].toFixed(1));
}
