// SPDX-License-Identifier: Apache-2.0
// The solver of the KKT system on dense matrices (kkt.h), and what a solve found out about W.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/equilibrate.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {

/// A row of W that the others reproduce up to this (rows scaled to norm 1) counts as dependent, unless what it is told
/// from is known less well.
inline constexpr double kRankTolerance = 1e-10;

struct KktOptions {
  /// Dependent, before that, is a row of round-off such as L·cos(π/2): all entries at most 1e-14 of the largest of W, in
  /// SI units and in the mass metric. Rows may differ in units by less than that.
  double rank_tolerance = kRankTolerance;
  /// Wq̈ + γ left over, relative to ‖q̈‖ + ‖γ‖ in scaled units, above which redundant rows contradict each other.
  double consistency_tolerance = 1e-8;
  bool rank_revealing_only = false;  ///< always the slow path
};

/// A kernel's solve loses as many digits of λ as this loss (KktReport::loss) has, for it squares the condition and is not
/// refined: above it, who reports λ calls refine_kkt().
inline constexpr double kLosesDigits = 1e3;

/// Multiplications of one factorisation up to which matrices are ever made dense: a second or two. 1,250 velocities
/// without rows, 870 with as many rows.
inline constexpr double kMostDenseWork = 2e9;
inline double dense_work(double n, double m) { return n * n * (n + m) + n * m * std::min(n, m); }
inline bool fits_dense(int n, int m) { return dense_work(n, m) <= kMostDenseWork; }
/// The same, up to which dense memory is taken at once, so that nothing ever allocates in the inner loop. Beyond, and where
/// a kernel solves as long as its pivots can be trusted, it is taken when it is first needed.
inline constexpr int kSmallSystem = 200;

/// The linear core on dense matrices. One object belongs to one thread; after construction nothing allocates, but for
/// the first slow path of a system larger than kSmallSystem.
class KktSolver {
 public:
  KktSolver(int n, int m, KktOptions options = {});
  /// From now on systems with fewer rows (at most the m of the constructor).
  void set_rows(int m);

  /// M: n×n symmetric, row-major, both halves; W: m×n row-major. Both are read again by solve(): keep them alive and
  /// unchanged until then. `rank_tolerance` > 0 replaces the option.
  KktStatus factor(const double* M, const double* W, double rank_tolerance = 0);
  /// f: n, gamma: m → qdd: n, lambda: m. May be called many times after one factor().
  KktStatus solve(const double* f, const double* gamma, double* qdd, double* lambda);

  int n() const { return n_; }
  int m() const { return m_; }
  int rank() const { return rank_; }
  /// The rows 0 <= k < rank() of W that were found independent of each other; the others follow from them.
  int independent_row(int k) const { return fast_ ? k : rows_.pivot(k); }
  /// How far the independent rows are from depending on each other: about the smallest sine of the angle between one of
  /// them and the rest. Near 0 the configuration is nearly singular and λ is large or badly determined.
  double independence() const { return independence_; }
  bool lambda_unique(int row) const { return unique_[static_cast<std::size_t>(row)] != 0; }
  double residual() const { return residual_; }  ///< ‖Wq̈ + γ‖₂ of the last solve, in the rows' own units
  bool fast() const { return fast_; }            ///< whether the last factor() took the fast path

 private:
  void reserve_slow();
  bool factor_fast();
  KktStatus factor_slow(double rank_tolerance);
  void solve_fast(const double* f, const double* gamma, double* qdd, double* lambda);
  void solve_slow(const double* f, const double* gamma, double* qdd, double* lambda);
  void find_roundoff_rows();
  void equilibrate();

  int n_, m_, rank_ = 0;
  int most_rows_;  // m of the constructor
  KktOptions options_;
  KktStatus status_ = KktStatus::kOk;
  bool fast_ = false, refine_ = false;
  double residual_ = 0, independence_ = 1;
  const double *M_ = nullptr, *W_ = nullptr;
  std::vector<char> unique_;    // m
  std::vector<char> roundoff_;  // m: rows of W that count as zero, on the slow path
  // Fast path: factors of M and S, Y = L⁻¹Wᵀ (n×m).
  SkylineLdlt mass_, schur_;
  std::vector<double> Y_, r1_, r2_, dq_, dl_;
  // Slow path: scales of coordinates and rows, factors of Ŵᵀ, [R₁ R₂]ᵀ and its unscaled twin, (QᵀM̂Q) and its block 22.
  Equilibration scales_;
  std::vector<const double*> W_rows_;  // null: round-off
  std::vector<double> K_, x_, g_, y_, b_, temporary_;
  HouseholderQr rows_, range_, multipliers_;
  SkylineLdlt reduced_;
};

/// What the last solve with all rows found out about W, whoever solved it.
class KktReport {
 public:
  explicit KktReport(int m);
  /// Of a kernel's solve whose pivots are trusted: the rank is full.
  void set_solved_by_kernel(const double* trust) {
    rank_ = m_;
    loss_ = trust[1];
    residual_ = 0;
    fast_ = true;
  }
  /// Of a dense factorisation. No allocation.
  void set(const KktSolver& solver);

  int m() const { return m_; }
  int rank() const { return rank_; }
  /// As in KktSolver.
  int independent_row(int k) const { return full() ? k : independent_[static_cast<std::size_t>(k)]; }
  double independence() const { return m_ > 0 ? 1 / std::sqrt(std::max(loss_, 1.0)) : 1; }
  double loss() const { return loss_; }  ///< the inverse of its square
  bool lambda_unique(int row) const { return full() || unique_[static_cast<std::size_t>(row)] != 0; }
  /// ‖Wq̈ + γ‖₂; 0 after a kernel's solve, which does not measure it.
  double residual() const { return residual_; }
  bool fast() const { return fast_; }  ///< by the kernel or on the dense fast path

 private:
  bool full() const { return rank_ == m_; }

  int m_, rank_;
  double loss_ = 1;  // the inverse of a squared sine, as trust[1]
  double residual_ = 0;
  bool fast_ = true;
  std::vector<int> independent_;  // rank_ of them where that is less than m
  std::vector<char> unique_;      // m, likewise
};

}  // namespace dalembert
