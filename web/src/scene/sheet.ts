// SPDX-License-Identifier: Apache-2.0
// Drawn parts that stay: every frame names the same ones in the same order, and only what changed is written.
import { svg } from "../dom";

interface Part { node: SVGPathElement; data: string; depth: number; }

export class Sheet {
  readonly node = svg("g");
  private readonly parts: Part[] = [];
  private next = 0;
  private order: Part[] = [];

  begin() { this.next = 0; }

  /** `kind`: of the shape that begins with this part; for its other parts empty. Larger depths are drawn before. */
  draw(data: string, style: string, kind: string, depth: number) {
    let part = this.parts[this.next++];
    if (part === undefined) {
      part = { node: svg("path", { class: style, "data-kind": kind === "" ? null : kind }), data: "", depth };
      this.parts.push(part);
    }
    if (part.data !== data) part.node.setAttribute("d", part.data = data);
    part.depth = depth;
  }

  end() {
    const order = [...this.parts].sort((a, b) => b.depth - a.depth);
    if (order.length === this.order.length && order.every((part, i) => part === this.order[i])) return;
    this.order = order;
    this.node.replaceChildren(...order.map((part) => part.node));
  }
}

/** For scenes of very many parts: one path for all parts of a kind and style, so that a frame costs few changes. */
export class Batches {
  readonly node = svg("g");
  private readonly batches = new Map<string, { node: SVGPathElement; data: string[]; parts: number }>();

  begin() {
    for (const batch of this.batches.values()) batch.data = [], batch.parts = 0;
  }

  draw(data: string, style: string, kind: string, depth: number) {
    const key = `${style} ${kind}`;
    let batch = this.batches.get(key);
    if (batch === undefined) {
      batch = { node: svg("path", { class: style, "data-kind": kind === "" ? null : kind }), data: [], parts: 0 };
      this.batches.set(key, batch);
      // Lines below what marks their ends.
      if (depth > 3) this.node.prepend(batch.node);
      else this.node.append(batch.node);
    }
    batch.data.push(data);
    if (kind !== "") ++batch.parts;
  }

  end() {
    for (const batch of this.batches.values()) {
      batch.node.setAttribute("d", batch.data.join(""));
      if (batch.parts > 0 && batch.node.dataset.parts !== String(batch.parts))
        batch.node.dataset.parts = String(batch.parts);
    }
  }
}
