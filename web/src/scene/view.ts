// SPDX-License-Identifier: Apache-2.0
// How a scene is seen: a camera without perspective, fitted so that nothing leaves the picture while it moves.
import type { SceneBlock, Shape } from "../document";
import { ForceScale } from "./force_scale";
import { cross, difference, dot, finite, type Pixel, plus, point, type Point, scaled, size, times } from "./geometry";
import type { Motion } from "./motion";
import { type Travel, travel_of } from "./travel";

/** What the reader chose. Angles in degrees, from +x towards +y, and up; shifts in pixels. */
export interface Camera { azimuth: number; elevation: number; zoom: number; shift: Pixel; }
export const start_camera = (): Camera => ({ azimuth: -48, elevation: 24, zoom: 1, shift: [0, 0] });

type Box = [number[], number[]];

/** The axes to the right, up, and towards the viewer. */
function axes_of(scene: SceneBlock, camera: Camera): [Point, Point, Point] {
  if (scene.space === 2) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const a = camera.azimuth * Math.PI / 180, e = camera.elevation * Math.PI / 180, up = scene.up;
  const toward: Point = [Math.cos(e) * Math.cos(a), up * Math.cos(e) * Math.sin(a), up * Math.sin(e)];
  const above: Point = [-Math.sin(e) * Math.cos(a), -up * Math.sin(e) * Math.sin(a), up * Math.cos(e)];
  return [cross(above, toward), above, toward];
}

export class View {
  width = 720;
  height = 540;
  scale = 1;  // pixels a metre
  axes: [Point, Point, Point];
  rails: ([Point, Point] | null)[] = [];  // by shape: how far a rail reaches
  directions: Point[] = [];               // by shape: of rails and blocks
  forces = new ForceScale([]);
  torques = new ForceScale([]);
  log_forces = false;
  force_length = 74;                          // of the longest arrow, pixels
  travel: Travel | null = null;               // of what goes far; the camera may go with it
  private origin: Pixel = [0, 0];
  private following = false;
  private traveller: Point = [0, 0, 0];       // where what is followed is now
  private standing: Contents | null = null;
  private followed: Contents | null = null;
  private before: Contents | null = null;     // of the stored run, while another one is shown

  constructor(private readonly scene: SceneBlock, private readonly motion: Motion) {
    this.axes = axes_of(scene, start_camera());
    this.look_at_motion();
  }

  private look_at_motion() {
    const { scene, motion } = this;
    this.scale_forces(this.log_forces);
    this.directions = scene.shapes.map((shape) => direction_of(shape, scene, motion));
    this.rails = rails_of(scene, motion, this.directions);
    this.travel = travel_of(scene, motion);
  }

  /** Lengths of arrows by the load, or by its logarithm. Before the next fit. */
  scale_forces(log: boolean) {
    this.log_forces = log;
    this.forces = new ForceScale(this.motion.largest_forces(false), log);
    this.torques = new ForceScale(this.motion.largest_forces(true), log);
  }

  /** The motion is another one. What a live one leaves of the picture stays in it, so that sizes can be compared. */
  renew() {
    const stored = this.motion.is_live ? this.before ?? this.standing : null;
    this.look_at_motion();
    this.standing = this.followed = null;
    this.before = stored;
    this.follow(this.following);
  }

  get follows() { return this.following; }
  /** Before the next fit. */
  follow(on: boolean) {
    this.following = on && this.travel !== null;
    this.traveller = [0, 0, 0];
  }
  /** The camera goes to where the motion is. */
  go() { if (this.following) this.traveller = this.travel!.now(); }

  /** What must fit into the picture: everything, or what is around the one that is followed. */
  private get contents(): Contents {
    if (this.following) return (this.followed ??= contents_of(this.scene, this.motion, this.rails, this.travel));
    return (this.standing ??= together(contents_of(this.scene, this.motion, this.rails, null), this.before));
  }
  /** Of everything, along the world's axes; of what is followed, around it. */
  get corners(): [Point, Point] { return this.contents.corners; }

  /** Fits everything into at most this room as the first camera sees it, then looks as `camera` does. */
  fit(room_width: number, room_height: number, camera: Camera) {
    const scene = this.scene, narrow = room_width < 520;
    this.axes = axes_of(scene, start_camera());
    const [left, right, low, high] = this.extent();
    // What moves on a line only has some room across it, and a point around it.
    const own = size(difference(this.corners[1], this.corners[0])), least = 0.25 * (own > kPoint * scene.size ? own : scene.size);
    // Who is followed needs some way around it to be seen on.
    const around = this.following ? 1.35 : 1;
    const wide = around * Math.max(right - left, least), tall = around * Math.max(high - low, least);
    this.force_length = narrow ? 48 : 74;
    // Room for names and numbers, and on one side for what stands in a corner.
    const texts = scene.forces.length > 0 || scene.tracks.some(({ label }) => label);
    const margin = texts ? (narrow ? 30 : 36) : 22;
    let beside_left = scene.space === 3 ? 44 : 0, above = 0, below = 0;
    let beside_right = scene.space === 2 && size(point(scene.gravity)) > 0 ? 36 : 0;
    let base = 1;
    // Arrows keep their length whatever the scale: their room is found with the scale, in a few rounds.
    for (let round = 0; round < 4; ++round) {
      const room = room_width - 2 * margin - beside_left - beside_right;
      const fitting = Math.min(room / wide, (room_height - 2 * margin - above - below) / tall);
      base = fitting > 0 && Number.isFinite(fitting) ? fitting : 1;
      for (const { at, force } of this.contents.pushes) {
        const load = size(force), s = load > 0 ? this.force_length * this.forces.share(load) / load : 0;
        const x = base * dot(this.axes[0], at) + s * dot(this.axes[0], force);
        const y = base * dot(this.axes[1], at) + s * dot(this.axes[1], force);
        beside_left = Math.max(beside_left, base * left - x), beside_right = Math.max(beside_right, x - base * right);
        above = Math.max(above, y - base * high), below = Math.max(below, base * low - y);
      }
    }
    const least_height = Math.min(room_height, scene.space === 3 ? 300 : 220);
    this.width = room_width;
    this.height = Math.round(Math.min(Math.max(tall * base + 2 * margin + above + below, least_height), room_height));
    // The middle of everything stays where it is while the camera turns.
    const middle = scaled(0.5, [0, 1, 2].map((k) => this.corners[0][k]! + this.corners[1][k]!) as unknown as Point);
    const at_first: Pixel = [
      (this.width + beside_left - beside_right) / 2 + base * (dot(this.axes[0], middle) - (left + right) / 2),
      (this.height + above - below) / 2 - base * (dot(this.axes[1], middle) - (low + high) / 2),
    ];
    this.scale = base * camera.zoom;
    this.axes = axes_of(scene, camera);
    const center: Pixel = [this.width / 2, this.height / 2];
    const seen: Pixel = [
      center[0] + camera.zoom * (at_first[0] - center[0]) + camera.shift[0],
      center[1] + camera.zoom * (at_first[1] - center[1]) + camera.shift[1],
    ];
    this.origin = [seen[0] - this.scale * dot(this.axes[0], middle), seen[1] + this.scale * dot(this.axes[1], middle)];
  }

  px(p: Point): Pixel { return plus(this.origin, this.along(difference(p, this.traveller))); }
  /** Where the ground has gone in the picture since the camera began to follow. */
  get slide(): Pixel { return this.along(scaled(-1, this.traveller)); }
  /** The arrow of a force, as long as its load asks for. */
  reach(force: Point): Pixel {
    const load = size(force);
    return times(load > 0 ? this.force_length * this.forces.share(load) / load / this.scale : 0, this.along(force));
  }
  along(v: Point): Pixel { return [this.scale * dot(this.axes[0], v), -this.scale * dot(this.axes[1], v)]; }

  // To the left, to the right, down, up.
  private extent(): [number, number, number, number] {
    let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
    const include = (one: Seen) => {
      const x = dot(this.axes[0], one.at), y = dot(this.axes[1], one.at);
      const wide = reach_of(one, this.axes[0]), tall = reach_of(one, this.axes[1]);
      left = Math.min(left, x - wide), right = Math.max(right, x + wide);
      low = Math.min(low, y - tall), high = Math.max(high, y + tall);
    };
    for (const one of this.contents.points) include(one);
    return left <= right ? [left, right, low, high] : [-0.5, 0.5, -0.5, 0.5];
  }
}

const kPoint = 0.05;     // of the scene's size: what is smaller is seen as a point
const kFloorPad = 0.12;  // of the scene's size

/** Of the ground on which something rolls. */
export function floor_corners(scene: SceneBlock, corners: [Point, Point]): Point[] {
  if (scene.space !== 3 || scene.floor === null) return [];
  const pad = kFloorPad * scene.size, floor = scene.floor;
  const xs = [corners[0][0] - pad, corners[1][0] + pad], ys = [corners[0][1] - pad, corners[1][1] + pad];
  return xs.flatMap((x) => ys.map((y): Point => [x, y, floor]));
}

// Of what slides: stored, or, in a live run, from where it goes.
function direction_of(shape: Shape, scene: SceneBlock, motion: Motion): Point {
  const stored = point(shape.direction);
  if (!motion.is_live || (shape.kind !== "rail" && shape.kind !== "block")) return stored;
  const track = shape.tracks[0] ?? 0, first = motion.recorded(0, track);
  let farthest: Point = [0, 0, 0];
  for (let k = 0; k < motion.count; ++k) {
    const way = difference(motion.recorded(k, track), first);
    if (size(way) > size(farthest)) farthest = way;
  }
  if (!(size(farthest) > 1e-3 * scene.size)) return stored;
  return scaled((dot(farthest, stored) < 0 ? -1 : 1) / size(farthest), farthest);
}

function rails_of(scene: SceneBlock, motion: Motion, directions: Point[]): ([Point, Point] | null)[] {
  return scene.shapes.map((shape, index) => {
    if (shape.kind !== "rail" || motion.count === 0) return null;
    const track = shape.tracks[0] ?? 0, direction = directions[index]!;
    let from = Infinity, to = -Infinity;
    for (let k = 0; k < motion.count; ++k) {
      const along = dot(motion.recorded(k, track), direction);
      if (Number.isFinite(along)) from = Math.min(from, along), to = Math.max(to, along);
    }
    const first = motion.recorded(0, track), here = dot(first, direction), beyond = 0.13 * scene.size;
    const end = (reach: number): Point =>
      [first[0] + reach * direction[0], first[1] + reach * direction[1], first[2] + reach * direction[2]];
    return [end(from - beyond - here), end(to + beyond - here)];
  });
}

/** What must be seen around a point: a ball, or a circle across a normal of length one. */
interface Seen { at: Point; radius: number; normal: Point | null; }

// How far along e, of length one: a circle across n reaches √(1 − (n·e)²) of its radius.
function reach_of({ radius, normal }: Seen, e: Point): number {
  return normal === null ? radius : radius * Math.sqrt(Math.max(0, 1 - dot(normal, e) ** 2));
}

interface Contents {
  points: Seen[];
  corners: [Point, Point];
  pushes: { at: Point; force: Point }[];
}

function contents_of(scene: SceneBlock, motion: Motion, rails: ([Point, Point] | null)[],
                     travel: Travel | null): Contents {
  const points = extremes(scene, motion, rails, travel);
  return { points, corners: corners_of(points), pushes: pushes_of(scene, motion, travel) };
}

function together(contents: Contents, other: Contents | null): Contents {
  if (other === null) return contents;
  const points = [...contents.points, ...other.points];
  return { points, corners: corners_of(points), pushes: contents.pushes };
}

// All points that must be seen; for scenes with many, the boxes that hold each frame's.
function extremes(scene: SceneBlock, motion: Motion, rails: ([Point, Point] | null)[], travel: Travel | null) {
  const points: Seen[] = [];
  let from: Point = [0, 0, 0];
  const include = (at: Point, radius = 0, normal: Point | null = null) => {
    if (finite(at)) points.push({ at: difference(at, from), radius, normal });
  };
  const every = Math.max(1, Math.floor(motion.count * scene.shapes.length / 60_000));
  for (let k = 0; k < motion.count; k += every) {
    if (travel !== null) from = travel.at(k);
    for (const shape of scene.shapes) {
      const first = motion.recorded(k, shape.tracks[0] ?? 0);
      const direction_only = shape.kind === "blade" || shape.kind === "ring" || shape.kind === "surface";
      const ahead = (track: number) => difference(motion.recorded(k, shape.tracks[track] ?? 0), first);
      const across = shape.kind === "ring" ? ahead(1) : shape.kind === "disk" ? cross(ahead(1), ahead(2)) : null;
      include(first, shape.size, across !== null && size(across) > 0 ? scaled(1 / size(across), across) : null);
      if (direction_only) continue;
      for (const track of shape.tracks.slice(1)) {
        const at = motion.recorded(k, track);
        include(at, shape.kind === "disk" ? 0 : shape.size);
        // The ends of half axes have opposite ones.
        if (shape.kind === "disk" || shape.kind === "ellipsoid") include(difference(scaled(2, first), at));
      }
    }
    for (const track of scene.traces) include(motion.recorded(k, track));
  }
  from = [0, 0, 0];
  for (const rail of rails) rail?.forEach((end) => include(end));
  return points;
}

// Where forces act, at some hundred instants.
function pushes_of(scene: SceneBlock, motion: Motion, travel: Travel | null) {
  const pushes: { at: Point; force: Point }[] = [], every = Math.max(1, Math.floor(motion.count / 300));
  for (let k = 0; k < motion.count; k += every)
    scene.forces.slice(0, 60).forEach(({ track, opposite, turns }, which) => {
      if (turns) return;
      const push = (end: number, force: Point) => {
        const at = motion.recorded(k, end);
        if (finite(at) && finite(force)) pushes.push({ at: travel === null ? at : difference(at, travel.at(k)), force });
      };
      const force = motion.recorded_force(k, which);
      push(track, force);
      if (opposite !== null) push(opposite, scaled(-1, force));
    });
  return pushes;
}

const kAxes: Point[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

function corners_of(points: Seen[]): [Point, Point] {
  const box: Box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const one of points)
    kAxes.forEach((axis, k) => {
      const reach = reach_of(one, axis);
      box[0][k] = Math.min(box[0][k]!, one.at[k]! - reach);
      box[1][k] = Math.max(box[1][k]!, one.at[k]! + reach);
    });
  return points.length > 0 ? [point(box[0]), point(box[1])] : [[0, 0, 0], [0, 0, 0]];
}
