// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/motion_at.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/analyze/random_points.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kPoints = 16;
constexpr double kRankTolerance = 1e-10;

bool is_unknown(const Graph& graph, SymbolId s) {
  const SymbolKind kind = graph.symbol_info(s).kind;
  return kind == SymbolKind::kAcceleration || kind == SymbolKind::kMultiplier;
}

// The terms of the KKT system with the conditions put in, in one list.
class Kkt {
 public:
  Kkt(const Equations& eq, const Conditions& conditions) : eq_(eq) {
    for (const auto* terms : {&eq.M.value, &eq.B, &eq.G, &eq.F, &eq.W.value, &eq.gamma})
      for (const Expr& e : *terms) terms_.push_back(conditions.apply(e));
  }
  const std::vector<Expr>& terms() const { return terms_; }

  // (q̈, λ) at a point; empty where it is not unique.
  std::vector<double> solve(const SamplePoint& point) {
    const auto values = evaluate(terms_, [&](SymbolId s) { return point.at(s).to_double(); });
    if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return {};
    const int n = eq_.n(), m = eq_.m(), size = n + m;
    HouseholderQr qr;
    qr.resize(size, size);
    for (int j = 0; j < size; ++j) std::fill_n(qr.column(j), size, 0.0);
    const double *M = values.data(), *B = M + eq_.M.value.size(), *G = B + n, *F = G + n, *W = F + n,
                 *gamma = W + eq_.W.value.size();
    for (std::size_t k = 0; k < eq_.M.value.size(); ++k) qr.column(eq_.M.col[k])[eq_.M.row[k]] = M[k];
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k) {
      qr.column(n + eq_.W.row[k])[eq_.W.col[k]] = -W[k];
      qr.column(eq_.W.col[k])[n + eq_.W.row[k]] = W[k];
    }
    std::vector<double> right(static_cast<std::size_t>(size)), x(static_cast<std::size_t>(size));
    for (int i = 0; i < n; ++i) right[static_cast<std::size_t>(i)] = F[i] - B[i] - G[i];
    for (int j = 0; j < m; ++j) right[static_cast<std::size_t>(n + j)] = -gamma[j];
    if (qr.factor_pivoted(kRankTolerance, size) < size) return {};
    qr.apply_Qt(right.data());
    for (int i = size - 1; i >= 0; --i) {
      double sum = right[static_cast<std::size_t>(i)];
      for (int j = i + 1; j < size; ++j) sum -= qr.R(i, j) * x[static_cast<std::size_t>(qr.pivot(j))];
      x[static_cast<std::size_t>(qr.pivot(i))] = sum / qr.R(i, i);
    }
    return x;
  }

 private:
  const Equations& eq_;
  std::vector<Expr> terms_;
};

}  // namespace

MotionComparison compare_motion(const Equations& eq, const Conditions& conditions, const Expr& unknown,
                                const Expr& claimed) {
  const Graph& graph = *eq.model->graph;
  MotionComparison result;
  for (const Conditions::Solved& solved : conditions.solved())
    if (is_unknown(graph, solved.symbol) ||
        std::ranges::any_of(symbols_in(std::array{solved.value}), [&](SymbolId s) { return is_unknown(graph, s); }))
      return result;

  Kkt kkt(eq, conditions);
  const Expr value = conditions.apply(claimed);
  std::vector<Expr> all = kkt.terms();
  all.push_back(value);
  std::vector<SymbolId> symbols = symbols_in(all);
  std::erase_if(symbols, [&](SymbolId s) { return is_unknown(graph, s); });
  RandomPoints points(graph, symbols);
  for (int attempt = 0; attempt < 4 * kPoints && result.points < kPoints; ++attempt) {
    const SamplePoint point = points.next();
    const std::vector<double> x = kkt.solve(point);
    if (x.empty()) continue;
    std::unordered_map<SymbolId, double> solution;
    for (std::size_t i = 0; i < eq.qdd.size(); ++i) solution.emplace(eq.qdd[i].symbol(), x[i]);
    for (std::size_t j = 0; j < eq.lambda.size(); ++j) solution.emplace(eq.lambda[j].symbol(), x[eq.qdd.size() + j]);
    const double right = solution.at(unknown.symbol()),
                 wrong = evaluate(value, [&](SymbolId s) {
                   const auto found = solution.find(s);
                   return found != solution.end() ? found->second : point.at(s).to_double();
                 });
    if (!std::isfinite(wrong)) continue;
    ++result.points;
    // The solution is good to far better than this.
    const double off = std::abs(right - wrong) / std::max({std::abs(right), std::abs(wrong), 1e-3});
    if (off < 1e-5 || (result.difference && (result.difference->clear || off < 0.05))) continue;
    result.difference = Difference{{}, right, wrong, off >= 0.05};
    for (const SymbolId s : symbols) result.difference->at.emplace_back(s, point.at(s));
  }
  return result;
}

}  // namespace dalembert
