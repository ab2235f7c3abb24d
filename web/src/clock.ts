// SPDX-License-Identifier: Apache-2.0
// The time that scene, plots and numbers show together: it runs, stands, or is set.
import { first_not_before, nearest } from "./numbers";

/** Between instants `index` and `index + 1`, by `fraction`. */
export interface Place { index: number; fraction: number; }
export type Cause = "run" | "set" | "state";

export const kSpeeds = [0.25, 0.5, 1, 2, 4];

export class Clock {
  t: number;
  playing = false;
  speed = 1;
  loop = true;
  private readonly listeners: ((cause: Cause) => void)[] = [];
  private last = 0;

  constructor(readonly times: Float32Array) {
    this.t = times[0] ?? 0;
  }

  /** Seconds of the model a second at speed 1: one, unless a run is far too short or long for that. */
  get pace() { return pace_of(this.end - this.start); }
  get start() { return this.times[0] ?? 0; }
  get end() { return this.times[this.times.length - 1] ?? 0; }
  get moves() { return this.times.length > 1 && this.end > this.start; }

  /** Instants are others: the time stays, if it is one of the run. */
  within() {
    const t = Math.min(Math.max(this.t, this.start), this.end);
    if (t === this.t) return;
    this.t = t;
    this.tell("set");
  }

  listen(listener: (cause: Cause) => void) { this.listeners.push(listener); }

  place(): Place {
    const after = first_not_before(this.times, this.t);
    if (after >= this.times.length) return { index: Math.max(0, this.times.length - 1), fraction: 0 };
    if (after === 0 || this.times[after] === this.t) return { index: after, fraction: 0 };
    const from = this.times[after - 1]!, to = this.times[after]!;
    return { index: after - 1, fraction: to > from ? (this.t - from) / (to - from) : 0 };
  }

  play() {
    if (this.playing || !this.moves) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.last = 0;
    requestAnimationFrame((now) => this.advance(now));
    this.tell("state");
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.t = this.times[nearest(this.times, this.t)] ?? this.t;
    this.tell("state");
  }

  toggle() { this.playing ? this.pause() : this.play(); }

  /** To a recorded instant. */
  show(index: number) {
    this.playing = false;
    this.t = this.times[Math.min(Math.max(index, 0), this.times.length - 1)] ?? 0;
    this.tell("set");
  }
  show_nearest(t: number) { this.show(nearest(this.times, t)); }
  step(by: number) { this.show(nearest(this.times, this.t) + by); }
  /** What a key does; false: nothing. */
  key(key: string): boolean {
    if (key === " ") this.toggle();
    else if (key === "ArrowLeft" || key === ",") this.step(-1);
    else if (key === "ArrowRight" || key === ".") this.step(1);
    else if (key === "Home") this.show(0);
    else if (key === "End") this.show(this.times.length - 1);
    else return false;
    return true;
  }

  private advance(now: number) {
    if (!this.playing) return;
    // A page that was hidden goes on where it was.
    const passed = this.last === 0 ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.t += passed * this.speed * this.pace;
    if (this.t >= this.end) {
      if (!this.loop) {
        this.t = this.end;
        this.playing = false;
        return this.tell("state");
      }
      this.t = this.start + ((this.t - this.start) % (this.end - this.start));
    }
    this.tell("run");
    requestAnimationFrame((next) => this.advance(next));
  }

  private tell(cause: Cause) { for (const listener of this.listeners) listener(cause); }
}

// 1 where the run lasts 2 to 60 s; otherwise 1, 2 or 5 times a power of ten, so that it lasts about 10 s.
function pace_of(span: number): number {
  if (!(span > 0) || (span >= 2 && span <= 60)) return 1;
  const rough = span / 10, power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
}
