// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/sweep/study_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/figure/rich_text.h"
#include "dalembert/study/sweep/study_plot.h"

namespace dalembert {
namespace {

using sweeping::StudyColumn;
using sweeping::StudyHead;
using sweeping::StudyLine;
using sweeping::StudySource;

constexpr std::size_t kMostPictures = 24, kMostReasons = 50, kMostRows = 200;

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ink:#1b1d22;--soft:#555b66;--line:#d5d9e0;--ground:#fff;--card:#f6f7f9;--good:#1a6b35;--bad:#a1260d}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#a9b0bc;--line:#3a404b;--ground:#15171b;--card:#1e2127;--good:#7fd19a;--bad:#ff9a85}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:86rem;padding:1.5rem 1rem 4rem;background:var(--ground);color:var(--ink);font:16px/1.5 Helvetica,Arial,'DejaVu Sans',sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}
p{margin:.4rem 0}.soft{color:var(--soft)}code{font:.92em 'DejaVu Sans Mono',Menlo,Consolas,monospace;overflow-wrap:anywhere}
.chips{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:.8rem 0;list-style:none}.chips li{border:1px solid var(--line);border-radius:1rem;padding:.1rem .8rem;background:var(--card)}
.good{color:var(--good)}.bad{color:var(--bad)}
h3{font-size:1rem;margin:1.4rem 0 .5rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}th{font-weight:600;white-space:nowrap}.n{text-align:right;white-space:nowrap}
.pair{display:flex;flex-wrap:wrap;gap:1rem}@media(min-width:60rem){.pair figure{flex:0 1 calc(50% - .5rem)}}
figure{margin:0;padding:.5rem;background:#fff;border:1px solid var(--line);border-radius:.4rem;width:fit-content;max-width:100%}
figure img{display:block;max-width:100%;height:auto}figcaption{color:#444;font-size:.9rem}
@media print{:root{color-scheme:light}h2{break-after:avoid}figure{break-inside:avoid}}
)css";

// What a column has in all runs that have a number there.
struct ColumnSpan {
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  std::int64_t count = 0;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++count;
  }
};

struct Reason {
  std::int64_t count = 0, first = 0;
  bool failed = false;
};

struct StudySummary {
  StudyHead head;
  std::vector<ColumnSpan> columns;
  ColumnSpan error;
  std::int64_t runs = 0, ok = 0, stopped = 0, failed = 0, holds = 0;
  std::map<std::string, Reason> reasons;
  bool more_reasons = false;
  std::vector<StudyLine> doubtful;  // the first runs that failed or whose verdict does not hold
};

void add_line(const StudyLine& line, StudySummary& all) {
  ++all.runs;
  ++(line.status == "ok" ? all.ok : line.status == "stopped" ? all.stopped : all.failed);
  if (line.holds) ++all.holds;
  for (std::size_t k = 0; k < line.values.size(); ++k) all.columns[k].add(line.values[k]);
  all.error.add(line.error);
  if (line.holds && line.reason.empty()) return;
  const bool failed = line.status == "failed";
  const std::string why = line.reason.empty() ? "the verdict does not hold" : line.reason;
  if (all.reasons.size() < kMostReasons || all.reasons.contains(why)) {
    Reason& reason = all.reasons[why];
    if (reason.count++ == 0) reason.first = line.index;
    reason.failed = reason.failed || failed;
  } else {
    all.more_reasons = true;
  }
  if (all.doubtful.size() < kMostRows) all.doubtful.push_back(line);
}

Result<StudySummary> summarize(const StudySource& study) {
  StudySummary all;
  Diagnostics problems = study.visit(
      [&](const StudyHead& head) {
        all.head = head;
        all.columns.resize(head.columns.size());
      },
      [&](const StudyLine& line) {
        add_line(line, all);
        return true;
      });
  if (!problems.empty()) return problems;
  if (all.runs == 0) return error("E0502", fmt::format("`{}` has no runs", study.name()));
  return all;
}

std::string number(double value) { return std::isfinite(value) ? to_text(value, 6) : "–"; }
std::string cell(const std::string& text) { return "<td>" + xml_text(text) + "</td>"; }
std::string number_cell(double value) { return "<td class=\"n\">" + number(value) + "</td>"; }
std::string or_dash(const std::string& text) { return text.empty() ? "–" : text; }

// A picture of its own inside the page, so that names in it are its own.
std::string figure_of(const std::string& svg, const std::string& text) {
  std::string data;
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte >= 0x7f || std::string_view("\"#%&'<>").find(c) != std::string_view::npos)
      data += fmt::format("%{:02X}", byte);
    else
      data += c;
  }
  return fmt::format("<figure><img alt=\"{}\" src=\"data:image/svg+xml,{}\"></figure>\n", xml_text(text), data);
}

std::string chips(const StudySummary& all) {
  const auto chip = [](const std::string& kind, const std::string& text) {
    return fmt::format("<li class=\"{}\">{}</li>", kind, text);
  };
  std::string text = "<ul class=\"chips\">" + chip("", counted(static_cast<int>(all.runs), "run", "runs"));
  text += chip(all.failed > 0 ? "bad" : "good", fmt::format("{} failed", all.failed));
  text += chip(all.holds == all.runs ? "good" : "bad",
               fmt::format("{} hold", counted(static_cast<int>(all.holds), "verdict", "verdicts")));
  if (all.error.count > 0) text += chip("", fmt::format("named error up to {}", to_text(all.error.high, 2)));
  return text + "</ul>\n";
}

std::string kind_of(const StudyColumn& column) {
  switch (column.kind) {
    case StudyColumn::Kind::kVaried:
      return fmt::format("grid of {}", counted(static_cast<int>(column.count), "value", "values"));
    case StudyColumn::Kind::kSampled:
      return "sampled";
    case StudyColumn::Kind::kGiven:
      return "given";
    case StudyColumn::Kind::kMeasure:
      break;
  }
  return "measure";
}

std::string columns_table(const StudySummary& all, bool measures) {
  std::string rows;
  for (std::size_t k = 0; k < all.columns.size(); ++k) {
    const StudyColumn& column = all.head.columns[k];
    if ((column.kind == StudyColumn::Kind::kMeasure) != measures) continue;
    const ColumnSpan& span = all.columns[k];
    rows += "<tr><th scope=\"row\"><code>" + xml_text(column.name) + "</code></th>" + cell(or_dash(column.unit));
    if (!measures) rows += cell(kind_of(column));
    const bool some = span.count > 0;
    rows += number_cell(some ? span.low : NAN) + number_cell(some ? span.sum / static_cast<double>(span.count) : NAN) +
            number_cell(some ? span.high : NAN);
    if (measures) rows += fmt::format("<td class=\"n\">{}</td>", all.runs - span.count);
    rows += "</tr>\n";
  }
  if (rows.empty()) return "";
  return fmt::format(
      "<div class=\"wide\"><table><thead><tr><th scope=\"col\">name</th><th scope=\"col\">unit</th>{}<th class=\"n\" "
      "scope=\"col\">lowest</th><th class=\"n\" scope=\"col\">mean</th><th class=\"n\" scope=\"col\">highest</th>{}"
      "</tr></thead>\n<tbody>{}</tbody></table></div>\n",
      measures ? "" : "<th scope=\"col\">values</th>",
      measures ? "<th class=\"n\" scope=\"col\">runs without it</th>" : "", rows);
}

// The pictures of a measure: what is varied decides which; a map has lines beside it.
std::string pictures_of(const StudySource& study, const StudyHead& head, const std::string& measure) {
  std::string text;
  std::vector<std::string> varied;
  for (const StudyColumn& column : head.columns)
    if (column.kind == StudyColumn::Kind::kVaried && column.count > 1) varied.push_back(column.name);
  std::vector<StudyPlotRequest> requests{{.measure = measure}};
  if (varied.size() >= 2) requests.push_back({.measure = measure, .x = varied.front()});
  for (const StudyPlotRequest& request : requests) {
    const Result<StudyPlot> plot = plot_study(study, request);
    if (plot)
      text += figure_of(plot->svg,
                        fmt::format("{} of the runs; the table above has its lowest, mean and highest value", measure));
    else if (&request == &requests.front())
      text += "<p class=\"soft\">No picture: " + xml_text(plot.diagnostics().front().message) + ".</p>\n";
  }
  return text;
}

std::string pictures(const StudySource& study, const StudySummary& all) {
  std::string text;
  std::size_t count = 0, left = 0;
  for (const StudyColumn& column : all.head.columns) {
    if (column.kind != StudyColumn::Kind::kMeasure) continue;
    if (count++ >= kMostPictures) {
      ++left;
      continue;
    }
    text += "<h3><code>" + xml_text(column.name) + "</code></h3>\n<div class=\"pair\">" +
            pictures_of(study, all.head, column.name) + "</div>\n";
  }
  if (left > 0)
    text += fmt::format("<p class=\"soft\">{} more: <code>dalembert plot FILE --map NAME -o map.svg</code></p>\n",
                        counted(static_cast<int>(left), "measure", "measures"));
  return text;
}

// How often there is which reason, unless each is another one.
std::string reasons_table(const StudySummary& all) {
  std::vector<std::pair<std::string, Reason>> sorted(all.reasons.begin(), all.reasons.end());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return std::pair(-a.second.count, a.second.first) < std::pair(-b.second.count, b.second.first);
  });
  if (sorted.front().second.count == 1 && !all.more_reasons) return "";
  std::string text =
      "<div class=\"wide\"><table><thead><tr><th class=\"n\" scope=\"col\">runs</th><th class=\"n\" scope=\"col\">first"
      "</th><th scope=\"col\">reason</th></tr></thead>\n<tbody>";
  for (const auto& [why, reason] : sorted)
    text += fmt::format("<tr><td class=\"n{}\">{}</td><td class=\"n\">{}</td>{}</tr>\n", reason.failed ? " bad" : "",
                        reason.count, reason.first, cell(why));
  text += "</tbody></table></div>\n";
  if (all.more_reasons) text += fmt::format("<p class=\"soft\">The first {} reasons.</p>\n", kMostReasons);
  return text;
}

std::string doubtful_runs(const StudySummary& all) {
  if (all.reasons.empty()) return "<p class=\"good\">Every run came to its end, and every verdict holds.</p>\n";
  std::string text = reasons_table(all);
  std::string head = "<tr><th class=\"n\" scope=\"col\">run</th>";
  for (const StudyColumn& column : all.head.columns)
    if (column.kind != StudyColumn::Kind::kMeasure)
      head += fmt::format("<th class=\"n\" scope=\"col\">{}</th>",
                          xml_text(column.unit.empty() ? column.name : column.name + " [" + column.unit + "]"));
  text += "<h3>Which runs</h3>\n<div class=\"wide\"><table><thead>" + head +
          "<th scope=\"col\">status</th><th scope=\"col\">reason</th></tr></thead>\n<tbody>";
  for (const StudyLine& line : all.doubtful) {
    text += fmt::format("<tr><td class=\"n\">{}</td>", line.index);
    for (std::size_t k = 0; k < line.values.size(); ++k)
      if (all.head.columns[k].kind != StudyColumn::Kind::kMeasure) text += number_cell(line.values[k]);
    text += cell(line.status == "ok" && !line.holds ? "does not hold" : line.status) + cell(line.reason) + "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  std::int64_t count = 0;
  for (const auto& [why, reason] : all.reasons) count += reason.count;
  if (all.more_reasons || count > static_cast<std::int64_t>(all.doubtful.size()))
    text += fmt::format("<p class=\"soft\">The first {} of them.</p>\n", all.doubtful.size());
  return text;
}

std::string origin(const StudySource& study, const StudySummary& all, const StudyPageRequest& request) {
  std::string rows;
  const auto row = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      rows += "<tr><th scope=\"row\">" + name + "</th><td><code>" + xml_text(value) + "</code></td></tr>\n";
  };
  row("rows", study.name());
  row("model", all.head.model);
  row("program", all.head.program);
  row("study", all.head.mark.identity);
  row("page", request.command);
  return "<div class=\"wide\"><table><tbody>" + rows + "</tbody></table></div>\n";
}

}  // namespace

Result<std::string> study_page(const StudySource& study, const StudyPageRequest& request) {
  const Result<StudySummary> summary = summarize(study);
  if (!summary) return summary.diagnostics();
  const StudySummary& all = *summary;
  const std::string title = all.head.model.empty() ? "study" : all.head.model + ": a study";
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{}</title>\n<style>{}</style></head>\n<body>\n", xml_text(title), kStyle);
  page += "<header><h1>" + xml_text(title) + "</h1>\n" + chips(all) + "</header>\n<main>\n";
  if (const std::string table = columns_table(all, false); !table.empty())
    page += "<section><h2>What was changed</h2>\n" + table + "</section>\n";
  page += "<section><h2>What was measured</h2>\n" + columns_table(all, true) + pictures(study, all) + "</section>\n";
  page += "<section><h2>Runs that failed or are doubtful</h2>\n" + doubtful_runs(all) + "</section>\n";
  page += "<section><h2>Where this comes from</h2>\n" + origin(study, all, request) + "</section>\n";
  return page + "</main>\n</body></html>\n";
}

}  // namespace dalembert
