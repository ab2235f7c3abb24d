// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/small_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert {

void SmallLu::resize(std::size_t n) {
  n_ = n;
  A_.resize(n * n);
  scale_.resize(n);
  swapped_.resize(n);
  row_.resize(n);
}

void SmallLu::clear() { std::fill(A_.begin(), A_.end(), 0.0); }

bool SmallLu::factor(double singular) {
  sign_ = 1;
  least_pivot_ = 1;
  for (std::size_t i = 0; i < n_; ++i) {
    scale_[i] = 0;
    row_[i] = i;
    for (std::size_t j = 0; j < n_; ++j) scale_[i] = std::max(scale_[i], std::abs(A_[i * n_ + j]));
  }
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (std::abs(A_[i * n_ + k]) * scale_[best] > std::abs(A_[best * n_ + k]) * scale_[i]) best = i;
    swapped_[k] = best;
    if (best != k) {
      std::swap_ranges(&A_[k * n_], &A_[k * n_] + n_, &A_[best * n_]);
      std::swap(scale_[k], scale_[best]);
      std::swap(row_[k], row_[best]);
    }
    const double pivot = A_[k * n_ + k];
    if (!(std::abs(pivot) > singular * scale_[k]) || !std::isfinite(pivot)) {
      least_pivot_ = 0;
      return false;
    }
    least_pivot_ = std::min(least_pivot_, std::abs(pivot) / scale_[k]);
    if ((pivot < 0) != (best != k)) sign_ = -sign_;
    for (std::size_t i = k + 1; i < n_; ++i) {
      const double factor = A_[i * n_ + k] /= pivot;
      if (factor == 0) continue;
      for (std::size_t j = k + 1; j < n_; ++j) A_[i * n_ + j] -= factor * A_[k * n_ + j];
    }
  }
  return true;
}

double SmallLu::log_determinant() const {
  double sum = 0;
  for (std::size_t k = 0; k < n_; ++k) sum += std::log(std::abs(A_[k * n_ + k]));
  return sum;
}

double SmallLu::least_pivot(const double* sizes) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n_; ++k) least = std::min(least, std::abs(A_[k * n_ + k]) / sizes[row_[k]]);
  return least;
}

void SmallLu::solve(double* b) const {
  for (std::size_t k = 0; k < n_; ++k) std::swap(b[k], b[swapped_[k]]);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < i; ++j) b[i] -= A_[i * n_ + j] * b[j];
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t j = i + 1; j < n_; ++j) b[i] -= A_[i * n_ + j] * b[j];
    b[i] /= A_[i * n_ + i];
  }
}

void SmallLu::solve_transposed(double* b) const {
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= A_[j * n_ + i] * b[j];
    b[i] /= A_[i * n_ + i];
  }
  for (std::size_t i = n_; i-- > 0;)
    for (std::size_t j = i + 1; j < n_; ++j) b[i] -= A_[j * n_ + i] * b[j];
  for (std::size_t k = n_; k-- > 0;) std::swap(b[k], b[swapped_[k]]);
}

}  // namespace dalembert
