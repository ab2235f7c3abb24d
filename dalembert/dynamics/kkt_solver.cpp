// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/kkt_solver.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/sparse_rows.h"

namespace dalembert {
namespace {

// Limits of the ratio pivot / diagonal entry (a squared sine) in the fast path. Below kTrustMass (in M) or kTrustSchur
// (in WM⁻¹Wᵀ) the slow path solves instead. Below kRefine the answer is refined once, which brings the error back to
// that of a backward stable solve.
constexpr double kTrustMass = 1e-9, kTrustSchur = 1e-7, kRefine = 1e-3;
// An inertia on null(W) below this fraction of the scaled M counts as zero: M is singular there.
constexpr double kNoInertia = 1e-13;
// A row of W is round-off when its entries are at most this times the largest of W (see find_roundoff_rows()). cos(π/2)
// is 6e-17; rows that only differ in units stay far above.
constexpr double kRoundoffRow = 1e-14;
// A basis of the rows does without a row that is shorter than kShort times one that is left out, as far as its rows stay independent up to the factor
// kPrefer in each pivot. The round-off of a row that vanishes at a position is as large as that of its terms.
constexpr double kShort = 1e-2, kPrefer = 0.1;
// Entries of the null vectors of Wᵀ (rows of norm 1) below this count as zero.
constexpr double kNullEntry = 1e-7;

double dot(const double* x, const double* y, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// Null vectors of Ŵᵀ: P (−R₁⁻¹R₂; I). A multiplier is unique when its entry is zero in all
// of them. `b` is scratch memory.
void find_unique(const HouseholderQr& rows, int rank, int m, std::vector<double>& b, std::vector<char>& unique) {
  for (int j = rank; j < m; ++j) {
    unique[index(rows.pivot(j))] = 0;
    for (int i = rank - 1; i >= 0; --i) {
      double s = rows.R(i, j);
      for (int k = i + 1; k < rank; ++k) s -= rows.R(i, k) * b[index(k)];
      b[index(i)] = s / rows.R(i, i);
      if (std::abs(b[index(i)]) > kNullEntry) unique[index(rows.pivot(i))] = 0;
    }
  }
}

}  // namespace

std::string_view to_text(KktStatus status) {
  switch (status) {
    case KktStatus::kOk:
      return "ok";
    case KktStatus::kSingular:
      return "singular";
    case KktStatus::kInconsistent:
      return "inconsistent";
    case KktStatus::kNotFinite:
      return "not finite";
    case KktStatus::kTooLarge:
      return "a pivot of the sparse factorization cannot be trusted, and the system is too large for the dense solve";
    case KktStatus::kParadox:
      return "the friction has no consistent state, or more than one";
  }
  return "";
}

KktSolver::KktSolver(int n, int m, KktOptions options) : n_(n), m_(m), most_rows_(m), options_(options) {
  const std::size_t N = index(n), m_rows = index(m);
  unique_.assign(m_rows, 1);
  mass_.resize(n);
  // Memory of the fast path, which needs m <= n.
  schur_.resize(std::min(n, m));
  Y_.resize(N * std::min(N, m_rows));
  for (std::vector<double>* x : {&r1_, &dq_}) x->resize(N);
  for (std::vector<double>* x : {&r2_, &dl_}) x->resize(m_rows);
  if (n + m <= kSmallSystem && !options_.slow_when_needed) reserve_slow();
}

// Memory of the slow path, for all rows of the constructor.
void KktSolver::reserve_slow() {
  if (reduced_.size() == n_ && W_rows_.size() == index(most_rows_)) return;
  const std::size_t N = index(n_), m_rows = index(most_rows_), most = std::max(N, m_rows);
  reduced_.resize(n_);
  for (std::vector<double>* x : {&x_, &g_}) x->resize(N);
  scales_.resize(N, m_rows);
  W_rows_.resize(m_rows);
  roundoff_.resize(m_rows);
  for (std::vector<double>* x : {&y_, &b_, &temporary_}) x->resize(most);
  K_.resize(N * N);
  rows_.resize(n_, most_rows_);
  range_.resize(most_rows_, std::min(n_, most_rows_));
  multipliers_.resize(most_rows_, std::min(n_, most_rows_));
}

void KktSolver::set_rows(int m) {
  if (m == m_) return;
  m_ = m;
  schur_.resize(std::min(n_, m));
}

KktStatus KktSolver::factor(const double* M, const double* W, double rank_tolerance) {
  M_ = M;
  W_ = W;
  fast_ = !options_.rank_revealing_only && factor_fast();
  if (fast_) {
    rank_ = m_;
    std::fill(unique_.begin(), unique_.end(), 1);
    return status_ = KktStatus::kOk;
  }
  return status_ = factor_slow(rank_tolerance > 0 ? rank_tolerance : options_.rank_tolerance);
}

bool KktSolver::factor_fast() {
  if (m_ > n_) return false;  // some rows are dependent
  for (int i = 0; i < n_; ++i)
    std::copy(M_ + index(i) * index(n_) + i, M_ + index(i + 1) * index(n_), mass_.row(i) + i);
  independence_ = 1;
  const double mass_ratio = mass_.factor();
  if (!(mass_ratio > kTrustMass)) return false;
  if (m_ == 0) {
    refine_ = mass_ratio < kRefine;
    return true;
  }
  // Y = L⁻¹Wᵀ, then S = YᵀD⁻¹Y as a sum over the rows of Y, each within its first and last non-zero.
  const std::size_t m = index(m_);
  double smallest_row = std::numeric_limits<double>::infinity(), largest_row = 0;
  for (int r = 0; r < m_; ++r) {
    double largest = 0;
    for (int i = 0; i < n_; ++i) {
      const double entry = W_[index(r) * index(n_) + index(i)];
      Y_[index(i) * m + index(r)] = entry;
      largest = std::max(largest, std::abs(entry));
    }
    smallest_row = std::min(smallest_row, largest);
    largest_row = std::max(largest_row, largest);
  }
  // The pivot ratios of S do not change with the length of a row, so they cannot reveal a row
  // of round-off. The slow path can.
  if (!(smallest_row > kRoundoffRow * largest_row)) return false;
  mass_.solve_forward(Y_.data(), m_);
  schur_.clear();
  for (int k = 0; k < n_; ++k) {
    const double* Yk = Y_.data() + index(k) * m;
    int begin = 0, end = m_;
    while (begin < end && Yk[begin] == 0) ++begin;
    while (end > begin && Yk[end - 1] == 0) --end;
    for (int i = begin; i < end; ++i) {
      if (Yk[i] == 0) continue;
      const double s = Yk[i] * mass_.inverse_pivot(k);
      double* Si = schur_.row(i);
      for (int j = i; j < end; ++j) Si[j] += s * Yk[j];
    }
  }
  const double schur_ratio = schur_.factor();
  independence_ = std::sqrt(std::max(schur_ratio, 0.0));
  refine_ = std::min(mass_ratio, schur_ratio) < kRefine;
  return schur_ratio > kTrustSchur;
}

void KktSolver::solve_fast(const double* f, const double* gamma, double* qdd, double* lambda) {
  const std::size_t m = index(m_);
  std::copy(f, f + n_, qdd);
  mass_.solve_forward(qdd);  // z = L⁻¹f
  for (std::size_t r = 0; r < m; ++r) lambda[r] = -gamma[r];
  for (int k = 0; k < n_; ++k) {
    const double* Yk = Y_.data() + index(k) * m;
    const double s = qdd[k] * mass_.inverse_pivot(k);
    for (std::size_t r = 0; r < m; ++r) lambda[r] -= s * Yk[r];
  }
  schur_.solve_forward(lambda);
  schur_.solve_backward(lambda);
  for (int k = 0; k < n_; ++k) qdd[k] += dot(Y_.data() + index(k) * m, lambda, m_);
  mass_.solve_backward(qdd);
}

// A row is round-off when no entry exceeds kRoundoffRow times the largest entry of W, both in SI units and in the mass
// metric (columns divided by √M_jj). Requiring both protects a row that is small in one of them only, for example
// because another coordinate belongs to a planet's mass or is in nanometres. The kernel does not tell from which terms
// a row was summed up, so a single row is never round-off.
void KktSolver::find_roundoff_rows() {
  const std::size_t n = index(n_), m = index(m_);
  double largest = 0, largest_massive = 0;
  std::vector<double>&scale = scales_.column, &largest_of_column = g_;
  for (std::size_t j = 0; j < n; ++j) {
    const double inertia = M_[j * n + j];
    scale[j] = inertia > 0 ? 1 / std::sqrt(inertia) : 0;
    largest_of_column[j] = 0;
    for (std::size_t r = 0; r < m; ++r) largest_of_column[j] = std::max(largest_of_column[j], std::abs(W_[r * n + j]));
    largest = std::max(largest, largest_of_column[j]);
    largest_massive = std::max(largest_massive, largest_of_column[j] * scale[j]);
  }
  // A coordinate without mass is scaled by the largest entry of its column.
  const double reference = largest_massive > 0 ? largest_massive : 1;
  for (std::size_t j = 0; j < n; ++j)
    if (scale[j] == 0 && largest_of_column[j] > 0) scale[j] = reference / largest_of_column[j];
  for (std::size_t r = 0; r < m; ++r) {
    double plain = 0, metric = 0;
    for (std::size_t j = 0; j < n; ++j) {
      plain = std::max(plain, std::abs(W_[r * n + j]));
      metric = std::max(metric, std::abs(W_[r * n + j]) * scale[j]);
    }
    roundoff_[r] = plain <= kRoundoffRow * largest && metric <= kRoundoffRow * reference;
  }
}

// A row of round-off has no meaningful length, so its residual is scaled by the length of the longest other row.
void KktSolver::equilibrate() {
  for (std::size_t r = 0; r < index(m_); ++r) W_rows_[r] = roundoff_[r] ? nullptr : W_ + r * index(n_);
  scales_.find(M_, {W_rows_.data(), index(m_)});
}

// The columns of rows_ are the scaled rows of W, zero for rows of round-off.
void KktSolver::spread_rows() {
  rows_.resize(n_, m_);
  for (int r = 0; r < m_; ++r)
    for (int j = 0; j < n_; ++j)
      rows_.column(r)[j] = roundoff_[index(r)]
                               ? 0
                               : W_[index(r) * index(n_) + index(j)] * scales_.row[index(r)] * scales_.column[index(j)];
}

// After a factorization with dependent rows: makes another one where a row of the basis is much shorter than one that depends on the basis.
void KktSolver::prefer_long_rows() {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (int r = 0; r < m_; ++r) b_[index(r)] = roundoff_[index(r)] ? 0 : 1 / scales_.row[index(r)];
  for (int k = 0; k < rank_; ++k) shortest = std::min(shortest, b_[index(rows_.pivot(k))]);
  for (int k = rank_; k < m_; ++k) longest = std::max(longest, b_[index(rows_.pivot(k))]);
  if (!(shortest < kShort * longest)) return;
  spread_rows();
  rank_ = rows_.factor_pivoted(0, rank_, b_.data(), kPrefer);
}

KktStatus KktSolver::factor_slow(double rank_tolerance) {
  rank_ = 0;
  std::fill(unique_.begin(), unique_.end(), 1);
  reserve_slow();
  if (!all_finite(M_, index(n_) * index(n_)) || !all_finite(W_, index(m_) * index(n_))) return KktStatus::kNotFinite;
  find_roundoff_rows();
  equilibrate();

  // Ŵᵀ P = Q R
  spread_rows();
  rank_ = rows_.factor_pivoted(rank_tolerance, m_);
  independence_ = rank_ > 0 ? std::abs(rows_.R(rank_ - 1, rank_ - 1)) : 1;
  if (rank_ < m_) prefer_long_rows();

  // K = QᵀM̂Q; its block on null(W) carries the dynamics and must be positive definite.
  double largest = 0;
  for (std::size_t i = 0; i < index(n_); ++i)
    for (std::size_t j = 0; j < index(n_); ++j) {
      K_[i * index(n_) + j] = M_[i * index(n_) + j] * scales_.column[i] * scales_.column[j];
      largest = std::max(largest, std::abs(K_[i * index(n_) + j]));
    }
  rows_.apply_congruence(K_.data(), temporary_.data());
  const int free = n_ - rank_;
  bool inert = false;
  // reduced_ keeps its capacity of n: the unused tail becomes the identity.
  reduced_.clear();
  for (int i = 0; i < n_; ++i) {
    if (i >= free) {
      reduced_.row(i)[i] = 1;
      continue;
    }
    for (int j = i; j < free; ++j) reduced_.row(i)[j] = K_[index(i + rank_) * index(n_) + index(j + rank_)];
    inert = inert || !(reduced_.row(i)[i] > kNoInertia * largest);
  }
  const double ratio = reduced_.factor();
  if (inert || !(ratio > kNoInertia)) return KktStatus::kSingular;

  if (rank_ < m_) {
    // C = [R₁ R₂]ᵀ for the accelerations; the same with unscaled rows for λ, whose unscaled norm is minimised.
    range_.resize(m_, rank_);
    multipliers_.resize(m_, rank_);
    for (int k = 0; k < rank_; ++k)
      for (int j = 0; j < m_; ++j) {
        const double entry = j >= k ? rows_.R(k, j) : 0.0;
        range_.column(k)[j] = entry;
        multipliers_.column(k)[rows_.pivot(j)] = entry / scales_.row[index(rows_.pivot(j))];
      }
    range_.factor();
    multipliers_.factor();
    find_unique(rows_, rank_, m_, b_, unique_);
  }
  return KktStatus::kOk;
}

void KktSolver::solve_slow(const double* f, const double* gamma, double* qdd, double* lambda) {
  const int r = rank_;
  for (int i = 0; i < n_; ++i) g_[index(i)] = f[i] * scales_.column[index(i)];
  rows_.apply_Qt(g_.data());  // Qᵀf̂

  // y: the part of the acceleration that the constraints fix.
  for (int j = 0; j < m_; ++j) b_[index(j)] = -gamma[rows_.pivot(j)] * scales_.row[index(rows_.pivot(j))];
  if (r == m_) {
    for (int j = 0; j < r; ++j) {
      double s = b_[index(j)];
      for (int k = 0; k < j; ++k) s -= rows_.R(k, j) * y_[index(k)];
      y_[index(j)] = s / rows_.R(j, j);
    }
  } else {
    range_.apply_Qt(b_.data());
    for (int j = r - 1; j >= 0; --j) {
      double s = b_[index(j)];
      for (int k = j + 1; k < r; ++k) s -= range_.R(j, k) * y_[index(k)];
      y_[index(j)] = s / range_.R(j, j);
    }
  }

  // z: the free part, from the equations of motion projected on null(W).
  double* x = x_.data();
  std::copy(y_.begin(), y_.begin() + r, x);
  double* z = temporary_.data();
  std::fill(temporary_.begin(), temporary_.end(), 0.0);
  for (int i = r; i < n_; ++i) z[i - r] = g_[index(i)] - dot(K_.data() + index(i) * index(n_), x, r);
  reduced_.solve_forward(z);
  reduced_.solve_backward(z);
  std::copy(z, z + (n_ - r), x + r);

  // λ from Q₁ᵀ(M̂x̂ − f̂) = [R₁ R₂] Pᵀλ̂.
  for (int i = 0; i < r; ++i) b_[index(i)] = dot(K_.data() + index(i) * index(n_), x, n_) - g_[index(i)];
  if (r == m_) {
    for (int i = r - 1; i >= 0; --i) {
      double s = b_[index(i)];
      for (int k = i + 1; k < r; ++k) s -= rows_.R(i, k) * y_[index(k)];
      y_[index(i)] = s / rows_.R(i, i);
    }
    for (int j = 0; j < m_; ++j) lambda[rows_.pivot(j)] = y_[index(j)] * scales_.row[index(rows_.pivot(j))];
  } else {
    for (int i = 0; i < r; ++i) {
      double s = b_[index(i)];
      for (int k = 0; k < i; ++k) s -= multipliers_.R(k, i) * lambda[k];
      lambda[i] = s / multipliers_.R(i, i);
    }
    std::fill(lambda + r, lambda + m_, 0.0);
    multipliers_.apply_Q(lambda);
  }

  rows_.apply_Q(x);
  for (int i = 0; i < n_; ++i) qdd[i] = x[i] * scales_.column[index(i)];
}

KktStatus KktSolver::solve(const double* f, const double* gamma, double* qdd, double* lambda) {
  residual_ = 0;
  if (status_ != KktStatus::kOk) {
    std::fill(qdd, qdd + n_, 0.0);
    std::fill(lambda, lambda + m_, 0.0);
    return status_;
  }
  const std::size_t n = index(n_);
  if (fast_) {
    solve_fast(f, gamma, qdd, lambda);
    if (refine_) {
      // r₁ = f − Mq̈ + Wᵀλ, r₂ = −γ − Wq̈, then the same factors once more.
      for (int i = 0; i < n_; ++i) r1_[index(i)] = f[i] - dot(M_ + index(i) * n, qdd, n_);
      for (int r = 0; r < m_; ++r) {
        const double* Wr = W_ + index(r) * n;
        for (int i = 0; i < n_; ++i) r1_[index(i)] += Wr[i] * lambda[r];
        r2_[index(r)] = gamma[r] + dot(Wr, qdd, n_);
      }
      solve_fast(r1_.data(), r2_.data(), dq_.data(), dl_.data());
      for (int i = 0; i < n_; ++i) qdd[i] += dq_[index(i)];
      for (int r = 0; r < m_; ++r) lambda[r] += dl_[index(r)];
    }
  } else {
    solve_slow(f, gamma, qdd, lambda);
  }

  double sum = 0, scaled = 0, scaled_gamma = 0;
  for (int r = 0; r < m_; ++r) {
    const double left = dot(W_ + index(r) * n, qdd, n_) + gamma[r];
    sum += left * left;
    if (!fast_) {
      scaled += left * left * scales_.row[index(r)] * scales_.row[index(r)];
      scaled_gamma += gamma[r] * gamma[r] * scales_.row[index(r)] * scales_.row[index(r)];
    }
  }
  residual_ = std::sqrt(sum);
  if (!all_finite(qdd, n) || !all_finite(lambda, index(m_))) return KktStatus::kNotFinite;
  if (!fast_ && rank_ < m_ &&
      std::sqrt(scaled) > options_.consistency_tolerance * (norm(x_.data(), n_) + std::sqrt(scaled_gamma)))
    return KktStatus::kInconsistent;
  return KktStatus::kOk;
}

}  // namespace dalembert
