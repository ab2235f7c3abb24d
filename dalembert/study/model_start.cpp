// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/system_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/base/wording.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/expr/visit.h"
#include "dalembert/study/contacts_at.h"

namespace dalembert {
namespace {

void mark_held(Diagnostic& diagnostic, const std::vector<InitialValue>& held, const char* text) {
  for (const InitialValue& value : held)
    if (value.span && diagnostic.secondary.size() < 4) diagnostic.secondary.push_back({value.span, text});
}

// The system whose rows act at the start.
const BuiltModel& acting(const BuiltModel& system, const ModelStart& start) {
  return start.contacts_held ? *start.contacts_held : system;
}

}  // namespace

Diagnostics inertia_warnings(const BuiltModel& system, const State& state) {
  const bool known = std::ranges::any_of(system.warnings, [](const Diagnostic& d) { return d.code == "W0104"; });
  if (known) return {};
  return negative_inertia(*system.model, system.dynamics, evaluate_terms(system.dynamics, state));
}

Diagnostics overdetermined(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  const Names& names = system.dynamics.names();
  if (names.actuated == 0 || start.rank() < 0 || start.rank() == system.dynamics.m()) return {};
  Diagnostics problems;
  for (const int row : dependent_rows(system.dynamics, start.assembly.state)) {
    const auto r = static_cast<std::size_t>(row);
    if (r < names.constraint_rows()) continue;
    Diagnostic problem = error("E0321",
                               fmt::format("the prescribed coordinate `{}` is determined already: its actuation has no "
                                           "unique value",
                                           names.rows[r]),
                               system.model->row_span(r));
    std::vector<std::string> others;
    for (std::size_t k = 0; k < r; ++k) others.push_back(names.row(k));
    problem.notes.push_back(fmt::format("at the start its velocity follows from {}",
                                        others.size() <= 8 ? join_words(others) : "the constraints"));
    problem.help.push_back(
        fmt::format("leave out the prescription of `{}`, or one of the constraints that say the same", names.rows[r]));
    problems.push_back(std::move(problem));
  }
  return problems;
}

namespace {

// Explains a start that fails because of a prescribed coordinate: held at another value, or determined by the
// constraints. Nothing if there is another reason.
std::optional<Diagnostic> explain_prescribed(const BuiltModel& system, const ModelStart& start) {
  const Names& names = system.dynamics.names();
  const Model& model = *system.model;
  for (std::size_t k = 0; k < model.prescribed.size(); ++k) {
    const Prescribed& one = model.prescribed[k];
    const std::array<double, 3> motion = prescribed_motion(model, k, start.guess.t);
    const std::string& name = model.coordinates[static_cast<std::size_t>(one.coordinate)].name;
    for (const bool rate : {false, true}) {
      for (const InitialValue& held : rate ? model.initial.velocity : model.initial.position) {
        const double follows = motion[rate ? 1 : 0];
        if (held.coordinate != one.coordinate ||
            !(std::abs(held.value - follows) > 1e-9 * std::max(1.0, std::abs(follows))))
          continue;
        Diagnostic problem =
            error("E0321",
                  fmt::format("the start holds `{}{}` at {}, and it is prescribed to be {} at t = {}", name,
                              rate ? "'" : "", to_text(held.value, 6), to_text(follows, 6), to_text(start.guess.t, 6)),
                  held.span, "held here");
        problem.secondary.push_back({one.span, "prescribed here"});
        problem.help.push_back("a prescribed coordinate needs no initial value: leave it out");
        return problem;
      }
    }
  }
  if (names.actuated == 0) return std::nullopt;
  ModelStart reached = start;
  reached.assembly.rank = 0;  // a known rank below m, so that overdetermined() examines the rows
  Diagnostics twice = overdetermined(system, reached);
  if (twice.empty()) return std::nullopt;
  twice.front().message = fmt::format("the prescribed coordinate `{}` contradicts the constraints", [&] {
    const std::string& text = twice.front().message;
    const std::size_t from = text.find('`') + 1;
    return text.substr(from, text.find('`', from) - from);
  }());
  return twice.front();
}

// The position constraints that contradict each other where no start was found, if they are more than the free coordinates in them; else
// none. At the nearest position the residuals are orthogonal to all that free coordinates can change, so that rows with a residual depend
// on each other (Nocedal & Wright, ch. 10).
std::vector<std::size_t> contradicting_rows(const Dynamics& dynamics, const ModelStart& start) {
  const Layout& layout = dynamics.layout();
  if (start.assembly.status != AssemblyStatus::kNoPosition || !layout.v_is_qdot) return {};
  constexpr double kShare = 1e-3;  // of the largest residual: less is left over from the search
  const std::vector<double> h = position_residual(dynamics, start.assembly.state);
  std::vector<char> in(static_cast<std::size_t>(layout.m), 0), free(static_cast<std::size_t>(layout.nv), 0);
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < h.size(); ++k) {
    if (!(std::abs(h[k]) > kShare * start.assembly.position_residual)) continue;
    rows.push_back(static_cast<std::size_t>(layout.holonomic[k]));
    in[rows.back()] = 1;
  }
  const std::vector<bool>& held = start.held.hold_position;
  for (std::size_t i = 0; i < layout.W.row.size(); ++i) {
    const auto column = static_cast<std::size_t>(layout.W.col[i]);
    if (in[static_cast<std::size_t>(layout.W.row[i])] != 0 && !(column < held.size() && held[column])) free[column] = 1;
  }
  return rows.size() > 1 && std::ssize(rows) > std::ranges::count(free, 1) ? rows : std::vector<std::size_t>();
}

// Blames the last of rows that contradict each other: those before it can be satisfied without it.
void blame_last(Diagnostic& diagnostic, const BuiltModel& system, const ModelStart& start,
                const std::vector<std::size_t>& rows) {
  const Model& model = *system.model;
  const std::string& name = system.dynamics.names().rows[rows.back()];
  std::vector<std::string> others, held;
  for (const std::size_t row : rows)
    if (row != rows.back()) others.push_back(system.dynamics.names().row(row));
  const std::vector<bool>& hold = start.held.hold_position;
  for (std::size_t i = 0; i < hold.size() && i < model.coordinates.size(); ++i)
    if (hold[i]) held.push_back(model.coordinates[i].name);
  const std::string with = others.size() <= 8 ? join_words(others) : "the constraints before it";
  const std::string while_held = held.empty() || held.size() > 8 ? "" : fmt::format(" with {} held", join_words(held));
  diagnostic.message = fmt::format("no consistent start: `{}` contradicts {}{}", name, with, while_held);
  diagnostic.primary = {model.row_span(rows.back()), "one constraint too many"};
  for (const std::size_t row : rows)
    if (row != rows.back() && diagnostic.secondary.size() < 4)
      diagnostic.secondary.push_back({model.row_span(row), "contradicted"});
  diagnostic.notes.clear();
  diagnostic.help = {fmt::format("leave out `{}` or another of these constraints{}", name,
                                 held.empty() ? "" : ", or hold fewer coordinates")};
}

}  // namespace

ModelStart assemble_model_start(const BuiltModel& system, AssemblyMemory* memory) {
  ModelStart start{initial_state(*system.model), held_values(*system.model), {}};
  start.assembly = assemble_start(system.equations, system.dynamics, start.guess, start.held, memory);
  return start;
}

Result<ModelStart> find_model_start(const BuiltModel& system) {
  const double t = system.model->initial.t;
  Diagnostics problems = missing_samples(*system.model, system.dynamics, t, t);
  if (!problems.empty()) return problems;
  return with_ranks(system, assemble_model_start(system));
}

Result<ModelStart> with_ranks(const BuiltModel& system, ModelStart start) {
  if (start.assembly.ok() && system.dynamics.contacts() != nullptr) {
    Result<BuiltModel> held = hold_contacts_at(system, start.assembly.state);
    if (!held) return held.diagnostics();
    start.contacts_held = std::make_shared<const BuiltModel>(std::move(held).value());
    start.assembly.rank = check_consistency(start.contacts_held->dynamics, start.assembly.state).rank;
  }
  const BuiltModel& used = acting(system, start);
  const int size = used.dynamics.nv() + used.dynamics.m();
  if (start.assembly.ok() && used.dynamics.m() > 0 && size <= kSmallSystem)
    start.decided = find_rank(used.dynamics, start.assembly.state, &used.equations);
  return start;
}

Diagnostic explain_start(const BuiltModel& system, const ModelStart& start) {
  if (auto prescribed = explain_prescribed(system, start)) return *std::move(prescribed);
  const Assembly& assembly = start.assembly;
  if (assembly.worst_row >= system.dynamics.m()) {
    const auto held = static_cast<std::size_t>(assembly.worst_row - system.dynamics.m());
    const InitialValue& value = system.model->initial.quasi_velocity[held];
    const std::string& name = system.model->quasi_velocities[static_cast<std::size_t>(value.coordinate)].name;
    Diagnostic contradiction = error(
        "E0301", fmt::format("the held velocities contradict each other: `{}` cannot be held with the others", name),
        value.span, fmt::format("its residual is {}", to_text(assembly.worst_residual, 4)));
    mark_held(contradiction, system.model->initial.velocity, "held");
    contradiction.help.push_back("hold fewer velocities");
    return contradiction;
  }
  Diagnostic diagnostic = explain_failure(system.dynamics, assembly, start.held);
  const Model& model = *system.model;
  const int last = assembly.status == AssemblyStatus::kNoVelocity && system.dynamics.names().actuated == 0
                       ? last_freedom_row(system.dynamics, assembly.state)
                       : -1;
  if (last >= 0) {
    // The mechanism cannot move at all, so the velocities are not the mistake.
    const std::string& name = system.dynamics.names().rows[static_cast<std::size_t>(last)];
    diagnostic.message = fmt::format(
        "the constraints leave no freedom, so the held velocities are impossible: `{}` takes the last freedom", name);
    diagnostic.primary = {model.row_span(static_cast<std::size_t>(last)),
                          fmt::format("{} rows of rank {} on {}", system.dynamics.m(), system.dynamics.nv(),
                                      counted(system.dynamics.nv(), "coordinate", "coordinates"))};
    diagnostic.help = {fmt::format("leave out `{}` or another constraint that takes a freedom too many", name),
                       "a mechanism that stands still starts with velocities of 0"};
    mark_held(diagnostic, model.initial.velocity, "held");
  } else if (const auto rows = contradicting_rows(system.dynamics, start); !rows.empty()) {
    blame_last(diagnostic, system, start, rows);
    mark_held(diagnostic, model.initial.position, "held");
  } else if (assembly.worst_row >= 0) {
    const Names& names = system.dynamics.names();
    const auto row = static_cast<std::size_t>(assembly.worst_row);
    const bool velocity = assembly.status == AssemblyStatus::kNoVelocity;
    const std::string& unit = names.row_units[row];
    const bool rate = velocity && std::count(system.equations.holonomic.begin(), system.equations.holonomic.end(),
                                             assembly.worst_row);
    diagnostic.primary = {model.row_span(row),
                          fmt::format("{} {}{}", rate ? "its rate has a residual of" : "has a residual of",
                                      to_text(assembly.worst_residual, 4), unit_suffix(rate ? rate_unit(unit) : unit))};
    if (velocity)
      mark_held(diagnostic, model.initial.velocity, "held");
    else
      mark_held(diagnostic, model.initial.position, "held");
  }
  return diagnostic;
}

std::string why_nothing_moves(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  const int last = last_freedom_row(system.dynamics, start.assembly.state);
  if (last < 0) return "nothing can move";
  return fmt::format("nothing can move: `{}` takes the last freedom",
                     system.dynamics.names().rows[static_cast<std::size_t>(last)]);
}

namespace {

// What is known of a motion with redundant rows. Of large systems it is not decided whether the rows agree elsewhere.
std::string redundancy_means(const ModelStart& start) {
  const char* const reactions = "some reactions are not unique";
  if (!start.decided) return reactions;
  if (!std::ranges::all_of(start.decided->redundant, &RedundantRow::consistent))
    return "rows contradict each other, and no motion satisfies all";
  const std::optional<bool> agree = start.decided->agrees_nearby();
  if (!agree) return std::string(reactions) + ", and whether the rows agree elsewhere is not decided";
  return *agree ? "the motion is unique, some reactions are not"
                : "elsewhere rows contradict each other, and they hold together only where they agree";
}

}  // namespace

Diagnostics redundancy_warnings(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  const int m = system.dynamics.m();
  if (!start.assembly.ok() || start.rank() < 0 || start.rank() >= m) return {};
  std::vector<int> dependent;
  // Largest distance of a row from the span of the others, among the rows that depend on them in numbers only.
  std::optional<double> gap;
  if (!start.decided) {
    dependent = dependent_rows(system.dynamics, start.assembly.state);
  } else {
    for (const RedundantRow& row : start.decided->redundant) {
      dependent.push_back(row.row);
      if (!row.exact) gap = std::max(gap.value_or(0), row.distance);
    }
  }
  const KktSolution solution = solve_kkt(system.dynamics, start.assembly.state);
  std::vector<std::string> names;
  for (std::size_t r = 0; r < system.dynamics.names().rows.size(); ++r) names.push_back(system.dynamics.names().row(r));
  std::vector<std::string> follow;
  for (const int row : dependent) follow.push_back(names[static_cast<std::size_t>(row)]);

  Diagnostic diagnostic = warning("W0205", fmt::format("{} of {} constraint rows {} redundant at the start: {}",
                                                       m - start.rank(), system.dynamics.names().constraint_rows(),
                                                       m - start.rank() == 1 ? "is" : "are", redundancy_means(start)));
  const bool agree = !start.decided || start.decided->agrees_nearby().value_or(true);
  if (!dependent.empty())
    diagnostic.primary = {system.model->row_span(static_cast<std::size_t>(dependent.front())),
                          agree ? "follows from the rows before it" : "depends on the rows before it"};
  diagnostic.notes.push_back(describe_freedoms(system, start));
  if (!follow.empty())
    diagnostic.notes.push_back(fmt::format(
        "{} the rows before them{}: {}", agree ? "follow from" : "depend on",
        gap ? fmt::format(" (in numbers at this position, to {:.0e} of their length)", *gap) : "", join_words(follow)));
  const auto shared = names_where(names, solution.lambda_unique, false),
             unique = names_where(names, solution.lambda_unique, true);
  if (!shared.empty())
    diagnostic.notes.push_back(
        fmt::format("multipliers that are not unique, reported as least-norm: {}", join_words(shared)));
  if (!unique.empty()) diagnostic.notes.push_back(fmt::format("unique multipliers: {}", join_words(unique)));
  diagnostic.help.push_back(agree ? "for unique multipliers leave out the rows that follow from the others"
                                  : "leave out rows that are not meant, or state where the others agree with them");
  return {diagnostic};
}

Diagnostics near_redundancy_warnings(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  Diagnostics warnings;
  if (!start.decided) return warnings;
  for (const RedundantRow& row : start.decided->nearly) {
    const auto r = static_cast<std::size_t>(row.row);
    Diagnostic& nearly = warnings.emplace_back(
        warning("W0209", fmt::format("`{}` is nearly dependent on the rows before it: only {:.0e} of it is independent",
                                     system.dynamics.names().row(r), row.distance)));
    nearly.primary = {system.model->row_span(r), "takes a freedom all the same"};
    nearly.notes.push_back(describe_freedoms(system, start));
    if (start.rank() != start.assembly.rank)
      nearly.notes.push_back(fmt::format("a run treats rows that differ by less than {:.0e} as one and uses rank {}",
                                         kRankTolerance, start.assembly.rank));
  }
  return warnings;
}

namespace {

// Whether a function has a kink or a vertical slope somewhere: abs, min, a root.
bool may_have_no_derivative(const Expr& h) {
  const Graph& graph = h.graph();
  return std::ranges::any_of(reachable(std::array{h}), [&](NodeId node) {
    const Op op = graph.op(node);
    if (op == Op::kProduct)
      return std::ranges::any_of(graph.items(node), [&](const Graph::Item& item) {
        const Rational exponent = graph.number(item);
        return exponent > Rational(0) && exponent < Rational(1);
      });
    return op == Op::kAbs || op == Op::kSign || op == Op::kMin || op == Op::kMax || op == Op::kLess;
  });
}

}  // namespace

Diagnostics squared_row_warnings(const BuiltModel& system, const std::vector<int>& rows) {
  Diagnostics warnings;
  for (const int row : rows) {
    const auto r = static_cast<std::size_t>(row);
    const bool kinked = may_have_no_derivative(system.equations.h[r]);
    Diagnostic& squared = warnings.emplace_back(
        warning("W0333", fmt::format("`{}` holds nothing: {}", system.dynamics.names().row(r),
                                     kinked ? "wherever it is kept its derivative is 0 or does not exist"
                                            : "its derivative is 0 wherever it is kept")));
    squared.primary = {system.model->row_span(r), "no force of it acts"};
    squared.notes.push_back("runs stop, or take its round-off for singular positions");
    squared.help.emplace_back("state what is squared in it; of a sum of squares, each of them");
    if (kinked) squared.help.emplace_back("state what is 0 at a kink: x, not abs(x)");
  }
  return warnings;
}

Json freedoms_json(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  return start.rank() < 0 ? Json(nullptr) : Json(start.freedoms() + system.dynamics.names().actuated);
}

std::string describe_freedoms(const BuiltModel& stated, const ModelStart& start) {
  const BuiltModel& system = acting(stated, start);
  const std::string velocities = counted(system.dynamics.nv(), "velocity", "velocities");
  if (start.rank() < 0) return velocities + ", freedoms unknown";
  const int actuated = system.dynamics.names().actuated;
  return fmt::format("{} - rank {} = {}{}", velocities, start.rank() - actuated,
                     counted(start.freedoms() + actuated, "freedom", "freedoms"),
                     actuated > 0 ? fmt::format(", {} of them prescribed", actuated) : "");
}

Json held_json(const BuiltModel& system, const ModelStart& start) {
  const Names& names = system.dynamics.names();
  return {{"q", names_where(names.coordinates, start.held.hold_position, true)},
          {"qd", names_where(names.of_motion(), start.held.hold_velocity, true)}};
}

}  // namespace dalembert
