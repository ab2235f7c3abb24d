// SPDX-License-Identifier: Apache-2.0
// Where texts of a picture go: inside the frame, never on each other or on a bar, and where they cover least of what is drawn.
import type { Pixel } from "./geometry";

export interface Box { left: number; top: number; right: number; bottom: number; }

export const meet = (a: Box, b: Box) =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
/** Of a text around its middle. */
export const box_at = ([x, y]: Pixel, wide: number, high: number): Box =>
  ({ left: x - wide / 2, top: y - high / 2, right: x + wide / 2, bottom: y + high / 2 });

/** A place that a text may take: its middle, and how much worse than the best one it is. */
export interface Candidate { at: Pixel; cost: number; }

const kCell = 6;    // pixels of the raster of what is drawn
const kFine = 3;    // pixels of the raster of bars
const kEdge = 2;    // pixels that stay free at the frame
const kApart = 2;   // pixels between two texts
const kCovers = 2;  // what a covered cell costs
const kAround = 2;  // pixels around a text in which lines count as covered
export const kHigh = 15;  // of a line of text, pixels

export class Placement {
  private taken: Box[] = [];
  private bars = new Set<number>();
  private drawn = new Uint16Array(0);
  private columns = 0;
  private rows = 0;
  private width = 0;
  private height = 0;

  /** Begins a picture. `drawn`: points along its lines, some pixels apart; `bars`: of those on which no text may lie. */
  begin(width: number, height: number, drawn: Iterable<Pixel>, taken: Box[] = [], bars: Iterable<Pixel> = []) {
    this.width = width, this.height = height;
    this.columns = Math.max(1, Math.ceil(width / kCell)), this.rows = Math.max(1, Math.ceil(height / kCell));
    const cells = this.columns * this.rows;
    if (this.drawn.length === cells) this.drawn.fill(0);
    else this.drawn = new Uint16Array(cells);
    for (const [x, y] of drawn)
      if (x >= 0 && y >= 0 && x < width && y < height) ++this.drawn[Math.floor(y / kCell) * this.columns + Math.floor(x / kCell)]!;
    this.taken = [...taken];
    this.bars.clear();
    for (const [x, y] of bars) this.bars.add(fine(x, y));
  }

  inside({ left, top, right, bottom }: Box): boolean {
    return left >= kEdge && top >= kEdge && right <= this.width - kEdge && bottom <= this.height - kEdge;
  }
  /** Inside the frame, and not on another text. */
  free(box: Box): boolean {
    const wider = { left: box.left - kApart, top: box.top, right: box.right + kApart, bottom: box.bottom };
    return this.inside(box) && !this.taken.some((other) => meet(wider, other));
  }
  take(box: Box) { this.taken.push(box); }

  /** Whether the letters of a text there, which are lower than their line, lie on a bar. */
  private barred({ left, top, right, bottom }: Box): boolean {
    if (this.bars.size > 0)
      for (let y = top + kFine; y <= bottom - kFine; y += kFine)
        for (let x = left; x <= right; x += kFine) if (this.bars.has(fine(x, y))) return true;
    return false;
  }

  /** How much of what is drawn a text there would cover. */
  covers({ left, top, right, bottom }: Box): number {
    const column = (x: number) => Math.min(Math.max(Math.floor(x / kCell), 0), this.columns - 1);
    const row = (y: number) => Math.min(Math.max(Math.floor(y / kCell), 0), this.rows - 1);
    let sum = 0;
    for (let r = row(top - kAround); r <= row(bottom + kAround); ++r)
      for (let c = column(left - kAround); c <= column(right + kAround); ++c)
        if (this.drawn[r * this.columns + c]! > 0) ++sum;
    return sum;
  }

  /** The best free place, which is not taken yet; null where none is free. */
  best(candidates: Candidate[], wide: number, high = kHigh): Box | null {
    let best: Box | null = null, least = Infinity;
    for (const { at, cost } of candidates) {
      const box = box_at(at, wide, high);
      if (cost >= least || !this.free(box) || this.barred(box)) continue;
      const whole = cost + kCovers * this.covers(box);
      if (whole < least) least = whole, best = box;
    }
    return best;
  }
}

const fine = (x: number, y: number) => Math.floor(x / kFine) + 100_000 * Math.floor(y / kFine);

const kOrder = [1, 7, 3, 5, 0, 2, 4, 6];  // eighths of a turn: aslant first

/** Places around a point, the nearer the better. */
export function around([x, y]: Pixel, wide: number, reaches: number[]): Candidate[] {
  return reaches.flatMap((reach) => kOrder.map((eighth, k) => {
    const s = eighth * Math.PI / 4, beside = Math.abs(Math.cos(s)) > 0.1 ? wide / 2 : 0;
    return { at: [x + Math.cos(s) * (reach + beside), y - Math.sin(s) * (reach + 3)] as Pixel, cost: 0.02 * k + 0.06 * reach };
  }));
}
