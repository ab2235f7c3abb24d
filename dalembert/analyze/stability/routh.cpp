// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/routh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Second derivatives of larger functions are not made.
constexpr std::size_t kMostDerived = 20000, kMostStates = 60;
// What counts as 0, relative to the largest.
constexpr double kLevel = 1e-9, kInBalance = 1e-8;

// ḣ = W q̇ for each row.
std::vector<Expr> rates_of_rows(const Equations& eq) {
  std::vector<std::vector<Graph::Term>> terms(eq.rows.size());
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    terms[static_cast<std::size_t>(eq.W.row[k])].push_back(
        {eq.W.value[k] * eq.qd[static_cast<std::size_t>(eq.W.col[k])], 1});
  std::vector<Expr> rates;
  for (const std::vector<Graph::Term>& of_row : terms) rates.push_back(eq.graph->sum(of_row));
  return rates;
}

// Whether all eigenvalues of a symmetric matrix have one sign, but for at most `flat` that are 0.
bool is_definite(Matrix H, std::size_t flat) {
  std::vector<double> scale(H.rows);
  for (std::size_t i = 0; i < H.rows; ++i) {
    for (std::size_t j = 0; j < H.cols; ++j) scale[i] = std::max(scale[i], std::sqrt(std::abs(H(i, j))));
    if (scale[i] == 0) scale[i] = 1;
  }
  for (std::size_t i = 0; i < H.rows; ++i)
    for (std::size_t j = 0; j < H.cols; ++j) H(i, j) /= scale[i] * scale[j];
  const double size = largest(H);
  std::size_t zeros = 0, above = 0, below = 0;
  for (const std::complex<double>& value : eigenpairs(H).value)
    ++(std::abs(value.real()) <= kLevel * size ? zeros : value.real() > 0 ? above : below);
  return zeros <= flat && (above == 0 || below == 0);
}

}  // namespace

bool is_stable_by_momenta(const SteadySystem& system, const Equations& equations, const LinearMotion& motion) {
  if (!equations.conservative || !equations.model->frictions.empty() || !equations.v_is_qdot() ||
      equations.holonomic.size() != equations.rows.size() || motion.kind != MotionKind::kSteadyMotion ||
      !motion.turning.empty() || !system.left_out.empty() || motion.tangent.rows > kMostStates)
    return false;
  const Equations eq = on_overlay(equations);
  std::vector<Expr> functions{eq.E};
  for (const ConservedQuantity& momentum : eq.momenta) functions.push_back(momentum.expression);
  const std::size_t kept = functions.size();
  functions.insert(functions.end(), eq.h.begin(), eq.h.end());
  for (const Expr& rate : rates_of_rows(eq)) functions.push_back(rate);
  if (reachable(functions).size() > kMostDerived) return false;
  std::vector<Expr> state = eq.q;
  state.insert(state.end(), eq.qd.begin(), eq.qd.end());
  const std::unordered_map<SymbolId, double> values = values_at(eq, *system.dynamics, motion.at);
  // The slopes of E are combinations of those of the other functions.
  Matrix others(state.size(), functions.size() - 1), of_energy(state.size(), 1), momenta(kept - 1, state.size());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const std::vector<double> slopes = numbers_of(gradient(functions[f], state), values);
    for (std::size_t i = 0; i < state.size(); ++i) {
      if (f == 0)
        of_energy(i, 0) = slopes[i];
      else
        others(i, f - 1) = slopes[i];
      if (f > 0 && f < kept) momenta(f - 1, i) = slopes[i];
    }
  }
  const Matrix factors = solve_least(others, of_energy);
  const Matrix balanced = others * factors;
  for (std::size_t i = 0; i < state.size(); ++i)
    if (!(std::abs(balanced(i, 0) - of_energy(i, 0)) <= kInBalance * largest(of_energy))) return false;
  std::vector<Graph::Term> terms{{eq.E, 1}};
  for (std::size_t f = 1; f < functions.size(); ++f)
    terms.push_back({functions[f] * eq.graph->decimal(Rational::from_double(-factors(f - 1, 0))), 1});
  const SparseMatrix second = hessian(eq.graph->sum(terms), state);
  const std::vector<double> curvature = numbers_of(second.value, values);
  Matrix H(state.size(), state.size());
  for (std::size_t k = 0; k < curvature.size(); ++k)
    H(static_cast<std::size_t>(second.row[k]), static_cast<std::size_t>(second.col[k])) = curvature[k];
  const Matrix along = motion.tangent * null_space(momenta * motion.tangent, kLevel);
  if (!std::isfinite(largest(H)) || along.cols == 0) return false;
  return is_definite(transposed(along) * H * along, motion.cyclic.size());
}

}  // namespace dalembert
