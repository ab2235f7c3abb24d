// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/linearization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/analyze/stability/one_sided.h"
#include "dalembert/analyze/stability/relative.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/analyze/stability/stability_formulas.h"
#include "dalembert/analyze/stability/symmetries.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/integrals.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/contacts_at.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/steady_at.h"

namespace dalembert {
namespace {

Json modes_json(const Stability& stability, const std::vector<std::string>& states) {
  Json modes = Json::array();
  for (const Mode& mode : stability.modes) {
    if (mode.shape.empty()) continue;
    Json shape = Json::object();
    for (std::size_t i = 0; i < states.size(); ++i) shape.append(states[i], complex_json(mode.shape[i]));
    modes.push_back({{"eigenvalue", complex_json(mode.eigenvalue)}, {"shape", std::move(shape)}});
  }
  return modes;
}

// Velocities with their own names: those of the equations, or the quasi-velocities of the model.
Json own_velocities(const SystemAt& given, const LinearMotion& motion) {
  const Dynamics& dynamics = given.system.dynamics;
  if (!dynamics.layout().v_is_qdot) return named_json(dynamics.names().of_motion(), motion.at.v);
  const Terms terms = evaluate_terms(dynamics, state_of(motion.at));
  const NamedOutputs velocities = outputs_of("v/", dynamics.names().outputs, terms.outputs);
  return named_json(velocities.names, velocities.values);
}

// Linearises the given system; stability is not judged yet.
Result<LinearizedModel> linearize_given(std::shared_ptr<const SystemAt> given) {
  LinearizedModel made;
  made.given = std::move(given);
  const BuiltModel& system = made.given->system;
  made.derivatives = std::make_shared<const EquationDerivatives>(system.equations);
  made.steady = std::make_shared<const SteadyAt>(*made.given, system.dynamics, *made.derivatives);
  Result<LinearMotion> motion = linearize(
      **made.steady, made.given->state, {.prefer_position = made.given->held_q, .prefer_velocity = made.given->held_v});
  if (!motion) return motion.diagnostics();
  made.motion = std::move(motion).value();
  return made;
}

// Where `--settle` went, for problems there: "`--settle` went to psi = 0 rad and th = 0 rad, where ph' = 20".
std::string say_where_settled(const SystemAt& settled) {
  const Names& names = settled.system.dynamics.names();
  std::vector<std::string> at, moving;
  for (std::size_t i = 0; i < settled.state.q.size(); ++i)
    at.push_back(fmt::format("{} = {}{}", names.coordinates[i], shown_number(settled.state.q[i], 6),
                             unit_suffix(coordinate_unit(names.coordinate_units[i]))));
  for (std::size_t i = 0; i < settled.state.v.size(); ++i)
    if (std::abs(settled.state.v[i]) > 1e-12)
      moving.push_back(fmt::format("{} = {}", names.velocity(i), shown_number(settled.state.v[i], 6)));
  return fmt::format("`--settle` went to {}, {}", join_words(at),
                     moving.empty() ? "at rest" : "moving with " + join_words(moving));
}

// If the state is steady only when coordinates that drop out with eliminated constraints are ignored, linearises the
// system without these coordinates.
Result<LinearizedModel> linearize_steadily(const SystemAt& given) {
  Result<LinearizedModel> whole = linearize_given(std::make_shared<const SystemAt>(given));
  if (!whole || whole->motion.kind != MotionKind::kState || !given.left_out.empty() ||
      !(**whole->steady).is_autonomous())
    return whole;
  std::optional<SystemAt> relative = given.relative ? without_what_drops_out(given)
                                     : given.unheld ? std::nullopt
                                                    : relative_system(given);
  if (!relative) return whole;
  Result<LinearizedModel> rest = linearize_given(std::make_shared<const SystemAt>(std::move(*relative)));
  return rest && rest->motion.kind == MotionKind::kState ? whole : rest;
}

// The outputs that read integrals over a run, which no state determines.
std::vector<std::string> outputs_of_runs(const Model& model) {
  std::vector<std::string> names;
  for (const Output& output : model.outputs)
    if (reads_integral(output.expression)) names.push_back(output.name);
  return names;
}

// Moves the state to the nearest equilibrium or steady motion; E0308 if none was found.
Diagnostics settle(SystemAt& given) {
  const BuiltModel& system = given.system;
  const EquationDerivatives derivatives(system.equations);
  const SteadyAt all(given, system.dynamics, derivatives);
  const SteadySystem& steady = all.relative() != nullptr ? *all.relative() : *all;
  if (!steady.is_autonomous()) {
    Diagnostic none = error("E0308", "there is no equilibrium or steady motion to go to: the equations depend on time");
    none.help = {"`--set NAME=VALUE` holds an input, or what a prescribed coordinate follows, at a value",
                 "`dalembert cycle` finds a motion that repeats itself"};
    return {none};
  }
  const SteadyState found = solve_steady(steady, point_at(system.dynamics, given.state),
                                         {.restarts = 50, .damped = steady.left_out.empty() ? 0 : 40});
  if (!found.found) {
    Diagnostic none = error("E0308", "no equilibrium or steady motion was found from this state");
    none.help = {"`dalembert analyze` looks for them everywhere"};
    return {none};
  }
  given.state.q = found.at.q;
  given.state.v = found.at.v;
  const std::string opens = breaks_contacts(given, given.state, false);
  const std::string breaks = opens.empty() && given.unheld
                                 ? breaks_mode(given.unheld->system.dynamics, given.unheld->mode, given.state)
                                 : opens;
  if (breaks.empty()) return {};
  Diagnostic none =
      error("E0308", fmt::format("no equilibrium or steady motion was found from this state: {}", breaks));
  none.help = {opens.empty() ? "`dalembert analyze` tries every combination of sticking and sliding"
                             : "begin nearer to one at which contacts are open and closed as at this state"};
  return {none};
}

}  // namespace

OutputRows own_outputs(const BuiltModel& system, const LinearMotion& motion) {
  OutputRows own{{}, Matrix(0, motion.C.cols), Matrix(0, motion.D.cols)};
  const std::vector<std::string> of_runs = outputs_of_runs(*system.equations.model);
  const std::vector<std::string>& names = system.dynamics.names().outputs;
  for (std::size_t i = 0; i < names.size() && i < motion.C.rows; ++i) {
    if (is_series_name(names[i]) || std::ranges::find(motion.lost, i) != motion.lost.end() ||
        std::ranges::find(of_runs, names[i]) != of_runs.end())
      continue;
    own.names.push_back(names[i]);
    for (auto [from, to] : {std::pair(&motion.C, &own.C), std::pair(&motion.D, &own.D)}) {
      ++to->rows;
      for (std::size_t j = 0; j < from->cols; ++j) to->entries.push_back((*from)(i, j));
    }
  }
  return own;
}

std::vector<std::string> left_out_names(const SystemAt& given) {
  return names_where(given.system.dynamics.names().coordinates, given.left_out, true);
}

std::vector<std::string> state_names(const LinearMotion& motion) {
  std::vector<std::string> names;
  for (const MotionState& state : motion.states) names.push_back(state.name);
  return names;
}

StabilityTexts stability_texts(const BuiltModel& system, const LinearMotion& motion) {
  StabilityTexts formulas{derive_stability(system.equations, motion), {}, {}, {}};
  if (!formulas.found.none.empty()) return formulas;
  EquationPrinter printer(*formulas.found.graph, Form::kCanonical, Notation::kText);
  const auto texts = [&](const std::vector<Expr>& expressions) {
    std::vector<std::string> list;
    for (const Expr& e : expressions) list.push_back(text_of(printer.entry(e)));
    return list;
  };
  for (const std::vector<Expr>& row : formulas.found.J) formulas.J.push_back(texts(row));
  formulas.characteristic = texts(formulas.found.characteristic);
  formulas.conditions = texts(formulas.found.conditions);
  return formulas;
}

Json formulas_json(const StabilityTexts& formulas) {
  if (!formulas.found.none.empty()) return {{"none", formulas.found.none}};
  Json J = Json::array();
  for (const std::vector<std::string>& row : formulas.J) J.push_back(row);
  return {{"states", formulas.found.states},           {"J", std::move(J)},
          {"characteristic", formulas.characteristic}, {"zeros", formulas.found.zeros},
          {"positive", formulas.conditions},           {"none", nullptr}};
}

Json linearization_json(const SystemAt& given, const LinearMotion& motion, const Stability& stability) {
  const BuiltModel& system = given.system;
  const Names& names = system.dynamics.names();
  const std::vector<std::string> states = state_names(motion);
  Json eigenvalues = Json::array();
  for (const Mode& mode : stability.modes) eigenvalues.push_back(complex_json(mode.eigenvalue));
  const OutputRows outputs = own_outputs(system, motion);
  // "qd" always has q̇; velocities that are not rates of coordinates are in "v".
  Workspace workspace(system.dynamics);
  std::vector<double> qdot(motion.at.q.size());
  find_qdot(system.dynamics, motion.at.t, motion.at.q.data(), motion.at.v.data(), workspace, qdot.data());
  Json at{{"t", motion.at.t},
          {"q", named_json(names.coordinates, motion.at.q)},
          {"qd", named_json(names.coordinates, qdot)},
          {"v", own_velocities(given, motion)}};
  if (given.unheld) at.append("friction", frictions_json(*given.unheld, state_of(motion.at)));
  return {{"model", system.model->name},
          {"at", std::move(at)},
          {"kind", std::string(to_text(motion.kind))},
          {"states", states},
          {"left_out", left_out_names(given)},
          {"A", rows_json(motion.A)},
          {"inputs", names.inputs},
          {"B", rows_json(motion.B)},
          {"outputs", outputs.names},
          {"C", rows_json(outputs.C)},
          {"D", rows_json(outputs.D)},
          {"eigenvalues", std::move(eigenvalues)},
          {"modes", modes_json(stability, states)},
          {"zero", {{"count", stability.zeros}, {"because", stability.because}}},
          {"family", stability.family},
          {"stability", text_or_null(std::string(to_text(stability.verdict)))},
          {"undecided", text_or_null(stability.undecided)}};
}

namespace {

// Limits the size of derivatives and of dense state matrices. `m`: number of rows including those of prescribed
// coordinates; `holonomic` of them are holonomic.
std::optional<Diagnostic> refuse_size(const Model& model, int nv, int m, int holonomic) {
  constexpr int kMostLinearized = 1500;
  constexpr int kMostStates = 800;  // largest number of states: computing their eigenvalues takes 5 s
  const std::size_t parts = model.graph->parts();
  const int size = nv + m, states = 2 * nv - m - holonomic;
  if (parts <= kMostDifferentiated && size <= kMostLinearized && states <= kMostStates) return std::nullopt;
  Diagnostic large = error("E0904", fmt::format("`{}` is too large to be linearised", model.name));
  large.notes.push_back(
      size > kMostLinearized
          ? fmt::format("it has {} velocities and constraint rows; the limit is {}", size, kMostLinearized)
      : states > kMostStates
          ? fmt::format("it has {} states (coordinates and velocities that constraints leave free); the limit is {}",
                        states, kMostStates)
          : fmt::format("its equations have more than {} parts, which is the limit for derivatives",
                        kMostDifferentiated));
  if (parts > kMostDifferentiated)
    large.help.push_back("coordinates of each body, with constraints at the joints, make shorter equations");
  large.help.push_back("`simulate` follows a motion from a start near the equilibrium");
  return large;
}

}  // namespace

std::optional<Diagnostic> refuse_to_linearize(const Model& model) {
  std::size_t m = model.prescribed.size(), holonomic = m;
  for (const Constraint& constraint : model.constraints) {
    m += constraint.rows.size();
    if (!constraint.kind->velocity) holonomic += constraint.rows.size();
  }
  return refuse_size(model, static_cast<int>(model.velocity_places().size()), static_cast<int>(m),
                     static_cast<int>(holonomic));
}

namespace {

// Warns of outputs without a row in C and D; `of_runs` are those that read integrals over a run.
void warn_of_outputs(const std::vector<std::string>& of_runs, LinearizedModel& made) {
  const BuiltModel& system = made.given->system;
  const OutputRows outputs = own_outputs(system, made.motion);
  std::vector<std::string> lost = made.given->lost_outputs;
  for (const std::size_t one : made.motion.lost)
    if (const std::string& name = system.dynamics.names().outputs[one]; !is_series_name(name)) lost.push_back(name);
  for (std::size_t i = 0; i < outputs.names.size(); ++i) {
    const std::size_t columns = outputs.C.cols + outputs.D.cols;
    if (columns > 0 && std::isnan(outputs.C.cols > 0 ? outputs.C(i, 0) : outputs.D(i, 0)))
      made.warnings.push_back(warning(
          "W0310", fmt::format("the output `{}` has no finite derivative at this state: its row of C and D is empty",
                               outputs.names[i])));
  }
  std::erase_if(lost, [&](const std::string& name) { return std::ranges::find(of_runs, name) != of_runs.end(); });
  for (const std::string& name : of_runs)
    made.warnings.push_back(
        warning("W0313",
                fmt::format("the output `{}` reads an integral over a run, which no state determines: it has no row in "
                            "C and D",
                            name)));
  for (const std::string& name : lost)
    made.warnings.push_back(
        warning("W0313", fmt::format("the output `{}` needs coordinates or multipliers that are left out here: "
                                     "it has no row in C and D",
                                     name)));
}

// What is to be said where symmetries turn a whole motion that is steady otherwise, as that of a top that spins about the vertical, or may do so.
std::string turns_as_a_whole(const SteadySystem& system, const Equations& equations, const State& state) {
  if (system.dynamics->layout().quaternions.empty() || !system.is_autonomous()) return "";
  if (!system.left_out.empty() || !system.follows.empty()) return "";
  if (!may_turn_as_a_whole(system, equations, state)) return "";
  const std::optional<std::vector<Symmetry>> symmetries = find_symmetries(system, equations, state);
  if (!symmetries) return "the motion may be steady but for a turn of the whole system: whether it is was not decided";
  if (symmetries->empty()) return "";
  SteadySystem turning{system.dynamics, system.derivatives};
  turning.symmetries = &*symmetries;
  const Result<LinearMotion> motion = linearize(turning, state);
  if (!motion || motion->kind != MotionKind::kSteadyMotion) return "";
  return "the motion is steady but for a turn of the whole system, and these eigenvalues are those for axes that "
         "do not turn: `analyze --at` judges it";
}

}  // namespace

Result<LinearizedModel> linearize_at(SystemAt at, bool settled) {
  const Dynamics& dynamics = at.system.dynamics;
  const std::vector<std::string> of_runs = outputs_of_runs(*at.system.equations.model);
  if (auto large = refuse_size(*at.system.model, dynamics.nv(), dynamics.m(),
                               static_cast<int>(dynamics.layout().holonomic.size())))
    return *std::move(large);
  Result<SystemAt> closed = with_contacts_held(std::move(at));
  if (!closed) return closed.diagnostics();
  Result<SystemAt> held = hold_frictions(std::move(closed).value());
  if (!held) return held.diagnostics();
  SystemAt given = std::move(held).value();
  if (std::optional<SystemAt> alone = closed_system(given)) given = std::move(*alone);
  if (given.left_out.empty() && !given.unheld) {
    const EquationDerivatives derivatives(given.system.equations);
    if (auto found = find_relative_coordinates({&given.system.dynamics, &derivatives}, given.state))
      given.relative = std::make_shared<const RelativeCoordinates>(std::move(*found));
  }
  if (settled)
    if (Diagnostics problems = settle(given); !problems.empty()) return problems;
  Result<LinearizedModel> found = linearize_steadily(given);
  if (!found && settled) {
    Diagnostics problems = found.diagnostics();
    problems.front().notes.push_back(say_where_settled(given));
    return problems;
  }
  if (!found) return found;
  LinearizedModel& made = *found;
  const SteadySystem& steady = **made.steady;
  const BuiltModel& system = made.given->system;
  std::optional<OneSided> sided = judge_one_sided(steady, system.equations, made.motion);
  if (sided && sided->linear) {
    made.motion = std::move(*sided->linear);
    sided.reset();
  }
  made.stability = judge_stability(steady, system.equations, made.motion);
  judge_static_friction(*made.given, made.motion, made.stability);
  made.warnings = system.warnings;
  if (sided && !sided->differentiable) {
    Diagnostic& one = made.warnings.emplace_back(warning(
        "W0314",
        "the equations have no derivative at this state: A, B, C and D hold on one side of it only, or on none"));
    one.notes.push_back(sided->because);
  }
  warn_of_outputs(of_runs, made);
  if (made.motion.kind == MotionKind::kState && made.stability.undecided.empty())
    made.stability.undecided = turns_as_a_whole(steady, system.equations, made.given->state);
  if (made.motion.kind == MotionKind::kState && made.stability.undecided.empty() && !made.given->given &&
      steady.is_autonomous()) {
    Diagnostic& note = made.warnings.emplace_back(
        warning("W0309", "the start of the model is neither an equilibrium nor a steady motion"));
    note.help.push_back("`--settle` goes to the nearest one first, `--at STATE.json` names a state");
    if (std::ranges::any_of(made.motion.at.v, [](double v) { return v != 0; }))
      note.notes.push_back(
          "a motion that turns or shifts as a whole in these coordinates, as a circle in x and y, counts as none here: "
          "in "
          "others, as an angle, it is steady");
  }
  return found;
}

}  // namespace dalembert
