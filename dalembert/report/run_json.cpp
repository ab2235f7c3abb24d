// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/run_json.h"

#include <cstddef>
#include <string>
#include <utility>

#include "dalembert/base/units.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/store/json_parts.h"

namespace dalembert {
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
               {"q", named_json(error.coordinates, error.q)},
               {"qd", named_json(error.velocities, error.v)},
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

Json initial_json(const Names& names, const Assembly& start, Json lambda) {
  return {{"q", named_json(names.coordinates, start.state.q)},
          {"qd", named_json(names.of_motion(), start.state.v)},
          {"lambda", std::move(lambda)},
          {"moved", moved_json(names, start)}};
}

Json final_json(const Trajectory& run) {
  if (run.size() == 0) return nullptr;
  const std::size_t last = run.size() - 1;
  return {{"t", run.time[last]},
          {"q", named_json(run.names.coordinates, at_row(run.q, last))},
          {"qd", named_json(run.names.of_motion(), at_row(run.v, last))},
          {"lambda", named_json(run.names.rows, at_row(run.lambda, last))},
          {"outputs", named_json(run.names.outputs, at_row(run.outputs, last))}};
}

// Matrices of more coordinates are given by their entries: as lists of rows they would take gigabytes.
constexpr int kMostColumns = 3000;

Json units_by_name(const std::vector<std::string>& names, const std::vector<std::string>& units) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    json.append(names[i], units[i].empty() ? Json(nullptr) : Json(units[i]));
  return json;
}

// Of q, of what is in each equation of motion (B, G, F), and of the multipliers.
Json unit_document(const Model& model, const Names& names) {
  std::vector<std::string> forces;
  for (const Coordinate& coordinate : model.coordinates)
    forces.push_back(coordinate.dimension ? unit_name(Dimension::energy() / *coordinate.dimension, Measure::kForce)
                                          : "");
  return {{"q", units_by_name(names.coordinates, names.coordinate_units)},
          {"F", units_by_name(names.coordinates, forces)},
          {"lambda", units_by_name(names.rows, names.lambda_units)}};
}

}  // namespace

Json rank_json(int rank) { return rank < 0 ? Json() : Json(rank); }

Json moved_json(const Names& names, const Assembly& start) {
  return {{"q", not_zero_json(names.coordinates, start.moved_q)},
          {"qd", not_zero_json(names.of_motion(), start.moved_v)}};
}

Json residual_json(const Dynamics& dynamics, const State& state) {
  const std::vector<std::string>& rows = dynamics.names().rows;
  std::vector<std::string> with_position;
  for (const int row : dynamics.layout().holonomic) with_position.push_back(rows[static_cast<std::size_t>(row)]);
  return {{"position", named_json(with_position, position_residual(dynamics, state))},
          {"velocity", named_json(rows, velocity_residual(dynamics, state))}};
}

Json run_json(const Trajectory& run, const Assembly& start, const Names& names, double compile_seconds) {
  const bool any = run.size() > 0;
  return {{"status", std::string(to_text(run.status))},
          {"reason", run.reason},
          {"t_end", any ? run.time.back() : start.state.t},
          {"steps", run.steps},
          {"rejected", run.rejected},
          {"evaluations", run.evaluations},
          {"compile_seconds", compile_seconds},
          {"wall_seconds", run.wall_seconds},
          {"verdict", verdict_json(run.verdict)},
          {"events", Json::array()},
          {"initial", initial_json(names, start, any ? named_json(run.names.rows, at_row(run.lambda, 0)) : Json())},
          {"final", final_json(run)}};
}

Json terms_json(const Model& model, const Dynamics& dynamics, const State& state, const Terms& terms) {
  const Names& names = dynamics.names();
  const Layout& layout = dynamics.layout();
  const bool rows = layout.nv <= kMostColumns;
  Json json = {{"model", model.name},
               {"t", state.t},
               {"coordinates", names.coordinates},
               {"constraints", names.rows},
               {"q", named_json(names.coordinates, state.q)},
               {"qd", named_json(names.of_motion(), state.v)},
               {"M", rows ? matrix_json(layout.M, terms.M) : Json(nullptr)},
               {"B", list_json(terms.B)},
               {"G", list_json(terms.G)},
               {"F", list_json(terms.F)},
               {"W", rows ? matrix_json(layout.W, terms.W) : Json(nullptr)},
               {"a", list_json(terms.a)},
               {"gamma", list_json(terms.gamma)},
               {"qdd", terms.has_motion() ? named_json(names.of_motion(), terms.solution.qdd) : Json(nullptr)},
               {"lambda", terms.has_motion() ? named_json(names.rows, terms.solution.lambda) : Json(nullptr)},
               {"energy", {{"kinetic", terms.energy.kinetic}, {"potential", terms.energy.potential}}},
               {"residual", residual_json(dynamics, state)},
               {"rank", rank_json(terms.solution.rank)},
               {"units", unit_document(model, names)},
               {"outputs", named_json(names.outputs, terms.outputs)}};
  if (!rows) json["entries"] = {{"M", entries_json(layout.M, terms.M)}, {"W", entries_json(layout.W, terms.W)}};
  return json;
}

}  // namespace dalembert
