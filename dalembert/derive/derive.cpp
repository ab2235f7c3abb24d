// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/affine.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/jumps.h"
#include "dalembert/derive/momenta.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/energy_place.h"

namespace dalembert {
namespace {

class Derivation {
 public:
  explicit Derivation(std::shared_ptr<const Model> model)
      : model_(*model), graph_(*model->graph), canonicalizer_(graph_) {
    eq_.model = std::move(model);
    eq_.graph = eq_.model->graph;
    eq_.t = model_.t;
    for (const Coordinate& c : model_.coordinates) {
      eq_.q.push_back(c.q);
      eq_.qd.push_back(c.qd);
      eq_.qdd.push_back(c.qdd);
      along_motion_.emplace(c.q.symbol(), c.qd);
      at_rest_.emplace(c.qd.symbol(), graph_.constant(0));
    }
    in_time_ = model_.time_rates();
    along_motion_.insert(in_time_.begin(), in_time_.end());
    positions_ = Variables(eq_.q);
    velocities_ = Variables(eq_.qd);
  }

  Result<Equations> run() {
    problems_ = model_.diagnostics();
    if (has_errors(problems_)) return problems_;
    energies();
    if (has_errors(problems_)) return problems_;
    equations_of_motion();
    forces();
    constraints();
    if (has_errors(problems_)) return problems_;
    find_conserved();
    eq_.nodes = graph_.size();
    graph_.share();
    return {std::move(eq_), std::move(problems_)};
  }

 private:
  Expr zero() { return graph_.constant(0); }
  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }
  // d/dt at q̈ = 0: the total derivative's part that the velocities make.
  Expr rate(const Expr& e) { return directional_derivative(std::array{e}, along_motion_).front(); }
  // ∂/∂t at fixed q, q̇: of t itself and of inputs that are known functions of it.
  Expr explicit_rate(const Expr& e) { return directional_derivative(std::array{e}, in_time_).front(); }

  // `e` with terms that merely cancel gone; `e` itself where that is too large to be told.
  Expr cancelled(const Expr& e) {
    const auto form = canonicalizer_.canonical(e);
    return form ? canonicalizer_.expression(*form) : e;
  }

  // A velocity that `e` truly depends on, or null. Looks past terms that merely cancel.
  Expr velocity_in(const Expr& e) {
    for (const int i : velocities_.in(e))
      if (const Expr& qd = eq_.qd[at(i)]; !vanishes(gradient(e, std::array{qd}).front())) return qd;
    return {};
  }

  void energies() {
    if (model_.L) {
      eq_.L = model_.L;
      eq_.V = -substitute(model_.L, at_rest_);
      eq_.T = eq_.L + eq_.V;
    } else {
      eq_.T = model_.T;
      eq_.V = model_.V;
      eq_.L = eq_.T - eq_.V;
    }
    eq_.p = gradient(eq_.T, eq_.qd);
    eq_.M = hessian(eq_.T, eq_.qd);
    if (model_.L) return;
    for (Expr& entry : eq_.M.value) {
      if (!kinds_.contains(entry, SymbolKind::kVelocity)) continue;
      // A slope of 0 is not enough: the sign of a velocity has one, and depends on it.
      entry = cancelled(entry);
      if (const std::vector<int> left = velocities_.in(entry); !left.empty()) {
        const Expr qd = eq_.qd[at(left.front())];
        Diagnostic d = error("E0220", "the kinetic energy is not quadratic in the velocities", model_.T_span,
                             fmt::format("its second derivatives depend on `{}`", to_text(qd)));
        d.help.push_back(
            "give such an energy as a whole: `lagrangian = \"...\"` in [energy], alone, may depend on velocities in "
            "any way");
        problems_.push_back(std::move(d));
        return;
      }
    }
  }

  void equations_of_motion() {
    const std::vector<Expr> momentum_rate = directional_derivative(eq_.p, along_motion_);
    const std::vector<Expr> T_q = gradient(eq_.T, eq_.q);
    for (int i = 0; i < eq_.n(); ++i) eq_.B.push_back(momentum_rate[at(i)] - T_q[at(i)]);
    eq_.G = gradient(eq_.V, eq_.q);
    std::vector<Graph::Term> energy{{eq_.L, -1}};
    for (int i = 0; i < eq_.n(); ++i) energy.push_back({eq_.qd[at(i)] * eq_.p[at(i)], 1});
    eq_.E = graph_.sum(energy);
    eq_.dLdt = explicit_rate(eq_.L);
  }

  void forces() {
    std::vector<std::vector<Graph::Term>> F(eq_.q.size());
    const auto add_gradient = [&](const Expr& e, const Variables& wrt, const Expr& factor, const Rational& sign) {
      for (const auto& [i, slope] : sparse_gradient(e, wrt))
        F[at(i)].push_back({factor ? slope * factor : slope, sign});
    };
    for (const Force& force : model_.forces) {
      for (const Contribution& part : force.parts) {
        if (part.rate && !part.factor) require_linear_power(part.along, force.span);
        add_gradient(part.along, part.rate ? velocities_ : positions_, part.factor, 1);
      }
    }
    if (!model_.R.is_zero()) add_gradient(model_.R, velocities_, {}, -1);
    std::vector<Graph::Term> power;
    for (int i = 0; i < eq_.n(); ++i) {
      eq_.F.push_back(graph_.sum(F[at(i)]));
      power.push_back({eq_.F.back() * eq_.qd[at(i)], 1});
    }
    eq_.power = graph_.sum(power);
  }

  void require_linear_power(const Expr& power, const Span& span) {
    for (const auto& [i, slope] : sparse_gradient(power, velocities_)) {
      const Expr qd = velocity_in(slope);
      if (!qd) continue;
      Diagnostic d = error(
          "E0221",
          fmt::format("this power is not linear in the velocities: its derivative depends on `{}`", to_text(qd)), span);
      d.notes.push_back("F = dP/d(q') would count a damper's force twice");
      d.help.push_back(
          "write a damper as [[damper]] or as `dissipation = \"c/2*theta'^2\"` in [energy]; "
          "any other force that depends on velocities as [[force]] with coordinate and value");
      problems_.push_back(std::move(d));
      return;
    }
  }

  void constraints() {
    for (const Constraint& constraint : model_.constraints)
      for (const ConstraintRow& row : constraint.rows) add_row(constraint.kind->velocity, row);
    eq_.W.rows = eq_.Wdot.rows = eq_.m();
    eq_.W.cols = eq_.Wdot.cols = eq_.n();
  }

  void add_row(bool velocity_row, const ConstraintRow& row) {
    const int j = eq_.m();
    const bool holonomic = !velocity_row;
    // What is evaluated before velocities are known, W and a, must not contain them, not even in terms that cancel.
    Expr eta = row.expression;
    if (!holonomic && not_affine_in(eta, velocities_)) {
      eta = cancelled(eta);
      if (const Expr qd = not_affine_in(eta, velocities_)) refuse_row(row, qd);
    }
    eq_.rows.push_back(row.name);
    eq_.lambda.push_back(row.lambda);
    eq_.h.push_back(row.expression);
    std::vector<Graph::Term> velocity;
    for (const auto& [i, slope] : sparse_gradient(eta, holonomic ? positions_ : velocities_)) {
      add_entry(eq_.W, j, i, slope);
      if (const Expr d = rate(slope); !d.is_zero()) add_entry(eq_.Wdot, j, i, d);
      velocity.push_back({slope * eq_.qd[at(i)], 1});
    }
    if (holonomic) {
      eq_.holonomic.push_back(j);
      eq_.a.push_back(explicit_rate(row.expression));
      velocity.push_back({eq_.a.back(), 1});
      eq_.gamma.push_back(rate(graph_.sum(velocity)));
    } else {
      eq_.a.push_back(substitute(eta, at_rest_));
      eq_.gamma.push_back(rate(eta));
    }
  }

  void refuse_row(const ConstraintRow& row, const Expr& qd) {
    // Rows that `for` made are written once, and refused once.
    for (const Diagnostic& d : problems_)
      if (d.code == "E0222" && d.primary.span.begin == row.span.begin && d.primary.span.source == row.span.source)
        return;
    Diagnostic d = error("E0222", fmt::format("the Pfaffian constraint `{}` is not affine in the velocities", row.name),
                         row.span, fmt::format("`{}` is in it other than times a coefficient", to_text(qd)));
    d.help.push_back("a Pfaffian constraint has the form w1(q,t)*q1' + w2(q,t)*q2' + ... + a(q,t) = 0");
    problems_.push_back(std::move(d));
  }

  // With inputs that are constant replaced by their values: a torque input of 0 does not spoil a conservation law.
  Expr with_constant_inputs(const Expr& e) {
    std::unordered_map<SymbolId, Expr> values;
    for (const Input& input : model_.inputs)
      if (input.value && input.value.is_constant()) values.emplace(input.symbol.symbol(), input.value);
    return values.empty() ? e : substitute(e, values);
  }

  void find_conserved() {
    std::vector<Expr> F;
    for (const Expr& e : eq_.F) F.push_back(with_constant_inputs(e));
    const auto all_vanish = [&](const std::vector<Expr>& list) {
      for (const Expr& e : list)
        if (!vanishes(e)) return false;
      return true;
    };
    const bool continuous = add_jumps(F);
    std::vector<Expr> a;
    for (const Expr& e : eq_.a) a.push_back(with_constant_inputs(e));
    eq_.conservative = continuous && all_vanish(F) && all_vanish(a) && vanishes(with_constant_inputs(eq_.dLdt));
    eq_.momenta = find_momenta(eq_, F, canonicalizer_);
  }

  // At a jump of the energy acts a force across it that no derivative has: of any size, so no motion through it
  // conserves what that force would change. Whether there is none.
  bool add_jumps(std::vector<Expr>& F) {
    const std::vector<Expr> in_T = find_jumps(eq_.T, model_);
    std::vector<Expr> jumps = find_jumps(eq_.V, model_);
    const std::size_t of_V = jumps.size();
    jumps.insert(jumps.end(), in_T.begin(), in_T.end());
    for (std::size_t k = 0; k < jumps.size(); ++k) {
      const Expr any = graph_.add_symbol(
          {fmt::format("jump{}", k + 1), SymbolKind::kInput, static_cast<int>(model_.inputs.size() + k), {}});
      const auto across = sparse_gradient(jumps[k], positions_);
      for (const auto& [i, slope] : across) F[at(i)] = F[at(i)] + any * slope;
      // A potential that is switched in time does work, and its force is right before and after.
      if (k < of_V && across.empty()) continue;
      const bool potential = k < of_V;
      Diagnostic d =
          warning("W0220", fmt::format("the {} energy is not continuous where `{}` changes its {}",
                                       potential ? "potential" : "kinetic", to_text(jumps[k]),
                                       is_floor(jumps[k], potential ? eq_.V : eq_.T) ? "integer part" : "sign"));
      d.primary.span = energy_place(model_, potential);
      d.notes.push_back("at the jump acts a force of no duration, which the equations of motion do not have");
      d.help.push_back("a ramp over a short distance, as `max(0, min(1, x/0.001))`, has a force");
      problems_.push_back(std::move(d));
    }
    return jumps.empty();
  }
  bool is_floor(const Expr& guard, const Expr& energy) {
    for (const NodeId id : reachable(std::array{energy}))
      if (graph_.op(id) == Op::kFloor && graph_.items(id)[0].node == guard.id()) return true;
    return false;
  }

  static void add_entry(SparseMatrix& matrix, int row, int col, const Expr& value) {
    matrix.row.push_back(row);
    matrix.col.push_back(col);
    matrix.value.push_back(value);
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Model& model_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  Equations eq_;
  Diagnostics problems_;
  std::unordered_map<SymbolId, Expr> along_motion_, in_time_, at_rest_;
  Variables positions_{{}}, velocities_{{}};
  KindMasks kinds_;
};

}  // namespace

Result<Equations> derive(std::shared_ptr<const Model> model) { return Derivation(std::move(model)).run(); }

std::vector<ConservedQuantity> conserved_quantities(const Equations& equations) {
  std::vector<ConservedQuantity> all = equations.momenta;
  if (equations.conservative) all.insert(all.begin(), {"energy", equations.E});
  return all;
}

std::optional<Dimension> lambda_dimension(const Model& model, const Constraint& constraint, const ConstraintRow& row) {
  if (!model.has_units || !row.dimension) return std::nullopt;
  return (constraint.kind->velocity ? Dimension::power_unit() : Dimension::energy()) / *row.dimension;
}

}  // namespace dalembert
