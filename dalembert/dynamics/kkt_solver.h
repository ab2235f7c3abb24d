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

/// Rank tolerance: a row of W counts as dependent if the others reproduce it up to this, with rows scaled to norm 1.
/// Callers pass a larger tolerance at states that are less accurate.
inline constexpr double kRankTolerance = 1e-10;

struct KktOptions {
  /// Rank tolerance for rows scaled to norm 1. Before scaling, a row of round-off such as L·cos(π/2) counts as zero:
  /// all its entries are at most 1e-14 of the largest entry of W, both in SI units and in the mass metric. So the units
  /// of two rows must not differ by a factor as large as 1e14.
  double rank_tolerance = kRankTolerance;
  /// Redundant rows contradict each other if the residual ‖Wq̈ + γ‖ exceeds this fraction
  /// of ‖q̈‖ + ‖γ‖, in scaled units.
  double consistency_tolerance = 1e-8;
  bool rank_revealing_only = false;  ///< always take the slow path
  bool slow_when_needed =
      false;  ///< the slow path's memory is allocated when it is first taken, also for small systems
};

/// Code that reports λ calls refine_kkt() if KktReport::loss() is above this. A kernel's solve squares the condition
/// number and is not refined: at a loss of 10ᵏ, λ has lost about k digits.
inline constexpr double kLosesDigits = 1e3;

/// Largest number of multiplications in one dense factorisation, which takes a second or two. It allows 1,250
/// velocities without rows, or 870 velocities with 870 rows.
inline constexpr double kMostDenseWork = 2e9;
inline double dense_work(double n, double m) { return n * n * (n + m) + n * m * std::min(n, m); }
inline bool fits_dense(int n, int m) { return dense_work(n, m) <= kMostDenseWork; }
/// Largest n + m for which dense memory is allocated at construction, so that the inner loop never allocates. Larger
/// systems allocate it on first use.
inline constexpr int kSmallSystem = 200;

/// The dense KKT solver. One object belongs to one thread. After construction only the first slow path of a system
/// larger than kSmallSystem allocates.
class KktSolver {
 public:
  KktSolver(int n, int m, KktOptions options = {});
  /// Sets the number of rows of the following systems, at most the m of the constructor.
  void set_rows(int m);

  /// M: n×n symmetric, row-major, both halves; W: m×n row-major. solve() reads both again: keep them alive and
  /// unchanged until then. A `rank_tolerance` > 0 replaces the option.
  KktStatus factor(const double* M, const double* W, double rank_tolerance = 0);
  /// Solves (1) for f (n numbers) and gamma (m) → qdd (n) and lambda (m). One factor() serves any number of calls.
  KktStatus solve(const double* f, const double* gamma, double* qdd, double* lambda);

  int n() const { return n_; }
  int m() const { return m_; }
  int rank() const { return rank_; }
  /// The rows 0 <= k < rank() of W that were found independent of each other; the others follow from them.
  int independent_row(int k) const { return fast_ ? k : rows_.pivot(k); }
  /// How far the independent rows are from being dependent: about the smallest sine of the angle between one row and
  /// the span of the others. Near 0 the configuration is nearly singular and λ is large or badly determined.
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
  void spread_rows();
  void prefer_long_rows();

  int n_, m_, rank_ = 0;
  int most_rows_;  // the m of the constructor
  KktOptions options_;
  KktStatus status_ = KktStatus::kOk;
  bool fast_ = false, refine_ = false;
  double residual_ = 0, independence_ = 1;
  const double *M_ = nullptr, *W_ = nullptr;
  std::vector<char> unique_;    // for each row of W: whether its λ is unique
  std::vector<char> roundoff_;  // for each row of W: whether it counts as zero, on the slow path
  // Fast path: factors of M and S, Y = L⁻¹Wᵀ (n×m).
  SkylineLdlt mass_, schur_;
  std::vector<double> Y_, r1_, r2_, dq_, dl_;
  // Slow path: scales of coordinates and rows; factors of Ŵᵀ, of [R₁ R₂]ᵀ with scaled and with unscaled
  // rows, and of the block (QᵀM̂Q)₂₂.
  Equilibration scales_;
  std::vector<const double*> W_rows_;  // null for a row of round-off
  std::vector<double> K_, x_, g_, y_, b_, temporary_;
  HouseholderQr rows_, range_, multipliers_;
  SkylineLdlt reduced_;
};

/// Rank and conditioning of W from the last solve with all rows, by the kernel or by the dense solver.
class KktReport {
 public:
  explicit KktReport(int m);
  /// Notes a kernel's solve whose pivots are trusted, so that the rank is full.
  void set_solved_by_kernel(const double* trust) {
    rank_ = m_;
    loss_ = trust[1];
    residual_ = 0;
    fast_ = true;
  }
  /// Notes a dense factorisation. Does not allocate.
  void set(const KktSolver& solver);
  /// Notes a dense factorisation of these rows alone. The others do not act (open contacts) and count as independent.
  void set(const KktSolver& solver, const std::vector<int>& rows);

  int m() const { return m_; }
  int rank() const { return rank_; }
  /// Independent rows, as in KktSolver.
  int independent_row(int k) const { return full() ? k : independent_[static_cast<std::size_t>(k)]; }
  double independence() const { return m_ > 0 ? 1 / std::sqrt(std::max(loss_, 1.0)) : 1; }
  double loss() const { return loss_; }  ///< 1 / independence()²
  bool lambda_unique(int row) const { return full() || unique_[static_cast<std::size_t>(row)] != 0; }
  /// ‖Wq̈ + γ‖₂; 0 after a kernel's solve, which does not measure it.
  double residual() const { return residual_; }
  bool fast() const { return fast_; }  ///< whether the kernel or the dense fast path solved

 private:
  bool full() const { return rank_ == m_; }

  int m_, rank_;
  double loss_ = 1;  // the inverse of the squared independence, as trust[1]
  double residual_ = 0;
  bool fast_ = true;
  std::vector<int> independent_;  // rank_ row indices, used where rank_ < m
  std::vector<char> unique_;      // m flags, used where rank_ < m
};

}  // namespace dalembert
