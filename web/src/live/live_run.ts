// SPDX-License-Identifier: Apache-2.0
// A worker that runs the model with other parameters: the last request counts, older ones are given up.
import type { LiveBlock } from "../document";
import type { Answer, Request, Setup } from "./messages";

declare const LIVE_LOOP: string;  // the script of loop.ts, put in by build.mjs

export class LiveRun {
  private worker: Worker | null = null;
  private address = "";
  private id = 0;
  private waits: ((answer: Answer | null) => void) | null = null;

  constructor(private readonly live: LiveBlock, private readonly setup: Setup) {}

  /** Nothing where another request came before the answer. Throws where the browser has no worker for a page like this. */
  run(parameters: number[]): Promise<Answer | null> {
    if (this.waits !== null) this.stop();
    const worker = (this.worker ??= this.begin());
    const request: Request = { id: ++this.id, parameters };
    return new Promise((resolve, reject) => {
      this.waits = (answer) => {
        this.waits = null;
        resolve(answer);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        this.stop();
        reject(new Error(event.message === "" ? "this browser does not allow it" : event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if (data.id === this.id) this.waits?.(data);
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

  /** Whatever was asked for last. */
  give_up() { if (this.waits !== null) this.stop(); }

  private stop() {
    this.worker?.terminate();
    this.worker = null;
    this.waits?.(null);
    URL.revokeObjectURL(this.address);
  }
}
