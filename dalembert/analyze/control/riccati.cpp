// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/control/riccati.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/analyze/control/dense.h"

namespace dalembert {
namespace {

using Dense = Eigen::MatrixXd;

constexpr double kRiccatiEps = std::numeric_limits<double>::epsilon();

// Aᵀ X + X A − X G X + H = 0, or with D = A − 1 the same equation of z⁺ = A z + B u: X = Aᵀ X (1 + G X)⁻¹ A + H. G = B R⁻¹ Bᵀ, and the cross terms of the
// cost are taken out: u = −K₀ z + w, K₀ = R⁻¹ Nᵀ.
struct Riccati {
  Dense A, B, G, H, R, K0;
  Eigen::PartialPivLU<Dense> of_R;
  Eigen::ArrayXd scale;  // z = scale · (the states of A, B, G, H)
};

// The largest of the sums that balancing wants to be equal, for state i in units that are f times as large.
double imbalance(double column, double row, double g, double h, double f) {
  return column * f + row / f + h * f * f + g / (f * f);
}

// Units of the states, powers of 2, in which A, G and H have entries of about the same size: rows and columns of the Hamiltonian matrix (A −G; −H −Aᵀ).
// Source: Benner, Symplectic balancing of Hamiltonian matrices, SIAM J. Sci. Comput. 22 (2001) 1885.
void balance(Riccati& of) {
  const Eigen::Index n = of.A.rows();
  of.scale = Eigen::ArrayXd::Ones(n);
  for (int sweep = 0; sweep < 100; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double g = std::abs(of.G(i, i)), h = std::abs(of.H(i, i)), a = std::abs(of.A(i, i));
      const double row = of.A.row(i).lpNorm<1>() - a + of.G.row(i).lpNorm<1>() - g;
      const double column = of.A.col(i).lpNorm<1>() - a + of.H.row(i).lpNorm<1>() - h;
      if (!(row + g > 0) || !(column + h > 0) || !std::isfinite(row + column + g + h)) continue;
      const auto cost = [&](double f) { return imbalance(column, row, g, h, f); };
      double f = 1;
      while (cost(2 * f) < cost(f)) f *= 2;
      while (cost(f / 2) < cost(f)) f /= 2;
      if (!(cost(f) < 0.95 * cost(1))) continue;
      changed = true;
      of.scale(i) *= f;
      of.A.row(i) /= f, of.A.col(i) *= f;
      of.G.row(i) /= f, of.G.col(i) /= f;
      of.H.row(i) *= f, of.H.col(i) *= f;
      of.B.row(i) /= f;
    }
    if (!changed) break;
  }
}

Riccati riccati_of(Dense A, const Matrix& B, const QuadraticCost& cost) {
  Riccati made{std::move(A), dense_of<Dense>(B), {}, dense_of<Dense>(cost.Q), dense_of<Dense>(cost.R), {}, {}, {}};
  made.of_R.compute(made.R);
  made.K0 = Dense::Zero(made.B.cols(), made.A.rows());
  if (!cost.N.entries.empty()) {
    made.K0 = made.of_R.solve(dense_of<Dense>(cost.N).transpose());
    made.A -= made.B * made.K0;
    made.H = symmetric(made.H - dense_of<Dense>(cost.N) * made.K0);
  }
  made.G = symmetric(made.B * made.of_R.solve(made.B.transpose()));
  balance(made);
  return made;
}

// The doubling algorithm for E = 1 + D, G, H: it ends at H = X, and E at 0 where X stabilises. Slow motions are small entries of D, which would be lost in
// E. Source: Chu, Fan, Lin & Wang, Int. J. Control 77 (2004) 767, doi:10.1080/00207170410001714988.
std::optional<Dense> double_up(Dense D, Dense G, Dense H) {
  constexpr int kMost = 128;
  const Dense identity = Dense::Identity(D.rows(), D.cols());
  for (int step = 0; step < kMost; ++step) {
    const Dense E = identity + D;
    const Eigen::PartialPivLU<Dense> lu(identity + G * H);
    const Dense WE = lu.solve(E), WG = lu.solve(G), HWE = H * WE;
    const Dense grown = E.transpose() * HWE;
    // E W E − 1, where W = 1 − W G H.
    if (E.norm() <= 2 * std::sqrt(static_cast<double>(E.rows())))
      D = (2 * D + D * D - E * (G * HWE)).eval();
    else
      D = E * WE - identity;
    G = symmetric(G + E * WG * E.transpose());
    H = symmetric(H + grown);
    if (!H.allFinite() || !G.allFinite() || !D.allFinite()) return std::nullopt;
    if (grown.norm() <= kRiccatiEps * H.norm() / 4 && (identity + D).norm() < 0.5) return H;
  }
  return std::nullopt;
}

// Σ Eᵀᵏ H Eᵏ for E = 1 + D; nothing if it does not converge.
std::optional<Dense> sum_up(Dense D, Dense H) {
  constexpr int kMost = 128;
  for (int step = 0; step < kMost; ++step) {
    const Dense HE = H + H * D;
    const Dense grown = HE + D.transpose() * HE;
    H = symmetric(H + grown);
    D = (2 * D + D * D).eval();
    if (!H.allFinite() || !D.allFinite()) return std::nullopt;
    if (grown.norm() <= kRiccatiEps * H.norm() / 4 && (Dense::Identity(D.rows(), D.cols()) + D).norm() < 0.5) return H;
  }
  return std::nullopt;
}

// A shift that is larger than all eigenvalues.
double shift_of(const Dense& A, double more) {
  return 1.5 * std::max({A.lpNorm<Eigen::Infinity>() + A.norm() / 2, more, 1e-8});
}

// By a Cayley transformation with the shift γ, A_γ = A − γ: Chu, Fan & Lin, Linear Algebra Appl. 396 (2005) 55, with the sign of E in which it is near 1.
std::optional<Dense> solve_continuous(const Riccati& of) {
  const double shift = shift_of(of.A, std::sqrt(of.G.norm() * of.H.norm()));
  const Dense shifted = of.A - shift * Dense::Identity(of.A.rows(), of.A.cols());
  const Eigen::PartialPivLU<Dense> of_A(shifted), of_AT(shifted.transpose());
  const Dense AG = of_A.solve(of.G);                                       // A_γ⁻¹ G
  const Eigen::PartialPivLU<Dense> of_W(shifted.transpose() + of.H * AG);  // A_γᵀ + H A_γ⁻¹ G
  const Dense P = of.G * of_AT.solve(of.H);
  const Dense D0 = -2 * Eigen::PartialPivLU<Dense>(shifted + P).solve(of.A + P);
  const Dense H0 = 2 * shift * of_W.solve(of.H * of_A.inverse());
  const Dense G0 = 2 * shift * AG * of_W.inverse();
  return double_up(D0, symmetric(G0), symmetric(H0));
}

// The symmetric Y with Aᵀ Y + Y A + F = 0 for a stable A.
std::optional<Dense> solve_lyapunov(const Dense& A, const Dense& F) {
  const double shift = shift_of(A, 0);
  const Eigen::PartialPivLU<Dense> of_A(A - shift * Dense::Identity(A.rows(), A.cols()));
  const Dense inverse = of_A.inverse();
  return sum_up(-2 * of_A.solve(A), symmetric(2 * shift * inverse.transpose() * F * inverse));
}

using LongDense = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// What X leaves of the equation, summed in more digits, and one step of Newton's method from there. Source: Kleinman, IEEE Trans. Autom. Control 13 (1968)
// 114.
std::optional<Dense> continuous_step(const Riccati& of, const Dense& X) {
  const LongDense x = X.cast<long double>(), xa = x * of.A.cast<long double>();
  const LongDense bx = of.B.transpose().cast<long double>() * x;
  const LongDense left = xa + xa.transpose() + of.H.cast<long double>() -
                         bx.transpose() * Eigen::PartialPivLU<LongDense>(of.R.cast<long double>()).solve(bx);
  return solve_lyapunov(of.A - of.G * X, symmetric(left.cast<double>()));
}

std::optional<Dense> discrete_step(const Riccati& of, const Dense& X) {
  const LongDense x = X.cast<long double>(), d = of.A.cast<long double>(), b = of.B.cast<long double>(), xd = x * d;
  const LongDense bx = b.transpose() * x, bxa = bx + bx * d;
  const LongDense K = Eigen::PartialPivLU<LongDense>(of.R.cast<long double>() + bx * b).solve(bxa);
  const LongDense left = xd + xd.transpose() + d.transpose() * xd + of.H.cast<long double>() - bxa.transpose() * K;
  return sum_up((d - b * K).cast<double>(), symmetric(left.cast<double>()));
}

Dense continuous_gain(const Riccati& of, const Dense& X) { return of.of_R.solve(of.B.transpose() * X); }

Dense filter_gain(const Riccati& of, const Dense& X) {
  const Dense BX = of.B.transpose() * X;
  return Eigen::PartialPivLU<Dense>(of.R + BX * of.B).solve(BX);
}

Dense discrete_gain(const Riccati& of, const Dense& X) {
  const Dense K = filter_gain(of, X);
  return K + K * of.A;
}

// The largest change of a row of K, as a part of the row.
double change_of(const Dense& K, const Dense& before) {
  double most = 0;
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    const double size = K.row(i).norm(), change = (K.row(i) - before.row(i)).norm();
    if (!(change <= size)) return std::numeric_limits<double>::infinity();
    if (size > 0) most = std::max(most, change / size);
  }
  return most;
}

// Steps of Newton's method until they change the gain by round-off only. The last change is the gain's error.
template <class Step, class GainOf>
std::optional<Gain> refine(const Riccati& of, std::optional<Dense> X, Step step, GainOf gain_of) {
  constexpr int kMost = 40;
  constexpr double kExact = 1e-14, kNear = 0.1;
  if (!X) return std::nullopt;
  Dense K = gain_of(of, *X);
  double error = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMost; ++k) {
    const std::optional<Dense> dX = step(of, *X);
    if (!dX) return std::nullopt;
    *X += *dX;
    const Dense next = gain_of(of, *X);
    const double change = change_of(next, K), before = error;
    K = next;
    error = change;
    if (error <= kExact || (before < kNear && error > before / 4)) break;
  }
  if (!(error < kNear)) return std::nullopt;
  return Gain{matrix(of.K0 + K * of.scale.inverse().matrix().asDiagonal()), error, {of.scale.begin(), of.scale.end()}};
}

}  // namespace

double change_of(const Gain& gain, const Gain& other) {
  const auto scale = Eigen::Map<const Eigen::VectorXd>(gain.scale.data(), std::ssize(gain.scale)).asDiagonal();
  const Dense K = dense_of<Dense>(gain.K), beside = dense_of<Dense>(other.K);
  return std::max(change_of(K, beside), change_of(Dense(K * scale), Dense(beside * scale)));
}

std::optional<Gain> solve_continuous_riccati(const Matrix& A, const Matrix& B, const QuadraticCost& cost) {
  const Riccati of = riccati_of(dense_of<Dense>(A), B, cost);
  return refine(of, solve_continuous(of), continuous_step, continuous_gain);
}

std::optional<Gain> solve_discrete_riccati(const Matrix& change, const Matrix& B, const QuadraticCost& cost) {
  const Riccati of = riccati_of(dense_of<Dense>(change), B, cost);
  return refine(of, double_up(of.A, of.G, of.H), discrete_step, discrete_gain);
}

std::optional<Gain> solve_filter_riccati(const Matrix& change, const Matrix& B, const QuadraticCost& cost) {
  const Riccati of = riccati_of(dense_of<Dense>(change), B, cost);
  return refine(of, double_up(of.A, of.G, of.H), discrete_step, filter_gain);
}

}  // namespace dalembert
