// SPDX-License-Identifier: Apache-2.0
// A coordinate and its velocity: the phase curve, with a point where the scene is.
import { on_change } from "../changes";
import type { Clock } from "../clock";
import { h, select, svg } from "../dom";
import { picture_buttons } from "../pictures";
import { before_printing, when_near } from "../later";
import { unit_text } from "../math";
import { nearest, number_text } from "../numbers";
import type { Curve, Series } from "../series";
import { draw_to_fit, few_rows, Plane, roomy } from "./plane";

export function phase_plot(series: Series, clock: Clock): HTMLElement | null {
  const pairs = series.of_groups("q").flatMap((q) => {
    const v = series.find(`v/${q.short_name}`);
    return v === undefined ? [] : [{ q, v }];
  });
  if (pairs.length === 0) return null;
  const canvas = h("div", { class: "phase-canvas" });
  let follow: () => void = () => undefined;
  let shown = 0, width = 0;
  const draw = (k: number) => {
    shown = k;
    follow = draw_pair(canvas, width, pairs[k]!, series, clock);
  };
  const options = pairs.slice(0, 500).map(({ q }, k) => ({ value: String(k), text: q.short_name.slice(0, 60) }));
  const node = h("figure", { class: "plot phase" }, h("figcaption", {},
    h("h3", {}, "Phase curve"),
    h("div", { class: "plot-tools" }, select("of", options, "0", (value) => draw(Number(value))),
      ...picture_buttons(() => `phase-${pairs[shown]!.q.short_name}`, () => {
        begin();
        return canvas.querySelector("svg");
      }))), canvas);
  let drawn = false;
  const begin = () => {
    if (drawn) return;
    drawn = true;
    draw_to_fit(canvas, 560, (fitting) => {
      width = fitting;
      draw(shown);
    });
  };
  when_near(node, begin);
  before_printing(begin);
  clock.listen(() => follow());
  on_change(() => { if (drawn) draw(shown); });
  return node;
}

function axis_label(curve: Curve): string {
  const name = curve.short_name.length > 30 ? `${curve.short_name.slice(0, 30)}…` : curve.short_name;
  const shown = curve.group === "v" ? `d${name}/dt` : name, unit = unit_text(curve.unit);
  return unit === "" ? shown : `${shown} [${unit}]`;
}

function draw_pair(host: HTMLElement, width: number, { q, v }: { q: Curve; v: Curve }, series: Series, clock: Clock): () => void {
  const x = roomy(q.range.min, q.range.max), y = roomy(v.range.min, v.range.max);
  const plane = new Plane({
    width, height: Math.max(260, Math.round(0.607 * width)), x, y, x_label: axis_label(q), y_label: axis_label(v),
    label: `${axis_label(v)} over ${axis_label(q)}: from ${number_text(q.range.min)} to ${number_text(q.range.max)}, ` +
      `velocity from ${number_text(v.range.min)} to ${number_text(v.range.max)}`,
  });
  const here = svg("circle", { class: "here", r: 5 });
  plane.node.append(plane.curve(q.values, v.values, few_rows(series.time), { class: "phase-line" }), here);
  const show = (event: MouseEvent) => {
    const box = plane.node.getBoundingClientRect(), scale = width / box.width;
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale] as const;
    let best = 0, least = Infinity;
    for (let i = 0; i < q.values.length; ++i) {
      const far = Math.hypot(plane.x(q.values[i]!) - at[0], plane.y(v.values[i]!) - at[1]);
      if (far < least) least = far, best = i;
    }
    clock.show_nearest(series.time[best] ?? 0);
  };
  plane.node.addEventListener("click", show);
  plane.node.addEventListener("mousemove", (event) => { if (!clock.playing && event.buttons === 0) show(event); });
  host.replaceChildren(plane.node);
  const follow = () => {
    const row = nearest(series.time, clock.t), a = q.values[row]!, b = v.values[row]!;
    here.style.display = Number.isFinite(a + b) ? "" : "none";
    if (!Number.isFinite(a + b)) return;
    here.setAttribute("cx", String(plane.x(a)));
    here.setAttribute("cy", String(plane.y(b)));
  };
  follow();
  return follow;
}
