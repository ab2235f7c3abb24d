// SPDX-License-Identifier: Apache-2.0
import type { ReportDocument } from "../document";
import { copy_button, facts, h, user_text } from "../dom";

const kMit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction, including without
limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS
OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

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
      h("pre", { tabindex: 0, role: "region", "aria-label": "Command" }, h("code", {}, user_text(report.command))),
      copy_button("Copy command", {}, () => report.command)),
    h("div", { class: "one-column" }, facts(entries)),
    h("details", { class: "licences" }, h("summary", {}, "Licences of what is inside this page"),
      h("p", {}, "KaTeX 0.19.1 and its fonts: MIT, © 2013–2020 Khan Academy and other contributors."),
      h("p", {}, "uPlot 1.6.32: MIT, © 2022 Leon Sorokin."),
      h("p", { class: "licence" }, kMit)),
  ];
}
