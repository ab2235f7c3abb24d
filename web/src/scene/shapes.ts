// SPDX-License-Identifier: Apache-2.0
// The line art of each kind of shape, as a textbook draws it.
import type { SceneBlock, Shape, ShapeKind } from "../document";
import {
  cross, difference, dot, left_of, length, minus, Path, type Pixel, plus, type Point, point, scaled, size, times, unit,
} from "./geometry";
import type { Motion } from "./motion";
import type { View } from "./view";

const kBase = 15;  // half the side of a piece of ground, pixels

interface Target { draw(data: string, style: string, kind: string, depth: number): void; }

// In the plane: what lies under what.
const kLayers: Partial<Record<ShapeKind, number>> = {
  rail: 9, surface: 9, spring: 7, damper: 7, plate: 6, support: 5.5, fixed: 5.5, bar: 5, circle: 4.5, blade: 4, block: 4, center: 3,
};

export class ShapePainter {
  /** Where lines are, so that names keep off them. */
  obstacles: Pixel[] = [];
  /** Of these, on bars: no text lies there. */
  bars: Pixel[] = [];
  private readonly grounded = new Map<Shape, boolean>();
  private kind = "";
  private depth = 0;

  constructor(private readonly scene: SceneBlock, private readonly motion: Motion, private readonly view: View,
              private readonly target: Target) {}

  paint() {
    this.obstacles = [], this.bars = [];
    this.scene.shapes.forEach((shape, index) => this.shape(shape, index));
  }

  private at(shape: Shape, k: number): Point { return this.motion.at(shape.tracks[k] ?? 0); }
  private at_px(shape: Shape, k: number): Pixel { return this.view.px(this.at(shape, k)); }

  private emit(path: Path, style: string) {
    this.target.draw(path.take(), style, this.kind, this.depth);
    this.kind = "";
  }
  private obstacle(a: Pixel, b: Pixel, step = 5, list = this.obstacles) {
    if (this.scene.simplified) return;
    const steps = Math.min(400, Math.floor(length(minus(b, a)) / step) + 1);
    for (let k = 0; k <= steps; ++k) list.push(plus(a, times(k / steps, minus(b, a))));
  }

  private depth_of(shape: Shape): number {
    if (this.scene.space === 2 || this.scene.simplified) return kLayers[shape.kind] ?? 2;
    const round = shape.kind === "ring" || shape.kind === "disk" || shape.kind === "ellipsoid";
    const tracks = round ? shape.tracks.slice(0, 1) : shape.tracks;
    let depth = 0;
    for (const track of tracks) depth -= dot(this.view.axes[2], this.motion.at(track)) / tracks.length;
    // What marks a bar's end is before it.
    const mark = shape.tracks.length === 1 && shape.kind !== "rail" && shape.kind !== "circle";
    return mark ? depth - 0.5 * this.scene.size : depth;
  }

  private shape(shape: Shape, index: number) {
    this.kind = shape.kind;
    this.depth = this.depth_of(shape);
    const p = this.at_px(shape, 0);
    switch (shape.kind) {
      case "bar": return this.bar(shape, false);
      case "plate": return this.bar(shape, true);
      case "pin": return this.emit(new Path().circle(p, 4.2), "s-hollow");
      case "support": return this.support(shape, p, true);
      case "fixed":
        if (this.scene.space === 2 && size(point(shape.direction)) > 0) return this.wall(shape, p);
        return this.support(shape, p, false);
      case "mass":
        this.obstacle(minus(p, [7, 0]), plus(p, [7, 0]));
        return this.emit(new Path().circle(p, this.scene.simplified ? 4 : 8), "s-mass");
      case "center": return this.center(p);
      case "dot": return this.emit(new Path().circle(p, 3.4), "s-solid");
      case "block": return this.block(index, p);
      case "rail": return this.rail(index);
      case "surface":
        if (this.scene.space === 2) this.surface(this.at_px(shape, 1), this.at_px(shape, 2));
        return;
      case "spring": return this.spring(p, this.at_px(shape, 1));
      case "damper": return this.damper(p, this.at_px(shape, 1));
      case "blade": return this.blade(p, this.at_px(shape, 1));
      case "circle": return this.round(p, [shape.size * this.view.scale, 0], [0, shape.size * this.view.scale]);
      case "ring": return this.ring(shape);
      case "disk": return this.disk(shape);
      case "ellipsoid": return this.ellipsoid(shape);
    }
  }

  private bar(shape: Shape, plate: boolean) {
    const outline = () => {
      const path = new Path().move(this.at_px(shape, 0));
      for (let k = 1; k < shape.tracks.length; ++k) path.line(this.at_px(shape, k));
      return plate ? path.close() : path;
    };
    for (let k = 1; k < shape.tracks.length; ++k) {
      const ends = [this.at_px(shape, k - 1), this.at_px(shape, k)] as const;
      this.obstacle(...ends);
      this.obstacle(...ends, 3, this.bars);
    }
    if (this.scene.simplified) return this.emit(outline(), "s-thin");
    this.emit(outline(), plate ? "s-plate s-edge" : "s-edge");
    this.emit(outline(), plate ? "s-plate s-core" : "s-core");
  }

  // The circle with two dark quarters.
  private center(p: Pixel) {
    this.emit(new Path().circle(p, 6), "s-hollow");
    const k = 0.5522847498 * 6, quarters = new Path();
    for (const s of [1, -1]) {
      quarters.move(p).line(plus(p, [6 * s, 0]));
      quarters.curve(plus(p, [6 * s, -s * k]), plus(p, [s * k, -6 * s]), plus(p, [0, -6 * s])).close();
    }
    this.emit(quarters, "s-solid");
    this.obstacle(minus(p, [5, 0]), plus(p, [5, 0]));
    this.obstacle(minus(p, [0, 6]), plus(p, [0, 6]));
  }

  private support(shape: Shape, p: Pixel, pinned: boolean) {
    if (this.scene.simplified) return this.emit(new Path().circle(p, 4), "s-solid");
    if (this.scene.space === 3) return this.base(shape, p);
    const low = pinned ? 15 : 0, half = pinned ? 15 : 11;
    if (pinned) this.emit(new Path().move(p).line(plus(p, [-9, low])).line(plus(p, [9, low])).close(), "s-hollow");
    const a = plus(p, [-half, low]), b = plus(p, [half, low]);
    this.emit(hatch(new Path().move(a).line(b), a, b), "s-ground");
    this.obstacle(plus(a, [0, 4]), plus(b, [0, 4]));
    this.obstacle(p, plus(p, [0, low]));
    this.depth = 2;
    this.emit(new Path().circle(p, pinned ? 4.2 : 2.6), pinned ? "s-hollow" : "s-solid");
  }

  // Whether nothing else that is fixed is straight below.
  private lowest(shape: Shape): boolean {
    const at = this.motion.recorded(0, shape.tracks[0] ?? 0), near = 1e-3 * this.scene.size, { up } = this.scene;
    return !this.scene.shapes.some(({ kind, tracks }) => {
      if (kind !== "support" && kind !== "fixed") return false;
      const [x, y, z] = difference(this.motion.recorded(0, tracks[0] ?? 0), at);
      return Math.hypot(x, y) < near && up * z < -near;
    });
  }

  // A piece of ground, level, under what is fixed to it in space.
  private base(shape: Shape, p: Pixel) {
    if (!this.grounded.has(shape)) this.grounded.set(shape, this.lowest(shape));
    const along = (e: Point) => times(kBase / this.view.scale, this.view.along(e)), u = along([1, 0, 0]), v = along([0, 1, 0]);
    const corner = (s: number, t: number) => plus(p, plus(times(s, u), times(t, v))), ground = new Path(), depth = this.depth;
    ground.move(corner(-1, -1)).line(corner(1, -1)).line(corner(1, 1)).line(corner(-1, 1)).close();
    for (let k = -2; k <= 2; ++k) ground.move(corner(k / 2.5, -1)).line(corner(k / 2.5, 1));
    this.depth = depth + 0.6 * this.scene.size;  // behind what stands on it
    if (this.grounded.get(shape)) this.emit(ground, "s-base");
    this.depth = depth;
    this.emit(new Path().circle(p, 4.6), "s-solid s-rimmed");
  }

  // Across a direction.
  private wall(shape: Shape, p: Pixel) {
    const n = left_of(unit(this.view.along(point(shape.direction))));
    const a = plus(p, times(22, n)), b = minus(p, times(22, n));
    this.obstacle(a, b);
    this.emit(hatch(new Path().move(a).line(b), b, a), "s-ground");
  }

  private block(index: number, p: Pixel) {
    const along = unit(this.view.along(this.view.directions[index]!)), d = times(17, along), n = times(10, left_of(along));
    const corners = [minus(minus(p, d), n), minus(plus(p, d), n), plus(plus(p, d), n), plus(minus(p, d), n)] as const;
    const path = new Path().move(corners[0]);
    for (const corner of corners.slice(1)) path.line(corner);
    this.emit(path.close(), "s-block");
    this.obstacle(minus(p, d), plus(p, d));
    this.obstacle(corners[0], corners[1]);
    this.obstacle(corners[3], corners[2]);
  }

  // What slides there is above it, or on the side of the rest.
  private rail(index: number) {
    const ends = this.view.rails[index] ?? [[0, 0, 0], [0, 0, 0]];
    let a = this.view.px(ends[0]), b = this.view.px(ends[1]);
    if (this.scene.space === 3) return this.emit(new Path().move(a).line(b), "s-guide");
    const under_block = this.scene.shapes[index + 1]?.kind === "block";
    let n = left_of(unit(minus(b, a)));
    const vertical = Math.abs(n[0]) > 0.9;
    const out = minus(times(0.5, plus(a, b)), [this.view.width / 2, this.view.height / 2]);
    // The ground is below; beside what leans on it.
    if (vertical ? n[0] * out[0] < 0 : n[1] < 0) n = times(-1, n), [a, b] = [b, a];
    const off = times(under_block ? 11 : 1, n);
    a = plus(a, off), b = plus(b, off);
    this.emit(hatch(new Path().move(a).line(b), b, a, 7), "s-ground");
    this.obstacle(plus(a, times(4, n)), plus(b, times(4, n)));
  }

  // Across the picture through p, its free side on the left of the way to `ahead`. The strokes stay with the line.
  private surface(p: Pixel, ahead: Pixel) {
    const edge = 8, step = 7, d = unit(minus(ahead, p)), sizes = [this.view.width, this.view.height];
    let from = -Infinity, to = Infinity;
    for (const k of [0, 1] as const) {
      const low = edge - p[k], high = sizes[k]! - edge - p[k];
      if (Math.abs(d[k]) < 1e-9) {
        if (low > 0 || high < 0) return;
        continue;
      }
      from = Math.max(from, Math.min(low / d[k], high / d[k]));
      to = Math.min(to, Math.max(low / d[k], high / d[k]));
    }
    from = Math.ceil(from / step) * step, to = Math.floor(to / step) * step;
    if (!(from < to)) return;
    const a = plus(p, times(from, d)), b = plus(p, times(to, d));
    this.emit(hatch(new Path().move(a).line(b), a, b, step), "s-ground");
    this.obstacle(a, b);
  }

  private spring(a: Pixel, b: Pixel) {
    const teeth = 16, whole = length(minus(b, a)), lead = Math.min(12, whole / 6);
    const d = unit(minus(b, a)), n = times(7.5, left_of(d));
    const path = new Path().move(a).line(plus(a, times(lead, d)));
    for (let k = 0; k < teeth; ++k) {
      const along = lead + (whole - 2 * lead) * (k + 0.5) / teeth;
      path.line(plus(plus(a, times(along, d)), times(k % 2 === 1 ? -1 : 1, n)));
    }
    this.emit(path.line(minus(b, times(lead, d))).line(b), "s-coil");
    this.obstacle(a, b);
  }

  private damper(a: Pixel, b: Pixel) {
    const whole = length(minus(b, a)), d = unit(minus(b, a)), n = times(6.5, left_of(d));
    const at = (s: number) => plus(a, times(s * whole, d));
    const from = at(0.35), to = at(0.65), piston = at(0.5), rim = times(0.75, n);
    const path = new Path().move(a).line(from);
    path.move(plus(to, n)).line(plus(from, n)).line(minus(from, n)).line(minus(to, n));
    this.emit(path.move(plus(piston, rim)).line(minus(piston, rim)).move(piston).line(b), "s-coil");
    this.obstacle(a, b);
  }

  private blade(p: Pixel, ahead: Pixel) {
    const d = times(13, unit(minus(ahead, p)));
    this.emit(new Path().move(minus(p, d)).line(plus(p, d)), "s-blade");
    this.obstacle(minus(p, d), plus(p, d));
  }

  private round(c: Pixel, u: Pixel, v: Pixel, style = "s-round") {
    this.emit(new Path().ellipse(c, u, v), style);
    if (this.scene.simplified) return;
    const count = Math.min(200, Math.max(24, Math.ceil((length(u) + length(v)) * Math.PI / 5)));
    for (let k = 0; k < count; ++k) {
      const s = 2 * Math.PI * k / count;
      this.obstacles.push(plus(c, plus(times(Math.cos(s), u), times(Math.sin(s), v))));
    }
  }

  private ring(shape: Shape) {
    const axis = difference(this.at(shape, 1), this.at(shape, 0));
    const any: Point = Math.abs(axis[2]) < 0.9 * size(axis) ? [0, 0, 1] : [1, 0, 0];
    const u = cross(axis, any), v = cross(axis, u);
    const radius = (w: Point) => this.view.along(scaled(size(w) > 0 ? shape.size / size(w) : 0, w));
    this.round(this.at_px(shape, 0), radius(u), radius(v), "s-ring");
  }

  private disk(shape: Shape) {
    const c = this.at_px(shape, 0), u = minus(this.at_px(shape, 1), c), v = minus(this.at_px(shape, 2), c);
    this.round(c, u, v);
    const spokes = new Path().move(minus(c, u)).line(plus(c, u)).move(minus(c, v)).line(plus(c, v));
    this.emit(spokes, "s-spoke");
    this.emit(new Path().circle(plus(c, times(0.82, u)), 3), "s-mark");
  }

  // Its outline is the image of the unit ball under A = (a₁ a₂ a₃): half axes from A Aᵀ.
  private ellipsoid(shape: Shape) {
    const c = this.at_px(shape, 0);
    const a = [1, 2, 3].map((k) => minus(this.at_px(shape, k), c));
    let xx = 0, xy = 0, yy = 0;
    for (const [x, y] of a) xx += x * x, xy += x * y, yy += y * y;
    const turn = 0.5 * Math.atan2(2 * xy, xx - yy), root = Math.hypot((xx - yy) / 2, xy), mean = (xx + yy) / 2;
    const d: Pixel = [Math.cos(turn), Math.sin(turn)];
    this.round(c, times(Math.sqrt(mean + root), d), times(Math.sqrt(Math.max(mean - root, 0)), left_of(d)));
    const circles = new Path();
    a.forEach((u, k) => circles.ellipse(c, u, a[(k + 1) % 3] ?? u));
    this.emit(circles, "s-seam");
  }
}

// Short strokes along a line, on its left.
function hatch(path: Path, a: Pixel, b: Pixel, step = 6): Path {
  const d = unit(minus(b, a)), n = left_of(d);
  const count = Math.min(400, Math.max(1, Math.floor(length(minus(b, a)) / step)));
  for (let k = 0; k < count; ++k) {
    const from = plus(a, times((k + 0.8) / count, minus(b, a)));
    path.move(from).line(minus(minus(from, times(5, d)), times(6, n)));
  }
  return path;
}
