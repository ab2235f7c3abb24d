// SPDX-License-Identifier: Apache-2.0
// Accelerations and multipliers: the KKT system of index 1,
//
//   ⎡ M  −Wᵀ ⎤ ⎡ q̈ ⎤   ⎡  f ⎤        f = F − B − G                    (1)
//   ⎣ W   0  ⎦ ⎣ λ ⎦ = ⎣ −γ ⎦
//
// q̈ is unique when M is positive definite on null(W) and the rows do not contradict each other. M may be singular
// (massless links), and W may lose rank (redundant constraints, singular configurations). In the second case λ is not
// unique, and the λ of least norm is returned.
//
// Fast path, O(n³/3 + n²m + nm²/2 + m³/6) within skylines: M = LDLᵀ, S = WM⁻¹Wᵀ = LDLᵀ,
//   S λ = −γ − W M⁻¹ f,   q̈ = M⁻¹(f + Wᵀλ)                                                            (2)
// with one step of iterative refinement when a pivot is small. Slow path, when a pivot is too small to be trusted:
// equilibration (equilibrate.h), Ŵᵀ P = Q R with column pivoting, which shows the rank r, then in x̂ = Q (y, z)
//   [R₁ R₂]ᵀ y = −Pᵀγ̂ (least squares),   (QᵀM̂Q)₂₂ z = (Qᵀf̂)₂ − (QᵀM̂Q)₂₁ y,   Wᵀλ = M q̈ − f (least norm)    (3)
// A kernel that can solve (1) itself (kernel.h) is tried first. The dense solver above serves all other kernels, and
// takes over where a kernel meets a pivot that it cannot trust; fits_dense() limits the size of its systems.
// Sources: Nocedal & Wright, Numerical Optimization, 2nd ed., §16.2; Golub & Van Loan, 4th ed., §5.4-5.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/equilibrate.h"
#include "dalembert/dynamics/friction_answer.h"

namespace dalembert {

struct Workspace;

enum class KktStatus {
  kOk,
  kSingular,      ///< M is not positive definite on null(W): some motion that the constraints allow has no inertia
  kInconsistent,  ///< redundant rows contradict each other: no q̈ satisfies all; a least-squares answer is returned
  kNotFinite,     ///< the kernel returned a NaN or an infinity
  kTooLarge,      ///< the kernel's solve met a pivot it cannot trust, and the system is too large for the dense one
  kParadox,       ///< friction: no state of it is consistent, or more than one (friction.h)
};
std::string_view to_text(KktStatus status);

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

struct KktSolution {
  KktStatus status = KktStatus::kOk;
  std::vector<double> qdd;          ///< nv, accelerations v̇ (q̈)
  std::vector<double> lambda;       ///< m, the multipliers; least-norm where they are not unique
  std::vector<double> friction;     ///< force of each friction
  FrictionAnswer friction_answer;   ///< what the frictions do; no solution or several on kParadox
  std::vector<bool> lambda_unique;  ///< for each row: whether its λ is unique
  int rank = 0;                     ///< rank of W; −1: unknown, on kTooLarge
  double residual = 0;              ///< residual ‖Wq̈ + γ‖₂
};

/// Solves (1) at a state, which need not satisfy the constraints. The first form creates its own workspace.
KktSolution solve_kkt(const Dynamics& dynamics, const State& state);
KktSolution solve_kkt(const Dynamics& dynamics, const State& state, Workspace& workspace);
/// The inner loop's form: q of size nq, v and qdd (v̇) of size nv, lambda of size layout().multipliers(). Allocates
/// only in the first dense solve of a system larger than kSmallSystem. Rank and residual are in workspace.kkt;
/// workspace.fallbacks counts the systems that the kernel could not solve. If workspace.basis names rows, only these
/// are used, and the multipliers of the other rows are zero.
KktStatus solve_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace,
                    double* qdd, double* lambda);
/// Improves q̈ and λ after a solve_kkt() at this point that found W of full rank. Where their residual is above
/// round-off, they are solved for again by QR of the scaled rows, whose error grows with the condition number, not with
/// its square. True if q̈ and λ were replaced by better ones. For systems up to kSmallSystem without friction. Takes
/// many times as long as a kernel's solve, and allocates.
bool refine_kkt(const Dynamics& dynamics, double t, const double* q, const double* v, Workspace& workspace, double* qdd,
                double* lambda);

}  // namespace dalembert
