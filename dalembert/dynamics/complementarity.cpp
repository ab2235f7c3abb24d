// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/complementarity.h"

#include <algorithm>
#include <cmath>

#include "dalembert/dynamics/small_lu.h"

namespace dalembert {
namespace {

// Entries of a column below this are round-off in the ratio test, where the entries of A are about 1.
constexpr double kNoRatio = 1e-11;
// Ratios that differ by less than this are equal, and the lexicographic order decides.
constexpr double kSameRatio = 1e-12;
// An artificial variable below this fraction of the largest entry of b is round-off.
constexpr double kNothing = 1e-10;
// The method ends after this many pivots for each unknown: far more than problems of contacts take.
constexpr std::size_t kPivotsOfEach = 60;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

// The row in which the basic variable reaches 0 first when the variable of `column` grows; of equal ones, the row that is lexicographically
// smallest. kNone: none does. The artificial variable leaves first.
std::size_t Complementarity::leaving_row(std::size_t column) {
  const std::size_t artificial = 2 * n_, right = 2 * n_ + 1;
  std::size_t best = kNone;
  for (std::size_t i = 0; i < n_; ++i) {
    const double entry = at(i, column);
    if (!(entry > kNoRatio)) continue;
    if (best == kNone) {
      best = i;
      continue;
    }
    const double of_best = at(best, column);
    const auto compare = [&](std::size_t k) { return at(i, k) / entry - at(best, k) / of_best; };
    const double size = std::abs(at(best, right) / of_best) + std::abs(at(i, right) / entry);
    double difference = compare(right);
    if (std::abs(difference) <= kSameRatio * size) {
      if (basic_[best] == artificial) continue;
      if (basic_[i] == artificial) {
        best = i;
        continue;
      }
      difference = 0;
      for (std::size_t k = 0; k < n_ && difference == 0; ++k) difference = compare(k);
    }
    if (difference < 0) best = i;
  }
  return best;
}

void Complementarity::pivot(std::size_t row, std::size_t column) {
  const double inverse = 1 / at(row, column);
  for (std::size_t k = 0; k < width_; ++k) at(row, k) *= inverse;
  for (std::size_t i = 0; i < n_; ++i) {
    const double factor = at(i, column);
    if (i == row || factor == 0) continue;
    for (std::size_t k = 0; k < width_; ++k) at(i, k) -= factor * at(row, k);
    at(i, column) = 0;
  }
  basic_[row] = column;
}

bool Complementarity::solve(const std::vector<double>& A, const std::vector<double>& b) {
  n_ = b.size();
  z_.assign(n_, 0.0);
  w_ = b;
  if (std::ranges::all_of(b, [](double x) { return x >= 0; })) return true;
  if (n_ == 1) {
    if (!(A[0] > kNoRatio)) return false;
    z_[0] = -b[0] / A[0];
    w_[0] = 0;
    return true;
  }
  const std::size_t artificial = 2 * n_, right = 2 * n_ + 1;
  width_ = 2 * n_ + 2;
  tableau_.assign(n_ * width_, 0.0);
  basic_.resize(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    at(i, i) = 1;
    for (std::size_t j = 0; j < n_; ++j) at(i, n_ + j) = -A[i * n_ + j];
    at(i, artificial) = -1;
    at(i, right) = b[i];
    basic_[i] = i;
  }
  // The artificial variable enters so that all others become non-negative.
  std::size_t row = 0;
  for (std::size_t i = 1; i < n_; ++i)
    if (b[i] < b[row]) row = i;
  std::size_t left = basic_[row];
  pivot(row, artificial);
  for (std::size_t count = 0; count < kPivotsOfEach * (n_ + 1); ++count) {
    const std::size_t entering = left < n_ ? left + n_ : left - n_;  // the complement of what has left
    row = leaving_row(entering);
    if (row == kNone) {
      // Dependent rows whose b agree only up to round-off: the artificial variable cannot leave, but it is 0.
      const auto holds = std::ranges::find(basic_, artificial) - basic_.begin();
      double size = 0;
      for (const double x : b) size = std::max(size, std::abs(x));
      if (at(static_cast<std::size_t>(holds), right) > kNothing * size) return false;
      polish(A, b);
      return true;
    }
    left = basic_[row];
    pivot(row, entering);
    if (left == artificial) {
      polish(A, b);
      return true;
    }
  }
  return false;
}

// Solves again for the basic z alone, by elimination with pivoting: the tableau has collected the round-off of all pivots.
void Complementarity::polish(const std::vector<double>& A, const std::vector<double>& b) {
  std::vector<std::size_t> basic;
  for (std::size_t i = 0; i < n_; ++i)
    if (basic_[i] >= n_ && basic_[i] < 2 * n_) {
      basic.push_back(basic_[i] - n_);
      z_[basic.back()] = at(i, 2 * n_ + 1);
    }
  SmallLu lu;
  lu.resize(basic.size());
  std::vector<double> exact(basic.size());
  for (std::size_t i = 0; i < basic.size(); ++i) {
    for (std::size_t j = 0; j < basic.size(); ++j) lu(i, j) = A[basic[i] * n_ + basic[j]];
    exact[i] = -b[basic[i]];
  }
  if (lu.factor(kNoRatio)) {
    lu.solve(exact.data());
    for (std::size_t i = 0; i < basic.size(); ++i) z_[basic[i]] = exact[i];
  }
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = b[i];
    for (std::size_t j = 0; j < n_; ++j) sum += A[i * n_ + j] * z_[j];
    w_[i] = sum;
  }
  for (const std::size_t i : basic) w_[i] = 0;
}

}  // namespace dalembert
