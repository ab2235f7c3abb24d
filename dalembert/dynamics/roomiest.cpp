// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/roomiest.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/dynamics/numbers.h"

namespace dalembert {
namespace {

// The least reserve is not made larger than this, in the scale in which the values at z = 0 are about 1.
constexpr double kMostReserve = 10;
// The growth κ of the reserve: where it begins, its factor, where it ends.
constexpr double kFirstGrowth = 1, kFaster = 16, kLastGrowth = 1e13;
// Where the cones have no common point, the largest reserve is found to the inverse of this.
constexpr double kEnoughGrowth = 1e6;
// Steps for each κ, and for the centre, at most; halvings of a step at most.
constexpr int kSteps = 40, kHalvings = 60;
// The square of Newton's decrement below which a point is near enough to go on with the next κ, or is the centre.
constexpr double kNear = 0.1, kNoDecrement = 1e-22;

}  // namespace

void Roomiest::begin(std::size_t unknowns) {
  d_ = unknowns;
  cones_.clear();
  table_.clear();
}

double* Roomiest::add(std::size_t sides) {
  cones_.push_back({table_.size(), 1 + sides});
  table_.resize(table_.size() + (1 + sides) * (1 + d_), 0.0);
  return table_.data() + cones_.back().first;
}

// Takes the values of all rows at the point. False where it is not strictly within all cones.
bool Roomiest::measure() {
  const double t = n_ > d_ ? at_[d_] : 0;
  bool within = t < kMostReserve;
  std::size_t row = 0;
  for (std::size_t c = 0; c < cones_.size(); row += cones_[c++].rows) {
    const Cone& cone = cones_[c];
    for (std::size_t k = 0; k < cone.rows; ++k) {
      const double* numbers = table_.data() + cone.first + k * (1 + d_);
      double sum = numbers[0] * scale_;
      for (std::size_t i = 0; i < d_; ++i) sum += numbers[1 + i] * at_[i];
      value_[row + k] = sum;
    }
    const double height = value_[row] -= t;
    double side = 0;
    for (std::size_t k = 1; k < cone.rows; ++k) side = hypotenuse(side, value_[row + k]);
    inside_[c] = cone.rows == 1 ? height : (height - side) * (height + side);
    within = within && height > 0 && inside_[c] > 0;
  }
  return within;
}

// The least l − |s| at the point that was measured last.
double Roomiest::reserve() {
  double least = std::numeric_limits<double>::infinity();
  std::size_t row = 0;
  for (const Cone& cone : cones_) {
    double side = 0;
    for (std::size_t k = 1; k < cone.rows; ++k) side = hypotenuse(side, value_[row + k]);
    least = std::min(least, value_[row] + (n_ > d_ ? at_[d_] : 0) - side);
    row += cone.rows;
  }
  return least;
}

// The slope of the sum of logarithms, and of κ t, at the point that was measured last.
void Roomiest::find_slope(double growth) {
  for (std::size_t i = 0; i < d_; ++i) slope_[i] = -at_[i];
  if (n_ > d_) slope_[d_] = growth - 1 / (kMostReserve - at_[d_]);
  std::size_t row = 0;
  for (std::size_t c = 0; c < cones_.size(); row += cones_[c++].rows) {
    for (std::size_t k = 0; k < cones_[c].rows; ++k) {
      const double* numbers = table_.data() + cones_[c].first + k * (1 + d_);
      const double factor = (cones_[c].rows == 1 ? 1 : (k == 0 ? 2 : -2) * value_[row + k]) / inside_[c];
      for (std::size_t i = 0; i < d_; ++i) slope_[i] += factor * numbers[1 + i];
      if (k == 0 && n_ > d_) slope_[d_] -= factor;
    }
  }
}

// Minus the second derivatives: of a cone with D = (l − t)² − |s|² they are D' D'ᵀ/D² − D''/D.
void Roomiest::find_bend() {
  bend_.resize(n_);
  bend_.clear();
  for (std::size_t i = 0; i < d_; ++i) bend_(i, i) = 1;
  if (n_ > d_) bend_(d_, d_) = 1 / ((kMostReserve - at_[d_]) * (kMostReserve - at_[d_]));
  std::size_t row = 0;
  for (std::size_t c = 0; c < cones_.size(); row += cones_[c++].rows) {
    const bool flat = cones_[c].rows == 1;
    std::fill(along_.begin(), along_.end(), 0.0);  // D'/D
    for (std::size_t k = 0; k < cones_[c].rows; ++k) {
      const double* slopes = table_.data() + cones_[c].first + k * (1 + d_) + 1;
      const auto entry = [&](std::size_t i) { return i < d_ ? slopes[i] : k == 0 ? -1.0 : 0.0; };
      const double first = (flat ? 1 : (k == 0 ? 2 : -2) * value_[row + k]) / inside_[c];
      const double second = flat ? 0 : (k == 0 ? -2 : 2) / inside_[c];
      for (std::size_t i = 0; i < n_; ++i) {
        along_[i] += first * entry(i);
        for (std::size_t j = 0; j < n_ && !flat; ++j) bend_(i, j) += second * entry(i) * entry(j);
      }
    }
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) bend_(i, j) += along_[i] * along_[j];
  }
}

// One step of Newton's method, as far as the sum grows along it. Returns the square of the decrement; −1 where there is no step.
double Roomiest::step(double growth) {
  find_slope(growth);
  find_bend();
  if (!bend_.factor()) return -1;
  change_ = slope_;
  bend_.solve(change_.data());
  double decrement = 0;
  for (std::size_t i = 0; i < n_; ++i) decrement += change_[i] * slope_[i];
  if (!(decrement >= 0)) return -1;
  start_ = at_;
  double share = 1;
  for (int half = 0; half < kHalvings; ++half, share /= 2) {
    for (std::size_t i = 0; i < n_; ++i) at_[i] = start_[i] + share * change_[i];
    if (!measure()) continue;
    find_slope(growth);
    double grows = 0;
    for (std::size_t i = 0; i < n_; ++i) grows += slope_[i] * change_[i];
    if (grows >= -0.5 * decrement) return decrement;
  }
  at_ = start_;
  measure();
  return -1;
}

// Finds a point strictly within all cones. False where there is none: the point is then the one with the largest reserve.
bool Roomiest::find_inside() {
  n_ = d_;
  if (measure()) return true;
  const double least = reserve();
  n_ = d_ + 1;
  at_[d_] = least - 1;
  measure();
  double rows = 1;
  for (const Cone& cone : cones_) rows += cone.rows == 1 ? 1 : 2;
  for (double growth = kFirstGrowth; growth <= kLastGrowth; growth *= kFaster) {
    double decrement = 1;
    for (int count = 0; count < kSteps && decrement > kNear; ++count) {
      decrement = step(growth);
      if (reserve() > 0) {
        n_ = d_;
        return measure();
      }
    }
    // At the largest point for κ the reserve is within (number of logarithms)/κ of the largest; near it, within twice that.
    if (decrement >= 0 && at_[d_] + 2 * rows / growth < 0 && growth > kEnoughGrowth) break;
  }
  return false;
}

bool Roomiest::solve(double* z) {
  std::fill_n(z, d_, 0.0);
  if (!all_finite(table_)) return false;
  double squares = 0;
  const std::size_t rows = table_.size() / (1 + d_);
  for (std::size_t row = 0; row < rows; ++row) squares += table_[row * (1 + d_)] * table_[row * (1 + d_)];
  if (squares == 0) return true;
  const double size = std::sqrt(squares / static_cast<double>(rows));
  if (!std::isfinite(size)) return false;
  scale_ = 1 / size;
  value_.resize(rows);
  inside_.resize(cones_.size());
  for (std::vector<double>* x : {&at_, &start_, &slope_, &change_, &along_}) x->assign(d_ + 1, 0.0);
  if (find_inside())
    for (int count = 0; count < kSteps; ++count)
      if (step(0) <= kNoDecrement) break;
  for (std::size_t i = 0; i < d_; ++i) z[i] = at_[i] * size;
  return true;
}

}  // namespace dalembert
