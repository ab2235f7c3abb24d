// SPDX-License-Identifier: Apache-2.0
// Linear systems with quadratic cost: Riccati equations, and systems whose inputs are constant between samples.
#pragma once

#include <cstddef>
#include <optional>

#include "dalembert/analyze/linear_motion.h"

namespace dalembert {

/// The cost of z and u: zᵀQz + 2zᵀNu + uᵀRu, with Q ≥ 0 symmetric and R > 0. N may have no entries: 0.
struct QuadraticCost {
  Matrix Q, R, N = {};
};

/// The symmetric X for which A − B R⁻¹ (Bᵀ X + Nᵀ) is stable and Aᵀ X + X A − (X B + N) R⁻¹ (Bᵀ X + Nᵀ) + Q = 0; nothing if there is none. Source of the
/// algorithm: Chu, Fan & Lin, Linear Algebra Appl. 396 (2005) 55, a doubling after a Cayley transformation.
std::optional<Matrix> solve_continuous_riccati(const Matrix& A, const Matrix& B, const QuadraticCost& cost);
/// The symmetric X for which the closed loop of z⁺ = A z + B u is stable and X = Aᵀ X A − (AᵀXB + N)(R + BᵀXB)⁻¹(BᵀXA + Nᵀ) + Q; nothing if there is none.
std::optional<Matrix> solve_discrete_riccati(const Matrix& A, const Matrix& B, const QuadraticCost& cost);

/// The gain of u = −K z that has the least cost: R⁻¹ (Bᵀ X + Nᵀ), and (R + BᵀXB)⁻¹(BᵀXA + Nᵀ).
Matrix continuous_gain(const Matrix& B, const QuadraticCost& cost, const Matrix& X);
Matrix discrete_gain(const Matrix& A, const Matrix& B, const QuadraticCost& cost, const Matrix& X);

/// The system z(t + T) = A z(t) + B u for an input that is constant during T, and the integral of the cost over T.
struct SampledSystem {
  Matrix A, B;
  QuadraticCost cost;
};
/// Source: Van Loan, Computing integrals involving the matrix exponential, IEEE Trans. Autom. Control 23 (1978) 395, doi:10.1109/TAC.1978.1101743.
SampledSystem sample_system(const Matrix& A, const Matrix& B, const QuadraticCost& cost, double period);
/// ∫ exp(Aτ) W exp(Aᵀτ) dτ over a period: the covariance that white noise of intensity W adds to z.
Matrix sampled_noise(const Matrix& A, const Matrix& W, double period);

}  // namespace dalembert
