// SPDX-License-Identifier: Apache-2.0
// Which corner of a picture the mechanism comes into least while it moves.
import type { SceneBlock } from "../document";
import { type Pixel, plus, times } from "./geometry";
import type { Motion } from "./motion";
import type { Box } from "./placement";
import type { View } from "./view";

const kClear = 6;     // pixels around it that the mechanism should not come into
const kLooks = 3000;  // places of the mechanism that are looked at

/** Of these places, by the boxes that they would fill, the first with the least in it. */
export function emptiest(view: View, scene: SceneBlock, motion: Motion, boxes: Box[]): number {
  const met = boxes.map(() => 0);
  for (const [x, y] of places(view, scene, motion))
    boxes.forEach(({ left, top, right, bottom }, k) => {
      if (x > left - kClear && x < right + kClear && y > top - kClear && y < bottom + kClear) ++met[k]!;
    });
  return met.indexOf(Math.min(...met));
}

// Points, and places along what is between two of them, over the whole motion.
function places(view: View, scene: SceneBlock, motion: Motion): Pixel[] {
  const seen: Pixel[] = [], each = scene.tracks.length + 3 * scene.shapes.length, step = Math.max(1, Math.ceil(motion.count * each / kLooks));
  for (let k = 0; k < motion.count; k += step) {
    const at = (track: number): Pixel => view.px(motion.recorded(k, track));
    for (let track = 0; track < scene.tracks.length; ++track) seen.push(at(track));
    for (const { tracks: [a, b] } of scene.shapes)
      if (a !== undefined && b !== undefined) for (const s of [0.25, 0.5, 0.75]) seen.push(plus(times(1 - s, at(a)), times(s, at(b))));
  }
  return seen;
}
