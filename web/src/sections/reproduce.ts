// SPDX-License-Identifier: Apache-2.0
import type { ReportDocument } from "../document";
import { command_text, copy_button, facts, h, prose } from "../dom";

// The notices of what is inside the page are the comment at its head: there they are found without JavaScript too.
function notices(): string {
  for (const node of document.childNodes)
    if (node instanceof Comment && node.data.includes("SIL Open Font License")) return node.data.trim();
  return "";
}

export function reproduce_section(report: ReportDocument): (Node | null)[] {
  const { series } = report;
  const entries = [{ label: "Made by", value: report.generator }];
  if (report.source.sha256 !== "")
    entries.push({ label: "SHA-256 of the model file", value: report.source.sha256 });
  for (const { label, value } of report.run?.summary ?? [])
    if (["method", "tolerances"].includes(label)) entries.push({ label, value });
  if (report.run !== null) entries.push({ label: "Random numbers", value: "none: the same command gives the same digits" });
  if (report.reference !== "") entries.push({ label: "Reference", value: report.reference });
  if (series !== null) {
    const kept = series.decimated ? `${series.kept} of ${series.rows} rows are on this page`
      : `all ${series.rows} rows`;
    entries.push({ label: "Curves", value: series.note === "" ? kept : `${kept}. ${series.note}` });
  }
  return [
    report.command === "" ? null : h("div", { class: "command" },
      h("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, h("code", {}, command_text(report.command))),
      copy_button("Copy command", {}, () => report.command)),
    h("div", { class: "one-column" }, facts(entries, prose)),
    h("details", { class: "licences" }, h("summary", {}, "Licences of what is inside this page"),
      h("p", { class: "licence" }, notices())),
  ];
}
