// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/report_live.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "dalembert/algebra/print_form.h"
#include "dalembert/analyze/audit/squared_rows.h"
#include "dalembert/codegen/js_functions.h"
#include "dalembert/codegen/program.h"
#include "dalembert/codegen/tape_routine.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/contacts.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/expr/print.h"
#include "dalembert/model/limit_words.h"
#include "dalembert/report/symbol_table.h"
#include "dalembert/tape/tape.h"

namespace dalembert {
namespace {

constexpr std::size_t kLongestStated = 200;  // largest size of a formula that says what an input is

// Routines that the page calls; a routine that the model does not have is null in the generated object.
constexpr std::array<std::string_view, 13> kWanted{
    "prepare",       "project", "step",   "inputs",        "accelerations",     "energy",
    "outputs",       "scene",   "limits", "power_balance", "position_residual", "velocity_residual",
    "initial_values"};

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

// The values of q as code has them: the coordinates, then the integrals over the run, which begin at 0.
std::vector<double> state_of(std::vector<double> coordinates, const CodeModel& code) {
  coordinates.resize(code.coordinates.size());
  return coordinates;
}

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

// Lets `s.given` replace inputs that the model states, by numbers or functions of t: `inputs` is the routine that steps call.
std::string given_inputs(std::string_view inputs) {
  return fmt::format(
      "const stated_inputs = {0};\n{0} = (s, t, u) => {{\n  stated_inputs(s, t, u);\n"
      "  for (let i = 0; i < s.given.length; ++i) {{\n    const given = s.given[i];\n"
      "    if (typeof given === \"function\") u[i] = given(t);\n    else if (given === given) u[i] = given;\n  "
      "}}\n}};\n",
      inputs);
}

// Rows that say nothing of the rank of a start: those of contacts, and those that hold nothing (W0333). Of models larger than this the page does not
// look for singular starts (kLargestRank in web/src/live/worker/others.ts).
std::vector<int> uncounted_rows(const CodeModel& model, const Equations& equations) {
  constexpr int kLargestRank = 200;
  std::vector<int> rows;
  if (equations.m() > 0 && equations.m() + model.dynamics.nq() <= kLargestRank) rows = squared_rows(equations);
  if (model.dynamics.contacts() != nullptr)
    for (const Contacts::Contact& one : model.dynamics.contacts()->contacts) rows.push_back(one.row);
  return rows;
}

// The generated functions, followed by an object that holds them by name.
std::string code_of(const CodeModel& model, const Equations& equations) {
  const bool contacts = !model.contacts.empty();
  const std::string_view assembly = contacts ? "assemble_in_mode" : "assemble";
  const bool assembles = model.program.find(assembly) != nullptr;
  std::vector<std::string_view> wanted(kWanted.begin(), kWanted.end());
  if (contacts) wanted.emplace_back("contact_states");
  if (!model.events.empty()) wanted.emplace_back("step_events");
  std::vector<std::string_view> called = wanted;
  if (assembles) called.push_back(assembly);
  std::string text = js_functions(model, called);
  if (!model.inputs.empty()) text += given_inputs(contacts ? "_inputs_in_mode" : "_inputs");
  // A start is assembled with the contacts that are closed as the caller says.
  if (assembles && contacts)
    text +=
        "const assemble_contacts = (s, t, q, v, u, held_q, held_v, closed) => {\n  const all = new Float64Array(NW);\n"
        "  all.set(u);\n  all.set(closed, NU);\n  return _assemble_in_mode(s, t, q, v, all, held_q, held_v);\n};\n";
  text += "return {nq: NQ, nv: NV, nr: NR, nh: NH, np: NP, nu: NU, ny: NY, ne: NE";
  text += fmt::format(", prepared: {}", model.prepared);
  if (contacts) {
    std::vector<std::size_t> levels;
    for (const Contacts::Contact& one : model.dynamics.contacts()->contacts) levels.push_back(one.level);
    text += fmt::format(", nc: NC, contact_levels: [{}]", fmt::join(levels, ", "));
  }
  if (const std::vector<int> rows = uncounted_rows(model, equations); !rows.empty())
    text += fmt::format(", uncounted: [{}]", fmt::join(rows, ", "));
  if (model.layout().integrals > 0) text += ", nz: NZ";
  if (!model.impulses.empty()) text += ", keeps_impulses: true";
  if (!model.frictions.empty()) text += ", nf: NF";
  if (!model.events.empty()) text += ", nk: NK";
  text += fmt::format(", assemble: {}", !assembles ? "null" : contacts ? "assemble_contacts" : "_assemble");
  for (const std::string_view routine : wanted)
    text +=
        fmt::format(", {}: {}", routine, model.program.find(routine) != nullptr ? fmt::format("_{}", routine) : "null");
  return text + "};\n";
}

Json parameters_json(const CodeModel& code, const Model& model) {
  Json list = Json::array();
  for (std::size_t i = 0; i < code.parameters.size(); ++i) {
    const Parameter& stated = model.parameters[i];
    const std::string unit = unit_of_value(stated);
    list.push_back({{"name", code.parameters[i].name},
                    {"latex", to_latex(stated.symbol)},
                    {"unit", unit == "1" ? "" : unit},
                    {"value", code.parameters[i].value},
                    {"meaning", meaning_of(model, stated)},
                    {"mass", stated.dimension && *stated.dimension == Dimension::mass()}});
  }
  return list;
}

Json inputs_json(const CodeModel& code, const Model& model) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const Input& input = model.inputs[i];
    if (input.derivative > 0) continue;
    std::size_t derivatives = 0;
    while (i + derivatives + 1 < model.inputs.size() && model.inputs[i + derivatives + 1].derivative > 0) ++derivatives;
    const std::string unit = unit_of_value(input.dimension);
    const bool samples = !input.value;
    std::string stated = samples ? fmt::format("{} samples", input.time.size()) : std::string("a formula");
    if (!samples && written_size(input.value) <= kLongestStated) stated = print(input.value, Notation::kText);
    list.push_back({{"name", code.inputs[i].name},
                    {"latex", to_latex(input.symbol)},
                    {"unit", unit == "1" ? "" : unit},
                    {"stated", std::move(stated)},
                    {"place", i},
                    {"derivatives", derivatives}});
  }
  return list;
}

// The coordinates: what is held of them at the start, and the velocities along which they are displaced.
Json coordinates_json(const CodeModel& code, const Model& model, const std::vector<bool>& held) {
  std::vector<Json> along(model.coordinates.size(), Json::array());
  const std::vector<VelocityPlace> places = model.velocity_places();
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k].quaternion < 0) {
      along[static_cast<std::size_t>(places[k].coordinate)].push_back(k);
      continue;
    }
    const auto first =
        static_cast<std::size_t>(model.quaternions[static_cast<std::size_t>(places[k].quaternion)].first);
    for (std::size_t i = first; i < first + 4; ++i) along[i].push_back(k);
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    const auto is_this = [&](const auto& one) { return one.coordinate == static_cast<int>(i); };
    const auto guess = std::ranges::find_if(model.initial.position_guess, is_this);
    const bool follows = std::ranges::any_of(model.prescribed, is_this);
    list.push_back({{"name", code.coordinates[i].name},
                    {"latex", to_latex(model.coordinates[i].q)},
                    {"unit", code.coordinates[i].unit == "1" ? "" : code.coordinates[i].unit},
                    {"held", i < held.size() && held[i] && !follows},
                    {"follows", follows},
                    {"guess", guess == model.initial.position_guess.end() ? Json() : Json(guess->value)},
                    {"along", std::move(along[i])}});
  }
  return list;
}

Json velocities_json(const CodeModel& code, const Equations& equations, const std::vector<bool>& held) {
  const Model& model = *equations.model;
  const std::vector<VelocityPlace> places = model.velocity_places();
  Json list = Json::array();
  for (std::size_t i = 0; i < code.velocities.size(); ++i) {
    const bool follows = i < places.size() && places[i].quaternion < 0 &&
                         std::ranges::any_of(model.prescribed, [&](const Prescribed& one) {
                           return one.coordinate == places[i].coordinate;
                         });
    const std::string& unit = code.velocities[i].unit;
    list.push_back({{"name", code.velocities[i].name},
                    {"latex", to_latex(i < equations.v.size() ? equations.v[i] : model.coordinates[i].qd)},
                    {"unit", unit == "1" ? "" : unit},
                    {"held", i < held.size() && held[i] && !follows},
                    {"follows", follows}});
  }
  return list;
}

// Initial values that the model states by formulas of parameters: a routine of the program computes them, and the list says which they are.
Json add_initial_formulas(CodeModel& code, const Model& model) {
  Json list = Json::array();
  std::vector<Expr> formulas;
  const auto look = [&](const char* array, const std::vector<InitialValue>& values) {
    for (const InitialValue& value : values) {
      if (!value.formula) continue;
      formulas.push_back(value.formula);
      list.push_back(Json{array, value.coordinate});
    }
  };
  look("q", model.initial.position_guess);
  look("q", model.initial.position);
  if (model.quaternions.empty()) {
    look("v", model.initial.velocity_guess);
    look("v", model.initial.velocity);
  }
  if (formulas.empty()) return list;
  const std::string text = tape_routine(make_tape(formulas), "initial_values", "real t", "");
  return add_routines(code.program, text).empty() ? std::move(list) : Json::array();
}

// What restitutions and coefficients of friction must be, as where models are loaded (E0285, E0274): a routine of the program computes those
// that parameters determine, and the list says which rule each of them follows, with the words of the error.
Json add_limits(CodeModel& code, const Model& model) {
  Json list = Json::array();
  std::vector<Expr> numbers;
  const auto limit = [&](const char* rule, std::vector<Expr> values, std::string words) {
    for (const Expr& value : values)
      if (!value || !std::isfinite(model.value_of(value))) return;
    Json places = Json::array();
    for (const Expr& value : values) {
      places.push_back(numbers.size());
      numbers.push_back(value);
    }
    list.push_back({{"rule", rule}, {"values", std::move(places)}, {"words", std::move(words)}});
  };
  for (const Constraint& constraint : model.constraints)
    limit("share", {constraint.restitution}, words_of_restitution(constraint.name, "{}"));
  for (const Friction& friction : model.frictions) {
    if (friction.second) continue;
    limit("positive", {friction.coefficient}, words_of_coefficient(friction.name, "{}"));
    limit("ordered", {friction.static_coefficient, friction.coefficient},
          words_of_coefficients(friction.name, "{}", "{}"));
  }
  if (numbers.empty()) return list;
  return add_routines(code.program, tape_routine(make_tape(numbers), "limits", "real t", "")).empty() ? std::move(list)
                                                                                                      : Json::array();
}

// Why a run of these rows cannot be repeated, whatever the model is; empty: it may be.
std::string no_run_to_repeat(const Table& rows, const std::optional<State>& start) {
  if (rows.rows() < 2) return "the run has no rows after its start";
  if (!(rows.columns[0].back() > rows.columns[0].front())) return "the run does not go forwards in time";
  return start ? "" : "the run begins without all coordinates and velocities";
}

}  // namespace

Json live_json(const Equations& equations, const Dynamics& dynamics, const Scene* scene, const Table& rows,
               const AssembleOptions& held, std::string* refused) {
  const auto refuse = [&](std::string why) {
    if (refused != nullptr) *refused = std::move(why);
    return Json();
  };
  const std::optional<State> start = rows.rows() > 0 ? first_state(rows, dynamics.names()) : std::nullopt;
  if (std::string why = no_run_to_repeat(rows, start); !why.empty()) return refuse(std::move(why));
  Result<CodeModel> made = make_code_model(equations, {.has_terms = false, .has_assembly = true});
  if (!made) return refuse(made.diagnostics().front().message);
  CodeModel& code = *made;
  const Model& model = *equations.model;
  if (scene != nullptr) {
    const std::string text =
        tape_routine(*scene->tape, "scene", "real t, in q[nq], in v[nv], in lambda[nr], in u[nu]", "");
    if (!add_routines(code.program, text).empty()) return refuse("the scene cannot be written as code");
  }
  Json formulas = add_initial_formulas(code, model), limits = add_limits(code, model);
  std::string text = code_of(code, equations);
  if (text.size() > kLongestLiveCode)
    return refuse(
        fmt::format("the model's code would have {} characters, and a page takes {}", text.size(), kLongestLiveCode));

  Json columns = Json::array(), forces = Json::array();
  for (std::size_t c = 1; c < rows.names.size(); ++c) columns.push_back(source_of(rows.names[c], dynamics));
  if (scene != nullptr)
    for (const SceneForce& force : scene->forces) {
      Json list = Json::array();
      for (const int row : force.rows) list.push_back(row);
      forces.push_back(std::move(list));
    }
  const State guess = initial_state(model, start->t);
  return {
      {"code", std::move(text)},
      {"parameters", parameters_json(code, model)},
      {"inputs", inputs_json(code, model)},
      {"coordinates", coordinates_json(code, model, held.hold_position)},
      {"velocities", velocities_json(code, equations, held.hold_velocity)},
      {"start", {{"t", start->t}, {"q", numbers_json(state_of(start->q, code))}, {"v", numbers_json(start->v)}}},
      {"guess",
       {{"q", numbers_json(state_of(guess.q, code))}, {"v", numbers_json(guess.v)}, {"formulas", std::move(formulas)}}},
      {"limits", std::move(limits)},
      {"columns", std::move(columns)},
      {"forces", std::move(forces)}};
}

}  // namespace dalembert
