// SPDX-License-Identifier: Apache-2.0
// Linear systems with quadratic cost: Riccati equations, and systems whose inputs are constant between samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

/// The cost of z and u: zᵀQz + 2zᵀNu + uᵀRu, with Q ≥ 0 symmetric and R > 0. N may have no entries: 0.
struct QuadraticCost {
  Matrix Q, R, N = {};
};

/// K of u = −K z. `error`: the part of it by which the last step of a refinement changed it. A, B and the cost count as exact, which those of samples are not.
struct Gain {
  Matrix K;
  double error = 0;
  std::vector<double> scale = {};  ///< the units of z in which it was found
};
/// The largest change of a row of K, as a part of the row, in the units of z and in those of the first.
double change_of(const Gain& gain, const Gain& other);

/// The gain of the least cost ∫ of ż = A z + B u, R⁻¹ (Bᵀ X + Nᵀ) with the X for which the closed loop is stable and Aᵀ X + X A − (X B + N) R⁻¹ (Bᵀ X + Nᵀ) + Q = 0.
/// Nothing where there is no such X, or round-off hides it. O(n³) in some 20 to 60 doublings, in balanced units.
std::optional<Gain> solve_continuous_riccati(const Matrix& A, const Matrix& B, const QuadraticCost& cost);
/// The gain of the least cost Σ of z⁺ = (1 + D) z + B u, (R + BᵀXB)⁻¹ (BᵀXA + Nᵀ) with the X for which the closed loop is stable and, A = 1 + D,
/// X = Aᵀ X A − (AᵀXB + N)(R + BᵀXB)⁻¹(BᵀXA + Nᵀ) + Q.
std::optional<Gain> solve_discrete_riccati(const Matrix& D, const Matrix& B, const QuadraticCost& cost);
/// The same X, and the gain before z moves on, (R + BᵀXB)⁻¹ BᵀX: with 1 + D = Aᵀ and B = Cᵀ it is Lᵀ of an estimator that is corrected at samples.
std::optional<Gain> solve_filter_riccati(const Matrix& D, const Matrix& B, const QuadraticCost& cost);

/// The system z(t + T) = A z(t) + B u for an input that is constant during T, and the integral of the cost over T.
struct SampledSystem {
  Matrix A, B;
  QuadraticCost cost;
  Matrix change;  ///< A − 1, with the digits of slow motions
};
/// Not a number where exponentials overflow. By series over a part of the period, and doublings.
SampledSystem sample_system(const Matrix& A, const Matrix& B, const QuadraticCost& cost, double period);
/// A with kTimesRoundoff times the round-off that its exponentials have, a quarter of ε for each turn: A (1 + η) − η A²/|A| turns what is fast by another angle, and makes what
/// swings grow. (Where round-off makes it die out, it seems to cost nothing, and its part of the gain is lost.)
Matrix with_more_roundoff(const Matrix& A);
inline constexpr double kTimesRoundoff = 8;
/// ∫ exp(Aτ) W exp(Aᵀτ) dτ over a period: the covariance that white noise of intensity W adds to z.
Matrix sampled_noise(const Matrix& A, const Matrix& W, double period);

}  // namespace dalembert
