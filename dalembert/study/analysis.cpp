// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/analysis.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "dalembert/analyze/audit/squared_rows.h"
#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/analyze/stability/relative.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/steady_system.h"
#include "dalembert/base/wording.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/report/equation_printer.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/contacts_at.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/friction_at.h"
#include "dalembert/study/massless.h"
#include "dalembert/study/steady_at.h"

namespace dalembert {
namespace {

// Largest number of combinations of friction modes: three frictions have five modes each, 5³.
constexpr std::size_t kMostModes = 125;

std::size_t explained_zeros(const Equilibrium& equilibrium) {
  return std::min(equilibrium.stability.zeros, equilibrium.stability.family.size() + equilibrium.motion.cyclic.size());
}

Json integrability_json(const Analysis& analysis) {
  const Integrability& found = analysis.integrability;
  Json growth = Json::array(), integrals = Json::array();
  for (const int dimension : found.growth) growth.push_back(dimension);
  for (const auto& [row, function] : analysis.first_integrals)
    integrals.push_back({{"row", row}, {"expression", function}});
  return {{"kind", found.kind},
          {"integrable", found.integrable},
          {"integrable_at_most", found.integrable_at_most},
          {"growth", std::move(growth)},
          {"exact", found.exact},
          {"complete", found.complete},
          {"first_integrals", std::move(integrals)}};
}

// The multipliers of a steady motion, computed anew if it was found in equations without multipliers.
std::vector<double> multipliers(const BuiltModel& system, const Analysis& analysis, const LinearMotion& motion) {
  if (!system.dynamics.names().frictions.empty()) return solve_kkt(system.dynamics, state_of(motion.at)).lambda;
  if (!analysis.alone) return motion.at.lambda;
  const Dynamics& reduced = analysis.alone->system.dynamics;
  Workspace workspace(reduced);
  State state{motion.at.t, motion.at.q, std::vector<double>(motion.at.q.size())};
  find_qdot(reduced, state.t, state.q.data(), motion.at.v.data(), workspace, state.v.data());
  return solve_kkt(system.dynamics, state).lambda;
}

Json equilibrium_json(const BuiltModel& system, const Analysis& analysis, const Found& equilibrium) {
  const Names& names = system.dynamics.names();
  const Names& of_motion = analysis.alone ? analysis.alone->system.dynamics.names() : names;
  const LinearMotion& motion = equilibrium.motion;
  Json eigenvalues = Json::array();
  for (const Mode& mode : equilibrium.stability.modes) eigenvalues.push_back(complex_json(mode.eigenvalue));
  Json json{{"kind", std::string(to_text(motion.kind))},
            {"q", named_json(names.coordinates, motion.at.q)},
            {"v", named_json(of_motion.velocity_names(), motion.at.v)},
            {"lambda", named_json(names.rows, multipliers(system, analysis, motion))},
            {"family", equilibrium.stability.family},
            {"eigenvalues", std::move(eigenvalues)},
            {"zero_family", explained_zeros(equilibrium)},
            {"because", equilibrium.stability.because},
            {"stability", std::string(to_text(equilibrium.stability.verdict))},
            {"undecided", text_or_null(equilibrium.stability.undecided)}};
  if (equilibrium.unheld) json.append("friction", frictions_json(*equilibrium.unheld, state_of(motion.at)));
  return json;
}

// Extends a steady motion of `relative`, in which coordinates are left out, to a motion of the whole system.
std::optional<MotionPoint> whole_motion(const BuiltModel& system, const SystemAt& relative, const State& found) {
  State guess = relative.state;
  AssembleOptions hold;
  for (std::size_t i = 0; i < found.q.size(); ++i) {
    if (!relative.left_out[i]) guess.q[i] = found.q[i];
    hold.hold_position.push_back(!relative.left_out[i]);
  }
  guess.v.assign(found.q.size(), 0.0);
  Assembly assembly = assemble(system.dynamics, guess, hold);
  if (assembly.status == AssemblyStatus::kNoPosition) return std::nullopt;
  State& state = assembly.state;
  Workspace workspace(relative.system.dynamics);
  find_qdot(relative.system.dynamics, state.t, state.q.data(), found.v.data(), workspace, state.v.data());
  if (!check_consistency(system.dynamics, state, 1e-8).ok()) return std::nullopt;
  return point_at(system.dynamics, state);
}

// Warns if the search for equilibria tried only `tried` of its `of` starts; `tried` < 0: it tried all.
void warn_of_tried(int tried, int of, Analysis& analysis) {
  if (tried < 0) return;
  Diagnostic cut = warning("W0315", fmt::format("equilibria were looked for from {} of {} starts only: the equations "
                                                "and their derivatives are too large for more",
                                                tried, of));
  cut.help.push_back("`linearize --settle --set NAME=VALUE` goes to the equilibrium nearest to a state");
  append_new(analysis.warnings, {cut});
}

// Whether no accelerations exist at the state from which equilibria are looked for; then a warning says so. Frictions may contradict each other there and not elsewhere.
bool has_no_accelerations(const SystemAt& used, bool slides, Analysis& analysis) {
  if (slides && solve_kkt(used.system.dynamics, used.state).status != KktStatus::kSingular) return false;
  std::optional<Diagnostic> none = no_accelerations(used.system, used.state, "at this state");
  if (!none) return false;
  analysis.looked = false;
  append_new(analysis.warnings, {*std::move(none)});
  return true;
}

void find_in(const SystemAt& used, const EquationDerivatives& derivatives, Analysis& analysis) {
  const SteadyAt steady_at(used, used.system.dynamics, derivatives);
  const SteadySystem& steady = *steady_at;
  analysis.searched = steady.is_autonomous();
  int tried = -1;
  SearchOptions options{.prefer_position = used.held_q, .prefer_velocity = used.held_v, .tried = &tried};
  options.accept = [&](const State& state) {
    return breaks_contacts(used, state, true).empty() &&
           (!used.unheld || breaks_mode(used.unheld->system.dynamics, used.unheld->mode, state).empty());
  };
  if (!used.unheld && has_no_accelerations(used, false, analysis)) return;
  for (Equilibrium& equilibrium : find_equilibria(steady, used.system.equations, used.state, options)) {
    judge_static_friction(used, equilibrium.motion, equilibrium.stability);
    analysis.equilibria.push_back({std::move(equilibrium), used.unheld});
  }
  warn_of_tried(tried, options.starts, analysis);
}

// Finds equilibria of the equations without the coordinates that drop out when the constraints are eliminated.
void find_relative(const BuiltModel& system, const SystemAt& relative, Analysis& analysis) {
  const EquationDerivatives derivatives(relative.system.equations);
  const SteadySystem steady{&relative.system.dynamics, &derivatives, relative.left_out};
  analysis.searched = steady.is_autonomous();
  SearchOptions options;
  int tried = -1;
  options.tried = &tried;
  options.accept = [&](const State& state) {
    const std::optional<MotionPoint> whole = whole_motion(system, relative, state);
    return whole && breaks_contacts(relative, state_of(*whole), true).empty();
  };
  analysis.left_out = names_where(system.dynamics.names().coordinates, relative.left_out, true);
  for (Equilibrium& equilibrium : find_equilibria(steady, relative.system.equations, relative.state, options)) {
    equilibrium.motion.at = *whole_motion(system, relative, state_of(equilibrium.motion.at));
    analysis.equilibria.push_back({std::move(equilibrium), nullptr});
  }
  warn_of_tried(tried, options.starts, analysis);
}

// Finds equilibria in every mode of the frictions and keeps those at which the mode is consistent.
void find_with_frictions(const SystemAt& given, Analysis& analysis) {
  analysis.searched = true;
  if (has_no_accelerations(given, true, analysis)) return;
  const std::vector<FrictionMode> modes = list_friction_modes(given.system.equations, kMostModes);
  if (modes.empty())
    analysis.warnings.push_back(warning(
        "W0311",
        fmt::format("{} frictions have too many combinations of sticking and sliding: equilibria are not looked for",
                    given.system.equations.frictions.size())));
  for (const FrictionMode& mode : modes) {
    const SystemAt held = hold_frictions(given, mode);
    find_in(held, EquationDerivatives(held.system.equations), analysis);
  }
}

}  // namespace

int rank_of_constraints(const BuiltModel& system, const Analysis& analysis) {
  return analysis.rank.rank - system.dynamics.names().actuated;
}

int velocity_freedoms(const BuiltModel& system, const Analysis& analysis) {
  return system.dynamics.nv() - rank_of_constraints(system, analysis);
}

int configuration_freedoms(const BuiltModel& system, const Analysis& analysis) {
  if (analysis.singular.rigid()) return 0;
  const int lost = analysis.singular.singular() ? analysis.singular.rank_nearby - analysis.rank.rank : 0;
  return velocity_freedoms(system, analysis) - lost + analysis.integrability.rank - analysis.integrability.integrable;
}

std::string freedoms_text(const BuiltModel& system, const Analysis& analysis) {
  const Integrability& found = analysis.integrability;
  const int most = configuration_freedoms(system, analysis), actuated = system.dynamics.names().actuated;
  const bool is_open = (analysis.singular.alone && !analysis.singular.rigid()) || analysis.holds_nothing ||
                       !analysis.rank.agrees_nearby().value_or(true);
  const std::string some = is_open ? "0 to "
                           : found.complete
                               ? ""
                               : fmt::format("{} to ", most - (found.integrable_at_most - found.integrable));
  return fmt::format("{} of velocity, {}{} of configuration{}", velocity_freedoms(system, analysis), some, most,
                     actuated > 0 ? fmt::format(", {} of them prescribed", actuated) : "");
}

std::string integrability_text(const Integrability& found) {
  std::string growth = fmt::format("{}", fmt::join(found.growth, ", "));
  const std::string numbers = found.exact ? "" : ", by numbers at a random point";
  if (found.complete)
    return fmt::format("{}: {} of {} integrable, growth ({}){}", found.kind, found.integrable, found.rank, growth,
                       numbers);
  if (growth.empty()) return fmt::format("{}: {}", found.kind, found.why_undecided);
  return fmt::format("{}: {} to {} of {} integrable, growth ({}, ...){}, not followed further{}", found.kind,
                     found.integrable, found.integrable_at_most, found.rank, growth, numbers,
                     found.exact ? ": limit of work" : "");
}

Start start_of(const BuiltModel& system, const Analysis& analysis, const Found& found) {
  const MotionPoint& at = found.motion.at;
  Start start;
  start.t = at.t;
  const auto add = [](const std::vector<std::string>& names, const std::vector<double>& numbers,
                      std::vector<Start::Number>& to) {
    for (std::size_t i = 0; i < names.size() && i < numbers.size(); ++i) to.push_back({names[i], numbers[i]});
  };
  add(system.dynamics.names().coordinates, at.q, start.position);
  if (analysis.alone)
    add(analysis.alone->system.dynamics.names().of_motion(), at.v, start.quasi_velocity);
  else
    add(velocity_names(*system.model), at.v, start.velocity);
  return start;
}

Json analysis_json(const BuiltModel& system, const Analysis& analysis) {
  const Names& names = system.dynamics.names();
  const auto combined = [&](const RedundantRow& row) {
    Json combination = Json::object();
    for (const auto& [other, coefficient] : row.combination)
      combination.append(names.rows[static_cast<std::size_t>(other)], coefficient);
    return combination;
  };
  Json nearly = Json::array(), singular = nullptr;
  for (const RedundantRow& row : analysis.rank.nearly)
    nearly.push_back({{"row", names.rows[static_cast<std::size_t>(row.row)]},
                      {"combination", combined(row)},
                      {"distance", row.distance}});
  if (!analysis.singular.regular()) {
    Json rows = Json::array();
    for (const int row : analysis.singular.rows) rows.push_back(names.rows[static_cast<std::size_t>(row)]);
    Json rank_nearby = nullptr;
    if (!analysis.singular.alone) rank_nearby = analysis.singular.rank_nearby;
    singular = {{"rank_nearby", std::move(rank_nearby)}, {"rows", std::move(rows)}};
  }
  Json redundant = Json::array(), motions = Json::array(), conserved = Json::array(), equilibria = Json::array();
  for (const RedundantRow& row : analysis.rank.redundant) {
    redundant.push_back({{"row", names.rows[static_cast<std::size_t>(row.row)]},
                         {"combination", combined(row)},
                         {"consistent", row.consistent},
                         {"consistent_nearby", row.consistent_nearby ? Json(*row.consistent_nearby) : Json(nullptr)},
                         {"distance", row.distance},
                         {"exact", row.exact}});
  }
  for (const std::vector<double>& motion : analysis.rank.free_motions) motions.push_back(list_json(motion));
  for (const auto& [name, expression] : analysis.conserved)
    conserved.push_back({{"name", name}, {"expression", expression}});
  for (const Found& equilibrium : analysis.equilibria)
    equilibria.push_back(equilibrium_json(system, analysis, equilibrium));
  Json list = Json::array();
  for (const std::string& name : analysis.left_out) list.push_back(name);
  return {{"model", system.model->name},
          {"N", system.dynamics.nq()},
          {"m", system.equations.m()},
          {"rank", rank_of_constraints(system, analysis)},
          {"dof",
           {{"velocity", velocity_freedoms(system, analysis)},
            {"configuration", configuration_freedoms(system, analysis)}}},
          {"redundant", std::move(redundant)},
          {"nearly_dependent", std::move(nearly)},
          {"singular", std::move(singular)},
          {"free_motions", std::move(motions)},
          {"integrability", integrability_json(analysis)},
          {"conserved", std::move(conserved)},
          {"left_out", list},
          {"equilibria", std::move(equilibria)}};
}

namespace {

std::optional<Diagnostic> refuse_size(std::size_t size) {
  if (size <= static_cast<std::size_t>(kMostAnalyzed)) return std::nullopt;
  Diagnostic large = error(
      "E0904",
      fmt::format("analyze takes at most {} velocities and constraint rows; this model has {}", kMostAnalyzed, size));
  large.help = {"for larger systems `check` counts the freedoms, and `linearize` takes one state at a time"};
  return large;
}

}  // namespace

std::optional<Diagnostic> refuse_to_analyze(const Model& model) {
  return refuse_size(model.velocity_places().size() + model.rows().size() + model.prescribed.size());
}

namespace {

// An integrable Pfaffian row keeps the motion on a surface, on which rows may agree that contradict each other beside it: x' - y' = 0 and 2 x' - 2 y' + x - y = 0
// from x = y. Then it is not decided whether they agree.
void forget_unreached(const BuiltModel& system, Analysis& analysis) {
  std::vector<RedundantRow>& redundant = analysis.rank.redundant;
  const auto independent = std::ranges::count_if(system.dynamics.layout().holonomic, [&](int row) {
    return std::ranges::find(redundant, row, &RedundantRow::row) == redundant.end();
  });
  if (analysis.integrability.integrable <= independent) return;
  for (RedundantRow& row : redundant)
    if (row.consistent_nearby == false) row.consistent_nearby.reset();
}

// Where rows contradict each other nearby, brackets of what some of them allow say nothing of the motion.
void leave_undecided(const BuiltModel& system, Analysis& analysis) {
  Integrability& found = analysis.integrability;
  found.kind = "undecided";
  found.why_undecided = "rows that agree here contradict each other nearby";
  found.exact = found.complete = false;
  found.growth.clear();
  found.rank = found.integrable_at_most = rank_of_constraints(system, analysis);
  found.integrable = 0;
}

// The rank of the constraints on their manifold near the state; no value where no other position was found, or where a row may follow from
// prescribed coordinates, which do not count.
std::optional<int> rank_nearby(const BuiltModel& system, const Analysis& analysis) {
  if (analysis.singular.alone) return std::nullopt;
  if (system.dynamics.names().actuated > 0 && !analysis.rank.redundant.empty()) return std::nullopt;
  const int lost = analysis.singular.singular() ? analysis.singular.rank_nearby - analysis.rank.rank : 0;
  return rank_of_constraints(system, analysis) + lost;
}

// Warns of constraints that hold nothing. Their rows vanish nearby as well where they hold, and round-off is all that a search would see of them.
bool holds_nothing(const BuiltModel& system, Analysis& analysis) {
  const std::vector<int> squared = squared_rows(system.equations);
  if (squared.empty()) return false;
  append_new(analysis.warnings, squared_row_warnings(system, squared));
  if (std::ranges::includes(squared, analysis.singular.rows)) analysis.singular = {};
  return true;
}

}  // namespace

Result<Analysis> analyze_system(const SystemAt& given, bool search) {
  const BuiltModel& system = given.system;
  if (auto large = refuse_size(static_cast<std::size_t>(system.dynamics.nv() + system.dynamics.m())))
    return *std::move(large);
  Analysis analysis;
  analysis.rank = find_rank(system.dynamics, given.state, &system.equations);
  if (analysis.rank.rank < system.dynamics.m()) analysis.singular = find_motion_branches(system.dynamics, given.state);
  analysis.holds_nothing = analysis.rank.rank < system.dynamics.m() && holds_nothing(system, analysis);
  if (analysis.singular.alone && analysis.rank.all_exact()) analysis.singular = {};
  analysis.integrability =
      find_integrability(system.equations, system.dynamics, &given.state, rank_nearby(system, analysis));
  forget_unreached(system, analysis);
  if (!analysis.rank.agrees_nearby().value_or(true)) leave_undecided(system, analysis);
  const Equations equations = on_overlay(system.equations);
  EquationPrinter printer(*equations.graph, Form::kCanonical, Notation::kText, nullptr, state_relations(equations));
  for (const ConservedQuantity& quantity : conserved_quantities(equations))
    analysis.conserved.emplace_back(quantity.name, text_of(printer.conserved(equations, quantity)));
  if (!analysis.integrability.first_integrals.empty()) {
    EquationPrinter of_integrals(*analysis.integrability.graph, Form::kCanonical, Notation::kText);
    for (const FirstIntegral& integral : analysis.integrability.first_integrals)
      analysis.first_integrals.emplace_back(integral.row, text_of(of_integrals.entry(integral.function)));
  }
  if (!search) return analysis;
  if (analysis.holds_nothing || system.equations.graph->parts() > kMostDifferentiated) {
    analysis.searched = true;
    analysis.looked = false;
    if (analysis.holds_nothing) return analysis;
    Diagnostic none = warning(
        "W0315",
        fmt::format("equilibria are not looked for: the equations have {} parts; the limit for derivatives is {}",
                    system.equations.graph->parts(), kMostDifferentiated));
    none.help.push_back("coordinates of each body, with constraints at the joints, make shorter equations");
    analysis.warnings.push_back(std::move(none));
    return analysis;
  }
  if (system.equations.frictions.empty()) {
    analysis.alone = closed_system(given);
    if (analysis.alone) {
      find_in(*analysis.alone, EquationDerivatives(analysis.alone->system.equations), analysis);
      return analysis;
    }
    SystemAt relative_at = given;
    const EquationDerivatives derivatives(system.equations);
    if (auto found = find_relative_coordinates({&system.dynamics, &derivatives}, given.state)) {
      relative_at.relative = std::make_shared<const RelativeCoordinates>(std::move(*found));
      const SystemAt rest = without_what_drops_out(relative_at);
      analysis.left_out = names_where(system.dynamics.names().coordinates, rest.left_out, true);
      find_in(rest, derivatives, analysis);
    } else if (const std::optional<SystemAt> relative = relative_system(given)) {
      find_relative(system, *relative, analysis);
    } else {
      find_in(given, derivatives, analysis);
    }
  } else {
    find_with_frictions(given, analysis);
  }
  return analysis;
}

}  // namespace dalembert
