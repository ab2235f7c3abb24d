// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/passed_points.h"

#include <algorithm>
#include <cmath>

namespace dalembert::integration {

PassedPoints::PassedPoints(std::size_t size)
    : size_(size), stride_(padded(size)), sum_(weighted_sum()), states_(2 * kKept * stride_) {}

void PassedPoints::add(double t, const double* y, const double* slope) {
  if (count_ == kKept)
    first_ = (first_ + 1) % kKept;
  else
    ++count_;
  const std::size_t at = place(count_ - 1);
  t_[at] = t;
  std::copy_n(y, size_, states_.data() + 2 * at * stride_);
  std::copy_n(slope, size_, states_.data() + (2 * at + 1) * stride_);
  used_ = 0;
}

const double* PassedPoints::find(double t) const {
  for (std::size_t i = 0; i < count_; ++i)
    if (t_[place(i)] == t) return states_.data() + 2 * place(i) * stride_;
  return nullptr;
}
const double* PassedPoints::state_at(double t) const { return find(t); }
const double* PassedPoints::slope_at(double t) const {
  const double* found = find(t);
  return found != nullptr ? found + stride_ : nullptr;
}

// The points of the polynomial about t.
void PassedPoints::choose(double t) {
  std::size_t after = 1;  // number of the first point behind t
  const double direction = t_[place(count_ - 1)] - t_[first_];
  while (after + 1 < count_ && (t - t_[place(after)]) * direction > 0) ++after;
  const std::size_t used = std::min(count_, kOfPolynomial), half = used / 2;
  const std::size_t from = std::min(after > half ? after - half : 0, count_ - used);
  if (used_ == used && from_ == from) return;
  from_ = from, used_ = used;
  origin_ = t_[place(from + used - 1)];
  span_ = origin_ - t_[place(from)];
  for (std::size_t i = 0; i < used; ++i) x_[i] = (t_[place(from + i)] - origin_) / span_;
  // Π (x − x_j) over the others at a point, and its derivative there.
  Numbers product, derivative{};
  product.fill(1);
  for (std::size_t j = 0; j < used; ++j)
    for (std::size_t i = 0; i < kOfPolynomial; ++i) {
      const double apart = i == j ? 1 : x_[i] - x_[j];
      derivative[i] = derivative[i] * apart + (i == j ? 0 : product[i]);
      product[i] *= apart;
    }
  for (std::size_t i = 0; i < used; ++i) {
    factor_[i] = 1 / product[i];
    sum_of_inverses_[i] = derivative[i] * factor_[i];
  }
}

void PassedPoints::add_up(const Weights& weights, double* result) const {
  sum_({.weights = weights.data(), .count = 2 * used_, .stages = states_.data(), .size = size_}, result);
}

bool PassedPoints::interpolate(double t, double* y, double* difference) {
  if (count_ < kFewest) return false;
  choose(t);
  const double x = (t - origin_) / span_;
  // Lagrange's polynomials.
  Numbers polynomial{};
  double before = 1, after = 1;
  for (std::size_t i = 0; i < used_; before *= x - x_[i], ++i) polynomial[i] = before * factor_[i];
  for (std::size_t i = used_; i-- > 0; after *= x - x_[i]) polynomial[i] *= after;
  // The point that is farthest is left out of the second polynomial. At a point itself both agree.
  const std::size_t left_out = x - x_[0] > x_[used_ - 1] - x ? 0 : used_ - 1;
  const double to_left_out = x - x_[left_out];
  Weights of_state, of_difference;
  for (std::size_t i = 0; i < used_; ++i) {
    const std::size_t offset = 2 * place(from_ + i) * stride_;
    const double away = x - x_[i], square = polynomial[i] * polynomial[i];
    const double state = (1 - 2 * sum_of_inverses_[i] * away) * square, slope = away * square;
    double other_state = 0, other_slope = 0;
    if (i != left_out) {
      const double apart = x_[i] - x_[left_out], less = apart / to_left_out, square_less = square * less * less;
      other_state = (1 - 2 * (sum_of_inverses_[i] - 1 / apart) * away) * square_less;
      other_slope = away * square_less;
    }
    of_state[2 * i] = {offset, state};
    of_state[2 * i + 1] = {offset + stride_, span_ * slope};
    of_difference[2 * i] = {offset, state - other_state};
    of_difference[2 * i + 1] = {offset + stride_, span_ * (slope - other_slope)};
  }
  add_up(of_state, y);
  add_up(of_difference, difference);
  return true;
}

}  // namespace dalembert::integration
