// SPDX-License-Identifier: Apache-2.0
// Controls of the time: play, step, scrub, speed, loop. Always visible, so that what moves can be stopped.
import { is_live, on_change } from "../changes";
import { type Clock, kSpeeds } from "../clock";
import { button, h, select, toggle } from "../dom";
import { fixed_text, nearest, number_text } from "../numbers";
import { grouped, type Happening, words_of } from "../happenings";

const kSpeedTexts: Record<string, string> = { "0.25": "¼×", "0.5": "½×" };

/** `events`: what happened when, in the stored run. */
export function time_controls(clock: Clock, events: Happening[]): HTMLElement {
  const play = button("", { class: "play" }, () => clock.toggle());
  const scrub = h("input", {
    type: "range", min: 0, max: clock.times.length - 1, step: 1, value: 0, class: "scrub", "aria-label": "Time",
  });
  scrub.addEventListener("input", () => clock.show(Number(scrub.value)));
  const shown = h("output", { class: "time" });
  const speeds = kSpeeds.map((speed) => ({ value: String(speed), text: kSpeedTexts[speed] ?? `${speed}×` }));
  const speed = select("Speed", speeds, "1", (value) => { clock.speed = Number(value); });
  if (clock.pace !== 1) speed.title = `1× shows ${number_text(clock.pace)} s of the motion each second`;
  const loop = toggle("Loop", clock.loop, {}, (on) => { clock.loop = on; });

  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(clock.end - clock.start, 1e-6)))));
  const words = (t: number) => `t = ${fixed_text(t, digits)} s`;
  // As wide as the longest: what is beside it stays where it is.
  shown.style.minWidth = `${Math.max(...[clock.start, clock.end].map((t) => words(t).length)) + 0.5}ch`;
  const update = () => {
    scrub.value = String(nearest(clock.times, clock.t));
    shown.textContent = words(clock.t);
    scrub.setAttribute("aria-valuetext", shown.textContent);
    const name = clock.playing ? "Pause" : "Play";
    if (play.getAttribute("aria-label") === name) return;
    play.setAttribute("aria-label", name);
    play.title = name;
    play.textContent = clock.playing ? "❚❚" : "▶";
  };
  clock.listen(update);
  update();
  return h("div", { class: "controls", role: "group", "aria-label": "Time" },
    play,
    button("◂", { "aria-label": "One instant back", title: "Step back" }, () => clock.step(-1)),
    button("▸", { "aria-label": "One instant on", title: "Step forward" }, () => clock.step(1)),
    h("div", { class: "timeline" }, scrub, marks(clock, events)), shown, speed, loop,
    clock.pace === 1 ? null : h("span", { class: "pace" }, `1× = ${number_text(clock.pace)} s each second`));
}

const kPlaces = 240;  // along the bar: events that are nearer to each other share a mark

// Where something happens. The bar gets what is pressed; marks say what happens to who points at them.
function marks(clock: Clock, events: Happening[]): HTMLElement | null {
  if (events.length === 0) return null;
  const host = h("div", { class: "scrub-marks", "aria-hidden": "true" });
  const span = clock.end - clock.start;
  for (const { share, list } of grouped(events, (t) => (t - clock.start) / span, kPlaces)) {
    const mark = h("span", { title: words_of(list) });
    mark.style.left = `${(100 * share).toFixed(2)}%`;
    host.append(mark);
  }
  on_change(() => { host.hidden = is_live(); });
  return host;
}
