// SPDX-License-Identifier: Apache-2.0
// Mechanisms that go far, as sleighs and bicycles do: where they are as a whole, so that the camera may go with them.
import type { SceneBlock } from "../document";
import { difference, finite, type Point, scaled, size } from "./geometry";
import type { Motion } from "./motion";

const kGrounded = ["support", "fixed", "rail"];
const kMostTracks = 40;
const kFar = 1.4;       // the way and the mechanism, over the mechanism: from here on following is offered
const kVeryFar = 2.6;   // and from here on it is how the picture begins

export class Travel {
  constructor(private readonly motion: Motion, private readonly middles: Point[], readonly ratio: number) {}

  get far() { return this.ratio > kVeryFar; }
  /** The middle of what moves, at a recorded instant. */
  at(index: number): Point { return this.middles[Math.min(index, this.middles.length - 1)]!; }
  /** At the scene's time, between instants. */
  now(): Point {
    const { index, fraction } = this.motion.now, a = this.at(index), b = this.at(index + 1);
    return [a[0] + fraction * (b[0] - a[0]), a[1] + fraction * (b[1] - a[1]), a[2] + fraction * (b[2] - a[2])];
  }
}

/** Null where something is fixed to the ground, or nothing goes far. */
export function travel_of(scene: SceneBlock, motion: Motion): Travel | null {
  if (motion.count < 2 || scene.simplified || scene.shapes.some(({ kind }) => kGrounded.includes(kind))) return null;
  const tracks = [...new Set(scene.shapes.map(({ tracks: [first] }) => first ?? 0))].slice(0, kMostTracks);
  if (tracks.length === 0) return null;
  const middles: Point[] = [], low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const extent = tracks.map(() => ({ low: [...low], high: [...high] }));
  let own = 0.25 * scene.size;
  for (let k = 0; k < motion.count; ++k) {
    const places = tracks.map((track) => motion.recorded(k, track));
    if (!places.every(finite)) return null;
    const sum = places.reduce((a, b): Point => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0] as Point);
    const middle = scaled(1 / places.length, sum);
    middles.push(middle);
    places.forEach((at, which) => {
      own = Math.max(own, size(difference(at, middle)) + (scene.shapes[which]?.size ?? 0));
      for (let axis = 0; axis < 3; ++axis) {
        extent[which]!.low[axis] = Math.min(extent[which]!.low[axis]!, at[axis]!);
        extent[which]!.high[axis] = Math.max(extent[which]!.high[axis]!, at[axis]!);
      }
    });
    for (let axis = 0; axis < 3; ++axis) {
      low[axis] = Math.min(low[axis]!, middle[axis]!);
      high[axis] = Math.max(high[axis]!, middle[axis]!);
    }
  }
  // What something stays at is part of the picture.
  const rests = extent.some((one) => one.low.every((value, axis) => one.high[axis]! - value < 1e-3 * scene.size));
  const way = Math.max(...high.map((value, axis) => value - low[axis]!)), ratio = (way + 2 * own) / (2 * own);
  return rests || ratio < kFar ? null : new Travel(motion, middles, ratio);
}
