// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "apps/dalembert/layout.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert::app {
namespace {

// The verdict in the library's words. A run that was cut short gets a different heading: its numbers are meaningful,
// but "holds" would not be.
std::string verdict_text(const Trajectory& run, const Terminal& terminal) {
  const std::string verdict = to_text(run.verdict);
  const std::size_t end = std::min(verdict.find('\n'), verdict.size());
  const std::string heading =
      run.status == RunStatus::kOk ? verdict.substr(0, end) : "verdict: none, the run did not reach its end; so far";
  return (run.verdict.holds ? terminal.green(heading) : terminal.red(heading)) + verdict.substr(end);
}

}  // namespace

Json no_run_document(const System& system, const ModelStart& start, const Diagnostics& diagnostics) {
  Trajectory nothing;
  nothing.status = RunStatus::kFailed;
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.level == Level::kError) nothing.reason = diagnostic.message;
  Json document = run_json(nothing, start.assembly, system.dynamics.names(), system.compile_seconds);
  document["diagnostics"] = to_json(diagnostics);
  return document;
}

std::string describe_setup(const System& system, const ModelStart& start, const IntegrateOptions& options,
                           const Terminal& terminal) {
  const Names& names = system.dynamics.names();
  std::string text = fmt::format("{}: {}\n", terminal.bold(system.model->name), describe_freedoms(system, start));
  text += describe_start(system, start);
  const State& state = start.assembly.state;
  const KktSolution now = solve_kkt(with_contacts_decided(system.dynamics, state), state);
  std::vector<std::string> multipliers, actuations;
  for (std::size_t r = 0; r < names.rows.size() && now.status == KktStatus::kOk; ++r)
    (r < names.constraint_rows() ? multipliers : actuations)
        .push_back(fmt::format("{} = {}{}{}", names.rows[r], now.lambda_unique[r] ? "" : "~",
                               shown_number(now.lambda[r], 5), unit_suffix(names.lambda_units[r])));
  text += labelled_list("multipliers", multipliers);
  text += labelled_list("actuation", actuations);
  return text + fmt::format("  {:<14}{} to {} s, {}, rtol {}, atol {}\n", "run", to_text(start.assembly.state.t, 6),
                            to_text(options.until, 6), to_text(options.method), to_text(options.rtol, 3),
                            to_text(options.atol, 3));
}

std::string verdict_line(const Trajectory& run, const Terminal& terminal) {
  const std::string verdict = verdict_text(run, terminal);
  return verdict.substr(0, verdict.find('\n')) + "\n";
}

namespace {

// "bounce: 10, at 0.451524, 1.17396, 1.75192, …, 3.57889 s", of each event of the model that happened; "ground impact: …" of contacts.
std::vector<std::string> described_events(const Trajectory& run) {
  constexpr std::size_t kShown = 3;
  constexpr std::array kListed = {RunEventKind::kEvent, RunEventKind::kStop, RunEventKind::kImpact,
                                  RunEventKind::kRelease, RunEventKind::kRest};
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> all;
  for (const RunEvent& event : run.events) {
    if (std::ranges::find(kListed, event.kind) == kListed.end()) continue;
    const std::string name = title(event);
    if (!all.contains(name)) names.push_back(name);
    all[name].push_back(event.t);
  }
  for (std::string& name : names) {
    const std::vector<double>& times = all[name];
    std::string text;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i >= kShown && i + 1 < times.size()) continue;
      text += i == 0 ? "" : i > kShown ? ", …, " : ", ";
      text += to_text(times[i], 6);
    }
    const bool ended = run.ended_by_event() && run.events.back().name == name;
    name = fmt::format("{}: {}, at {} s{}", name, times.size(), text, ended ? ", where the run ends" : "");
  }
  return names;
}

// One line for each quantity by which the run is differentiated: "by L          x = 0.113247, y = -1.50341, to 3e-10".
std::string described_sensitivities(const Trajectory& run) {
  std::string text;
  for (const Sensitivity& by : run.sensitivities) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < by.q.size() && !by.q[i].empty(); ++i)
      values.push_back(fmt::format("{} {}{}", run.names.coordinates[i], shown_number(by.q[i].back(), 6),
                                   unit_suffix(by.unit_of(run.names.coordinate_units[i]))));
    if (std::isfinite(by.error)) values.push_back(fmt::format("to {:.0e} of the largest", by.error));
    text += labelled_list(fmt::format("by {}", by.name), values);
  }
  return text;
}

// One line for each output with a gradient: "gradient of G  k 0.333448, c -0.363754, to 3e-10 of the largest".
std::string described_gradients(const Trajectory& run) {
  std::string text;
  for (const Gradient& gradient : run.gradients) {
    std::vector<std::string> values;
    for (const Gradient::By& by : gradient.by)
      values.push_back(fmt::format("{} {}", by.name, std::isfinite(by.value) ? shown_number(by.value, 6) : "unknown"));
    if (std::isfinite(gradient.error)) values.push_back(fmt::format("to {:.0e} of the largest", gradient.error));
    text += labelled_list(fmt::format("d {}/d", gradient.output), values);
  }
  return text;
}

}  // namespace

std::string describe_run(const Trajectory& run, const Terminal& terminal) {
  std::string text = labelled_list("events", described_events(run));
  if (run.size() > 0) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      values.push_back(fmt::format("{} = {}{}", run.names.coordinates[i], shown_number(run.q[i].back(), 5),
                                   unit_suffix(coordinate_unit(run.names.coordinate_units[i]))));
    text += labelled_list(fmt::format("t = {}", to_text(run.time.back(), 6)), values);
  }
  text += described_sensitivities(run) + described_gradients(run);
  text += fmt::format("  {:<14}{} steps, {} rejected, {} evaluations, {} s\n", "cost", run.steps, run.rejected,
                      run.evaluations, to_text(run.wall_seconds, 3));
  return text + verdict_text(run, terminal);
}

}  // namespace dalembert::app
