// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/dense.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace dalembert {
namespace {
// Matrices with at least kManyRows rows apply a reflection by its non-zero entries, if at most one entry in kSparse is
// non-zero.
constexpr int kManyRows = 32, kSparse = 4;
}  // namespace

void SkylineLdlt::resize(int n) {
  n_ = n;
  const auto size = static_cast<std::size_t>(n);
  A_.assign(size * size, 0.0);
  inverse_.assign(size, 0.0);
  end_.assign(size, 0);
}

void SkylineLdlt::clear() { std::fill(A_.begin(), A_.end(), 0.0); }

double SkylineLdlt::factor() {
  double smallest = 1;
  for (int i = 0; i < n_; ++i) {
    int end = n_;
    while (end > i + 1 && row(i)[end - 1] == 0) --end;
    end_[static_cast<std::size_t>(i)] = end;
    inverse_[static_cast<std::size_t>(i)] = row(i)[i];  // the diagonal entry, until its pivot is known
  }
  for (int k = 0; k < n_; ++k) {
    double* Ak = row(k);
    const double diagonal = inverse_[static_cast<std::size_t>(k)];
    if (!(Ak[k] > 0) || !(diagonal <= std::numeric_limits<double>::max())) return -1;
    smallest = std::min(smallest, Ak[k] / diagonal);
    const double inverse = 1 / Ak[k];
    inverse_[static_cast<std::size_t>(k)] = inverse;
    const int end = end_[static_cast<std::size_t>(k)];
    for (int i = k + 1; i < end; ++i) {
      if (Ak[i] == 0) continue;
      const double factor = Ak[i] * inverse;
      double* Ai = row(i);
      for (int j = i; j < end; ++j) Ai[j] -= factor * Ak[j];
      end_[static_cast<std::size_t>(i)] = std::max(end_[static_cast<std::size_t>(i)], end);
    }
  }
  return smallest;
}

void SkylineLdlt::solve_forward(double* b) const {
  for (int k = 0; k < n_; ++k) {
    const double s = b[k] * inverse_pivot(k);
    if (s == 0) continue;
    const double* Ak = row(k);
    const int end = end_[static_cast<std::size_t>(k)];
    for (int i = k + 1; i < end; ++i) b[i] -= s * Ak[i];
  }
}

void SkylineLdlt::solve_forward(double* B, int cols) const {
  const auto stride = static_cast<std::size_t>(cols);
  for (int k = 0; k < n_; ++k) {
    const double* Ak = row(k);
    const double* Bk = B + static_cast<std::size_t>(k) * stride;
    const int end = end_[static_cast<std::size_t>(k)];
    for (int i = k + 1; i < end; ++i) {
      if (Ak[i] == 0) continue;
      const double s = Ak[i] * inverse_pivot(k);
      double* Bi = B + static_cast<std::size_t>(i) * stride;
      for (int j = 0; j < cols; ++j) Bi[j] -= s * Bk[j];
    }
  }
}

void SkylineLdlt::solve_backward(double* b) const {
  for (int k = n_ - 1; k >= 0; --k) {
    const double* Ak = row(k);
    const int end = end_[static_cast<std::size_t>(k)];
    double s = b[k];
    for (int i = k + 1; i < end; ++i) s -= Ak[i] * b[i];
    b[k] = s * inverse_pivot(k);
  }
}

void HouseholderQr::resize(int rows, int cols) {
  rows_ = rows;
  cols_ = cols;
  rank_ = 0;
  const auto size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  if (A_.size() < size) A_.resize(size);
  if (tau_.size() < static_cast<std::size_t>(cols)) tau_.resize(static_cast<std::size_t>(cols));
  if (pivot_.size() < static_cast<std::size_t>(cols)) pivot_.resize(static_cast<std::size_t>(cols));
  if (left_.size() < static_cast<std::size_t>(cols)) left_.resize(static_cast<std::size_t>(cols));
  if (place_.size() <= static_cast<std::size_t>(cols)) place_.resize(static_cast<std::size_t>(cols) + 1);
  if (rows >= kManyRows && places_.size() < size / std::size_t{kSparse}) places_.resize(size / std::size_t{kSparse});
}

// Lists the non-zeros of Householder vector k. A constraint row of a mechanism has few entries, whatever the number of
// coordinates, so its reflection has few as well.
void HouseholderQr::note_places(int k) {
  const auto at = static_cast<std::size_t>(k);
  std::size_t end = place_[at];
  if (rows_ >= kManyRows) {
    const double* v = column(k);
    const auto most = end + static_cast<std::size_t>((rows_ - k) / kSparse);
    for (int i = k + 1; i < rows_; ++i) {
      if (v[i] == 0) continue;
      if (end == most) {
        end = place_[at];
        break;
      }
      places_[end++] = i;
    }
  }
  place_[at + 1] = end;
}

// Column k becomes (R₀ₖ … Rₖₖ, tail of v) with H = I − τ v vᵀ, v = (1, tail).
void HouseholderQr::reflect(int k) {
  double* x = column(k);
  double tail = 0;
  for (int i = k + 1; i < rows_; ++i) tail += x[i] * x[i];
  if (tail == 0) {
    tau_[static_cast<std::size_t>(k)] = 0;
  } else {
    const double alpha = x[k], norm = std::sqrt(alpha * alpha + tail);
    const double beta = alpha > 0 ? -norm : norm;
    const double scale = 1 / (alpha - beta);
    for (int i = k + 1; i < rows_; ++i) x[i] *= scale;
    tau_[static_cast<std::size_t>(k)] = (beta - alpha) / beta;
    x[k] = beta;
  }
  note_places(k);
  for (int j = k + 1; j < cols_; ++j)
    if (apply(k, column(j)) || column(j)[k] != 0) left_[static_cast<std::size_t>(j)] = -1;
}

bool HouseholderQr::apply(int k, double* b) const {
  const double tau = tau_[static_cast<std::size_t>(k)];
  if (tau == 0) return false;
  const double* v = column(k);
  double s = b[k];
  if (const std::span<const int> some = places(k); !some.empty()) {
    for (const int i : some) s += v[i] * b[i];
    if (s == 0) return false;
    s *= tau;
    b[k] -= s;
    for (const int i : some) b[i] -= s * v[i];
    return true;
  }
  for (int i = k + 1; i < rows_; ++i) s += v[i] * b[i];
  if (s == 0) return false;  // in a sparse system most columns are orthogonal to v
  s *= tau;
  b[k] -= s;
  for (int i = k + 1; i < rows_; ++i) b[i] -= s * v[i];
  return true;
}

int HouseholderQr::factor_pivoted(double tolerance, int max_rank) {
  return factor_pivoted(tolerance, max_rank, nullptr, 1);
}

int HouseholderQr::factor_pivoted(double tolerance, int max_rank, const double* weight, double part) {
  std::fill_n(left_.begin(), cols_, -1.0);
  for (int j = 0; j < cols_; ++j) pivot_[static_cast<std::size_t>(j)] = j;
  const int steps = std::min({rows_, cols_, max_rank});
  double first = 0;
  for (rank_ = 0; rank_ < steps; ++rank_) {
    // The norms of the remaining parts of the columns are recomputed where the columns have changed. Downdating would
    // add round-off that blurs the rank decision.
    int best = rank_;
    double largest = -1;
    for (int j = rank_; j < cols_; ++j) {
      double& norm2 = left_[static_cast<std::size_t>(j)];
      if (norm2 < 0) {
        norm2 = 0;
        for (int i = rank_; i < rows_; ++i) norm2 += column(j)[i] * column(j)[i];
      }
      if (norm2 > largest) {
        largest = norm2;
        best = j;
      }
    }
    const double norm = std::sqrt(std::max(largest, 0.0));
    if (rank_ == 0) first = norm;
    if (!(norm > tolerance * first) || norm == 0) break;
    for (int j = rank_; weight != nullptr && j < cols_; ++j)
      if (left_[static_cast<std::size_t>(j)] >= part * part * largest && weight[pivot(j)] > weight[pivot(best)])
        best = j;
    if (best != rank_) {
      std::swap_ranges(column(best), column(best) + rows_, column(rank_));
      std::swap(pivot_[static_cast<std::size_t>(best)], pivot_[static_cast<std::size_t>(rank_)]);
      std::swap(left_[static_cast<std::size_t>(best)], left_[static_cast<std::size_t>(rank_)]);
    }
    reflect(rank_);
  }
  return rank_;
}

void HouseholderQr::factor() {
  for (int j = 0; j < cols_; ++j) pivot_[static_cast<std::size_t>(j)] = j;
  for (rank_ = 0; rank_ < std::min(rows_, cols_); ++rank_) reflect(rank_);
}

void HouseholderQr::apply_Qt(double* b) const {
  for (int k = 0; k < rank_; ++k) apply(k, b);
}

void HouseholderQr::apply_Q(double* b) const {
  for (int k = rank_ - 1; k >= 0; --k) apply(k, b);
}

void HouseholderQr::apply_congruence(double* S, double* temporary) const {
  const auto n = static_cast<std::size_t>(rows_);
  for (int k = 0; k < rank_; ++k) {
    // S ← H S H: H is applied to the columns of S, then to its rows.
    for (std::size_t j = 0; j < n; ++j) apply(k, S + j * n);
    if (const std::span<const int> some = places(k); !some.empty()) {
      // H is applied from the right to all rows at once, since it changes few columns.
      const double tau = tau_[static_cast<std::size_t>(k)], *v = column(k);
      const auto of = [&](int j) { return S + static_cast<std::size_t>(j) * n; };
      std::copy_n(of(k), n, temporary);
      for (const int j : some)
        for (std::size_t i = 0; i < n; ++i) temporary[i] += v[j] * of(j)[i];
      for (std::size_t i = 0; i < n; ++i) temporary[i] *= tau;
      for (std::size_t i = 0; i < n; ++i) of(k)[i] -= temporary[i];
      for (const int j : some)
        for (std::size_t i = 0; i < n; ++i) of(j)[i] -= temporary[i] * v[j];
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) temporary[j] = S[j * n + i];
      apply(k, temporary);
      for (std::size_t j = 0; j < n; ++j) S[j * n + i] = temporary[j];
    }
  }
}

}  // namespace dalembert
