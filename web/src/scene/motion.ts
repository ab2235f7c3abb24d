// SPDX-License-Identifier: Apache-2.0
// Where the tracks of a scene are, and which forces act, at recorded instants and between them.
import type { Place } from "../clock";
import { type SceneBlock, unpack } from "../document";
import { stretched } from "../numbers";
import { type Point, size } from "./geometry";

/** Of each instant and track, of each instant and force: their components. */
export interface Instants { positions: Float32Array; forces: Float32Array; }

export class Motion {
  /** Those of the run that is shown. */
  readonly time: Float32Array;
  private readonly stored_time: Float32Array;
  readonly count: number;
  readonly tracks: number;
  readonly forces: number;
  private readonly space: number;
  private readonly stored: Instants;
  private shown: Instants;
  private place: Place = { index: 0, fraction: 0 };
  private round_off = new Set<number>();  // forces that are round-off all along: they are none

  constructor(readonly scene: SceneBlock) {
    this.space = scene.space;
    this.tracks = scene.tracks.length;
    this.forces = scene.forces.length;
    this.time = unpack(scene.frames.time);
    this.stored_time = this.time.slice();
    this.stored = { positions: unpack(scene.frames.positions), forces: unpack(scene.frames.forces) };
    this.shown = this.stored;
    this.count = Math.min(scene.frames.count, this.time.length);
  }

  /** What a live run gives at the same instants; null: what is stored. */
  show(live: Instants | null) { this.shown = live ?? this.stored; }
  /** A live run may end at another time; its instants are as many. */
  reach(from: number, end: number) { this.time.set(stretched(this.stored_time, from, end)); }
  /** Where all points are at the first instant, while it is looked for. */
  show_first(positions: Float32Array) {
    const all = this.shown.positions.slice();
    all.set(positions);
    this.shown = { positions: all, forces: this.shown.forces };
  }
  get is_live() { return this.shown !== this.stored; }
  /** How far a live run is from the stored one, at most. */
  distance_to(live: Instants): number {
    let most = 0;
    this.stored.positions.forEach((value, i) => {
      const off = Math.abs(value - live.positions[i]!);
      if (!(off <= most)) most = off;
    });
    return most;
  }

  go(place: Place) { this.place = place; }
  get now(): Place { return this.place; }
  get index() { return this.place.index; }

  at(track: number): Point {
    const { index, fraction } = this.place;
    const a = this.recorded(index, track);
    return fraction > 0 ? between(a, this.recorded(index + 1, track), fraction) : a;
  }

  force(which: number): Point {
    const { index, fraction } = this.place;
    const a = this.recorded_force(index, which);
    if (fraction === 0) return a;
    const b = this.recorded_force(index + 1, which);
    return Number.isFinite(b[0]) ? between(a, b, fraction) : a;
  }

  /** From the instants around. */
  velocity(track: number, index = this.place.index): Point {
    const from = Math.max(0, index - 1), to = Math.min(this.count - 1, index + 1);
    const span = this.time[to]! - this.time[from]!;
    if (!(span > 0)) return [0, 0, 0];
    const a = this.recorded(from, track), b = this.recorded(to, track);
    return [(b[0] - a[0]) / span, (b[1] - a[1]) / span, (b[2] - a[2]) / span];
  }

  recorded(index: number, track: number): Point {
    return this.read(this.shown.positions, index * this.tracks + track);
  }
  /** Forces of which nothing but round-off is there. */
  take_for_zero(forces: Set<number>) { this.round_off = forces; }
  recorded_force(index: number, which: number): Point {
    if (this.round_off.has(which)) return [0, 0, 0];
    return this.read(this.shown.forces, index * this.forces + which);
  }

  /** Of forces, or of torques: the largest at each instant. */
  largest_forces(turns: boolean): number[] {
    return Array.from({ length: this.count }, (_, k) => {
      let largest = 0;
      for (let f = 0; f < this.forces; ++f) {
        if (this.scene.forces[f]?.turns !== turns) continue;
        const value = size(this.recorded_force(k, f));
        if (value > largest) largest = value;
      }
      return largest;
    });
  }
  largest_velocity(tracks: number[]): number {
    let largest = 0;
    for (let k = 0; k < this.count; ++k)
      for (const track of tracks) {
        const value = size(this.velocity(track, k));
        if (value > largest) largest = value;
      }
    return largest;
  }

  private read(values: Float32Array, entry: number): Point {
    const first = entry * this.space;
    return [values[first] ?? NaN, values[first + 1] ?? NaN, this.space === 3 ? values[first + 2] ?? NaN : 0];
  }
}

const between = (a: Point, b: Point, s: number): Point =>
  [a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[2] + s * (b[2] - a[2])];
