// SPDX-License-Identifier: Apache-2.0
// Moves the camera: drag turns a spatial scene and shifts a planar one, shift-drag or two fingers shift, the wheel
// zooms with Ctrl or after a press in the scene (so that the page still scrolls), and every motion has a button or a key.
import { button, h } from "../dom";
import { type Pixel, plus } from "./geometry";
import type { Stage } from "./stage";
import { start_camera } from "./view";

const kTurn = 12;    // degrees a press
const kShift = 40;   // pixels a press
const kZoom = 1.25;  // a press

export class CameraControl {
  readonly buttons: HTMLElement;
  private readonly pointers = new Map<number, Pixel>();
  private moved = 0;
  private pressed = false;

  constructor(private readonly stage: Stage) {
    const node = stage.node;
    node.addEventListener("pointerdown", (event) => this.press(event));
    node.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"] as const)
      node.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    node.addEventListener("pointerleave", () => { this.pressed = false; });
    node.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    // A drag that ends on an arrow is no press of it.
    node.addEventListener("click", (event) => {
      if (this.moved > 5) event.stopPropagation();
    }, true);
    this.buttons = h("div", { class: "camera", role: "group", "aria-label": "View" },
      button("+", { "aria-label": "Zoom in", title: "Zoom in" }, () => this.zoom(kZoom)),
      button("−", { "aria-label": "Zoom out", title: "Zoom out" }, () => this.zoom(1 / kZoom)));
    if (stage.scene.space === 3) {
      this.buttons.append(
        button("↺", { "aria-label": "Turn the view to the left", title: "Turn left" }, () => this.turn(-kTurn, 0)),
        button("↻", { "aria-label": "Turn the view to the right", title: "Turn right" }, () => this.turn(kTurn, 0)));
    }
    this.buttons.append(button("Fit", { title: "Back to the whole" }, () => this.reset()));
  }

  /** Whether the key was one of the camera's. */
  key(event: KeyboardEvent): boolean {
    const { key, shiftKey } = event, solid = this.stage.scene.space === 3;
    const sign = key === "ArrowLeft" || key === "ArrowDown" ? -1 : 1;
    const sideways = key === "ArrowLeft" || key === "ArrowRight", upright = key === "ArrowUp" || key === "ArrowDown";
    if (key === "+" || key === "=") this.zoom(kZoom);
    else if (key === "-") this.zoom(1 / kZoom);
    else if (key === "0") this.reset();
    else if (sideways && shiftKey) solid ? this.turn(sign * kTurn, 0) : this.shift([-sign * kShift, 0]);
    else if (upright && (shiftKey || solid)) solid ? this.turn(0, sign * kTurn) : this.shift([0, sign * kShift]);
    else return false;
    return true;
  }

  private turn(azimuth: number, elevation: number) {
    const { camera } = this.stage;
    camera.azimuth = (camera.azimuth + azimuth) % 360;
    camera.elevation = Math.min(89, Math.max(-89, camera.elevation + elevation));
    this.stage.look();
  }
  private shift(by: Pixel) {
    this.stage.camera.shift = plus(this.stage.camera.shift, by);
    this.stage.look();
  }
  private zoom(by: number) {
    const { camera } = this.stage, before = camera.zoom;
    camera.zoom = Math.min(40, Math.max(0.2, before * by));
    camera.shift = [camera.shift[0] * camera.zoom / before, camera.shift[1] * camera.zoom / before];
    this.stage.look();
  }
  private reset() {
    Object.assign(this.stage.camera, start_camera());
    this.stage.look();
  }

  private press(event: PointerEvent) {
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.pressed = true;
    this.moved = 0;
  }

  private drag(event: PointerEvent) {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const by: Pixel = [event.clientX - before[0], event.clientY - before[1]];
    const fingers = this.pointers.size, spread = this.spread();
    this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    this.moved += Math.abs(by[0]) + Math.abs(by[1]);
    if (this.moved > 5 && !this.stage.node.hasPointerCapture(event.pointerId))
      this.stage.node.setPointerCapture(event.pointerId);
    if (fingers === 2) {
      this.shift([by[0] / 2, by[1] / 2]);
      if (spread > 0) this.zoom(this.spread() / spread);
    } else if (this.stage.scene.space === 3 && !event.shiftKey) {
      this.turn(-0.5 * by[0], 0.5 * by[1]);
    } else {
      this.shift(by);
    }
  }

  private spread(): number {
    const [a, b] = [...this.pointers.values()];
    return a !== undefined && b !== undefined ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  }

  // A page that is scrolled past the scene goes on: the wheel is the scene's with Ctrl, or after a press in it, as long
  // as the pointer stays.
  private wheel(event: WheelEvent) {
    if (!event.ctrlKey && !this.pressed) return;
    event.preventDefault();
    this.zoom(Math.exp(-0.0015 * event.deltaY));
  }
}
