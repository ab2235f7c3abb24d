// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/control/riccati.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

namespace dalembert {
namespace {

using Dense = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Dense dense(const Matrix& m) {
  return Eigen::Map<const RowMajor>(m.entries.data(), static_cast<Eigen::Index>(m.rows),
                                    static_cast<Eigen::Index>(m.cols));
}

Matrix matrix(const Dense& m) {
  Matrix made(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
  Eigen::Map<RowMajor>(made.entries.data(), m.rows(), m.cols()) = m;
  return made;
}

Dense cross(const QuadraticCost& cost) {
  return cost.N.entries.empty()
             ? Dense(Dense::Zero(static_cast<Eigen::Index>(cost.Q.rows), static_cast<Eigen::Index>(cost.R.rows)))
             : dense(cost.N);
}

// Whether all eigenvalues are inside: of the left half plane, or of the unit circle.
bool is_stable(const Dense& A, bool discrete) {
  if (!A.allFinite()) return false;
  const Eigen::EigenSolver<Dense> solver(A, false);
  double worst = -std::numeric_limits<double>::infinity();
  for (const auto& z : solver.eigenvalues()) worst = std::max(worst, discrete ? std::abs(z) - 1 : z.real());
  return worst < 0;
}

// The doubling algorithm for E, G, H: it ends at H = X. Source: Chu, Fan, Lin & Wang, Int. J. Control 77 (2004) 767, doi:10.1080/00207170410001714988.
std::optional<Dense> double_up(Dense E, Dense G, Dense H) {
  constexpr int kMost = 64;
  const Dense identity = Dense::Identity(E.rows(), E.cols());
  for (int step = 0; step < kMost; ++step) {
    const Eigen::PartialPivLU<Dense> lu(identity + G * H);
    const Dense WE = lu.solve(E), WG = lu.solve(G);
    const Dense grown = E.transpose() * H * WE;
    G += E * WG * E.transpose();
    H += grown;
    E = E * WE;
    G = (G + G.transpose()).eval() / 2;
    H = (H + H.transpose()).eval() / 2;
    if (!H.allFinite() || !G.allFinite()) return std::nullopt;
    if (grown.norm() <= std::numeric_limits<double>::epsilon() * H.norm() / 4) return H;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Matrix> solve_discrete_riccati(const Matrix& given_A, const Matrix& given_B, const QuadraticCost& cost) {
  const Dense B = dense(given_B), R = dense(cost.R), N = cross(cost);
  const Eigen::PartialPivLU<Dense> lu(R);
  const Dense A = dense(given_A) - B * lu.solve(N.transpose()), Q = dense(cost.Q) - N * lu.solve(N.transpose());
  const std::optional<Dense> X = double_up(A, B * lu.solve(B.transpose()), Q);
  if (!X) return std::nullopt;
  Matrix found = matrix(*X);
  return is_stable(dense(given_A) - B * dense(discrete_gain(given_A, given_B, cost, found)), true)
             ? std::optional(found)
             : std::nullopt;
}

std::optional<Matrix> solve_continuous_riccati(const Matrix& given_A, const Matrix& given_B,
                                               const QuadraticCost& cost) {
  const Dense B = dense(given_B), R = dense(cost.R), N = cross(cost);
  const Eigen::PartialPivLU<Dense> of_R(R);
  const Dense A = dense(given_A) - B * of_R.solve(N.transpose()), H = dense(cost.Q) - N * of_R.solve(N.transpose()),
              G = B * of_R.solve(B.transpose());
  // A shift that is larger than all eigenvalues.
  const double shift =
      1.5 * std::max({A.lpNorm<Eigen::Infinity>() + A.norm() / 2, std::sqrt(G.norm() * H.norm()), 1e-8});
  const Dense identity = Dense::Identity(A.rows(), A.cols()), shifted = A - shift * identity;
  const Eigen::PartialPivLU<Dense> of_A(shifted), of_AT(shifted.transpose());
  const Dense AG = of_A.solve(G);                                       // A_γ⁻¹ G
  const Eigen::PartialPivLU<Dense> of_W(shifted.transpose() + H * AG);  // A_γᵀ + H A_γ⁻¹ G
  const Dense E0 = identity + 2 * shift * Eigen::PartialPivLU<Dense>(shifted + G * of_AT.solve(H)).inverse();
  const Dense H0 = 2 * shift * of_W.solve(H * of_A.inverse());
  const Dense G0 = 2 * shift * AG * of_W.inverse();
  const std::optional<Dense> X = double_up(E0, (G0 + G0.transpose()) / 2, (H0 + H0.transpose()) / 2);
  if (!X) return std::nullopt;
  Matrix found = matrix(*X);
  return is_stable(dense(given_A) - B * dense(continuous_gain(given_B, cost, found)), false) ? std::optional(found)
                                                                                             : std::nullopt;
}

Matrix continuous_gain(const Matrix& B, const QuadraticCost& cost, const Matrix& X) {
  return matrix(
      Eigen::PartialPivLU<Dense>(dense(cost.R)).solve(dense(B).transpose() * dense(X) + cross(cost).transpose()));
}

Matrix discrete_gain(const Matrix& A, const Matrix& B, const QuadraticCost& cost, const Matrix& X) {
  const Dense BX = dense(B).transpose() * dense(X);
  return matrix(
      Eigen::PartialPivLU<Dense>(dense(cost.R) + BX * dense(B)).solve(BX * dense(A) + cross(cost).transpose()));
}

SampledSystem sample_system(const Matrix& A, const Matrix& B, const QuadraticCost& cost, double period) {
  const auto n = static_cast<Eigen::Index>(A.rows), m = static_cast<Eigen::Index>(B.cols), all = n + m;
  Dense system = Dense::Zero(all, all), weight = Dense::Zero(all, all);
  system.topLeftCorner(n, n) = dense(A);
  system.topRightCorner(n, m) = dense(B);
  weight.topLeftCorner(n, n) = dense(cost.Q);
  weight.bottomRightCorner(m, m) = dense(cost.R);
  weight.topRightCorner(n, m) = cross(cost);
  weight.bottomLeftCorner(m, n) = cross(cost).transpose();
  Dense both = Dense::Zero(2 * all, 2 * all);
  both.topLeftCorner(all, all) = -system.transpose();
  both.topRightCorner(all, all) = weight;
  both.bottomRightCorner(all, all) = system;
  const Dense flow = (both * period).exp(), sampled = flow.bottomRightCorner(all, all);
  Dense integral = sampled.transpose() * flow.topRightCorner(all, all);
  integral = (integral + integral.transpose()).eval() / 2;
  return {matrix(sampled.topLeftCorner(n, n)),
          matrix(sampled.topRightCorner(n, m)),
          {matrix(integral.topLeftCorner(n, n)), matrix(integral.bottomRightCorner(m, m)),
           matrix(integral.topRightCorner(n, m))}};
}

Matrix sampled_noise(const Matrix& A, const Matrix& W, double period) {
  const auto n = static_cast<Eigen::Index>(A.rows);
  Dense both = Dense::Zero(2 * n, 2 * n);
  both.topLeftCorner(n, n) = -dense(A);
  both.topRightCorner(n, n) = dense(W);
  both.bottomRightCorner(n, n) = dense(A).transpose();
  const Dense flow = (both * period).exp();
  const Dense noise = flow.bottomRightCorner(n, n).transpose() * flow.topRightCorner(n, n);
  return matrix((noise + noise.transpose()) / 2);
}

}  // namespace dalembert
