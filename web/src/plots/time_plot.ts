// SPDX-License-Identifier: Apache-2.0
// Curves over time in one panel: uPlot for the canvas, a legend of our own with typeset names and values.
import uPlot from "uplot";
import { is_live, on_change } from "../changes";
import type { Clock } from "../clock";
import { acting_mark } from "../acting";
import { announce, button, download, h, scrolling, svg, table, toggle } from "../dom";
import { before_printing, now as at_once, when_near } from "../later";
import { inline_math, unit_text } from "../math";
import { nearest, number_text, without_round_off } from "../numbers";
import { EventMarks } from "./event_marks";
import { few_rows, roomy } from "./plane";
import { picture_buttons } from "../pictures";
import { plot_picture } from "./plot_picture";
import { type PrintedCurve, printed_plot } from "./printed_plot";
import { csv, type Curve, type Series } from "../series";
import { color, on_theme } from "../theme";

const kSync = "time";  // plots with this key share cursor and zoom
const kHeight = 240;
const kFont = "12px system-ui, sans-serif";
const kTableRows = 200;
const kPause = 90;  // ms
/** Curves of a panel: as many as colours. */
export const kPanelCurves = 8;
const kDashes: number[][] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [14, 4], [4, 2, 1, 2], [1, 2], [10, 2, 2, 2, 2, 2]];

export class TimePlot {
  readonly node: HTMLElement;
  /** The curves have other values. */
  readonly refresh: () => void;
  private readonly canvas = h("div", { class: "canvas", role: "slider", tabindex: 0 });
  private readonly values: HTMLElement[] = [];
  private readonly keys: HTMLElement[] = [];
  private readonly mark = h("div", { class: "time-mark" });
  private readonly events: EventMarks;
  private plot: uPlot | null = null;
  private told = 0;
  private sizes: number[] | null = null;

  constructor(title: string, readonly curves: Curve[], private readonly series: Series, private readonly clock: Clock,
              private readonly log = false) {
    this.events = new EventMarks(series.events, () => curves.every((curve) => !curve.is_live));
    const rows = h("div", { class: "plot-table", hidden: true });
    const tools = h("div", { class: "plot-tools" },
      button("Reset zoom", {}, () => this.reset()),
      toggle("Table", false, {}, (on) => {
        rows.hidden = !on;
        rows.replaceChildren(...(on ? [this.rows(title)] : []));
      }),
      button("CSV", { title: "Download these curves" }, () => {
        download(`${title.replace(/[^\w-]+/g, "-")}.csv`, "text/csv", csv(series.time, curves));
      }),
      ...picture_buttons(() => title, () => plot_picture(`${title}${this.unit_in_brackets}${is_live() ? " – live, not the stored run" : ""}`, series.time, this.shown_curves(), log, this.unit)));
    const shown_unit = h("span", { class: "unit" });
    const caption = h("figcaption", {},
      h("h3", {}, title, shown_unit), tools);
    this.node = h("figure", { class: "plot", "data-series": JSON.stringify(curves.map(({ name }) => name)) },
      caption, this.canvas, this.legend(), this.events.node, rows);
    const describe = () => {
      this.canvas.setAttribute("aria-label", this.sentence(title));
      shown_unit.textContent = this.unit_in_brackets;
      this.node.dataset.min = JSON.stringify(curves.map(({ range }) => range.min));
      this.node.dataset.max = JSON.stringify(curves.map(({ range }) => range.max));
    };
    describe();
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (clock.key(event.key)) event.preventDefault();
    });
    this.canvas.addEventListener("focus", () => this.tell_place());
    clock.listen((cause) => { if (cause !== "run" && !clock.playing) this.tell_place(); });
    this.tell_place();
    this.refresh = () => {
      describe();
      this.tell_place();
      if (!rows.hidden) rows.replaceChildren(this.rows(title));
      this.renew();
    };
    on_change(this.refresh);
    when_near(this.node, () => this.draw());
    clock.listen((cause) => this.follow(cause === "run"));
  }

  /** Draws the eye to one curve. */
  highlight(name: string) {
    at_once(this.node);
    const which = this.curves.findIndex((curve) => curve.name === name);
    const key = this.keys[which];
    if (key === undefined || this.plot === null) return;
    if (!(this.plot.series[which + 1]?.show ?? true)) key.click();
    this.plot.series.forEach((one, k) => { if (k > 0) one.width = k === which + 1 ? 3.5 : 1.3; });
    this.plot.redraw();
    this.keys.forEach((other, k) => other.classList.toggle("chosen", k === which));
    announce(`Curve ${name}`);
  }

  private get unit(): string { return unit_text(this.curves[0]?.unit ?? ""); }
  private get unit_in_brackets(): string { return this.unit === "" ? "" : ` [${this.unit}]`; }

  private sentence(title: string): string {
    const { unit, series: { time } } = this;
    const parts = this.curves.map(({ name, range: { min, max, at_min, at_max } }) => Number.isNaN(min)
      ? `${name.slice(0, 80)} has no values`
      : `${name.slice(0, 80)} from ${number_text(min)} at ${number_text(time[at_min] ?? 0)} s ` +
        `to ${number_text(max)} at ${number_text(time[at_max] ?? 0)} s`);
    const scale = this.log ? ", sizes on a logarithmic axis" : "";
    return `${title}${unit === "" ? "" : ` in ${unit}`} over time${scale}: ${parts.join("; ")}`;
  }

  // Where the cursor is that keys move, in words.
  private tell_place() {
    const { time } = this.series, row = nearest(time, this.clock.t), t = time[row] ?? 0, { unit } = this;
    const values = this.curves.map((curve) => `${curve.short_name.slice(0, 80)} ${number_text(curve.values[row] ?? NaN, 4)}`);
    const place = { valuemin: time[0] ?? 0, valuemax: time[time.length - 1] ?? 0, valuenow: t,
      valuetext: `t = ${number_text(t, 4)} s: ${values.join(", ")}${unit === "" ? "" : ` ${unit}`}` };
    for (const [name, value] of Object.entries(place)) this.canvas.setAttribute(`aria-${name}`, String(value));
  }

  private legend(): HTMLElement {
    const legend = h("div", { class: "legend", role: "group", "aria-label": "Curves" });
    this.curves.forEach((curve, k) => {
      const swatch = svg("svg", { class: "swatch", viewBox: "0 0 26 10", "aria-hidden": "true" }, svg("path", {
        d: "M1 5H25", style: `stroke:var(--c${k % kPanelCurves + 1})`, "stroke-dasharray": kDashes[k]!.join(" "),
      }));
      const value = h("span", { class: "value" });
      const key = toggle("", true, { class: "key", "data-key-of": curve.name, title: curve.column.meaning }, (on) =>
        this.plot?.setSeries(k + 1, { show: on }));
      key.append(swatch, inline_math(curve.column.latex, curve.short_name), value);
      this.values.push(value);
      this.keys.push(key);
      legend.append(key);
      const acts = acting_mark(curve.name);
      if (acts !== null) legend.append(acts);
    });
    this.show_values(nearest(this.series.time, this.clock.t));
    return legend;
  }

  // uPlot wants gaps as null. On a logarithmic axis sizes are shown, and zero is a gap.
  private data(): uPlot.AlignedData {
    const gaps = (values: Float32Array) => Array.from(values, (value) => {
      if (!Number.isFinite(value)) return null;
      if (!this.log) return value;
      return value === 0 ? null : Math.abs(value);
    });
    return [Array.from(this.series.time), ...this.curves.map(({ values }) => gaps(values))];
  }

  private draw() {
    const data = this.data(), few = few_rows(this.series.time);
    const axis = { stroke: () => color("--quiet"), font: kFont, labelFont: kFont };
    const thin = { stroke: () => color("--grid"), width: 1 }, line = { grid: thin, ticks: thin };
    const options: uPlot.Options = {
      width: this.width(), height: kHeight, legend: { show: false },
      scales: { x: { time: false }, y: this.log ? { distr: 3, range: log_range } : { range: roomy_range } },
      axes: [
        { ...axis, ...line, label: "t [s]", labelSize: 18, size: 34, values: (_, ticks) => ticks.map(tick_text) },
        {
          ...axis, ...line, size: 62, values: (_, ticks) => ticks.map(tick_text),
          ...(this.log ? { splits: decades } : {}),
        },
      ],
      cursor: {
        sync: { key: kSync, setSeries: false }, drag: { x: true, y: false }, focus: { prox: 24 },
        points: { size: 6 },
      },
      series: [{}, ...this.curves.map((curve, k) => ({
        label: curve.name, stroke: () => color(`--c${k % kPanelCurves + 1}`), width: few ? 0.8 : 1.6, dash: kDashes[k]!,
        points: { show: few, size: 5, fill: () => color(`--c${k % kPanelCurves + 1}`) }, pxAlign: 0,
      }))],
      hooks: {
        setCursor: [(plot) => {
          this.events.point(plot);
          this.show_values(plot.cursor.idx ?? nearest(this.series.time, this.clock.t));
        }],
        setScale: [() => this.follow()],
        setSize: [() => this.follow()],
        draw: [(plot) => this.events.draw(plot)],
      },
    };
    this.plot = new uPlot(options, data, this.canvas);
    this.plot.over.append(this.mark);
    this.clicks(this.plot.over);
    this.follow();
    on_theme(() => this.plot?.redraw(false, true));
    new ResizeObserver(() => this.fit(this.width())).observe(this.canvas);
    before_printing(() => this.print());
  }

  // Other values: zoomed in time as it is, with room for them.
  private renew() {
    const { plot } = this;
    this.sizes = null;
    if (plot === null) return;
    // The part that was zoomed to stays, unless the run has another end.
    const { time } = this.series, end = time[time.length - 1] ?? NaN, same = end === plot.data[0][time.length - 1];
    const { min, max } = same ? plot.scales["x"]! : { min: time[0], max: end };
    plot.batch(() => {
      plot.setData(this.data(), false);
      if (min !== undefined && max !== undefined) plot.setScale("x", { min, max });
    });
    this.follow();
  }

  // What is shown, for paper; it replaces the one of the last time.
  private print() {
    this.node.querySelector(".printed")?.remove();
    this.canvas.after(printed_plot(this.series.time, this.shown_curves(), this.log, this.unit));
  }

  private shown_curves(): PrintedCurve[] {
    const drawn = this.curves.map((curve, k) =>
      ({ curve, color: `var(--c${k % kPanelCurves + 1})`, dash: kDashes[k]!.join(" ") }));
    return drawn.filter((_, k) => this.plot?.series[k + 1]?.show ?? true);
  }

  // A click that is no drag sets the scene's time; while the scene stands, so does the cursor.
  private clicks(over: HTMLElement) {
    let from = 0;
    over.addEventListener("mousemove", (event) => {
      if (this.plot === null || this.clock.playing || event.buttons !== 0 || (event.movementX === 0 && event.movementY === 0)) return;
      this.clock.show_nearest(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("mousedown", (event) => { from = event.clientX; });
    over.addEventListener("click", (event) => {
      if (this.plot === null || Math.abs(event.clientX - from) > 3) return;
      this.clock.show_nearest(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  private width() { return Math.max(200, Math.floor(this.canvas.clientWidth)); }
  private fit(width: number) {
    if (this.plot !== null && this.plot.width !== width) this.plot.setSize({ width, height: kHeight });
  }
  // As a double click: of all plots that are zoomed together.
  private reset() {
    const { time } = this.series, whole = { min: time[0] ?? 0, max: time[time.length - 1] ?? 1 };
    for (const plot of uPlot.sync(kSync).plots) plot.setScale("x", whole);
  }

  // While the scene plays, numbers change at a pace that can be read.
  private follow(runs = false) {
    if (this.plot === null) return;
    const x = this.plot.valToPos(this.clock.t, "x");
    this.mark.style.display = x >= 0 && x <= this.plot.over.clientWidth ? "" : "none";
    this.mark.style.transform = `translateX(${x.toFixed(1)}px)`;
    const now = performance.now();
    if ((this.plot.cursor.idx ?? null) !== null || (runs && now - this.told < kPause)) return;
    this.told = now;
    this.show_values(nearest(this.series.time, this.clock.t));
  }

  private show_values(row: number) {
    const sizes = (this.sizes ??= this.curves.map((curve) => this.series.size_around(curve)));
    this.curves.forEach((curve, k) => {
      const text = number_text(without_round_off(curve.values[row] ?? NaN, sizes[k]!), 4), cell = this.values[k]!;
      if (cell.textContent !== text) cell.textContent = text;
    });
  }

  private rows(title: string): HTMLElement {
    const { time } = this.series, every = Math.max(1, Math.ceil(time.length / kTableRows)), rows = [];
    for (let i = 0; i < time.length; i += every)
      rows.push([number_text(time[i]!), ...this.curves.map(({ values }) => number_text(values[i] ?? NaN, 6))]);
    const head = ["t [s]", ...this.curves.map((curve) => inline_math(curve.column.latex, curve.short_name))];
    const note = `${title}${this.unit_in_brackets}: ${every === 1 ? "every row" : `one of ${every} rows`}`;
    return scrolling(`Table of ${title}`, table(note, head, rows, { class: "numbers" }), "tall");
  }
}

function tick_text(value: number | null): string {
  return value === null ? "" : number_text(value, 6);
}

function roomy_range(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  return roomy(low, high, 0.06);
}

function decades(_: uPlot, __: number, low: number, high: number): number[] {
  const from = Math.round(Math.log10(low)), to = Math.round(Math.log10(high)), step = Math.ceil((to - from) / 6);
  const ticks = [];
  for (let power = from; power <= to; power += step) ticks.push(10 ** power);
  return ticks;
}

function log_range(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null || !(low > 0)) return [1e-16, 1e-12];
  const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
  return [10 ** from, 10 ** Math.max(to, from + 1)];
}
