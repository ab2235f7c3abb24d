// SPDX-License-Identifier: Apache-2.0
// A reaction in the frame that the reader chooses: along the axes, its magnitude, or along and across a bar that it acts on.
import { on_change } from "../changes";
import type { Clock } from "../clock";
import type { Force, SceneBlock } from "../document";
import { h, select } from "../dom";
import { unit_text } from "../math";
import { number_text } from "../numbers";
import { TimePlot } from "../plots/time_plot";
import { difference, dot, type Point, scaled, size } from "../scene/geometry";
import type { Motion } from "../scene/motion";
import { Curve, Series } from "../series";
import { hint } from "./frame";

const kMost = 100;  // reactions to choose from

interface ReactionFrame { key: string; title: string; components: { name: string; of: (k: number, f: Point) => number }[]; }

export function reaction_frames(scene: SceneBlock, motion: Motion, clock: Clock): HTMLElement | null {
  const reactions = scene.forces.map((force, which) => ({ force, which })).filter(({ force }) => force.series.length > 0);
  if (reactions.length === 0 || !clock.moves || scene.simplified) return null;
  const shown = reactions.slice(0, kMost);
  const canvas = h("div"), said = hint(""), made = new Map<string, { plot: HTMLElement; fill: () => void }>();
  let reaction = shown[0]!, frame = "size", fill = () => {};
  const frames = h("span");

  const show = () => {
    const list = frames_of(reaction.force, scene, motion);
    if (!list.some(({ key }) => key === frame)) frame = "size";
    frames.replaceChildren(select("as", list.map(({ key, title }) => ({ value: key, text: title })), frame, (value) => {
      frame = value;
      show();
      frames.querySelector("select")?.focus();
    }));
    const chosen = list.find(({ key }) => key === frame)!, key = `${reaction.which} ${frame}`;
    let one = made.get(key);
    if (one === undefined) made.set(key, one = plot_of(chosen, reaction, motion, clock, said));
    fill = one.fill;
    fill();
    canvas.replaceChildren(one.plot);
  };
  const names = shown.map(({ force }, k) => ({ value: String(k), text: (force.name || `reaction ${k + 1}`).slice(0, 60) }));
  const node = h("div", { class: "panels reaction-frames" },
    h("div", { class: "choices" }, select("Reaction", names, "0", (value) => {
      reaction = shown[Number(value)]!;
      show();
    }), frames), said, canvas);
  show();
  on_change(() => fill());
  return node;
}

function frames_of(force: Force, scene: SceneBlock, motion: Motion): ReactionFrame[] {
  const whole: ReactionFrame = { key: "size", title: "magnitude", components: [{ name: "magnitude", of: (_, f) => size(f) }] };
  if (force.turns && scene.space === 2) return [whole];
  const axes = (scene.space === 3 ? ["x", "y", "z"] : ["x", "y"]).map((name, axis) =>
    ({ name: `along ${name}`, of: (_: number, f: Point) => f[axis]! }));
  const list: ReactionFrame[] = [whole, { key: "axes", title: scene.space === 3 ? "x, y, z" : "x, y", components: axes }];
  if (force.turns) return list;
  scene.shapes.forEach((shape, index) => {
    if (shape.kind !== "bar" || shape.tracks.length < 2) return;
    const near = shape.tracks.find((track) => together(track, force.track, motion));
    if (near === undefined) return;
    // From here to the end that is farther.
    const ends = [shape.tracks[0]!, shape.tracks[shape.tracks.length - 1]!];
    const far = ends.sort((a, b) => apart(b, near, motion) - apart(a, near, motion))[0]!;
    const along = (k: number): Point => {
      const way = difference(motion.recorded(k, far), motion.recorded(k, near));
      return scaled(1 / size(way), way);
    };
    const across = (k: number, f: Point) => {
      const e = along(k);
      return scene.space === 2 ? e[0] * f[1] - e[1] * f[0] : size(difference(f, scaled(dot(f, e), e)));
    };
    const title = `along and across ${name_of(near, scene, motion)}–${name_of(far, scene, motion)}`;
    list.push({
      key: `bar ${index}`, title,
      components: [{ name: "along the bar", of: (k, f) => dot(f, along(k)) }, { name: "across it", of: across }],
    });
  });
  return list;
}

const apart = (a: number, b: number, motion: Motion) => size(difference(motion.recorded(0, a), motion.recorded(0, b)));

function together(a: number, b: number, motion: Motion): boolean {
  const last = motion.count - 1;
  return [0, Math.floor(last / 3), Math.floor(last / 2), last].every((k) =>
    size(difference(motion.recorded(k, a), motion.recorded(k, b))) < 1e-5 * motion.scene.size);
}

function name_of(track: number, scene: SceneBlock, motion: Motion): string {
  const named = [track, ...scene.tracks.keys()].find((one) =>
    scene.tracks[one]?.name !== "" && (one === track || together(one, track, motion)));
  return (named === undefined ? "end" : scene.tracks[named]!.name).slice(0, 30);
}

function plot_of({ components, title }: ReactionFrame, { force, which }: { force: Force; which: number }, motion: Motion,
                 clock: Clock, said: HTMLElement) {
  const curves = components.map(({ name }) => new Curve({
    name: `reaction/${force.name} ${name}`, latex: `\\text{${name}}`, unit: force.unit, meaning: "", data: "",
  }));
  const compute = () => curves.forEach((curve, c) => curve.show(Float32Array.from({ length: motion.count }, (_, k) =>
    components[c]!.of(k, motion.recorded_force(k, which)))));
  compute();
  const series = Series.of(motion.time, curves);
  const plot = new TimePlot(`${force.name === "" ? "Reaction" : force.name.slice(0, 60)}, ${title}`, curves, series, clock);
  const fill = () => {
    compute();
    plot.refresh();
    const nothing = curves.every(({ range }) => range.min === 0 && range.max === 0);
    plot.node.hidden = nothing;
    said.textContent = nothing ? `${title} of ${force.name === "" ? "this reaction" : force.name}: zero all along.` : curves.map(({ name, range }) => `${name.slice(name.lastIndexOf("/") + 1)}: ` +
      `${number_text(range.min, 4)} to ${number_text(range.max, 4)} ${unit_text(force.unit)}`.trim()).join("; ") +
      `. At the ${motion.count} instants of the scene; the table of peaks has all rows.`;
  };
  return { plot: plot.node, fill };
}
