// SPDX-License-Identifier: Apache-2.0
// dalembert linearize: A, B, C, D of the constrained motion, eigenvalues, modes, stability; and how they change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/friction_at.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/linearization_json.h"
#include "apps/dalembert/system_at.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/vary.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/analyze/slopes.h"
#include "dalembert/analyze/stability.h"
#include "dalembert/analyze/stability_formulas.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert::app {
namespace {

std::string number(double value) { return shown_number(value, 6); }

Json rows_json(const Matrix& matrix) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < matrix.rows; ++i)
    rows.push_back(list_json(std::span(matrix.entries).subspan(i * matrix.cols, matrix.cols)));
  return rows;
}

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

// Rows of C and D that the model asks for: its own outputs, and no series of its quasi-velocities.
struct OutputRows {
  std::vector<std::string> names;
  Matrix C, D;
};

OutputRows own_outputs(const System& system, const LinearMotion& motion) {
  OutputRows own{{}, Matrix(0, motion.C.cols), Matrix(0, motion.D.cols)};
  const std::vector<std::string>& names = system.dynamics.names().outputs;
  for (std::size_t i = 0; i < names.size() && i < motion.C.rows; ++i) {
    if (is_series_name(names[i]) || std::ranges::find(motion.lost, i) != motion.lost.end()) continue;
    own.names.push_back(names[i]);
    for (auto [from, to] : {std::pair(&motion.C, &own.C), std::pair(&motion.D, &own.D)}) {
      ++to->rows;
      for (std::size_t j = 0; j < from->cols; ++j) to->entries.push_back((*from)(i, j));
    }
  }
  return own;
}

// Velocities that have names of their own: those of the equations, or the quasi-velocities of the model.
Json own_velocities(const SystemAt& given, const LinearMotion& motion) {
  const Dynamics& dynamics = given.system.dynamics;
  if (!dynamics.layout().v_is_qdot) return named_json(dynamics.names().of_motion(), motion.at.v);
  const Terms terms = evaluate_terms(dynamics, state_of(motion.at));
  const NamedOutputs velocities = outputs_of("v/", dynamics.names().outputs, terms.outputs);
  return named_json(velocities.names, velocities.values);
}

// Coordinates that are no states, since what counts does not contain them.
std::vector<std::string> left_out_names(const SystemAt& given) {
  return names_where(given.system.dynamics.names().coordinates, given.left_out, true);
}

std::vector<std::string> state_names(const LinearMotion& motion) {
  std::vector<std::string> names;
  for (const MotionState& state : motion.states) names.push_back(state.name);
  return names;
}

// Formulas as text; null, and why, where there are none.
struct Formulas {
  StabilityFormulas found;
  std::vector<std::vector<std::string>> J;
  std::vector<std::string> characteristic, conditions;
};

Formulas find_formulas(const System& system, const LinearMotion& motion) {
  Formulas formulas{derive_stability(system.equations, motion), {}, {}, {}};
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

Json formulas_json(const Formulas& formulas) {
  if (!formulas.found.none.empty()) return {{"none", formulas.found.none}};
  Json J = Json::array();
  for (const std::vector<std::string>& row : formulas.J) J.push_back(row);
  return {{"states", formulas.found.states},           {"J", std::move(J)},
          {"characteristic", formulas.characteristic}, {"zeros", formulas.found.zeros},
          {"positive", formulas.conditions},           {"none", nullptr}};
}

std::string formulas_text(const Formulas& formulas, const Terminal& terminal) {
  std::string out = "\n" + terminal.bold("formulas") + "\n";
  if (!formulas.found.none.empty()) return out + fmt::format("  none: {}\n", formulas.found.none);
  const std::vector<std::string>& states = formulas.found.states;
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t j = 0; j < states.size(); ++j)
      if (formulas.J[i][j] != "0") out += fmt::format("  J[{},{}] = {}\n", states[i], states[j], formulas.J[i][j]);
  const std::size_t n = states.size();
  const auto power = [](std::size_t k) {
    return k == 0 ? std::string() : k == 1 ? std::string("s") : fmt::format("s^{}", k);
  };
  out += fmt::format("  det(s - J) = {}", power(n));
  for (std::size_t k = 0; k < n; ++k)
    if (formulas.characteristic[k] != "0")
      out += fmt::format(" + ({}){}", formulas.characteristic[k], k + 1 == n ? "" : "*" + power(n - 1 - k));
  out += "\n";
  if (formulas.found.zeros > 0)
    out += fmt::format("  {} of its roots are 0, whatever the parameters\n", formulas.found.zeros);
  if (std::ranges::count(formulas.conditions, "0") > 0)
    return out + "  the roots are never all on the left: a Routh-Hurwitz condition is 0 whatever the parameters\n";
  for (std::size_t k = 0; k < formulas.conditions.size(); ++k)
    out += fmt::format("  {:<40}{} > 0\n",
                       k > 0                      ? "and"
                       : formulas.found.zeros > 0 ? "all others are on the left where"
                                                  : "its roots are all on the left where",
                       formulas.conditions[k]);
  return out;
}

Json document(const SystemAt& given, const LinearMotion& motion, const Stability& stability) {
  const System& system = given.system;
  const Names& names = system.dynamics.names();
  const std::vector<std::string> states = state_names(motion);
  Json eigenvalues = Json::array();
  for (const Mode& mode : stability.modes) eigenvalues.push_back(complex_json(mode.eigenvalue));
  const OutputRows outputs = own_outputs(system, motion);
  // Velocities that are no rates have names of their own; q̇ is there always.
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
          {"stability", text_or_null(std::string(to_text(stability.verdict)))}};
}

// ---------------------------------------------------------------------------------------------------------- text

std::string matrix_text(const std::string& name, const Matrix& matrix, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const Terminal& terminal) {
  if (matrix.rows == 0 || matrix.cols == 0) return "";
  std::string text = "\n" + terminal.bold(name) + "\n";
  if (columns.size() > 10) {
    Table entries;
    for (std::size_t i = 0; i < matrix.rows; ++i)
      for (std::size_t j = 0; j < matrix.cols; ++j)
        if (matrix(i, j) != 0) entries.add({fmt::format("[{},{}]", rows[i], columns[j]), number(matrix(i, j))});
    return text + entries.text();
  }
  Table table;
  std::vector<std::string> heading{""};
  heading.insert(heading.end(), columns.begin(), columns.end());
  table.add(std::move(heading));
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    std::vector<std::string> line{rows[i]};
    for (std::size_t j = 0; j < matrix.cols; ++j) line.push_back(number(matrix(i, j)));
    table.add(std::move(line));
  }
  return text + table.text();
}

// "1.23 s to a half" or "0.8 Hz, damping 0.12": what an eigenvalue looks like.
std::string course(const std::complex<double>& z) {
  if (z == 0.0) return "";
  const double size = std::abs(z);
  std::string text;
  if (z.imag() != 0) text = fmt::format("{} Hz", to_text(std::abs(z.imag()) / (2 * std::numbers::pi), 4));
  if (std::abs(z.real()) <= 1e-12 * size) return text;
  if (z.imag() != 0) text += fmt::format(", damping ratio {}; ", to_text(-z.real() / size, 3));
  return text + fmt::format("{} in {} s", z.real() < 0 ? "halves" : "doubles",
                            to_text(std::numbers::ln2 / std::abs(z.real()), 4));
}

std::string shape_text(const Mode& mode, const std::vector<std::string>& states) {
  std::vector<std::pair<double, std::string>> parts;
  for (std::size_t i = 0; i < mode.shape.size(); ++i)
    if (std::abs(mode.shape[i]) > 0.01)
      parts.emplace_back(
          -std::abs(mode.shape[i]),
          fmt::format("{} {}", states[i], to_text(std::abs(mode.shape[i]), 2)) +
              (mode.eigenvalue.imag() == 0
                   ? (mode.shape[i].real() < 0 ? " (-)" : "")
                   : fmt::format(" ({} deg)", std::round(std::arg(mode.shape[i]) * 180 / std::numbers::pi) + 0.0)));
  std::ranges::stable_sort(parts, {}, &std::pair<double, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < parts.size() && i < 6; ++i) text += (i > 0 ? ", " : "") + parts[i].second;
  return text;
}

std::string mode_table(const Stability& stability, const std::vector<std::string>& states) {
  Table table;
  for (const Mode& mode : stability.modes) {
    if (mode.eigenvalue.imag() < 0) continue;
    const std::string value = eigenvalue_text(mode.eigenvalue);
    table.add({value, course(mode.eigenvalue), mode.shape.empty() ? "" : shape_text(mode, states)});
  }
  return table.text();
}

std::string text(const SystemAt& given, const LinearMotion& motion, const Stability& stability,
                 const Terminal& terminal) {
  const System& system = given.system;
  const Names& names = system.dynamics.names();
  const std::vector<std::string> states = state_names(motion);
  std::string out = fmt::format("{} linearised at {} {}\n", terminal.bold(system.model->name),
                                motion.kind == MotionKind::kEquilibrium ? "an" : "a", to_text(motion.kind));
  std::vector<std::string> at;
  for (std::size_t i = 0; i < motion.at.q.size(); ++i)
    at.push_back(fmt::format("{} = {}{}", names.coordinates[i], number(motion.at.q[i]),
                             unit_suffix(coordinate_unit(names.coordinate_units[i]))));
  out += labelled_list("q", at);
  at.clear();
  for (std::size_t i = 0; i < motion.at.v.size(); ++i)
    if (motion.at.v[i] != 0) at.push_back(fmt::format("{} = {}", names.velocity(i), number(motion.at.v[i])));
  out += labelled_list("moving", at);
  if (!given.follows.empty()) out += labelled_list("left out", left_out_names(given));
  if (given.unheld) out += labelled_list("friction", list_frictions(*given.unheld));
  out += matrix_text("A", motion.A, states, states, terminal);
  out += matrix_text("B", motion.B, states, names.inputs, terminal);
  const OutputRows outputs = own_outputs(system, motion);
  out += matrix_text("C", outputs.C, outputs.names, states, terminal);
  if (largest(outputs.D) != 0) out += matrix_text("D", outputs.D, outputs.names, names.inputs, terminal);
  out += "\n" + terminal.bold("eigenvalues") + " (1/s)\n" + mode_table(stability, states);
  if (stability.zeros > 0) {
    out += fmt::format("\n  zero: {}\n", stability.zeros);
    for (const std::string& reason : stability.because) out += fmt::format("    {}\n", reason);
  }
  if (stability.verdict == StabilityVerdict::kNone)
    return out + "\n  no verdict: this is neither an equilibrium nor a steady motion\n";
  const std::string verdict(to_text(stability.verdict));
  const bool good =
      stability.verdict == StabilityVerdict::kStable || stability.verdict == StabilityVerdict::kAsymptoticallyStable;
  return out + fmt::format("\n  {}{}\n",
                           good                                               ? terminal.green(verdict)
                           : stability.verdict == StabilityVerdict::kUnstable ? terminal.red(verdict)
                                                                              : verdict,
                           stability.verdict == StabilityVerdict::kMarginal
                               ? ": the linearisation does not decide, terms of higher order do"
                               : "");
}

struct Linearized {
  std::unique_ptr<const SystemAt> given;  // what it is a linearisation of
  std::unique_ptr<const EquationDerivatives> derivatives;
  std::unique_ptr<const SteadyAt> steady;
  LinearMotion motion;
};

Linearized linearize_given(SystemAt given) {
  Linearized made{std::make_unique<const SystemAt>(std::move(given)), nullptr, nullptr, {}};
  const System& system = made.given->system;
  made.derivatives = std::make_unique<const EquationDerivatives>(system.equations);
  made.steady = std::make_unique<const SteadyAt>(*made.given, system.dynamics, *made.derivatives);
  Result<LinearMotion> motion = linearize(
      **made.steady, made.given->state, {.prefer_position = made.given->held_q, .prefer_velocity = made.given->held_v});
  if (!motion) fail(kExitNumerical, motion.diagnostics());
  made.motion = std::move(motion).value();
  return made;
}

// Where this is steady without what drops out with the constraints, it is a linearisation of that.
Linearized linearize_steadily(const SystemAt& given) {
  Linearized whole = linearize_given(given);
  if (whole.motion.kind != MotionKind::kState || !given.left_out.empty() || !(**whole.steady).is_autonomous())
    return whole;
  std::optional<SystemAt> relative = given.relative ? without_what_drops_out(given)
                                     : given.unheld ? std::nullopt
                                                    : relative_system(given);
  if (!relative) return whole;
  Linearized rest = linearize_given(std::move(*relative));
  return rest.motion.kind == MotionKind::kState ? std::move(whole) : std::move(rest);
}

}  // namespace

int run_linearize(const Arguments& arguments, Terminal& terminal) {
  SystemAt given = hold_frictions(build_system_at(arguments));
  if (std::optional<SystemAt> alone = closed_system(given)) given = std::move(*alone);
  if (given.left_out.empty() && !given.unheld) {
    const EquationDerivatives derivatives(given.system.equations);
    given.relative = find_relative_coordinates({&given.system.dynamics, &derivatives}, given.state);
  }
  if (arguments.has("--settle")) {
    const System& system = given.system;
    const EquationDerivatives derivatives(system.equations);
    const SteadyAt all(given, system.dynamics, derivatives);
    const SteadySystem& steady = all.relative() != nullptr ? *all.relative() : *all;
    const SteadyState found = solve_steady(steady, point_at(system.dynamics, given.state),
                                           {.restarts = 50, .damped = steady.left_out.empty() ? 0 : 40});
    if (!found.found)
      fail(kExitNumerical, "E0308", "no equilibrium or steady motion was found from this state",
           {"`dalembert analyze` looks for them everywhere"});
    given.state.q = found.at.q;
    given.state.v = found.at.v;
    const std::string breaks =
        given.unheld ? breaks_mode(given.unheld->system.dynamics, given.unheld->mode, given.state) : "";
    if (!breaks.empty())
      fail(kExitNumerical, "E0308",
           fmt::format("no equilibrium or steady motion was found from this state: {}", breaks),
           {"`dalembert analyze` tries everything that the frictions may do"});
  }
  const Linearized made = linearize_steadily(given);
  const LinearMotion* motion = &made.motion;
  const SteadySystem& steady = **made.steady;
  given = *made.given;
  const System& system = given.system;
  Diagnostics diagnostics = system.warnings;
  const Stability stability = judge_stability(steady, system.equations, *motion);
  const OutputRows outputs = own_outputs(system, *motion);
  for (const std::size_t lost : motion->lost)
    if (const std::string& name = system.dynamics.names().outputs[lost]; !is_series_name(name))
      given.lost_outputs.push_back(name);
  for (std::size_t i = 0; i < outputs.names.size(); ++i) {
    const std::size_t columns = outputs.C.cols + outputs.D.cols;
    if (columns > 0 && std::isnan(outputs.C.cols > 0 ? outputs.C(i, 0) : outputs.D(i, 0)))
      diagnostics.push_back(warning(
          "W0310",
          fmt::format("the output `{}` has no slope at this state: its row of C and D is empty", outputs.names[i])));
  }
  for (const std::string& name : given.lost_outputs)
    diagnostics.push_back(
        warning("W0313", fmt::format("the output `{}` needs coordinates or multipliers that are left out here: "
                                     "it has no row in C and D",
                                     name)));
  if (motion->kind == MotionKind::kState && !given.given && steady.is_autonomous()) {
    Diagnostic& note = diagnostics.emplace_back(
        warning("W0309", "the start of the model is neither an equilibrium nor a steady motion"));
    note.help.push_back("`--settle` goes to the nearest one first, `--at STATE.json` names a state");
  }
  terminal.report(diagnostics);
  if (const std::optional<std::string> varied = arguments.value("--vary")) {
    const Variation variation = vary(*varied, given, *motion, stability);
    Json with = document(given, *motion, stability);
    with["vary"] = variation_json(variation);
    terminal.out(arguments.json() ? document_text(with) : variation_text(variation, terminal));
    return variation.interrupted ? kExitInterrupted : variation.stopped.empty() ? kExitOk : kExitNumerical;
  }
  Json result = document(given, *motion, stability);
  std::string shown = text(given, *motion, stability, terminal);
  if (arguments.has("--formulas")) {
    const Formulas formulas = find_formulas(system, *motion);
    result["formulas"] = formulas_json(formulas);
    shown += formulas_text(formulas, terminal);
  }
  terminal.out(arguments.json() ? document_text(result) : shown);
  return kExitOk;
}

}  // namespace dalembert::app
