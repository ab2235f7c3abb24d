// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/motion_at.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/derive/equation_of_motion.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/kinematic.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kStates = 16, kMostStates = 64;
constexpr std::size_t kMaxSize = 400;  // largest size of the KKT system

// A square matrix, stored row by row.
template <class T>
struct Square {
  std::size_t size = 0;
  std::vector<T> entries;
  explicit Square(std::size_t n) : size(n), entries(n * n) {}
  T& operator()(std::size_t i, std::size_t j) { return entries[i * size + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return entries[i * size + j]; }
};

// The inverse by Gauss–Jordan elimination with row pivots; no value where a pivot is 0.
std::optional<Square<double>> approximate_inverse(Square<double> a) {
  const std::size_t n = a.size;
  Square<double> inverse(n);
  for (std::size_t i = 0; i < n; ++i) inverse(i, i) = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    const double pivot = a(best, k);
    if (pivot == 0 || !std::isfinite(pivot)) return std::nullopt;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(a(k, j), a(best, j));
      std::swap(inverse(k, j), inverse(best, j));
      a(k, j) /= pivot;
      inverse(k, j) /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a(i, k);
      if (i == k || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a(i, j) -= factor * a(k, j);
        inverse(i, j) -= factor * inverse(k, j);
      }
    }
  }
  return inverse;
}

// Bounds of Σ a_k b_k − c.
MaybeInterval dot_less(std::span<const double> a, const std::function<Interval(std::size_t)>& b, const Interval& c) {
  MaybeInterval sum = Interval{-c.upper, -c.lower};
  for (std::size_t k = 0; k < a.size() && sum; ++k) {
    const Interval right = b(k);
    if (a[k] == 0 || (right.lower == 0 && right.upper == 0)) continue;
    const MaybeInterval product = Interval{a[k], a[k]} * right;
    sum = product ? *sum + *product : std::nullopt;
  }
  return sum;
}

// Bounds of the solution of K x = r.
std::optional<std::vector<Interval>> solve(const Square<Interval>& K, const std::vector<Interval>& r) {
  const std::size_t n = K.size;
  Square<double> middle(n);
  for (std::size_t k = 0; k < K.entries.size(); ++k) middle.entries[k] = K.entries[k].middle();
  const auto inverse = approximate_inverse(std::move(middle));
  if (!inverse) return std::nullopt;
  const auto row = [&](std::size_t i) { return std::span(inverse->entries).subspan(i * n, n); };
  // The norm of the defect of the approximate inverse R of K, ‖R K − I‖.
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double one = i == j ? 1 : 0;
      const MaybeInterval entry = dot_less(row(i), [&](std::size_t k) { return K(k, j); }, {one, one});
      if (!entry) return std::nullopt;
      sum = std::nextafter(sum + entry->magnitude(), HUGE_VAL);
    }
    norm = std::max(norm, sum);
  }
  if (!(norm < 0.5)) return std::nullopt;
  // The solution x is near x̃ = R r, R the approximate inverse of K: |x − x̃| ≤ ‖R (r − K x̃)‖ / (1 − norm).
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) x[i] += row(i)[k] * r[k].middle();
  std::vector<Interval> residual(n);
  for (std::size_t i = 0; i < n; ++i) {
    const MaybeInterval entry = dot_less(
        x, [&](std::size_t k) { return K(i, k); }, r[i]);
    if (!entry) return std::nullopt;
    residual[i] = *entry;
  }
  double off = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const MaybeInterval entry = dot_less(row(i), [&](std::size_t k) { return residual[k]; }, {0, 0});
    if (!entry) return std::nullopt;
    off = std::max(off, entry->magnitude());
  }
  off = std::nextafter(2 * off, HUGE_VAL);  // divided by 1 − norm, which is more than 1/2
  std::vector<Interval> bounds;
  for (const double value : x) {
    const MaybeInterval with = Interval{value, value} + Interval{-off, off};
    if (!with) return std::nullopt;
    bounds.push_back(*with);
  }
  return bounds;
}

// Velocities of prescribed coordinates, where the equations have no constraint rows for these.
std::vector<int> driven_velocities(const Equations& eq) {
  return eq.actuated > 0 ? std::vector<int>() : actuated_velocities(eq);
}

}  // namespace

std::vector<SymbolId> unknowns_of_motion(const Equations& eq) {
  std::vector<SymbolId> unknowns;
  const std::vector<int> given = driven_velocities(eq);
  for (int i = 0; i < eq.nv(); ++i)
    if (std::ranges::find(given, i) == given.end())
      unknowns.push_back(eq.accelerations()[static_cast<std::size_t>(i)].symbol());
  for (const Expr& l : eq.lambda) unknowns.push_back(l.symbol());
  for (const int i : given) unknowns.push_back(actuation_of(eq, i).symbol());
  return unknowns;
}

std::optional<EnclosedPoint> with_motion(const Equations& eq, const EnclosedPoint& point) {
  const std::vector<int> given = driven_velocities(eq);
  const auto n = static_cast<std::size_t>(eq.nv()), m = static_cast<std::size_t>(eq.m()), actuated = given.size(),
             size = n + m + actuated;
  // Whether frictions stick or slide depends on the state in a way that no formula gives.
  if (size > kMaxSize || !eq.frictions.empty()) return std::nullopt;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  Square<Interval> K(size);
  std::vector<Interval> r(size);
  bool known = true;
  const auto value = [&](const Expr& e) {
    const MaybeInterval bounds = known ? enclose(e, point) : std::nullopt;
    known = known && bounds;
    return bounds.value_or(Interval{});
  };
  for (std::size_t k = 0; k < eq.M.value.size(); ++k) K(at(eq.M.row[k]), at(eq.M.col[k])) = value(eq.M.value[k]);
  for (std::size_t k = 0; k < eq.W.value.size(); ++k) {
    const Interval w = value(eq.W.value[k]);
    K(n + at(eq.W.row[k]), at(eq.W.col[k])) = w;
    K(at(eq.W.col[k]), n + at(eq.W.row[k])) = {-w.upper, -w.lower};
  }
  for (std::size_t k = 0; k < eq.Phi.value.size(); ++k) {
    const Interval force = value(eq.Phi.value[k]);
    const MaybeInterval sum = K(at(eq.Phi.row[k]), n + at(eq.Phi.col[k])) + Interval{-force.upper, -force.lower};
    known = known && sum;
    K(at(eq.Phi.row[k]), n + at(eq.Phi.col[k])) = sum.value_or(Interval{});
  }
  for (std::size_t i = 0; i < n; ++i) r[i] = value(eq.F[i] - eq.B[i] - eq.G[i]);
  for (std::size_t j = 0; j < m; ++j) r[n + j] = value(-eq.gamma[j]);
  for (std::size_t k = 0; k < actuated; ++k) {
    const std::size_t i = at(given[k]), row = n + m + k;
    K(i, row) = {-1, -1};
    K(row, i) = {1, 1};
    r[row] = value(eq.accelerations()[i]);
  }
  const auto solution = known ? solve(K, r) : std::nullopt;
  if (!solution) return std::nullopt;
  EnclosedPoint with = point;
  for (std::size_t i = 0; i < n; ++i)
    if (std::ranges::find(given, static_cast<int>(i)) == given.end())
      with.range.insert_or_assign(eq.accelerations()[i].symbol(), (*solution)[i]);
  for (std::size_t j = 0; j < m; ++j) with.range.insert_or_assign(eq.lambda[j].symbol(), (*solution)[n + j]);
  for (std::size_t k = 0; k < actuated; ++k)
    with.range.insert_or_assign(actuation_of(eq, given[k]).symbol(), (*solution)[n + m + k]);
  for (const auto& [symbol, bounds] : with.range) with.value.erase(symbol);
  return with;
}

MotionComparison compare_motion(const Equations& eq, const Conditions& conditions, const Expr& unknown,
                                const Expr& claimed) {
  MotionComparison result;
  std::vector<Expr> all{unknown, claimed};
  for (const auto* terms : {&eq.M.value, &eq.B, &eq.G, &eq.F, &eq.W.value, &eq.gamma, &eq.Phi.value})
    all.insert(all.end(), terms->begin(), terms->end());
  // Accelerations of prescribed coordinates belong to the state.
  all.insert(all.end(), eq.accelerations().begin(), eq.accelerations().end());
  const std::vector<SymbolId> unknowns = unknowns_of_motion(eq);
  const std::array told{claimed};
  GivenPoints points(*eq.graph, conditions, all, unknowns);
  double clearest = 0;
  for (int attempt = 0; attempt < kMostStates && result.points < kStates && clearest < 0.05; ++attempt) {
    const EnclosedPoint state = points.next();
    const auto point = with_motion(eq, state);
    if (!point) continue;
    const Separation s = separate(unknown, claimed, *point, points.nonzero(), Effort::kDoubles);
    if (!s.has_values() || !points.has_required(*point) || !points.on_spheres(state.value)) continue;
    ++result.points;
    const double clear = std::abs(s.difference) / std::max({std::abs(s.a), std::abs(s.b), 1e-3});
    if (s.outcome != Separation::Outcome::kDiffer || clear <= clearest) continue;
    clearest = clear;
    result.difference = difference_at(*point, s, told);
  }
  return result;
}

}  // namespace dalembert
