// SPDX-License-Identifier: Apache-2.0
// dalembert eval: the value of every term at one state, which is used as given.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/given_state.h"
#include "apps/dalembert/layout.h"
#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "apps/dalembert/verbs.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/output_names.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/report/json_documents.h"
#include "dalembert/study/massless.h"

namespace dalembert::app {
namespace {

constexpr double kConsistent = 1e-8;    // largest residual of a consistent state, in the units of the rows
constexpr double kSameVelocity = 1e-9;  // largest difference between `v` and `qd`, relative to the largest velocity

struct EvaluatedState {
  System system;
  State state;
  Terms terms;
};

// Assembles the state: moves it onto the constraints while the values that the model holds are held.
State assembled(const System& system, const State& state, const StateFile& file) {
  ModelStart start;
  start.guess = state;
  start.held = held_values(*system.model);
  // If the file gives velocities `v`, the velocities of the model are only guesses.
  if (!file.quasi_velocity.empty()) start.held.hold_velocity.assign(start.held.hold_velocity.size(), false);
  start.assembly = file.quasi_velocity.empty()
                       ? assemble_start(system.equations, system.dynamics, start.guess, start.held)
                       : assemble_values(system, file, start.guess, start.held);
  if (!start.assembly.ok()) fail(kExitNumerical, explain_start(system, start));
  return start.assembly.state;
}

// With `qd`, the quasi-velocities `v` must agree with it. Without `qd`, the state has no velocities, because `v`
// determines them only together with the constraints.
void require_same_velocities(const System& system, const StateFile& file, const State& state) {
  if (file.velocity.empty()) {
    Diagnostic problem =
        error("E0406", "q' follows from `v` only on the constraints, and eval does not move the state onto them",
              file.quasi_velocity.front().span);
    problem.help.push_back("add `--assemble`, or give `qd`");
    fail(kExitModel, std::move(problem));
  }
  const Terms terms = evaluate_terms(system.dynamics, state);
  const NamedOutputs follow = outputs_of("v/", system.dynamics.names().outputs, terms.outputs);
  double size = 0;
  for (const Start::Number& given : file.quasi_velocity) size = std::max(size, std::abs(given.value));
  for (const double value : follow.values) size = std::max(size, std::abs(value));
  for (const Start::Number& given : file.quasi_velocity) {
    const auto found = std::ranges::find(follow.names, given.coordinate.name);
    if (found == follow.names.end()) continue;
    const double value = follow.values[static_cast<std::size_t>(found - follow.names.begin())];
    if (std::abs(value - given.value) <= kSameVelocity * size) continue;
    Diagnostic problem = error(
        "E0406",
        fmt::format("`v` and `qd` contradict each other: `{}` is {} here and {} by `qd`, {:.1e} apart",
                    given.coordinate.name, to_text(given.value, 8), to_text(value, 8), std::abs(value - given.value)),
        given.span);
    problem.help.push_back("leave `v` out: it follows from `qd`");
    fail(kExitModel, std::move(problem));
  }
}

EvaluatedState evaluate(const Arguments& arguments) {
  auto [system, at] = read_given_state(arguments);
  const StateFile file = at.value_or(StateFile{});
  State state = initial_state(*system.model, file.t.value_or(system.model->initial.t));
  apply(file, *system.model, state);
  require_samples(system, state.t, state.t);
  if (!arguments.has("--assemble") && !file.quasi_velocity.empty() && system.model->quaternions.empty())
    require_same_velocities(system, file, state);
  if (arguments.has("--assemble")) state = assembled(system, state, file);
  system.dynamics = with_contacts_decided(system.dynamics, state, kConsistent);
  Terms terms = evaluate_terms(system.dynamics, state);
  return {std::move(system), std::move(state), std::move(terms)};
}

Diagnostics judge(const EvaluatedState& e) {
  const std::vector<std::string> bad = not_finite(e.system.dynamics, e.terms);
  if (!bad.empty()) {
    Diagnostic diagnostic =
        error("E0303", fmt::format("{} not finite at this state", bad.size() == 1 ? "a term is" : "some terms are"));
    diagnostic.notes.push_back(join_words(bad));
    return {diagnostic};
  }
  Diagnostics diagnostics;
  if (const Assembly here = check_consistency(e.system.dynamics, e.state, kConsistent); !here.ok()) {
    const bool position = here.status == AssemblyStatus::kNoPosition;
    Diagnostic& d = diagnostics.emplace_back(warning(
        "W0306",
        fmt::format("the state is not consistent: {} constraints are up to {:.1e} off",
                    position ? "position" : "velocity", position ? here.position_residual : here.velocity_residual)));
    d.notes.push_back("qdd and lambda here are not those of a possible motion");
    d.help.push_back("`--assemble` brings the state onto the constraints first");
  }
  if (e.terms.has_motion()) return diagnostics;
  Diagnostic diagnostic =
      warning("W0301", fmt::format("qdd and lambda do not exist at this state: {}", to_text(e.terms.solution.status)));
  if (e.terms.solution.status == KktStatus::kSingular)
    diagnostic.notes.push_back(explain_no_inertia(e.system.dynamics, e.terms));
  if (e.terms.solution.status == KktStatus::kSingular) diagnostic.help = help_for_massless(e.system.equations);
  if (e.terms.solution.status == KktStatus::kParadox)
    diagnostic.notes.push_back(
        describe(e.terms.solution.friction_answer, e.system.dynamics.names(), e.system.dynamics.m()));
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics;
}

// ---------------------------------------------------------------------------------------------------------- text

// Tables of the coordinates, and of velocities that are not their rates.
std::string state_tables(const EvaluatedState& e) {
  const Names& names = e.system.dynamics.names();
  const Terms& terms = e.terms;
  Table coordinates, velocities;
  coordinates.add({"", "q", "unit"});
  for (std::size_t i = 0; i < names.coordinates.size(); ++i)
    coordinates.add({names.coordinates[i], six_digits(e.state.q[i]), coordinate_unit(names.coordinate_units[i])});
  velocities.add({"", "v", "B", "G", "F", "v'", "unit of v"});
  for (std::size_t i = 0; i < names.velocities.size(); ++i)
    velocities.add({names.velocity(i), six_digits(e.state.v[i]), six_digits(terms.B[i]), six_digits(terms.G[i]),
                    six_digits(terms.F[i]), terms.has_motion() ? six_digits(terms.solution.qdd[i]) : "-",
                    i < names.velocity_units.size() ? names.velocity_units[i] : ""});
  return coordinates.text() + "\n" + velocities.text();
}

std::string coordinate_table(const EvaluatedState& e) {
  const Names& names = e.system.dynamics.names();
  const Terms& terms = e.terms;
  if (!names.velocities.empty()) return state_tables(e);
  Table table;
  table.add({"", "q", "qd", "B", "G", "F", "qdd", "unit of q"});
  for (std::size_t i = 0; i < names.coordinates.size(); ++i)
    table.add({names.coordinates[i], six_digits(e.state.q[i]), six_digits(e.state.v[i]), six_digits(terms.B[i]),
               six_digits(terms.G[i]), six_digits(terms.F[i]),
               terms.has_motion() ? six_digits(terms.solution.qdd[i]) : "-",
               coordinate_unit(names.coordinate_units[i])});
  return table.text();
}

// Lists the non-zero entries, for matrices too wide for a table.
std::string entry_table(const Pattern& pattern, const std::vector<double>& values, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns) {
  Table table;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] != 0)
      table.add({fmt::format("[{},{}]", rows[static_cast<std::size_t>(pattern.row[k])],
                             columns[static_cast<std::size_t>(pattern.col[k])]),
                 six_digits(values[k])});
  return table.text();
}

std::string matrix_table(const Pattern& pattern, const std::vector<double>& values,
                         const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  if (columns.size() > 10) return entry_table(pattern, values, rows, columns);
  std::vector<std::vector<std::string>> lines;
  for (const std::string& row : rows) {
    lines.emplace_back(columns.size() + 1, six_digits(0));
    lines.back().front() = row;
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    lines[static_cast<std::size_t>(pattern.row[k])][static_cast<std::size_t>(pattern.col[k]) + 1] =
        six_digits(values[k]);
  Table table;
  std::vector<std::string> heading{""};
  heading.insert(heading.end(), columns.begin(), columns.end());
  table.add(heading);
  for (std::vector<std::string>& line : lines) table.add(std::move(line));
  return table.text();
}

std::string row_table(const EvaluatedState& e) {
  const Names& names = e.system.dynamics.names();
  const Terms& terms = e.terms;
  const std::vector<int>& holonomic = e.system.dynamics.layout().holonomic;
  std::vector<double> h = position_residual(e.system.dynamics, e.state);
  const std::vector<double> rate = velocity_residual(e.system.dynamics, e.state);
  // An open contact has a gap in place of a residual.
  if (const Contacts* contacts = e.system.dynamics.contacts()) {
    const std::vector<double> gaps = gaps_of(e.system.dynamics, e.state);
    for (std::size_t k = 0; k < gaps.size(); ++k) h[contacts->contacts[k].level] = gaps[k];
  }
  Table table;
  table.add({"", "a", "gamma", "lambda", "unit", "h", "W qd + a"});
  std::size_t next = 0;  // next index into `holonomic` and h
  for (std::size_t r = 0; r < names.rows.size(); ++r) {
    const std::string name = names.row(r);
    const bool with_position = next < holonomic.size() && holonomic[next] == static_cast<int>(r);
    const bool unique = !terms.has_motion() || terms.solution.lambda_unique[r];
    table.add({name, six_digits(terms.a[r]), six_digits(terms.gamma[r]),
               terms.has_motion() ? (unique ? "" : "~") + six_digits(terms.solution.lambda[r]) : "-",
               names.lambda_units[r], with_position ? six_digits(h[next++]) : "", six_digits(rate[r])});
  }
  return table.text();
}

std::string text(const EvaluatedState& e, const Terminal& terminal) {
  const Names& names = e.system.dynamics.names();
  const Layout& layout = e.system.dynamics.layout();
  std::string out = fmt::format("{} at t = {}\n\n{}\n", terminal.bold(e.system.model->name), six_digits(e.state.t),
                                coordinate_table(e));
  out += terminal.bold("M") + "\n" + matrix_table(layout.M, e.terms.M, names.of_motion(), names.of_motion());
  if (layout.m > 0) {
    std::vector<std::string> row_names;
    for (std::size_t r = 0; r < names.rows.size(); ++r) row_names.push_back(names.row(r));
    out += "\n" + terminal.bold("W") + "\n" + matrix_table(layout.W, e.terms.W, row_names, names.of_motion()) + "\n" +
           row_table(e);
    const auto& unique = e.terms.solution.lambda_unique;
    if (e.terms.has_motion() && std::ranges::find(unique, false) != unique.end())
      out += "  ~ not unique: rows depend on each other; the least-norm multipliers\n";
  }
  if (const Contacts* contacts = e.system.dynamics.contacts())
    for (std::size_t k = 0; k < contacts->count(); ++k)
      out += fmt::format("  {} is {}\n", names.rows[static_cast<std::size_t>(contacts->contacts[k].row)],
                         e.system.dynamics.is_closed(k) ? "closed" : "open");
  if (layout.frictions > 0 && e.terms.has_motion())
    out += "\n  " + to_text(e.terms.solution.friction_answer.solutions.front(), names, layout.m) + "\n";
  const int rank = rank_of_constraints(e.system.dynamics, e.state, e.terms.solution.rank);
  const int rows = layout.m - e.system.dynamics.idle_rows() - names.actuated;
  out += rank < 0 ? fmt::format("\n  rank of W unknown, of {}\n", rows)
                  : fmt::format("\n  rank of W {} of {}, {}{}\n", rank, rows,
                                counted(layout.nv - rank, "freedom", "freedoms"),
                                names.actuated > 0 ? fmt::format(", {} of them prescribed", names.actuated) : "");
  out += fmt::format("  energy    kinetic {} J, potential {} J\n", six_digits(e.terms.energy.kinetic),
                     six_digits(e.terms.energy.potential));
  for (std::size_t i = 0; i < names.outputs.size(); ++i)
    out += fmt::format("  {} = {}{}\n", names.outputs[i], six_digits(e.terms.outputs[i]),
                       unit_suffix(names.output_units[i]));
  return out;
}

}  // namespace

int run_eval(const Arguments& arguments, Terminal& terminal) {
  const EvaluatedState evaluation = evaluate(arguments);
  terminal.report(evaluation.system.warnings);
  const Diagnostics problems = judge(evaluation);
  terminal.report(problems);
  terminal.out(
      arguments.json()
          ? terms_json(*evaluation.system.model, evaluation.system.dynamics, evaluation.state, evaluation.terms).text()
          : text(evaluation, terminal));
  return has_errors(problems) ? kExitNumerical : kExitOk;
}

}  // namespace dalembert::app
