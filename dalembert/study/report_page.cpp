// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/report/report_document.h"
#include "dalembert/study/analysis.h"
#include "dalembert/study/page.h"
#include "dalembert/study/pictures.h"

namespace dalembert {
namespace {

// Largest number of velocities plus rows for which a page searches equilibria; the search takes about a second.
constexpr int kMostSearched = 12;
constexpr const char* kGenerator = "dalembert " DALEMBERT_VERSION;
constexpr std::size_t kRows = 1'200;
constexpr std::size_t kLongestFact = 1'000;
// A scene with more shapes would be too slow to draw and is left out.
constexpr std::size_t kMostShapes = 20'000;

void describe_run(const Trajectory& run, ReportContent& content) {
  if (run.status != RunStatus::kOk)
    content.notices.push_back(
        {run.status == RunStatus::kFailed ? "error" : "warning",
         fmt::format("The run {}: {}", run.status == RunStatus::kFailed ? "failed" : "was stopped", run.reason)});
  else if (!run.verdict.holds)
    content.notices.push_back(
        {"error", fmt::format("The verdict on this run does not hold: {}", join_words(run.verdict.reasons, ""))});
  for (const std::string& warning : run.verdict.warnings) content.notices.push_back({"warning", warning});
  content.chips.push_back({"verdict",
                           run.status != RunStatus::kOk ? "none"
                           : run.verdict.holds          ? "holds"
                                                        : "does not hold",
                           run.status != RunStatus::kOk ? "warning"
                           : run.verdict.holds          ? "ok"
                                                        : "error"});
  if (run.verdict.rows > 0)
    content.chips.push_back({"largest residual", to_text(run.verdict.max_position_residual, 2),
                             run.verdict.residual_excess <= 10 ? "ok" : "error"});
}

// Notes missing values of a run that was read from a file, as `plot` does.
void describe_gaps(const Table& rows, ReportContent& content) {
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const auto missing = std::ranges::count_if(rows.columns[c], [](double x) { return !std::isfinite(x); });
    if (missing > 0)
      content.notices.push_back({"note", fmt::format("{} of {} values of {} are no numbers: gaps in its curve", missing,
                                                     rows.columns[c].size(), rows.names[c])});
  }
}

Json equilibria_json(const BuiltModel& system, const Analysis& analysis) {
  const Names& names = system.dynamics.names();
  const Names& of_motion = analysis.alone ? analysis.alone->system.dynamics.names() : names;
  Json list = Json::array();
  for (const Found& found : analysis.equilibria) {
    Json at = Json::array(), eigenvalues = Json::array();
    const auto add = [&](const std::string& name, double value) { at.push_back({{"name", name}, {"value", value}}); };
    const std::vector<std::string> velocities = of_motion.velocity_names();
    for (std::size_t i = 0; i < found.motion.at.q.size() && i < names.coordinates.size(); ++i)
      add(names.coordinates[i], found.motion.at.q[i]);
    for (std::size_t i = 0; i < found.motion.at.v.size() && i < velocities.size(); ++i)
      if (found.motion.at.v[i] != 0) add(velocities[i], found.motion.at.v[i]);
    for (const Mode& mode : found.stability.modes)
      eigenvalues.push_back({mode.eigenvalue.real(), mode.eigenvalue.imag()});
    list.push_back({{"kind", std::string(to_text(found.motion.kind))},
                    {"stability", std::string(to_text(found.stability.verdict))},
                    {"at", std::move(at)},
                    {"eigenvalues", std::move(eigenvalues)},
                    {"family", found.stability.family}});
  }
  return list;
}

// A mechanism that keeps no freedom and moves is driven: "0 of velocity" would say that it stands.
std::string freedoms_chip(const BuiltModel& system, const Analysis& analysis) {
  const std::vector<Expr>& a = system.equations.a;
  const bool driven = std::ranges::any_of(a, [](const Expr& one) { return !one.is_zero(); });
  return driven && velocity_freedoms(system, analysis) == 0 ? "none: the time gives the motion"
                                                            : freedoms_text(system, analysis);
}

// What is doubtful, in the words of the command, with its first help.
void describe_doubts(const Diagnostics& doubts, ReportContent& content) {
  for (const Diagnostic& doubt : doubts) {
    const std::string help = doubt.help.empty() ? "" : fmt::format(" ({})", doubt.help.front());
    content.notices.push_back({"warning", fmt::format("{}: {}{}", doubt.code, doubt.message, help)});
  }
}

// Adds to `doubts` what the analysis says.
void describe_structure(const SystemAt& at, ReportContent& content, Diagnostics& doubts) {
  const Result<SystemAt> held = with_contacts_held(at);
  if (!held) return;
  const SystemAt& given = *held;
  const BuiltModel& system = given.system;
  const int size = system.dynamics.nv() + system.dynamics.m();
  if (size > kMostAnalyzed) return;
  const bool small = size <= kMostSearched && system.equations.frictions.empty();
  const Result<Analysis> found = analyze_system(given, small);
  if (!found) return;
  const Analysis& analysis = *found;
  append_new(doubts, analysis.warnings);
  content.chips.insert(content.chips.begin(), {{"freedoms", freedoms_chip(system, analysis)},
                                               {"redundant rows", std::to_string(analysis.rank.redundant.size()),
                                                analysis.rank.redundant.empty() ? "ok" : "warning"}});
  const auto say = [&](const std::string& label, const std::string& value) {
    content.structure.push_back(
        {label, value.size() <= kLongestFact ? value : fmt::format("(a formula of {} characters)", value.size())});
  };
  say("freedoms", fmt::format("{} velocities − rank {} = {}", system.dynamics.nv(),
                              rank_of_constraints(system, analysis), velocity_freedoms(system, analysis)));
  for (const RedundantRow& row : analysis.rank.redundant) {
    const std::string& name = system.dynamics.names().rows[static_cast<std::size_t>(row.row)];
    const std::string others =
        row.combination.empty()
            ? "vanishes at the start"
            : "follows from " + counted(static_cast<int>(row.combination.size()), "other row", "other rows");
    say("redundant", fmt::format("{} {}{}", name, others,
                                 !row.consistent                  ? ", but contradicts them"
                                 : row.consistent_nearby == false ? ", but contradicts them elsewhere"
                                                                  : ""));
  }
  if (analysis.integrability.kind != "none") say("constraints", integrability_text(analysis.integrability));
  for (const auto& [row, function] : analysis.first_integrals) say("integral of " + row, function);
  for (const auto& [name, expression] : analysis.conserved) say("conserved: " + name, expression);
  content.equilibria = equilibria_json(system, analysis);
}

}  // namespace

void choose_report_rows(double from, IntegrateOptions& options) {
  options.find_peaks = true;
  if (options.output_step > 0) return;
  options.output_times = evenly_spaced(from, options.until, kRows);
}

std::vector<double> evenly_spaced(double from, double until, std::size_t count) {
  std::vector<double> times;
  const double last = static_cast<double>(count) - 1;
  for (std::size_t k = 0; k + 1 < count; ++k) times.push_back(from + (until - from) * static_cast<double>(k) / last);
  times.push_back(until);  // by the formula it could be beyond the end by round-off
  return times;
}

std::string equations_page(const BuiltModel& system, const EquationsFormat& format, const std::string& command) {
  ReportContent content;
  content.generator = kGenerator;
  content.command = command;
  content.equations = format;
  return page_html(system.model->name, "", report_document(system.equations, system.dynamics, content));
}

std::string report_html(const ReportRequest& request) {
  const BuiltModel& system = request.given.system;
  ReportContent content;
  content.generator = kGenerator;
  content.command = request.command;
  content.start = &request.given.state;
  content.held.hold_position = request.given.held_q;
  content.held.hold_velocity = request.given.held_v;
  content.run = request.run;
  content.rows = &request.rows;
  content.degrees = request.degrees;
  content.motion_only = request.parts == PageParts::kMotion;
  Diagnostics doubts = request.doubts;
  if (!content.motion_only) describe_structure(request.given, content, doubts);
  if (request.run != nullptr)
    describe_run(*request.run, content);
  else
    describe_gaps(request.rows, content);
  describe_doubts(doubts, content);

  const Scene scene = scene_of(system.equations, system.dynamics, request.given.state);
  std::string still;
  if (scene.empty() || scene.shapes.size() > kMostShapes) {
    for (const Diagnostic& doubt : scene.doubts) {
      content.scene_note += (content.scene_note.empty() ? "" : ". ") + doubt.message;
      for (const std::string& help : doubt.help) content.scene_note += ": " + help;
    }
  } else {
    for (const Diagnostic& doubt : scene.doubts) content.notices.push_back({"note", doubt.message});
    content.scene = &scene;
    still = picture_at(system, scene, request.given.state);
  }

  return page_html(system.model->name, still, report_document(system.equations, system.dynamics, content));
}

}  // namespace dalembert
