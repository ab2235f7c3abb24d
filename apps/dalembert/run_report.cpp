// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/run_report.h"

#include <fmt/format.h>

#include "apps/dalembert/layout.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert::app {
namespace {

std::vector<double> at_row(const std::vector<std::vector<double>>& series, std::size_t row) {
  std::vector<double> values;
  for (const std::vector<double>& one : series) values.push_back(one[row]);
  return values;
}

// The error that the verdict vouches for, or null.
Json error_json(const FinalError& error) {
  if (!error.made) return nullptr;
  Json json = {{"estimate", error.largest},
               {"relative", error.relative},
               {"method", error.method},
               {"worst", error.worst_name},
               {"q", named(error.coordinates, error.q)},
               {"qd", named(error.coordinates, error.v)},
               {"lost_at", error.lost_at ? Json(*error.lost_at) : Json(nullptr)}};
  if (error.method == "cross-check") json["along"] = error.along;
  return json;
}

Json verdict_json(const Verdict& verdict) {
  Json conserved = Json::array();
  for (const ConservedDrift& quantity : verdict.conserved)
    conserved.push_back({{"name", quantity.name}, {"drift", quantity.drift}});
  return {{"holds", verdict.holds},
          {"max_position_residual", verdict.max_position_residual},
          {"max_velocity_residual", verdict.max_velocity_residual},
          {"energy_drift", verdict.energy_drift},
          {"power_balance_error", verdict.power_balance_error},
          {"conserved", conserved},
          {"min_rank", verdict.min_rank},
          {"switches", verdict.switches},
          {"warnings", verdict.warnings},
          {"reasons", verdict.reasons},
          {"error", error_json(verdict.error)}};
}

Json initial_json(const System& system, const Start& start, const Json& lambda) {
  const std::vector<std::string>& names = system.dynamics.names().coordinates;
  return {{"q", named(names, start.assembly.state.q)},
          {"qd", named(names, start.assembly.state.v)},
          {"lambda", lambda},
          {"moved", moved_json(system, start)}};
}

Json final_json(const Trajectory& run) {
  if (run.size() == 0) return nullptr;
  const std::size_t last = run.size() - 1;
  return {{"t", run.time[last]},
          {"q", named(run.names.coordinates, at_row(run.q, last))},
          {"qd", named(run.names.coordinates, at_row(run.v, last))},
          {"lambda", named(run.names.rows, at_row(run.lambda, last))},
          {"outputs", named(run.names.outputs, at_row(run.outputs, last))}};
}

// The library's words, with a heading of its own for a run that was cut short: its numbers mean something, "holds" does
// not.
std::string verdict_text(const Trajectory& run, const Terminal& terminal) {
  const std::string verdict = to_text(run.verdict);
  const std::size_t end = std::min(verdict.find('\n'), verdict.size());
  const std::string heading =
      run.status == RunStatus::kOk ? verdict.substr(0, end) : "verdict: none, the run did not reach its end; so far";
  return (run.verdict.holds ? terminal.green(heading) : terminal.red(heading)) + verdict.substr(end);
}

}  // namespace

Json run_document(const System& system, const Start& start, const Trajectory& run) {
  const Json lambda = run.size() > 0 ? named(run.names.rows, at_row(run.lambda, 0)) : Json(nullptr);
  return {{"status", std::string(to_text(run.status))},
          {"reason", run.reason},
          {"t_end", run.size() > 0 ? run.time.back() : start.assembly.state.t},
          {"steps", run.steps},
          {"rejected", run.rejected},
          {"evaluations", run.evaluations},
          {"compile_seconds", system.compile_seconds},
          {"wall_seconds", run.wall_seconds},
          {"verdict", verdict_json(run.verdict)},
          {"events", Json::array()},
          {"initial", initial_json(system, start, lambda)},
          {"final", final_json(run)}};
}

Json no_run_document(const System& system, const Start& start, const Diagnostics& diagnostics) {
  Trajectory nothing;
  nothing.status = RunStatus::kFailed;
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.level == Level::kError) nothing.reason = diagnostic.message;
  Json document = run_document(system, start, nothing);
  document["diagnostics"] = to_json(diagnostics);
  return document;
}

std::string describe_setup(const System& system, const Start& start, const IntegrateOptions& options,
                           const Terminal& terminal) {
  const Names& names = system.dynamics.names();
  std::string text = fmt::format("{}: {}\n", terminal.bold(system.model->name), describe_freedoms(system, start));
  text += describe_start(system, start);
  const KktSolution now = solve_kkt(system.dynamics, start.assembly.state);
  std::vector<std::string> multipliers;
  for (std::size_t r = 0; r < names.rows.size() && now.status == KktStatus::kOk; ++r)
    multipliers.push_back(fmt::format("{} = {}{}{}", names.rows[r], now.lambda_unique[r] ? "" : "~",
                                      shown_number(now.lambda[r], 5), unit_suffix(names.lambda_units[r])));
  text += labelled_list("multipliers", multipliers);
  return text + fmt::format("  {:<14}{} to {} s, {}, rtol {}, atol {}\n", "run", to_text(start.assembly.state.t, 6),
                            to_text(options.until, 6), to_text(options.method), to_text(options.rtol, 3),
                            to_text(options.atol, 3));
}

std::string verdict_line(const Trajectory& run, const Terminal& terminal) {
  const std::string verdict = verdict_text(run, terminal);
  return verdict.substr(0, verdict.find('\n')) + "\n";
}

std::string describe_run(const Trajectory& run, const Terminal& terminal) {
  std::string text;
  if (run.size() > 0) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      values.push_back(fmt::format("{} = {}{}", run.names.coordinates[i], shown_number(run.q[i].back(), 5),
                                   unit_suffix(coordinate_unit(run.names.coordinate_units[i]))));
    text += labelled_list(fmt::format("t = {}", to_text(run.time.back(), 6)), values);
  }
  text += fmt::format("  {:<14}{} steps, {} rejected, {} evaluations, {} s\n", "cost", run.steps, run.rejected,
                      run.evaluations, to_text(run.wall_seconds, 3));
  return text + verdict_text(run, terminal);
}

}  // namespace dalembert::app
