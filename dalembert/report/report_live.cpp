// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/report_live.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "dalembert/codegen/js_functions.h"
#include "dalembert/codegen/program.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/symbol_table.h"

namespace dalembert {
namespace {

// Routines that the page calls; a routine that the model does not have is null in the generated object.
constexpr std::array<std::string_view, 10> kWanted{"prepare",           "project", "step",    "inputs",
                                                   "accelerations",     "energy",  "outputs", "position_residual",
                                                   "velocity_residual", "scene"};

std::optional<std::size_t> place_of(const std::vector<std::string>& names, std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

// The result array of a series and its index there; series are named as in Trajectory::columns.
Json source_of(const std::string& series, const Dynamics& dynamics) {
  const Names& names = dynamics.names();
  const Layout& layout = dynamics.layout();
  const std::size_t slash = std::min(series.find('/'), series.size());
  const std::string_view group = std::string_view(series).substr(0, slash);
  const std::string_view name = std::string_view(series).substr(std::min(slash + 1, series.size()));
  const auto entry = [](const char* array, std::optional<std::size_t> place) {
    return place ? Json{array, *place} : Json();
  };
  if (const auto output = place_of(names.outputs, series)) return entry("output", output);
  if (group == "q") return entry("q", place_of(names.coordinates, name));
  if (group == "v") return entry("v", place_of(names.of_motion(), name));
  if (group == "a" || group == "vdot") return entry("a", place_of(names.of_motion(), name));
  if (group == "friction") return entry("friction", place_of(names.frictions, name));
  if (group == "lambda" || group == "F") return entry("lambda", place_of(names.rows, name));
  if (group == "u") return entry("u", place_of(names.inputs, name));
  if (group == "output") return entry("output", place_of(names.outputs, name));
  if (group == "energy") return entry("energy", place_of({"kinetic", "potential", "total"}, name));
  const auto row = place_of(names.rows, name);
  if (!row) return {};
  if (const Contacts* contacts = dynamics.contacts(); contacts != nullptr && contacts->of_row[*row] >= 0) {
    const int contact = contacts->of_row[*row];
    if (group == "contact") return {"closed", contact};
    if (group == "gap") return {"gap", contact};
    // An open contact has no residual.
    return group == "residual" ? Json{"held", contact} : Json();
  }
  if (group != "residual") return {};
  const auto level = std::ranges::find(layout.holonomic, static_cast<int>(*row));
  if (level == layout.holonomic.end()) return entry("rate", row);
  return entry("level", static_cast<std::size_t>(level - layout.holonomic.begin()));
}

// The first row of a run as a state; nothing if a value is missing.
std::optional<State> first_state(const Table& rows, const Names& names) {
  State state;
  bool whole = true;
  const auto read = [&](const char* group, const std::vector<std::string>& of, std::vector<double>& into) {
    for (const std::string& name : of) {
      const auto column = place_of(rows.names, group + name);
      into.push_back(column ? rows.columns[*column].front() : std::nan(""));
      whole = whole && std::isfinite(into.back());
    }
  };
  state.t = rows.columns[0].front();
  read("q/", names.coordinates, state.q);
  read("v/", names.of_motion(), state.v);
  if (!whole) return std::nullopt;
  return state;
}

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

// The generated functions, followed by an object that holds them by name.
std::string code_of(const CodeModel& model) {
  std::vector<std::string_view> wanted(kWanted.begin(), kWanted.end());
  if (!model.contacts.empty()) wanted.emplace_back("contact_states");
  if (!model.events.empty()) wanted.emplace_back("step_events");
  std::string text = js_functions(model, wanted);
  text += "return {nq: NQ, nv: NV, nr: NR, nh: NH, np: NP, nu: NU, ny: NY, ne: NE";
  text += fmt::format(", prepared: {}", model.prepared);
  if (!model.contacts.empty()) text += ", nc: NC";
  if (!model.impulses.empty()) text += ", keeps_impulses: true";
  if (!model.frictions.empty()) text += ", nf: NF";
  if (!model.events.empty()) text += ", nk: NK";
  for (const std::string_view routine : wanted)
    text +=
        fmt::format(", {}: {}", routine, model.program.find(routine) != nullptr ? fmt::format("_{}", routine) : "null");
  return text + "};\n";
}

}  // namespace

Json live_json(const Equations& equations, const Dynamics& dynamics, const Scene* scene, const Table& rows,
               std::string* refused) {
  if (rows.rows() < 2 || !(rows.columns[0].back() > rows.columns[0].front())) return {};
  const Model& stated_model = *equations.model;
  if (stated_model.parameters.empty() || dynamics.switching() != nullptr) return {};
  // The page's steps end at its frames, and where contacts, frictions and events change something, but not where samples do.
  if (std::ranges::any_of(stated_model.inputs, [](const Input& input) { return !input.time.empty(); })) return {};
  const std::optional<State> start = first_state(rows, dynamics.names());
  if (!start) return {};
  Result<CodeModel> made = make_code_model(equations);
  if (!made) {
    if (refused != nullptr) *refused = made.diagnostics().front().message;
    return {};
  }
  CodeModel& model = *made;
  if (scene != nullptr) {
    const std::string text =
        tape_routine(*scene->tape, "scene", "real t, in q[nq], in v[nv], in lambda[nr], in u[nu]", "");
    if (!add_routines(model.program, text).empty()) return {};
  }
  std::string code = code_of(model);
  if (code.size() > kLongestLiveCode) return {};

  Json parameters = Json::array(), columns = Json::array(), forces = Json::array();
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const NamedEntry& parameter = model.parameters[i];
    const Parameter& stated = stated_model.parameters[i];
    const std::string unit = unit_of_value(stated);
    parameters.push_back({{"name", parameter.name},
                          {"latex", to_latex(stated.symbol)},
                          {"unit", unit == "1" ? "" : unit},
                          {"value", parameter.value},
                          {"meaning", meaning_of(*equations.model, stated)}});
  }
  for (std::size_t c = 1; c < rows.names.size(); ++c) columns.push_back(source_of(rows.names[c], dynamics));
  if (scene != nullptr)
    for (const SceneForce& force : scene->forces) {
      Json list = Json::array();
      for (const int row : force.rows) list.push_back(row);
      forces.push_back(std::move(list));
    }
  return {{"code", std::move(code)},
          {"parameters", std::move(parameters)},
          {"start", {{"t", start->t}, {"q", numbers_json(start->q)}, {"v", numbers_json(start->v)}}},
          {"columns", std::move(columns)},
          {"forces", std::move(forces)}};
}

}  // namespace dalembert
