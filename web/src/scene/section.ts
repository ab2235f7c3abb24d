// SPDX-License-Identifier: Apache-2.0
// The scene's part of the page: the picture, its controls, what it says in words, and the numbers beside it.
import { on_change } from "../changes";
import type { Clock } from "../clock";
import type { Force, SceneBlock } from "../document";
import { announce, h, toggle } from "../dom";
import { shows_acting } from "../acting";
import { picture_buttons } from "../pictures";
import { display_math } from "../math";
import { before_printing } from "../later";
import type { Series } from "../series";
import { CameraControl } from "./camera_control";
import { time_controls } from "./controls";
import type { Motion } from "./motion";
import type { Starter } from "./mover";
import { Pinned } from "./pinned";
import { readout } from "./readout";
import { number_text } from "../numbers";
import { type Layer, Stage } from "./stage";

const kKeys = "In the scene: Space plays, ← → step, Home and End; + −, and the wheel after a click or with Ctrl, zoom; ";
const kSolidKeys = `${kKeys}drag, ↑ ↓ and Shift with arrows turn, Shift-drag shifts.`;
const kPlaneKeys = `${kKeys}drag and Shift with arrows shift.`;
const kNothing = 1e-11;  // of the forces that belong to the energy: a force that is smaller all along has no arrow
const kUnder = 118, kLeastHeight = 340;  // pixels of controls, and of a picture
const kManyForces = 8;  // more arrows than that hide the mechanism: the reader asks for them

function is_round_off(series: Series, name: string): boolean {
  const curve = series.find(name);
  if (curve === undefined) return false;
  const { min, max } = curve.range;
  return Math.max(Math.abs(min), Math.abs(max)) < kNothing * series.size_around(curve);
}

function no_forces(scene: SceneBlock, series: Series | null): HTMLElement | null {
  if (scene.forces.length > 0 || scene.shapes.length === 0) return null;
  return h("p", { class: "hint no-forces" }, (series?.of_groups("lambda", "F").length ?? 0) > 0
    ? "Forces have no arrows here: at which point the multipliers act is not found."
    : "Forces have no arrows here: no constraint, and no force at a point or a joint, is stated.");
}

export function scene_view(
  scene: SceneBlock, motion: Motion, clock: Clock, series: Series | null, live: HTMLElement | null,
  starter: Starter | null, show_curves: (names: string[]) => void,
): HTMLElement {
  const formula = h("div", { class: "formula", hidden: true });
  const chosen = (force: Force) => {
    formula.hidden = force.formula === "";
    formula.textContent = "";
    if (force.formula !== "") display_math(formula, force.formula, force.formula);
    show_curves(force.series);
  };
  // Before the stage is made, and before it hears of another run: a scale of round-off would draw it.
  const quiet = () => motion.take_for_zero(new Set(scene.forces.flatMap(({ series: names }, which) =>
    names.length > 0 && series !== null && names.every((name) => is_round_off(series, name)) ? [which] : [])));
  quiet();
  on_change(quiet);
  const stage = new Stage(scene, motion, clock, chosen);
  const camera = new CameraControl(stage);
  const words = h("p", { class: "unseen", "aria-live": "polite" });

  stage.node.tabIndex = 0;
  stage.node.setAttribute("role", "group");
  stage.node.setAttribute("aria-label", "Mechanism");
  stage.node.setAttribute("aria-describedby", "scene-keys");
  stage.node.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (camera.key(event) || clock.key(event.key)) event.preventDefault();
  });

  const layers = h("div", { class: "layers", role: "group", "aria-label": "What is shown" });
  const layer = (name: Layer, label: string, on: boolean) => {
    stage.show(name, on);
    layers.append(toggle(label, on, { "data-layer": name }, (now) => stage.show(name, now)));
  };
  if (scene.forces.length > 0) layer("forces", "Forces", scene.forces.length <= kManyForces && !scene.simplified);
  if (scene.forces.some(({ turns }) => !turns))
    layers.append(toggle("Log", false, {
      "data-layer": "log", title: "Lengths of arrows by the logarithm of the force: small ones are seen beside large ones",
    }, (on) => stage.scale_forces(on)));
  if (stage.velocities.any && clock.moves) layer("velocities", "Velocities", false);
  if (scene.traces.length > 0 && clock.moves) layer("traces", "Traces", true);
  if (scene.tracks.some(({ label }) => label)) layer("labels", "Labels", true);
  const mover = starter === null ? null : stage.let_move(starter);
  if (mover !== null)
    layers.append(toggle("Move", false, {
      "data-layer": "move", title: "Drag a point of the mechanism at its start, and it runs from there; or type values under Start",
    }, (on) => mover.show(on)));
  if (stage.view.travel !== null && clock.moves)
    layers.append(toggle("Follow", stage.view.follows,
      { "data-layer": "follow", title: "The camera goes with the mechanism" }, (on) => stage.follow(on)));

  camera.buttons.append(...picture_buttons(() => `${document.title}-scene-${number_text(clock.t, 4)}-s`, () => stage.drawn));
  const pinned = new Pinned(stage.node, clock, () => room());
  shows_acting({
    has: (row) => stage.pointer.find(row) >= 0,
    show: (row) => {
      const which = stage.pointer.find(row), same = stage.pointer.force === scene.forces[which];
      stage.pointer.show(same ? -1 : which);
      pinned.reopen();
      announce(same ? "" : `${row.slice(0, 80)} acts at ${scene.tracks[scene.forces[which]?.track ?? 0]?.name || "the point that is ringed"}`);
    },
  });
  addEventListener("keydown", ({ key }) => { if (key === "Escape") stage.pointer.show(-1); });

  const figure = h("figure", { class: "scene-figure" }, pinned.node,
    h("div", { class: "under-scene" }, clock.moves ? time_controls(clock, series?.events ?? []) : null,
      h("div", { class: "scene-tools" }, layers, camera.buttons)),
    h("p", { class: "hint keys", id: "scene-keys" }, scene.space === 3 ? kSolidKeys : kPlaneKeys), no_forces(scene, series), formula, words);
  const side = series === null ? null : h("div", { class: "scene-side" }, live, readout(series, clock));
  const body = h("div", { class: "scene-body" }, figure, side);

  // So high that the controls below are seen with it when the page opens, where that leaves enough of a picture.
  const room = () => {
    const width = Math.floor(stage.node.clientWidth);
    if (width === 0) return;
    if (pinned.on) return stage.resize(width, Math.round(0.72 * width));
    const above = stage.node.getBoundingClientRect().top + scrollY, left = innerHeight - above - kUnder;
    const high = Math.min(0.62 * Math.max(innerHeight, 480), 520, Math.max(left, kLeastHeight));
    stage.resize(width, Math.round(Math.min(width, high)));
  };
  new ResizeObserver(room).observe(stage.node);
  queueMicrotask(room);
  before_printing(() => clock.pause());
  clock.listen((cause) => { if (cause !== "run" && !clock.playing) words.textContent = stage.sentence(); });
  return body;
}
