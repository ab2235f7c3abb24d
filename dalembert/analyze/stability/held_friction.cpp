// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/held_friction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dalembert/analyze/stability/lost_inertia.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/contact_mode.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/expr/ordered.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// A sliding speed, a load or a reserve before sliding counts as 0 below this fraction of the terms that it is the sum of.
constexpr double kLimit = 1e-9;

// The matrix with entries in the same place added up.
SparseMatrix summed(const SparseMatrix& matrix, Graph& graph) {
  std::map<std::pair<int, int>, std::vector<Graph::Term>> sums;
  for (std::size_t k = 0; k < matrix.value.size(); ++k)
    sums[{matrix.row[k], matrix.col[k]}].push_back({matrix.value[k], 1});
  SparseMatrix all{.rows = matrix.rows, .cols = matrix.cols, .row = {}, .col = {}, .value = {}};
  for (const auto& [place, terms] : sums)
    if (const Expr sum = graph.sum(terms); !sum.is_zero()) add_entry(all, place.first, place.second, sum);
  return all;
}

class Holder {
 public:
  explicit Holder(const Equations& given)
      : given_(on_overlay(given)), eq_(given_), graph_(*eq_.graph), model_(std::make_shared<Model>(*eq_.model)) {
    model_->events.clear();  // events belong to runs, and no run uses these equations
    eq_.frictions.clear();
    eq_.C = eq_.load = {};
    model_->frictions.clear();
    model_->claims.clear();
    along_ = rates_of_state(given_);
    for (const auto& [symbol, rate] : given_.model->time_rates()) along_.emplace(symbol, graph_.adopt(rate));
    forces_.resize(index(eq_.nv()));
  }

  Equations hold(const FrictionMode& mode) {
    for (int j = 0; j < static_cast<int>(mode.size()); ++j)
      if (mode[index(j)].direction == 0)
        stick(j);
      else
        slide(j, mode[index(j)]);
    eq_.W.rows = eq_.Wdot.rows = eq_.Phi.cols = eq_.m();
    eq_.Phi.rows = eq_.W.cols = eq_.Wdot.cols = eq_.nv();
    eq_.Phi = summed(eq_.Phi, graph_);
    std::vector<Graph::Term> power{{eq_.power, 1}};
    for (std::size_t i = 0; i < forces_.size(); ++i) {
      if (forces_[i].empty()) continue;
      const Expr force = graph_.sum(forces_[i]);
      eq_.F[i] = eq_.F[i] + force;
      power.push_back({force * eq_.velocities()[i], 1});
    }
    eq_.power = graph_.sum(power);
    eq_.conservative = false;
    substitute_results(*model_, graph_, of_outputs_);
    eq_.model = std::move(model_);
    eq_.nodes = 0;
    return std::move(eq_);
  }

 private:
  void stick(int j) {
    const FrictionLaw& law = given_.frictions[index(j)];
    const Friction& stated = given_.model->frictions[index(j)];
    const int row = eq_.m();
    const Symbol symbol = graph_.symbol_info(law.force.symbol());
    const Expr force = graph_.add_symbol({symbol.name, SymbolKind::kMultiplier, row, symbol.latex});
    const std::string name = fmt::format("friction({})", law.name);
    for (std::size_t k = 0; k < given_.C.value.size(); ++k) {
      if (given_.C.row[k] != j) continue;
      add_entry(eq_.W, row, given_.C.col[k], -given_.C.value[k]);
      if (const Expr rate = directional_derivative(std::array{-given_.C.value[k]}, along_).front(); !rate.is_zero())
        add_entry(eq_.Wdot, row, given_.C.col[k], rate);
    }
    eq_.rows.push_back(name);
    eq_.lambda.push_back(force);
    eq_.h.push_back(-law.velocity);
    eq_.a.push_back(-law.c0);
    eq_.gamma.push_back(-law.gamma);
    of_outputs_.emplace(stated.force.symbol(), force);
    std::optional<Dimension> speed;
    if (stated.force_dimension) speed = Dimension::power_unit() / *stated.force_dimension;
    model_->constraints.push_back({law.name,
                                   &constraint_kind("pfaffian"),
                                   {{name, -graph_.adopt(stated.velocity), force, speed, stated.velocity_span}},
                                   {},
                                   stated.span});
  }

  // d of a friction that slides: ±1, or in a plane a component of the unit vector v_s/|v_s|.
  Expr direction_of(int j, const FrictionState& state) {
    const bool is_second = given_.frictions[index(j)].second;
    if (!is_second && (index(j) + 1 == given_.frictions.size() || !given_.frictions[index(j) + 1].second))
      return graph_.constant(state.direction);
    const int first = is_second ? j - 1 : j;
    const Expr &x = given_.frictions[index(first)].velocity, &y = given_.frictions[index(first) + 1].velocity;
    return given_.frictions[index(j)].velocity / sqrt(square(x) + square(y));
  }

  void slide(int j, const FrictionState& state) {
    const FrictionLaw& law = given_.frictions[index(j)];
    const Expr per_load = law.mu * direction_of(j, state) * graph_.constant(state.load);
    // The force of a friction that slides at speed v_s, with direction d, normal force N = (∂N/∂λ) λ + N₀ of sign s and
    // viscous coefficient c: f = (d s μ ∂N/∂λ) λ + d s μ N₀ + c v_s.
    const Expr without = sum_of_products(per_load, law.N0, law.viscous, law.velocity);
    for (std::size_t k = 0; k < given_.C.value.size(); ++k) {
      if (given_.C.row[k] != j) continue;
      const int i = given_.C.col[k];
      const Expr along = -given_.C.value[k];
      if (!without.is_zero()) forces_[index(i)].push_back({along * without, 1});
      for (std::size_t e = 0; e < given_.load.value.size(); ++e)
        if (given_.load.row[e] == j) add_entry(eq_.Phi, i, given_.load.col[e], along * per_load * given_.load.value[e]);
    }
    of_outputs_.emplace(given_.model->frictions[index(j)].force.symbol(),
                        sum_of_products(per_load, law.normal, law.viscous, law.velocity));
  }

  const Equations given_;
  Equations eq_;
  Graph& graph_;
  std::shared_ptr<Model> model_;
  std::unordered_map<SymbolId, Expr> along_, of_outputs_;
  std::vector<std::vector<Graph::Term>> forces_;  // forces of the frictions that slide, without their part in λ
};

Diagnostic at_limit(const Names& names, std::size_t friction, std::string why) {
  Diagnostic problem =
      error("E0273", fmt::format("the friction `{}` is at a limit at this state: {}", names.frictions[friction], why));
  problem.help.push_back(
      "name a state at which every friction slides, or sticks with less than its limit: `--set` its position or "
      "velocity, or "
      "`--at STATE.json`");
  problem.help.push_back("`dalembert analyze` looks for equilibria in every combination of sticking and sliding");
  return problem;
}

}  // namespace

Equations hold_frictions(const Equations& equations, const FrictionMode& mode) { return Holder(equations).hold(mode); }

Result<FrictionMode> find_friction_mode(const Dynamics& dynamics, const State& state) {
  const Names& names = dynamics.names();
  Workspace workspace(dynamics);
  std::vector<double> qdd(as_size(dynamics.nv())), multipliers(as_size(dynamics.layout().multipliers()));
  const KktStatus status =
      solve_kkt(dynamics, state.t, state.q.data(), state.v.data(), workspace, qdd.data(), multipliers.data());
  if (status != KktStatus::kOk) {
    Diagnostic problem = nothing_to_linearise(dynamics, state, status);
    if (workspace.friction && status == KktStatus::kParadox)
      problem.notes.push_back(describe(workspace.friction->decided, names, dynamics.m()));
    return problem;
  }
  if (!workspace.friction) return FrictionMode{};
  FrictionSystem& friction = *workspace.friction;
  friction.measure(qdd.data(), multipliers.data());
  Diagnostics problems;
  for (int j = 0; j < friction.count(); ++j) {
    if (friction.is_second(j)) continue;
    const double N = std::abs(friction.normal(j)), f = friction.size_of(multipliers.data() + dynamics.m(), j);
    if (friction.has_load(j) && !(N > kLimit * friction.load_size(j)))
      problems.push_back(at_limit(names, index(j), "its normal force is 0"));
    else if (friction.mode[index(j)].direction == 0 && !(f <= (1 - kLimit) * friction.static_coefficient(j) * N))
      problems.push_back(at_limit(names, index(j), "it sticks with all the force that it has, and is about to slide"));
    else if (friction.mode[index(j)].direction != 0 &&
             !(friction.sliding_speed(j) > kLimit * friction.size_of_speeds(j)))
      problems.push_back(at_limit(names, index(j), "it begins to slide: its sliding speed is 0"));
  }
  if (!problems.empty()) return problems;
  return friction.mode;
}

std::vector<FrictionMode> list_friction_modes(const Equations& equations, std::size_t most) {
  static constexpr std::array<FrictionState, 5> kStates{{{0, 1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}}};
  std::vector<FrictionMode> modes{{}};
  const auto is_second = [&](std::size_t j) { return j < equations.frictions.size() && equations.frictions[j].second; };
  for (std::size_t j = 0; j < equations.frictions.size(); ++j) {
    if (is_second(j)) {
      for (FrictionMode& mode : modes) mode.push_back(mode.back());
      continue;
    }
    std::vector<FrictionMode> longer;
    for (const FrictionState& state : kStates)
      for (const FrictionMode& mode : modes) {
        if (is_second(j + 1) && state.direction < 0) continue;  // in a plane the speed has the direction
        longer.push_back(mode);
        longer.back().push_back(state);
      }
    modes = std::move(longer);
    if (modes.size() > 5 * most) break;
  }
  const auto stuck = [](const FrictionMode& mode) {
    return std::ranges::count_if(mode, [](const FrictionState& state) { return state.direction == 0; });
  };
  if (!modes.empty() && modes.front().size() < equations.frictions.size()) return {};
  std::ranges::stable_sort(modes, [&](const FrictionMode& a, const FrictionMode& b) { return stuck(a) > stuck(b); });
  return modes.size() <= most ? modes : std::vector<FrictionMode>{};
}

std::string_view to_text(const FrictionState& state) {
  return state.direction == 0 ? "sticks" : state.direction > 0 ? "slides (+)" : "slides (-)";
}

}  // namespace dalembert
