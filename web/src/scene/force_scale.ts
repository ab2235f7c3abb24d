// SPDX-License-Identifier: Apache-2.0
// How long arrows of forces are. What is usual must be seen: the scale is that of the loads of most instants, and what is
// far larger, as in a blow, is cut and marked. By request lengths go by the logarithm: small loads are seen beside large ones.

const kShare = 0.9;     // of the instants: their largest load is drawn whole
const kRoom = 1.25;     // over it, before an arrow is cut
const kDecades = 3;     // of a logarithmic scale: what is smaller has almost no length

export class ForceScale {
  /** The load of the longest arrow, and the largest of all. */
  readonly full: number;
  readonly largest: number;

  /** `loads`: the largest of each instant; instants without any do not count. */
  constructor(loads: number[], readonly log = false) {
    const sorted = loads.filter((load) => Number.isFinite(load) && load > 0).sort((a, b) => a - b);
    this.largest = sorted[sorted.length - 1] ?? 0;
    const usual = sorted[Math.min(sorted.length - 1, Math.floor(kShare * sorted.length))] ?? 0;
    this.full = log ? this.largest : Math.min(this.largest, kRoom * usual);
  }

  /** Of the longest arrow: 0 to 1. */
  share(load: number): number {
    if (!(this.full > 0) || !Number.isFinite(load)) return 0;
    const part = Math.min(load / this.full, 1);
    return this.log ? Math.log1p(10 ** kDecades * part) / Math.log1p(10 ** kDecades) : part;
  }
  /** Whether the arrow would be longer than it is drawn. */
  cuts(load: number): boolean { return load > this.full * (1 + 1e-6); }
  get cuts_some() { return this.cuts(this.largest); }

  /** A round load for a scale arrow: 1, 2 or 5 times a power of ten, the largest that is no longer than the longest arrow. */
  get round(): number {
    if (!(this.full > 0)) return 0;
    const power = 10 ** Math.floor(Math.log10(this.full));
    const factor = [5, 2, 1].find((one) => one * power <= this.full * (1 + 1e-9)) ?? 1;
    return Number((factor * power).toPrecision(1));
  }
}
