// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "dalembert/analyze/control/dense.h"
#include "dalembert/analyze/control/riccati.h"
#include "dalembert/analyze/stability/matrix.h"

namespace dalembert {
namespace {

using Dense = Eigen::MatrixXd;

struct Flow {
  Dense change;    // exp(M T) − 1
  Dense integral;  // ∫ exp(Mᵀτ) W exp(Mτ) dτ over T
};

// A norm of M in units in which its rows and columns have about the same size. What nothing moves, an input, has units
// in which it moves others no faster than they move one another.
double balanced_norm(const Dense& M) {
  const std::vector<double> scale = balance(matrix(M));
  const Eigen::Map<const Eigen::ArrayXd> d(scale.data(), M.rows());
  Dense sizes = M.cwiseAbs();
  sizes.array().colwise() /= d;
  sizes.array().rowwise() *= d.transpose();
  double most = 0;
  for (Eigen::Index k = 0; k < M.cols(); ++k)
    if (sizes.row(k).maxCoeff() > 0) most = std::max(most, sizes.col(k).sum());
  return most > 0 || sizes.size() == 0 ? most : sizes.maxCoeff();
}

// By series over T/2ᵏ, then k doublings. In these every term of the integral is positive semidefinite, so nothing cancels: the one exponential of Van Loan, IEEE
// Trans. Autom. Control 23 (1978) 395, grows backwards in time and loses what dies out with |λ| T > 38. And exp(M T) − 1 keeps the digits of slow motions.
Flow find_flow(const Dense& M, const Dense& W, double period) {
  constexpr int kTerms = 20;
  const double size = 2 * balanced_norm(M) * period;
  if (!std::isfinite(size)) {
    const Dense none = Dense::Constant(M.rows(), M.cols(), std::numeric_limits<double>::quiet_NaN());
    return {none, none};
  }
  const int doublings = size > 1 ? std::ilogb(size) + 1 : 0;
  const double step = std::ldexp(period, -doublings);
  Flow flow{M * step, W * step};
  Dense power = flow.change, term = flow.integral;
  // The integral is Σ h^{j+1}/(j+1)! Lʲ(W) with L(X) = Mᵀ X + X M.
  for (int j = 2; j <= kTerms; ++j) {
    const Dense half = term * M * (step / j);
    term = half + half.transpose();
    flow.integral += term;
    power = power * M * (step / j);
    flow.change += power;
  }
  for (int k = 0; k < doublings; ++k) {
    const Dense moved = flow.integral + flow.integral * flow.change;  // S exp(M t)
    flow.integral = symmetric(flow.integral + moved + flow.change.transpose() * moved);
    flow.change = (2 * flow.change + flow.change * flow.change).eval();
  }
  return flow;
}

}  // namespace

SampledSystem sample_system(const Matrix& A, const Matrix& B, const QuadraticCost& cost, double period) {
  const auto n = static_cast<Eigen::Index>(A.rows), m = static_cast<Eigen::Index>(B.cols), all = n + m;
  Dense system = Dense::Zero(all, all), weight = Dense::Zero(all, all);
  system.topLeftCorner(n, n) = dense_of<Dense>(A);
  system.topRightCorner(n, m) = dense_of<Dense>(B);
  weight.topLeftCorner(n, n) = dense_of<Dense>(cost.Q);
  weight.bottomRightCorner(m, m) = dense_of<Dense>(cost.R);
  if (!cost.N.entries.empty()) {
    weight.topRightCorner(n, m) = dense_of<Dense>(cost.N);
    weight.bottomLeftCorner(m, n) = dense_of<Dense>(cost.N).transpose();
  }
  const Flow flow = find_flow(system, weight, period);
  return {matrix(Dense::Identity(n, n) + flow.change.topLeftCorner(n, n)),
          matrix(flow.change.topRightCorner(n, m)),
          {matrix(flow.integral.topLeftCorner(n, n)), matrix(flow.integral.bottomRightCorner(m, m)),
           matrix(flow.integral.topRightCorner(n, m))},
          matrix(flow.change.topLeftCorner(n, n))};
}

Matrix sampled_noise(const Matrix& A, const Matrix& W, double period) {
  return matrix(find_flow(dense_of<Dense>(A).transpose(), dense_of<Dense>(W), period).integral);
}

Matrix with_more_roundoff(const Matrix& A) {
  constexpr double kPart = kTimesRoundoff * std::numeric_limits<double>::epsilon() / 4;
  const Dense a = dense_of<Dense>(A);
  const double size = balanced_norm(a);
  if (!(size > 0 && std::isfinite(size))) return A;
  return matrix(a * (1 + kPart) - a * (a * (kPart / size)));
}

}  // namespace dalembert
