// SPDX-License-Identifier: Apache-2.0
// What is doubtful about a start: other assemblies with the same held values, and singular positions. As dynamics/alternatives.cpp and
// dynamics/motion_branches.cpp have it, contacts open: other assemblies of no more than kLargest coordinates and rows without attitudes, as
// the command does; singular positions up to kLargestRank. `assemble` closes contacts whose gaps would be below 0.
import type { Doubts, Program } from "../messages";

const kScattered = 12;      // random starts, besides mirror images and half turns
const kLargest = 60;        // coordinates and rows
const kLargestRank = 200;   // the same: four ranks of matrices of 100 rows take 0.2 s
const kSame = 1e-6;         // relative: one assembly
const kIndependent = 1e-6;  // rows of length 1 whose parts across each other are shorter depend on each other
// At a singular position the residual, which is brought to 1e-12, grows with the square of the distance: it is met to some 1e-6 only.
const kSingular = 1e-4;
const kClear = 1e-3;        // the same, for positions that are displaced by kAside
const kAside = 0.05;        // of the mechanism's size

interface Position { t: number; q: Float64Array; v: Float64Array; }
/** `assemble` brings a guess onto the constraints; null where that fails. `free`: coordinates that the start does not hold. */
export function doubts_at(program: Program, s: object, start: Position, free: number[], units: string[],
                          assemble: (q: Float64Array, held: boolean) => Position | null): Doubts {
  // Integrals over the run are entries of q besides the coordinates.
  const coordinates = program.nq - (program.nz ?? 0), size = coordinates + program.nr;
  const more = (most: number) => size > most ? `the model has ${size} coordinates and rows, more than ${most}` : "";
  const why = more(kLargestRank);
  const nothing = { others: [], turns: units.map(() => false), singular: null };
  if (program.nr === (program.nc ?? 0)) return { ...nothing, unlooked: "" };
  if (why !== "") return { ...nothing, unlooked: `Other assemblies and singular starts (W0207, W0206) are not looked for here: ${why}` };
  const alone = program.nv !== coordinates ? "attitudes are quaternions" : more(kLargest);
  const unlooked = alone === "" ? "" : `Other assemblies (W0207) are not looked for, nor by the command: ${alone}`;
  const look = new Look(program, s, start, units, assemble);
  // Searches meet a singular position at many places around it.
  const singular = look.singular();
  return { others: singular === null && alone === "" ? look.others(free) : [], turns: look.turns, singular, unlooked };
}

class Look {
  readonly turns: boolean[];
  private readonly u: Float64Array;
  private readonly reach: number[];  // by coordinate: the largest with its unit
  private seed = 1;

  constructor(private readonly program: Program, private readonly s: object, private readonly start: Position, units: string[],
              private readonly assemble: (q: Float64Array, held: boolean) => Position | null) {
    this.u = new Float64Array(program.nu);
    program.inputs(s, start.t, this.u);
    const { q } = start;
    this.reach = units.map((unit) => units.reduce((most, other, j) => other === unit ? Math.max(most, Math.abs(q[j]!)) : most, unit === "rad" ? Math.PI : 1e-3));
    const here = this.levels(q);
    this.turns = units.map((unit, i) => {
      if (unit !== "rad") return false;
      const turned = q.slice();
      turned[i]! += 2 * Math.PI;
      return this.levels(turned).every((level, row) => Math.abs(level - here[row]!) <= 1e-9);
    });
  }

  private random() { return (this.seed = (this.seed * 48271) % 2147483647) / 1073741823.5 - 1; }

  others(free: number[]): number[][] {
    const { q } = this.start, found: number[][] = [];
    if (free.length === 0 || !this.is_isolated(q, free)) return found;
    const same = (a: ArrayLike<number>, b: ArrayLike<number>) => free.every((i) => {
      const away = a[i]! - b[i]!, turn = 2 * Math.PI;
      return Math.abs(this.turns[i] ? away - turn * Math.round(away / turn) : away) <= kSame * this.reach[i]!;
    });
    const from = (change: (q: Float64Array) => void) => {
      const guess = q.slice();
      change(guess);
      const other = this.assemble(guess, true);
      if (other === null || same(other.q, q) || found.some((one) => same(other.q, one)) || !this.is_isolated(other.q, free)) return;
      // As near to the start as whole turns allow.
      found.push(Array.from(other.q, (x, i) => this.turns[i] ? x - 2 * Math.PI * Math.round((x - q[i]!) / (2 * Math.PI)) : x));
    };
    for (const i of free) {
      from((guess) => { guess[i] = -guess[i]!; });
      if (this.turns[i]) from((guess) => { guess[i]! += Math.PI; });
    }
    from((guess) => { for (const i of free) guess[i] = -guess[i]!; });
    for (let k = 0; k < kScattered; ++k)
      from((guess) => { for (const i of free) guess[i] = this.turns[i] ? Math.PI * this.random() : guess[i]! + 2 * this.reach[i]! * this.random(); });
    return found;
  }

  singular(): Doubts["singular"] {
    const { q } = this.start, near: number[][][] = [];
    for (let k = 0; k < 3; ++k) {
      const aside = this.assemble(q.map((x, i) => x + kAside * (this.reach[i] ?? 0) * this.random()), false);
      if (aside !== null) near.push(this.rows(aside.q));
    }
    const here = this.rows(q), all = [here, ...near];
    // A row that vanishes here is measured by its length nearby.
    const lengths = here.map((_, r) => Math.max(...all.map((rows) => Math.hypot(...rows[r]!))));
    const scaled = (rows: number[][]) => rows.map((row, r) => row.map((x) => lengths[r]! > 0 ? x / lengths[r]! : 0));
    const rank = rank_of(scaled(here), kSingular), nearby = Math.max(0, ...near.map((rows) => rank_of(scaled(rows), kClear)));
    return rank < nearby ? { rank, nearby } : null;
  }

  private levels(q: Float64Array): Float64Array {
    const h = new Float64Array(this.program.nh);
    this.program.position_residual?.(this.s, this.start.t, q, this.u, h);
    return h;
  }
  // Whether the position constraints leave the free coordinates no freedom.
  private is_isolated(q: Float64Array, free: number[]): boolean {
    const columns = free.map((i) => {
      const step = 1e-5 * this.reach[i]!, [up, down] = [step, -step].map((by) => this.levels(q.map((x, j) => j === i ? x + by : x)));
      return Array.from(up!, (level, row) => (level - down![row]!) / (2 * step));
    });
    const one_sided = this.program.contact_levels ?? [];
    const rows = Array.from({ length: this.program.nh }, (_, r) => columns.map((column) => column[r]!)).filter((_, r) => !one_sided.includes(r));
    const unit = rows.map((row) => row.map((x) => { const size = Math.hypot(...row); return size > 0 ? x / size : 0; }));
    return rank_of(unit, kIndependent) === free.length;
  }
  // W without the rows of contacts and those that hold nothing, as what the residual of the velocities changes by with each of them.
  private rows(q: Float64Array): number[][] {
    const { program, start: { t } } = this, v = new Float64Array(program.nv), at = () => {
      const residual = new Float64Array(program.nr);
      program.velocity_residual?.(this.s, t, q, v, this.u, residual);
      return residual;
    };
    const rest = at(), columns = Array.from(v, (_, j) => {
      v[j] = 1;
      const moved = at();
      v[j] = 0;
      return moved;
    });
    return Array.from(rest, (value, r) => columns.map((column) => column[r]! - value)).filter((_, r) => !program.uncounted?.includes(r));
  }
}

// By Gram and Schmidt, the longest remaining row first.
function rank_of(rows: number[][], least: number): number {
  const left = rows.map((row) => row.slice());
  for (let rank = 0; ; ++rank) {
    const sizes = left.map((row) => Math.hypot(...row)), longest = Math.max(0, ...sizes);
    if (!(longest > least)) return rank;
    const [row] = left.splice(sizes.indexOf(longest), 1), e = row!.map((x) => x / longest);
    for (const other of left) {
      const along = other.reduce((sum, x, i) => sum + x * e[i]!, 0);
      other.forEach((x, i) => { other[i] = x - along * e[i]!; });
    }
  }
}
