// SPDX-License-Identifier: Apache-2.0
// A worker that runs the model with other values: the last request counts, older ones are given up.
import type { LiveBlock } from "../document";
import type { Answer, Moved, Progress, Request, Setup, Values } from "./messages";

declare const LIVE_LOOP: string;  // the script of worker/loop.ts, put in by build.mjs

const kPatience = 1500;  // ms until a worker that does not stop is ended

export class LiveRun {
  private worker: Worker | null = null;
  private address = "";
  private id = 0;
  private waits: ((answer: Answer | Moved | null) => void) | null = null;

  /** `progress` hears of an instant that was reached. */
  constructor(private readonly live: LiveBlock, private readonly setup: Setup, private readonly progress: (t: number) => void) {}

  /** Nothing where another request came before the answer. Throws where the browser has no worker for a page like this. */
  run(values: Values): Promise<Answer | null> { return this.ask({ id: ++this.id, values }) as Promise<Answer | null>; }

  /** The start that brings a point of the scene nearest to a place; null: which points can be moved, for which no run is given up. */
  async move(values: Values, asked: { track: number; to: number[] } | null): Promise<Moved | null> {
    if (asked === null && this.waits !== null) return null;
    return await this.ask({ id: ++this.id, values, move: asked }) as Moved | null;
  }

  private ask(request: Request): Promise<Answer | Moved | null> {
    if (this.waits !== null) this.end();
    const worker = (this.worker ??= this.begin());
    return new Promise((resolve, reject) => {
      this.waits = (answer) => {
        this.waits = null;
        resolve(answer);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.waits = null;
        this.end();
        reject(new Error(event.message === "" ? "this browser does not allow it" : event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<Answer | Moved | Progress>) => {
        if (data.id !== this.id) return;
        if ("at" in data) this.progress(data.at);
        else this.waits?.(data);
      };
      worker.postMessage(request);
    });
  }

  private begin(): Worker {
    // The model's own code is of the program that wrote this page; it has no text of the model in it.
    const text = `const make_program = () => {"use strict";\n${this.live.code}};\n${LIVE_LOOP}`;
    this.address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    const worker = new Worker(this.address);
    worker.postMessage(this.setup);
    return worker;
  }

  /** Ends the run that is going on; it answers with what it has, if it can. */
  stop() {
    if (this.waits === null) return;
    const id = this.id;
    this.worker?.postMessage({ stop: id });
    setTimeout(() => { if (this.waits !== null && this.id === id) this.end(); }, kPatience);
  }

  /** Whatever was asked for last. */
  give_up() { if (this.waits !== null) this.end(); }

  private end() {
    this.worker?.terminate();
    this.worker = null;
    this.waits?.(null);
    URL.revokeObjectURL(this.address);
  }
}
