// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/energy_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/stability/local_sign.h"
#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/sides.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/derive/jumps.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// A curvature counts as 0 below this fraction of the largest in its part.
constexpr double kFlat = 1e-9;
// Eigenvalues within this fraction count as one; a mode does not move u where |u| is below this fraction of its size.
constexpr double kSameMode = 1e-6;
// Forces of more nodes than this are not judged: the sign of each costs all those below it.
constexpr std::size_t kMostNodes = 20000;
// A sum of terms in more coordinates than this is not examined for its curvature.
constexpr std::size_t kMostCurved = 100;

bool all_jump_free(const Equations& eq) {
  for (const Expr& energy : {eq.V, eq.T})
    if (!find_jumps(energy, *eq.model).empty()) return false;
  return true;
}

// What the forces do to the energy near the point.
struct Work {
  bool none = true;      // the power is 0
  int sign = 0;          // -1: nowhere positive, 1: nowhere negative, 0: not known
  bool chooses = false;  // conditions, abs and the like are in the energy or the constraints
  bool named = true;     // the power is 0 only where all of `zeros` are
  std::vector<Expr> zeros;
};

class WorkOfForces {
 public:
  /// `equations`: on an overlay, which outlives what is found.
  WorkOfForces(const Equations& equations, const Dynamics& dynamics, const MotionPoint& at,
               double known_to = LocalSigns::kBeside)
      : eq_(equations),
        dynamics_(dynamics),
        values_(values_at(eq_, dynamics, at)),
        state_(eq_.q),
        known_to_(known_to),
        canonicalizer_(*eq_.graph) {
    state_.insert(state_.end(), eq_.velocities().begin(), eq_.velocities().end());
    put_in_constants();
  }

  // Whether V has a strict minimum at the point by its terms.
  bool is_least_by_terms(const LinearMotion& motion) {
    if (of_forces_ || !substitute(constant(eq_.T), at_rest()).is_zero()) return false;
    LocalSigns signs(*eq_.graph, values_, state_, known_to_);
    std::vector<Expr> zeros;
    std::vector<Graph::Term> others;
    for (const Expr& term : terms_of(constant(eq_.V))) {
      if (depends_on(term, changing_)) return false;
      if (!depends_on(term, eq_.q)) continue;
      const LocalSign sign = signs.of(term);
      if (sign.sign > 0 && !sign.strict && sign.zeros)
        zeros.insert(zeros.end(), sign.zeros->begin(), sign.zeros->end());
      else
        others.push_back({term, 1});
    }
    return add_curved(eq_.graph->sum(others), zeros) && determine(zeros, motion, false);
  }

  // The slopes of expressions along the states, the largest of each scaled to 1.
  Matrix slopes_of(const std::vector<Expr>& u, const LinearMotion& motion) const {
    Matrix all(u.size(), motion.states.size());
    for (std::size_t r = 0; r < u.size(); ++r) {
      Matrix slope(1, state_.size());
      slope.entries = numbers_of(gradient(u[r], state_), values_);
      slope = slope * motion.tangent;
      const double size = largest(slope);
      for (std::size_t j = 0; j < all.cols && size > 0; ++j) all(r, j) = slope(0, j) / size;
    }
    return all;
  }

  // Whether near the point all states of a kind are 0 with `zeros`, to first order.
  bool determine(const std::vector<Expr>& zeros, const LinearMotion& motion, bool velocities) const {
    const auto is_other = [&](const MotionState& state) { return state.velocity != velocities; };
    std::size_t kind = 0;
    Matrix slopes = slopes_of(zeros, motion);
    for (std::size_t r = 0; r < slopes.rows; ++r)
      for (std::size_t j = 0; j < slopes.cols; ++j)
        if (is_other(motion.states[j])) slopes(r, j) = 0;
    for (const MotionState& state : motion.states) kind += is_other(state) ? 0 : 1;
    return !zeros.empty() && pivot_columns(transposed(slopes), kSameMode).size() == kind;
  }

  // No value where it is not known what the forces do.
  std::optional<Work> find() {
    if (eq_.load_dependent()) return std::nullopt;
    if (eq_.conservative) return Work{};
    const auto vanishes = [&](const Expr& e) { return constant(e).is_zero(); };
    if (!vanishes(eq_.dLdt) || !std::ranges::all_of(eq_.a, vanishes)) return std::nullopt;
    if (vanishes(eq_.power)) return Work{};
    if (!eq_.v_is_qdot() || reachable(std::array{eq_.power}).size() > kMostNodes) return std::nullopt;
    if (!are_all_stated() || !collect() || !has_potential()) return std::nullopt;
    return work();
  }

 private:
  // A force along a velocity: its power is factor·along.
  struct Force {
    Expr factor, along;
  };

  // Parameters that are 0, and inputs that do not change, by their values: a damper with coefficient 0 does nothing.
  void put_in_constants() {
    for (std::size_t i = 0; i < eq_.model->parameters.size(); ++i)
      if (dynamics_.parameters()[i] == 0)
        constants_.emplace(eq_.model->parameters[i].symbol.symbol(), eq_.graph->constant(0));
    for (const Input& input : eq_.model->inputs) {
      changing_.push_back(input.symbol);
      if (!input.value || !input.value.is_constant()) continue;
      constants_.emplace(input.symbol.symbol(), eq_.graph->adopt(input.value));
    }
    changing_.push_back(eq_.t);
  }
  Expr constant(const Expr& e) const { return substitute(e, constants_); }

  // The terms of a sum, each with its number as a factor.
  std::vector<Expr> terms_of(const Expr& e) const {
    if (e.op() != Op::kSum) return {e};
    std::vector<Expr> terms;
    for (const Graph::Item& item : eq_.graph->items(e.id()))
      terms.push_back(Expr(eq_.graph.get(), item.node) * eq_.graph->number(item));
    if (!eq_.graph->number(e.id()).is_zero()) terms.push_back(eq_.graph->constant(eq_.graph->number(e.id())));
    return terms;
  }

  // Whether F is what the model states as forces: a friction that slides is one that it does not.
  bool are_all_stated() {
    const Variables positions(eq_.q), velocities(eq_.qd);
    std::vector<std::vector<Graph::Term>> F(eq_.F.size());
    const auto add = [&](const Expr& along, bool by_rate, const Expr& factor, int sign) {
      for (const auto& [i, slope] : sparse_gradient(along, by_rate ? velocities : positions))
        F[static_cast<std::size_t>(i)].push_back({factor ? slope * factor : slope, sign});
    };
    for (const dalembert::Force& force : eq_.model->forces)
      for (const Contribution& part : force.parts)
        add(eq_.graph->adopt(part.along), part.rate, eq_.graph->adopt(part.factor), 1);
    add(eq_.graph->adopt(eq_.model->R), true, {}, -1);
    for (std::size_t i = 0; i < F.size(); ++i) {
      const Expr difference = eq_.F[i] - eq_.graph->sum(F[i]);
      if (!difference.is_zero() && decide_zero(canonicalizer_, difference) != ZeroTest::kZero) return false;
    }
    return true;
  }

  // Divides the forces into those of positions alone and others. Returns whether none of them changes with time.
  bool collect() {
    const Variables velocities(eq_.qd);
    of_position_.assign(eq_.q.size(), {});
    const auto add_position = [&](const Expr& power) {
      for (const auto& [i, slope] : sparse_gradient(power, velocities))
        of_position_[static_cast<std::size_t>(i)].push_back({slope, 1});
    };
    for (const dalembert::Force& force : eq_.model->forces) {
      for (const Contribution& part : force.parts) {
        const Expr along = part.rate ? eq_.graph->adopt(part.along) : rate(eq_.graph->adopt(part.along));
        if (!part.factor) {
          add_position(constant(along));
          continue;
        }
        for (const Expr& factor : terms_of(constant(eq_.graph->adopt(part.factor)))) {
          if (factor.is_zero()) continue;
          if (depends_on(factor, eq_.qd))
            forces_.push_back({factor, constant(along)});
          else
            add_position(factor * constant(along));
        }
      }
    }
    dissipation_ = constant(eq_.graph->adopt(eq_.model->R));
    const auto changes = [&](const Expr& e) { return depends_on(e, changing_); };
    return !changes(dissipation_) &&
           std::ranges::none_of(forces_, [&](const Force& f) { return changes(f.factor) || changes(f.along); });
  }

  std::unordered_map<SymbolId, Expr> at_rest() const {
    std::unordered_map<SymbolId, Expr> rest;
    for (const Expr& v : eq_.velocities()) rest.emplace(v.symbol(), eq_.graph->constant(0));
    return rest;
  }

  // Adds the coordinates of V's other terms to `zeros` if the sum of these terms curves upwards along all of them.
  bool add_curved(const Expr& others, std::vector<Expr>& zeros) const {
    std::vector<Expr> of;
    for (const Expr& q : eq_.q)
      if (depends_on(others, std::array{q})) of.push_back(q);
    if (of.empty()) return true;
    if (of.size() > kMostCurved || Sides::has_choices(std::array{others})) return false;
    const SparseMatrix second = hessian(others, of);
    const auto curvature = [&](double beside) {
      std::unordered_map<SymbolId, double> values = values_;
      for (const Expr& q : of) values[q.symbol()] += beside * std::max(1.0, std::abs(values_.at(q.symbol())));
      const std::vector<double> entries = numbers_of(second.value, values);
      Matrix H(of.size(), of.size());
      for (std::size_t k = 0; k < entries.size(); ++k)
        H(static_cast<std::size_t>(second.row[k]), static_cast<std::size_t>(second.col[k])) = entries[k];
      return H;
    };
    const Matrix H = curvature(0);
    const std::vector<double> slope = numbers_of(gradient(others, of), values_);
    for (std::size_t i = 0; i < of.size(); ++i) {
      double size = 0;
      for (std::size_t j = 0; j < of.size(); ++j)
        size += std::abs(H(i, j)) * std::max(1.0, std::abs(values_.at(of[j].symbol())));
      if (!(std::abs(slope[i]) <= kFlat * size)) return false;
    }
    // Where it is the curvature of the point alone, as of (y − 0.3)³ at what round-off takes for 0.3, it is none.
    double least = largest(H), change = 0;
    for (const std::complex<double>& value : eigenpairs(H).value) least = std::min(least, value.real());
    for (const double beside : {LocalSigns::kWithin, -LocalSigns::kWithin}) {
      const Matrix there = curvature(beside);
      for (std::size_t k = 0; k < H.entries.size(); ++k)
        change = std::max(change, std::abs(there.entries[k] - H.entries[k]));
    }
    if (!(least > kSameMode * largest(H)) || !(change * static_cast<double>(of.size()) < 0.5 * least)) return false;
    for (const Expr& q : of) zeros.push_back(q);
    return true;
  }

  Expr rate(const Expr& e) const {
    std::vector<Graph::Term> terms;
    const std::vector<Expr> slopes = gradient(e, eq_.q);
    for (std::size_t i = 0; i < slopes.size(); ++i)
      if (!slopes[i].is_zero()) terms.push_back({slopes[i] * eq_.qd[i], 1});
    return eq_.graph->sum(terms);
  }

  // Whether the forces of positions alone have a potential: ∂Q_i/∂q_j = ∂Q_j/∂q_i, and no jumps.
  bool has_potential() {
    std::vector<Expr> Q;
    for (const std::vector<Graph::Term>& terms : of_position_) Q.push_back(eq_.graph->sum(terms));
    for (const Expr& force : Q)
      if (depends_on(force, changing_) || depends_on(force, eq_.qd) || !find_jumps(force, *eq_.model).empty())
        return false;
    of_forces_ = std::ranges::any_of(Q, [](const Expr& force) { return !force.is_zero(); });
    std::vector<Expr> undamped = Q;
    undamped.insert(undamped.end(), {eq_.V, eq_.T});
    undamped.insert(undamped.end(), eq_.h.begin(), eq_.h.end());
    chooses_ = Sides::has_choices(undamped);
    const SparseMatrix slopes = jacobian(Q, eq_.q);
    for (std::size_t k = 0; k < slopes.value.size(); ++k) {
      const int i = slopes.row[k], j = slopes.col[k];
      if (i == j) continue;
      const Expr other = slopes.find(j, i);
      if (decide_zero(canonicalizer_, other ? slopes.value[k] - other : slopes.value[k]) != ZeroTest::kZero)
        return false;
    }
    return true;
  }

  // A product as its number and the rest, in which sums and their negatives are one.
  std::pair<Rational, Expr> parted(const Expr& e) const {
    if (e.op() != Op::kProduct) return {1, e};
    Rational number = eq_.graph->number(e.id());
    Expr rest = e / number;
    for (const Graph::Item& item : eq_.graph->items(e.id())) {
      const Expr base(eq_.graph.get(), item.node);
      const std::optional<int> exponent = eq_.graph->number(item).as_int();
      if (!exponent || *exponent % 2 == 0 || !is_turned(base)) continue;
      rest = rest / pow(base, *exponent) * pow(negated(*eq_.graph, base), *exponent);
      number = -number;
    }
    return {number, rest};
  }

  // Without forces whose powers cancel: y' on x and −x' on y.
  std::vector<Force> without_gyroscopic(const std::vector<Force>& forces) const {
    std::unordered_map<NodeId, Rational> powers;
    const auto power = [&](const Force& force) { return parted(force.factor * force.along); };
    for (const Force& force : forces) {
      const auto [number, rest] = power(force);
      powers[rest.id()] = powers[rest.id()] + number;
    }
    std::vector<Force> left;
    for (const Force& force : forces)
      if (!powers[power(force).second.id()].is_zero()) left.push_back(force);
    return left;
  }

  // Actions and their reactions, −f(x' − y') x' + f(x' − y') y', as one force along the difference.
  std::vector<Force> in_pairs(const std::vector<Force>& forces) const {
    std::vector<Force> together;
    for (const Force& force : forces) {
      const auto [number, factor] = parted(force.factor);
      const auto same = std::ranges::find(together, factor.id(), [](const Force& one) { return one.factor.id(); });
      if (same == together.end())
        together.push_back({factor, force.along * number});
      else
        same->along = same->along + force.along * number;
    }
    return together;
  }

  Work work() {
    Work all;
    all.none = without_gyroscopic(forces_).empty() && dissipation_.is_zero();
    all.chooses = chooses_;
    LocalSigns signs(*eq_.graph, values_, state_, known_to_);
    std::vector<Force> open;
    bool known = true;
    const auto take = [&](LocalSign sign) {
      known = known && sign.sign != 0 && (all.sign == 0 || all.sign == sign.sign);
      all.sign = sign.sign;
      all.named = all.named && sign.zeros.has_value();
      if (sign.zeros) all.zeros.insert(all.zeros.end(), sign.zeros->begin(), sign.zeros->end());
    };
    for (const Force& force : forces_) {
      const LocalSign sign = signs.of_product(std::array{force.factor, force.along});
      if (sign.sign != 0)
        take(sign);
      else
        open.push_back(force);
    }
    for (const Force& pair : in_pairs(without_gyroscopic(open)))
      take(signs.of_product(std::array{pair.factor, pair.along}));
    for (const Expr& term : terms_of(dissipation_)) {
      if (term.is_zero() || !depends_on(term, eq_.qd)) continue;
      LocalSign sign = signs.of(term);
      sign.sign = is_homogeneous(term) ? -sign.sign : 0;  // P = −Σ v ∂R/∂v is then a negative multiple of R
      take(sign);
    }
    if (!known) all.sign = 0;
    return all;
  }

  // The degree of an expression in the velocities; no value where it has none.
  std::optional<Rational> degree(const Expr& e) const {
    if (!depends_on(e, eq_.qd)) return Rational(0);
    const Graph& graph = *eq_.graph;
    const auto items = graph.items(e.id());
    if (e.op() == Op::kSymbol) return Rational(1);
    if (e.op() == Op::kAbs) return degree(Expr(eq_.graph.get(), items[0].node));
    if (e.op() != Op::kProduct && e.op() != Op::kSum) return std::nullopt;
    std::optional<Rational> all;
    for (const Graph::Item& item : items) {
      const std::optional<Rational> one = degree(Expr(eq_.graph.get(), item.node));
      if (!one) return std::nullopt;
      if (e.op() == Op::kProduct)
        all = all.value_or(Rational(0)) + *one * graph.number(item);
      else if (all && !(*all == *one))
        return std::nullopt;
      else
        all = one;
    }
    if (e.op() == Op::kSum && !graph.number(e.id()).is_zero()) return std::nullopt;
    return all;
  }
  bool is_homogeneous(const Expr& e) const {
    const std::optional<Rational> all = degree(e);
    return all && all->sign() > 0;
  }

  const Equations& eq_;
  const Dynamics& dynamics_;
  const std::unordered_map<SymbolId, double> values_;
  std::vector<Expr> state_;
  const double known_to_;
  Canonicalizer canonicalizer_;
  std::unordered_map<SymbolId, Expr> constants_;
  std::vector<Expr> changing_;  // time, and inputs that may change
  std::vector<std::vector<Graph::Term>> of_position_;
  std::vector<Force> forces_;
  Expr dissipation_;
  bool chooses_ = false, of_forces_ = false;
};

// Whether the second variation of V − T₀ is positive, except in at most `flat` directions.
bool is_least(const SteadySystem& system, const LinearMotion& motion, std::size_t flat) {
  const Slopes slopes(*system.derivatives, *system.dynamics, motion.at);
  std::size_t positions = 0;
  while (positions < motion.states.size() && !motion.states[positions].velocity) ++positions;
  const Matrix along = block(motion.tangent, 0, 0, system.nq(), positions);
  const auto within = [&](std::size_t column, std::size_t columns) {
    return transposed(along) * block(slopes.all, system.derivatives->rows().r, column, system.nv(), columns) * along;
  };
  const Matrix K = within(system.derivatives->columns().q, system.nq());
  // K is scaled by the inertia along the same directions.
  const Matrix M = within(system.derivatives->columns().vdot, system.nv());
  Matrix scaled = K;
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < K.cols; ++j)
      scaled(i, j) = (K(i, j) + K(j, i)) / 2 / std::sqrt(std::max(1e-300, std::abs(M(i, i) * M(j, j))));
  std::size_t zeros = 0;
  for (const std::vector<std::size_t>& part : independent_parts(scaled)) {
    const Matrix of_part = principal(scaled, part);
    const double size = largest(of_part);
    for (const std::complex<double>& value : eigenpairs(of_part).value) {
      if (std::abs(value.real()) <= kFlat * size)
        ++zeros;
      else if (value.real() < 0)
        return false;
    }
  }
  return zeros <= flat;
}

// Whether every motion in modes on the axis moves one of `u` (their slopes, a row for each of them and a column for each state). Combinations of modes
// with the same eigenvalue are modes as well.
bool are_all_seen(const Matrix& u, const LinearMotion& motion, std::span<const Mode> on_axis) {
  std::vector<bool> done(on_axis.size());
  for (std::size_t i = 0; i < on_axis.size(); ++i) {
    if (done[i]) continue;
    std::vector<std::size_t> same;
    for (std::size_t k = i; k < on_axis.size(); ++k)
      if (std::abs(on_axis[k].eigenvalue - on_axis[i].eigenvalue) <= kSameMode * std::abs(on_axis[i].eigenvalue)) {
        same.push_back(k);
        done[k] = true;
      }
    const std::size_t n = same.size();
    Matrix seen(2 * u.rows, 2 * n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<std::complex<double>>& shape = on_axis[same[k]].shape;
      double speed = 1e-300;
      for (std::size_t j = 0; j < shape.size(); ++j)
        if (motion.states[j].velocity) speed = std::max(speed, std::abs(shape[j]));
      for (std::size_t r = 0; r < u.rows; ++r) {
        std::complex<double> sum = 0;
        for (std::size_t j = 0; j < u.cols; ++j) sum += u(r, j) * shape[j] / speed;
        seen(r, k) = seen(u.rows + r, n + k) = sum.real();
        seen(u.rows + r, k) = sum.imag();
        seen(r, n + k) = -sum.imag();
      }
    }
    if (null_space(seen, kSameMode, 1).cols > 0) return false;
  }
  return true;
}

}  // namespace

std::optional<EnergyVerdict> judge_by_energy(const SteadySystem& system, const Equations& equations,
                                             const LinearMotion& motion, const EnergyQuestion& question) {
  if (motion.kind != MotionKind::kEquilibrium || equations.holonomic.size() != equations.rows.size() ||
      !system.dynamics->layout().v_is_qdot)
    return std::nullopt;
  if (question.kinked && (!all_jump_free(equations) || Sides::velocity_selects(equations.T, equations)))
    return std::nullopt;
  const Equations eq = on_overlay(equations);
  WorkOfForces forces(eq, *system.dynamics, motion.at,
                      question.higher_order ? LocalSigns::kWithin : LocalSigns::kBeside);
  const std::optional<Work> work = forces.find();
  if (!work || (!work->none && (work->sign == 0 || question.flat + question.drifts > 0))) return std::nullopt;
  if (question.higher_order) {
    if (question.flat + question.drifts > 0 || work->chooses || !forces.is_least_by_terms(motion)) return std::nullopt;
  } else if (!is_least(system, motion, question.flat)) {
    return std::nullopt;
  }
  if (work->none)
    return EnergyVerdict{StabilityVerdict::kStable, question.higher_order ? "the energy is least here" : ""};
  const bool sure = work->named && (!question.kinked || !work->chooses);
  const bool all = question.higher_order
                       ? sure && forces.determine(work->zeros, motion, true)
                       : sure && are_all_seen(forces.slopes_of(work->zeros, motion), motion, question.on_axis);
  if (all && work->sign > 0)
    return EnergyVerdict{StabilityVerdict::kUnstable,
                         "the energy is least here, and forces add to it in every motion nearby"};
  if (all)
    return EnergyVerdict{StabilityVerdict::kAsymptoticallyStable,
                         "the energy is least here, and forces take from it in every motion nearby"};
  if (work->sign < 0)
    return EnergyVerdict{StabilityVerdict::kStable, "the energy is least here, and no force adds to it"};
  return std::nullopt;
}

bool never_gains_energy(const Equations& equations, const Dynamics& dynamics, const MotionPoint& at) {
  const Equations eq = on_overlay(equations);
  const std::optional<Work> work = WorkOfForces(eq, dynamics, at).find();
  return work && (work->none || work->sign < 0);
}

}  // namespace dalembert
