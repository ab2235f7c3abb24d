// SPDX-License-Identifier: Apache-2.0
import { angle_switch, words_cell } from "../angles";
import type { LevelledValue, NoticeEntry, ReportDocument } from "../document";
import { button, copy_button, download, h, prose, user_text } from "../dom";
import { csv, type Series } from "../series";
import { theme_switch } from "../theme";

const kPhone = "(max-width: 40rem)";

/** The title, and what is said of the report as a whole: beside the title, or on phones after the scene. */
export function header(report: ReportDocument, series: Series | null): { top: HTMLElement; about: HTMLElement } {
  const tools = h("div", { class: "header-tools" }, theme_switch(), angle_switch(report));
  if (report.source.text !== "") tools.append(copy_button("Copy model", {}, () => report.source.text));
  if (series !== null) {
    const name = `${report.title.replace(/[^\w-]+/g, "-").slice(0, 60)}.csv`;
    const title = "All curves of this page as comma-separated values";
    tools.append(button("Download data", { title }, () => download(name, "text/csv", csv(series.time, series.curves))));
  }
  return {
    top: h("header", { class: "top" }, h("h1", {}, user_text(report.title, 240))),
    about: h("div", { class: "about" },
      tools, report.description === "" ? null : h("p", { class: "description" }, prose(flowing(report.description))),
      chips(report.chips), origin(report)),
  };
}

// Lines of a model file end where its writer's page does; an empty one, or one that is set in, begins a paragraph.
const flowing = (text: string) => text.replace(/(\S)\n(?=\S)/g, "$1 ");

/** On phones the mechanism is seen before what is said about it. `scene`: null where there is none. */
export function place_about(top: HTMLElement, about: HTMLElement, scene: HTMLElement | null) {
  const phone = matchMedia(kPhone);
  const place = () => { scene !== null && phone.matches ? scene.after(about) : top.append(about); };
  place();
  phone.addEventListener("change", place);
}

// Which program, which model: what it says can be looked up.
function origin({ generator, source }: ReportDocument): HTMLElement | null {
  const hash = source.sha256;
  if (generator === "" && hash === "") return null;
  return h("p", { class: "origin" }, user_text(generator),
    hash === "" ? null : h("span", { title: `SHA-256 ${hash}` }, " · model ", h("code", {}, hash.slice(0, 12))));
}

const kMarks: Record<string, string> = { ok: "✓", warning: "!", error: "✗", neutral: "" };

function chips(entries: LevelledValue[]): HTMLElement | null {
  if (entries.length === 0) return null;
  const list = h("ul", { class: "chips", "aria-label": "Status" });
  for (const { label, value, level } of entries) {
    const mark = kMarks[level] ?? "";
    list.append(h("li", { class: `chip level-${level}` },
      mark === "" ? null : h("span", { class: "mark", "aria-hidden": "true" }, mark),
      h("span", { class: "chip-label" }, user_text(label)), h("span", { class: "chip-value" }, words_cell(value))));
  }
  return list;
}

const kNames: Record<string, string> = { error: "Error", warning: "Warning", note: "Note" };

export function notices(entries: NoticeEntry[]): HTMLElement | null {
  if (entries.length === 0) return null;
  const list = h("section", { class: "notices", "aria-label": "Notices" });
  for (const { level, text } of entries)
    list.append(h("p", { class: `notice ${level}` }, h("strong", {}, `${kNames[level] ?? "Note"}: `), words_cell(text)));
  return list;
}
