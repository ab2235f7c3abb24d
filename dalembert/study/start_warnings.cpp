// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/start_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "dalembert/analyze/audit/squared_rows.h"
#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/motion_branches.h"

namespace dalembert {
namespace {

// A start is far from a guess if an angle differs by more than kFarAngle (rad) or another coordinate by more than kFar
// of its size.
constexpr double kFarAngle = 1, kFar = 0.5;

std::vector<bool> stated_guesses(const BuiltModel& system) {
  std::vector<bool> stated(system.dynamics.names().coordinates.size());
  for (const InitialValue& value : system.model->initial.position_guess)
    stated[static_cast<std::size_t>(value.coordinate)] = true;
  return stated;
}

// The values that are not held: "x = 0.79 m and phi = 2.8 rad".
std::string free_values(const BuiltModel& system, const ModelStart& start, const std::vector<double>& q) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < q.size(); ++i)
    if (!start.held.hold_position[i]) items.push_back(value_text(system, i, q[i]));
  return join_words(items, "");
}

// Distance of q from the stated guesses, each difference relative to the size of the coordinate.
double distance(const ModelStart& start, const Alternatives& others, const std::vector<bool>& stated,
                const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!stated[i] || start.held.hold_position[i]) continue;
    double away = q[i] - start.guess.q[i], size = M_PI;
    if (others.angle[i])
      away = std::remainder(away, 2 * M_PI);
    else
      size = std::max({std::abs(start.guess.q[i]), std::abs(start.assembly.state.q[i]), 1e-300});
    sum += away * away / (size * size);
  }
  return std::sqrt(sum);
}

Span guess_span(const BuiltModel& system) {
  const auto& guesses = system.model->initial.position_guess;
  return guesses.empty() ? Span{} : guesses.front().span;
}

Diagnostics other_assembly(const BuiltModel& system, const ModelStart& start, const Alternatives& others) {
  if (others.q.empty()) return {};
  const std::vector<bool> stated = stated_guesses(system);
  const std::vector<double>& here = start.assembly.state.q;
  bool any = false;
  for (std::size_t i = 0; i < stated.size(); ++i) any = any || (stated[i] && !start.held.hold_position[i]);
  if (!any) {
    Diagnostic diagnostic =
        warning("W0207", fmt::format("the start is one of {} that were found, and no guess chooses between them: {}",
                                     counted(static_cast<int>(others.q.size()) + 1, "assembly", "assemblies"),
                                     free_values(system, start, here)));
    diagnostic.primary = {system.model->row_span(0), "holds in each of them"};
    for (std::size_t k = 0; k < others.q.size() && k < 4; ++k)
      diagnostic.notes.push_back(fmt::format("another: {}", free_values(system, start, others.q[k])));
    diagnostic.help.push_back("give a guess: [initial] guess = {…}");
    return {diagnostic};
  }
  const auto nearest = std::min_element(others.q.begin(), others.q.end(), [&](const auto& a, const auto& b) {
    return distance(start, others, stated, a) < distance(start, others, stated, b);
  });
  if (!(distance(start, others, stated, *nearest) < distance(start, others, stated, here) * (1 - 1e-6))) return {};
  Diagnostic diagnostic = warning(
      "W0207", fmt::format("another assembly is nearer to the guess: {}", free_values(system, start, *nearest)));
  diagnostic.primary = {guess_span(system), "leads to the start"};
  diagnostic.notes.push_back(fmt::format("the start: {}", free_values(system, start, here)));
  diagnostic.help.push_back("give every coordinate that is not held a value near the assembly that is meant");
  return {diagnostic};
}

Diagnostics far_moves(const BuiltModel& system, const ModelStart& start, const Alternatives& others) {
  Diagnostics warnings;
  for (const InitialValue& guess : system.model->initial.position_guess) {
    const auto i = static_cast<std::size_t>(guess.coordinate);
    if (start.held.hold_position[i]) continue;
    const double to = start.assembly.state.q[i], from = start.guess.q[i];
    const bool angle = others.angle[i] || system.dynamics.names().coordinate_units[i] == "rad";
    // The size of a coordinate near 0 is that of the mechanism: the largest coordinate with the same unit.
    const std::vector<std::string>& units = system.dynamics.names().coordinate_units;
    double size = std::abs(from);
    for (std::size_t j = 0; j < units.size(); ++j)
      if (units[j] == units[i]) size = std::max(size, std::abs(start.assembly.state.q[j]));
    const double far = angle ? kFarAngle : kFar * size;
    if (!(std::abs(to - from) > far)) continue;
    Diagnostic diagnostic = warning("W0208", fmt::format("the start is far from the guess: {}, not {}",
                                                         value_text(system, i, to), value_text(system, i, from)));
    diagnostic.primary = {guess.span, "the guess"};
    warnings.push_back(diagnostic);
  }
  return warnings;
}

// Warns with W0206 if the start is a singular position, or with W0205 if rows are merely redundant. `squared`: the rows that
// hold nothing.
Diagnostics branches(const BuiltModel& system, const ModelStart& start, const std::vector<int>& squared) {
  // W0333 says of these rows why they are missing in the rank.
  const int rows_at_start = (start.contacts_held ? *start.contacts_held : system).dynamics.m();
  if (!squared.empty() && rows_at_start - start.rank() == std::ssize(squared)) return {};
  const MotionBranches found = find_motion_branches(system.dynamics, start.assembly.state);
  if (found.regular() || (found.alone && start.decided && start.decided->all_exact()))
    return redundancy_warnings(system, start);
  // Rows that vanish everywhere where they hold have W0333, and there is no position nearby with a larger rank.
  if (!found.rows.empty() && std::ranges::includes(squared, found.rows)) return {};
  const Names& names = system.dynamics.names();
  const std::vector<std::string> rates = system.dynamics.names().velocity_names();
  std::vector<std::string> rows;
  for (const int row : found.rows) rows.push_back(names.row(static_cast<std::size_t>(row)));
  const bool counted_two = found.counted && found.directions.size() == 2;
  const bool perhaps_none = found.alone && !found.rigid();
  Diagnostic diagnostic = warning("W0206", fmt::format("the start is a singular position, from which {} possible",
                                                       counted_two    ? "two motions are"
                                                       : perhaps_none ? "perhaps no motion is"
                                                       : found.counted && found.directions.size() == 1 ? "one motion is"
                                                       : found.counted                                 ? "no motion is"
                                                                       : "several motions may be"));
  if (!found.rows.empty())
    diagnostic.primary = {system.model->row_span(static_cast<std::size_t>(found.rows.front())),
                          rows.size() == 1 ? "vanishes here" : "depends on other rows here"};
  const char* depend = rows.size() == 1 ? "vanishes" : "depend on each other";
  if (found.alone)
    diagnostic.notes.push_back(fmt::format("{} {} here (rank {}), and no position was found nearby{}", join_words(rows),
                                           depend, found.rank,
                                           found.rigid() ? ": at the second order nothing can move" : ""));
  else
    diagnostic.notes.push_back(fmt::format("{} {} here but not nearby: rank {} instead of {}", join_words(rows), depend,
                                           found.rank, found.rank_nearby));
  for (const std::vector<double>& v : found.directions) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < v.size(); ++i) parts.push_back(fmt::format("{} = {}", rates[i], to_text(v[i], 4)));
    diagnostic.notes.push_back(fmt::format("a motion has velocities in proportion to {}", join_words(parts, "")));
  }
  if (found.alone)
    diagnostic.help.push_back("multipliers may grow without bound: change a length a little, or leave out a row");
  else if (found.given == MotionBranches::Given::kRest)
    diagnostic.help.push_back("give velocities that choose a motion, or start near this position");
  else if (found.given == MotionBranches::Given::kNone)
    diagnostic.help.push_back(
        "the given velocities fit none of these motions: no acceleration satisfies all constraints");
  else
    diagnostic.help.push_back("the given velocities choose one of them");
  return {diagnostic};
}

}  // namespace

std::string value_text(const BuiltModel& system, std::size_t i, double value) {
  const Names& names = system.dynamics.names();
  return fmt::format("{} = {}{}", names.coordinates[i], to_text(value, 5), unit_suffix(coordinate_units(names)[i]));
}

Alternatives other_assemblies(const BuiltModel& system, const ModelStart& start, AlternativesEffort effort) {
  if (!start.assembly.ok()) {
    Alternatives none;
    none.angle.assign(start.guess.q.size(), false);
    return none;
  }
  return find_alternatives(system.dynamics, start.guess, start.held, start.assembly, effort);
}

Diagnostics start_warnings(const BuiltModel& system, const ModelStart& start, const Alternatives& others) {
  if (!start.assembly.ok()) return {};
  Diagnostics warnings;
  if (start.rank() >= 0 && start.rank() < system.dynamics.m()) {
    const std::vector<int> squared = squared_rows(system.equations);
    warnings = squared_row_warnings(system, squared);
    append_new(warnings, branches(system, start, squared));
  }
  for (const Diagnostics& more : {near_redundancy_warnings(system, start), other_assembly(system, start, others),
                                  far_moves(system, start, others)})
    warnings.insert(warnings.end(), more.begin(), more.end());
  return warnings;
}

Diagnostics start_warnings(const BuiltModel& system, const ModelStart& start) {
  return start_warnings(system, start, other_assemblies(system, start, AlternativesEffort::kGuesses));
}

Diagnostics run_warnings(const Model& model, double from, double until) {
  Diagnostics warnings = short_tables(model, from, until);
  if (until < from)
    warnings.push_back(warning("W0305", fmt::format("the run goes backwards in time, from t = {} s to {} s",
                                                    to_text(from, 6), to_text(until, 6))));
  return warnings;
}

}  // namespace dalembert
