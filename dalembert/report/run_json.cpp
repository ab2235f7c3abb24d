// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/json_documents.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/units.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/store/json_value.h"

namespace dalembert {
namespace {

// The values of constraint rows, and those of prescribed coordinates, which come after them.
template <class Values>
auto constraint_part(const Names& names, const Values& values) {
  return std::span(values).first(std::min(values.size(), names.constraint_rows()));
}
template <class Values>
auto actuation_part(const Names& names, const Values& values) {
  return std::span(values).subspan(std::min(values.size(), names.constraint_rows()));
}

// Adds "lambda" and, if coordinates are prescribed, "actuation".
void add_reactions(const Names& names, const std::vector<double>& values, Json& json) {
  json["lambda"] = named_json(constraint_part(names, names.rows), constraint_part(names, values));
  if (names.actuated > 0)
    json["actuation"] = named_json(actuation_part(names, names.rows), actuation_part(names, values));
}

// W without the rows of prescribed coordinates.
Pattern constraints_alone(const Names& names, Pattern W, std::vector<double>& values) {
  const int rows = static_cast<int>(names.constraint_rows());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < W.row.size(); ++k) {
    if (W.row[k] >= rows) continue;
    W.row[kept] = W.row[k];
    W.col[kept] = W.col[k];
    values[kept++] = values[k];
  }
  W.rows = rows;
  W.row.resize(kept);
  W.col.resize(kept);
  values.resize(kept);
  return W;
}

std::vector<double> at_row(const std::vector<std::vector<double>>& series, std::size_t row) {
  std::vector<double> values;
  for (const std::vector<double>& one : series) values.push_back(one[row]);
  return values;
}

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The error estimate that the verdict names, or null.
Json error_json(const FinalError& error) {
  if (!error.estimated) return nullptr;
  Json json = {{"estimate", error.largest},
               {"relative", error.relative},
               {"method", error.method},
               {"worst", error.worst_name},
               {"q", named_json(error.coordinates, error.q)},
               {"qd", named_json(error.velocities, error.v)},
               {"lost_at", error.lost_at ? Json(*error.lost_at) : Json(nullptr)}};
  if (error.along) json["along"] = *error.along;
  return json;
}

Json initial_json(const Names& names, const Assembly& start, const Trajectory& run) {
  Json json = {{"q", named_json(names.coordinates, start.state.q)},
               {"qd", named_json(names.of_motion(), start.state.v)},
               {"lambda", nullptr}};
  if (run.size() > 0) add_reactions(names, at_row(run.lambda, 0), json);
  json["moved"] = moved_json(names, start);
  return json;
}

Json outputs_json(std::string_view group, const std::vector<std::string>& names, const std::vector<double>& values) {
  const NamedOutputs chosen = outputs_of(group, names, values);
  return named_json(chosen.names, chosen.values);
}

// Friction forces by name, if the model has friction.
void add_friction(Json& json, const Names& names, const std::vector<double>& forces) {
  if (!names.frictions.empty()) json["friction"] = named_json(names.frictions, forces);
}

// All consistent states of the friction. The motion is determined if there is exactly one.
void add_friction_solutions(Json& json, const Names& names, const Terms& terms) {
  if (names.frictions.empty()) return;
  add_friction(
      json, names,
      terms.has_motion() ? terms.solution.friction : std::vector<double>(names.frictions.size(), std::nan("")));
  Json& list = json["friction_solutions"] = Json::array();
  for (const FrictionSolution& solution : terms.solution.friction_answer.solutions) {
    const auto rows = static_cast<std::ptrdiff_t>(names.rows.size());
    std::vector<double> lambda(solution.multipliers.begin(), solution.multipliers.begin() + rows);
    std::vector<double> forces(solution.multipliers.begin() + rows, solution.multipliers.end());
    Json states = Json::object();
    for (std::size_t j = 0; j < solution.mode.size(); ++j)
      states.append(names.frictions[j], solution.mode[j].direction == 0 ? "sticks" : "slides");
    list.push_back({{"state", std::move(states)},
                    {"friction", named_json(names.frictions, forces)},
                    {"lambda", named_json(names.rows, lambda)},
                    {"qdd", named_json(names.of_motion(), solution.qdd)}});
  }
}

namespace {

// The derivatives in the last row, for each quantity.
Json sensitivity_json(const Trajectory& run) {
  Json json = Json::object();
  for (const Sensitivity& by : run.sensitivities) {
    if (by.q.front().empty()) continue;
    const std::size_t last = by.q.front().size() - 1;
    Json one = {{"q", named_json(run.names.coordinates, at_row(by.q, last))},
                {"qd", named_json(run.names.of_motion(), at_row(by.v, last))},
                {"qdd", named_json(run.names.of_motion(), at_row(by.a, last))}};
    add_reactions(run.names, at_row(by.lambda, last), one);
    one["outputs"] = outputs_json("", run.names.outputs, at_row(by.outputs, last));
    add_friction(one, run.names, at_row(by.friction, last));
    one["error"] = std::isfinite(by.error) ? Json(by.error) : Json(nullptr);
    json.append(by.name, std::move(one));
  }
  return json;
}

}  // namespace

Json final_json(const Trajectory& run) {
  if (run.size() == 0) return nullptr;
  const std::size_t last = run.size() - 1;
  Json json = {{"t", run.time[last]},
               {"q", named_json(run.names.coordinates, at_row(run.q, last))},
               {"qd", named_json(run.names.of_motion(), at_row(run.v, last))}};
  add_reactions(run.names, at_row(run.lambda, last), json);
  json["outputs"] = outputs_json("", run.names.outputs, at_row(run.outputs, last));
  add_friction(json, run.names, at_row(run.friction, last));
  if (!run.sensitivities.empty()) json["sensitivity"] = sensitivity_json(run);
  if (run.contact.empty()) return json;
  Json& contacts = json["contacts"] = Json::object();
  for (std::size_t k = 0; k < run.contact.size(); ++k)
    contacts.append(run.names.rows[static_cast<std::size_t>(run.contact_rows[k])],
                    run.contact[k][last] != 0 ? "closed" : "open");
  return json;
}

// Adds "v" to "initial" or "final" if the model states quasi-velocities.
void add_quasi_velocities(Json& json, const std::vector<std::string>& names, const std::vector<double>& outputs) {
  if (std::ranges::any_of(names, is_series_name)) json.append("v", outputs_json("v/", names, outputs));
}

// Matrices with more coordinates are written as lists of entries: written as rows, they would take gigabytes.
constexpr int kMostRates = 3000;

Json units_by_name(std::span<const std::string> names, std::span<const std::string> units) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    json.append(names[i], units[i].empty() ? Json(nullptr) : Json(units[i]));
  return json;
}

// Units of q, of the terms of each equation of motion (B, G, F), and of the multipliers.
Json unit_document(const Model& model, const Names& names) {
  std::vector<std::string> forces;
  for (const Coordinate& coordinate : model.coordinates)
    forces.push_back(coordinate.dimension ? unit_name(Dimension::energy() / *coordinate.dimension, Measure::kForce)
                                          : "");
  Json json = {
      {"q", units_by_name(names.coordinates, names.coordinate_units)},
      {"F", units_by_name(names.coordinates, forces)},
      {"lambda", units_by_name(constraint_part(names, names.rows), constraint_part(names, names.lambda_units))}};
  if (names.actuated > 0)
    json["actuation"] = units_by_name(actuation_part(names, names.rows), actuation_part(names, names.lambda_units));
  return json;
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
  Json conserved = Json::array();
  for (const ConservedDrift& quantity : verdict.conserved)
    conserved.push_back({{"name", quantity.name}, {"drift", quantity.drift}});
  Json json = {{"holds", verdict.holds},
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
  if (!verdict.integrals.empty()) {
    Json& integrals = json["integrals"] = Json::object();
    for (const IntegralAtEnd& one : verdict.integrals)
      integrals.append(one.name, {{"value", number_or_null(one.value)}, {"error", number_or_null(one.error)}});
  }
  if (verdict.has_contacts) {
    json["impacts"] = verdict.impacts;
    json["impact_loss"] = verdict.impact_loss;
    json["max_penetration"] = verdict.max_penetration;
  }
  return json;
}

Json events_json(const Trajectory& run) {
  Json events = Json::array();
  for (const RunEvent& event : run.events) {
    Json json = {{"kind", std::string(to_text(event.kind))}, {"name", event.name}, {"t", event.t}};
    if (event.impact) {
      Json impulses = Json::object();
      for (const auto& [row, impulse] : event.impact->impulses) {
        const auto r = static_cast<std::size_t>(row), rows = run.names.rows.size();
        impulses.append(r < rows ? run.names.row(r) : fmt::format("friction({})", run.names.frictions[r - rows]),
                        impulse);
      }
      json["impulse"] = std::move(impulses);
      json["before"] = {{"gap_rate", event.impact->rate_before}};
      json["after"] = {{"gap_rate", event.impact->rate_after}};
    }
    if (!event.sensitivity.empty()) {
      Json by = Json::object();
      for (std::size_t k = 0; k < event.sensitivity.size(); ++k)
        by.append(run.sensitivities[k].name, event.sensitivity[k]);
      json["sensitivity"] = std::move(by);
    }
    events.push_back(std::move(json));
  }
  return events;
}

int rank_of_constraints(const Dynamics& dynamics, const State& state, int rank) {
  const Names& names = dynamics.names();
  const int rows = static_cast<int>(names.constraint_rows());
  if (rank < 0 || names.actuated == 0) return rank;
  if (rank == dynamics.m()) return rows;
  int dependent = 0;
  for (const int row : dependent_rows(dynamics, state)) dependent += row < rows;
  return rows - dependent;
}

Json rank_json(int rank) { return rank < 0 ? Json() : Json(rank); }

Json moved_json(const Names& names, const Assembly& start) {
  return {{"q", not_zero_json(names.coordinates, start.moved_q)},
          {"qd", not_zero_json(names.of_motion(), start.moved_v)}};
}

Json residual_json(const Dynamics& dynamics, const State& state) {
  const std::span<const std::string> rows = constraint_part(dynamics.names(), dynamics.names().rows);
  std::vector<std::string> with_position;
  for (const int row : dynamics.layout().holonomic)
    if (static_cast<std::size_t>(row) < rows.size()) with_position.push_back(rows[static_cast<std::size_t>(row)]);
  return {{"position", named_json(with_position, position_residual(dynamics, state))},
          {"velocity", named_json(rows, velocity_residual(dynamics, state))}};
}

Json run_json(const Trajectory& run, const Assembly& start, const Names& names, double compile_seconds) {
  const bool any = run.size() > 0;
  Json initial = initial_json(names, start, run);
  Json end = final_json(run);
  if (any) {
    add_quasi_velocities(initial, run.names.outputs, at_row(run.outputs, 0));
    add_quasi_velocities(end, run.names.outputs, at_row(run.outputs, run.size() - 1));
  }
  Json json = {{"status", std::string(to_text(run.status))},
               {"reason", run.reason},
               {"t_end", any ? run.time.back() : start.state.t},
               {"steps", run.steps},
               {"rejected", run.rejected},
               {"evaluations", run.evaluations},
               {"computed_by", run.computed_by.empty() ? Json() : Json(run.computed_by)},
               {"compile_seconds", compile_seconds},
               {"wall_seconds", run.wall_seconds},
               {"verdict", verdict_json(run.verdict)},
               {"events", events_json(run)},
               {"initial", std::move(initial)},
               {"final", std::move(end)}};
  if (run.gradients.empty()) return json;
  Json &gradients = json["gradient"] = Json::object(), errors = Json::object();
  for (const Gradient& gradient : run.gradients) {
    Json by = Json::object();
    for (const Gradient::By& one : gradient.by) by.append(one.name, number_or_null(one.value));
    gradients.append(gradient.output, std::move(by));
    errors.append(gradient.output, number_or_null(gradient.error));
  }
  json["gradient_error"] = std::move(errors);
  return json;
}

Json terms_json(const Model& model, const Dynamics& dynamics, const State& state, const Terms& terms) {
  const Names& names = dynamics.names();
  const Layout& layout = dynamics.layout();
  const bool rows = layout.nv <= kMostRates;
  std::vector<double> entries = terms.W;
  const Pattern W = constraints_alone(names, layout.W, entries);
  Json json = {{"model", model.name},
               {"t", state.t},
               {"coordinates", names.coordinates},
               {"constraints", Json::array()},
               {"q", named_json(names.coordinates, state.q)},
               {"qd", named_json(names.of_motion(), state.v)},
               {"M", rows ? matrix_json(layout.M, terms.M) : Json(nullptr)},
               {"B", list_json(terms.B)},
               {"G", list_json(terms.G)},
               {"F", list_json(terms.F)},
               {"W", rows ? matrix_json(W, entries) : Json(nullptr)},
               {"a", list_json(constraint_part(names, terms.a))},
               {"gamma", list_json(constraint_part(names, terms.gamma))},
               {"qdd", terms.has_motion() ? named_json(names.of_motion(), terms.solution.qdd) : Json(nullptr)},
               {"lambda", nullptr},
               {"energy", {{"kinetic", terms.energy.kinetic}, {"potential", terms.energy.potential}}},
               {"residual", residual_json(dynamics, state)},
               {"rank", rank_json(rank_of_constraints(dynamics, state, terms.solution.rank))},
               {"units", unit_document(model, names)},
               {"outputs", outputs_json("", names.outputs, terms.outputs)}};
  for (const std::string& row : constraint_part(names, names.rows)) json["constraints"].push_back(row);
  if (terms.has_motion())
    add_reactions(names, terms.solution.lambda, json);
  else if (names.actuated > 0)
    json["actuation"] = nullptr;
  if (std::ranges::any_of(names.outputs, is_series_name)) {
    json.append("v", outputs_json("v/", names.outputs, terms.outputs));
    json.append("vdot", terms.has_motion() ? outputs_json("vdot/", names.outputs, terms.outputs) : Json(nullptr));
  }
  add_friction_solutions(json, names, terms);
  if (dynamics.contacts() != nullptr) {
    const std::vector<double> gaps = gaps_of(dynamics, state);
    Json &states = json["contacts"] = Json::object(), &values = json["gaps"] = Json::object();
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      const std::string& row = names.rows[static_cast<std::size_t>(dynamics.contacts()->contacts[k].row)];
      states.append(row, dynamics.is_closed(k) ? "closed" : "open");
      values.append(row, gaps[k]);
    }
  }
  if (!rows) json["entries"] = {{"M", entries_json(layout.M, terms.M)}, {"W", entries_json(W, entries)}};
  return json;
}

}  // namespace dalembert
