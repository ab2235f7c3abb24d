// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace dalembert {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The slopes at the samples (de Boor's CUBSPL with both ends not-a-knot): a tridiagonal system, solved from the left
// without pivoting. width: lengths of the pieces; secant: mean slopes of the pieces.
std::vector<double> find_slopes(std::span<const double> width, std::span<const double> secant) {
  const std::size_t last = width.size();  // index of the last sample
  if (last == 1) return {secant[0], secant[0]};
  if (last == 2) {
    const double bend = (secant[1] - secant[0]) / (width[0] + width[1]);
    return {secant[0] - bend * width[0], secant[0] + bend * width[0], secant[1] + bend * width[1]};
  }
  // Row k of the system for the slopes s: below[k] s_k-1 + diagonal[k] s_k + above[k] s_k+1 = slope[k].
  std::vector<double> diagonal(last + 1), above(last + 1), slope(last + 1);
  const double first_two = width[0] + width[1];
  diagonal[0] = width[1];
  above[0] = first_two;
  slope[0] = ((width[0] + 2 * first_two) * width[1] * secant[0] + width[0] * width[0] * secant[1]) / first_two;
  for (std::size_t k = 1; k < last; ++k) {
    const double factor = -width[k] / diagonal[k - 1];
    slope[k] = 3 * (width[k] * secant[k - 1] + width[k - 1] * secant[k]) + factor * slope[k - 1];
    diagonal[k] = 2 * (width[k - 1] + width[k]) + factor * above[k - 1];
    above[k] = width[k - 1];
  }
  const double a = width[last - 1], b = width[last - 2], last_two = a + b;
  const double right = ((a + 2 * last_two) * b * secant[last - 1] + a * a * secant[last - 2]) / last_two;
  const double factor = -last_two / diagonal[last - 1];
  slope[last] = (right + factor * slope[last - 1]) / (b + factor * above[last - 1]);
  for (std::size_t k = last; k-- > 0;) slope[k] = (slope[k] - above[k] * slope[k + 1]) / diagonal[k];
  return slope;
}

void take(Bounds& bounds, double value) {
  bounds.low = std::min(bounds.low, value);
  bounds.high = std::max(bounds.high, value);
}

}  // namespace

CubicSpline::CubicSpline(std::span<const double> time, std::span<const double> value)
    : time_(time.begin(), time.end()), last_value_(value.back()) {
  assert(time.size() >= 2 && time.size() == value.size());
  const std::size_t count = time.size() - 1;
  std::vector<double> width(count), secant(count);
  for (std::size_t k = 0; k < count; ++k) {
    width[k] = time[k + 1] - time[k];
    secant[k] = (value[k + 1] - value[k]) / width[k];
  }
  const std::vector<double> slope = find_slopes(width, secant);
  pieces_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double bend = slope[k] + slope[k + 1] - 2 * secant[k];
    pieces_[k] = {value[k], slope[k], (secant[k] - slope[k] - bend) / width[k], bend / (width[k] * width[k])};
  }
}

bool CubicSpline::contains(double t) const {
  const double digits = 4 * kEps * std::max(std::abs(begin()), std::abs(end()));
  return t >= begin() - digits && t <= end() + digits;
}

std::size_t CubicSpline::piece_of(double t) const {
  const auto after = static_cast<std::size_t>(std::upper_bound(time_.begin(), time_.end(), t) - time_.begin());
  return std::clamp<std::size_t>(after, 1, pieces_.size()) - 1;
}

std::array<double, 3> CubicSpline::at(std::size_t piece, double x) const {
  const Piece& p = pieces_[piece];
  return {p.value + x * (p.rate + x * (p.half_second + x * p.sixth_third)),
          p.rate + x * (2 * p.half_second + x * 3 * p.sixth_third), 2 * p.half_second + x * 6 * p.sixth_third};
}

std::array<double, 3> CubicSpline::evaluate(double t) const {
  if (!contains(t)) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    return {nothing, nothing, nothing};
  }
  const std::size_t piece = piece_of(t);
  return at(piece, t - time_[piece]);
}

// In each piece the second derivative is linear. Value and rate have their extrema at the ends, or where their
// derivative is zero.
std::array<Bounds, 3> CubicSpline::bounds(Bounds t) const {
  if (!contains(t.low) || !contains(t.high))
    return {Bounds{-kInfinity, kInfinity}, Bounds{-kInfinity, kInfinity}, Bounds{-kInfinity, kInfinity}};
  std::array<Bounds, 3> result;
  result.fill({kInfinity, -kInfinity});
  const std::size_t last = piece_of(t.high);
  for (std::size_t piece = piece_of(t.low); piece <= last; ++piece) {
    const Piece& p = pieces_[piece];
    const double from = t.low - time_[piece], to = t.high - time_[piece];
    const double left = piece == 0 ? from : std::max(from, 0.0);
    const double right = piece == last ? to : std::min(to, time_[piece + 1] - time_[piece]);
    std::array<double, 5> turns{left, right, left, left, left};
    if (p.sixth_third != 0) turns[2] = -p.half_second / (3 * p.sixth_third);
    // Where the slope rate + 2 half_second x + 3 sixth_third x² is 0, in the form that does not divide by a
    // small sixth_third.
    const double root = p.half_second * p.half_second - 3 * p.sixth_third * p.rate;
    if (root >= 0) {
      const double sum = -(p.half_second + std::copysign(std::sqrt(root), p.half_second));
      if (sum != 0) turns[3] = p.rate / sum;
      if (p.sixth_third != 0) turns[4] = sum / (3 * p.sixth_third);
    }
    for (const double x : turns) {
      const std::array<double, 3> values = at(piece, std::clamp(x, left, right));
      for (std::size_t i = 0; i < 3; ++i) take(result[i], values[i]);
    }
  }
  // Widen the bounds by the round-off of evaluate().
  for (std::size_t i = 0; i < 3; ++i) {
    const double digits = 16 * kEps * std::max(std::abs(result[i].low), std::abs(result[i].high));
    result[i] = {result[i].low - digits, result[i].high + digits};
  }
  return result;
}

std::vector<CubicSpline::Corner> CubicSpline::corners() const {
  std::vector<Corner> found;
  const auto width = [&](std::size_t k) { return time_[k + 1] - time_[k]; };
  // Error of the third derivative that comes from round-off in the samples and in their times.
  const auto roundoff = [&](std::size_t k) {
    const Piece& p = pieces_[k];
    const double h = width(k), next = k + 1 < pieces_.size() ? pieces_[k + 1].value : last_value_;
    const double size = std::abs(p.value) + std::abs(next) +
                        std::abs(next - p.value) / h * (std::abs(time_[k]) + std::abs(time_[k + 1]));
    return 64 * kEps * size / (h * h * h);
  };
  for (std::size_t k = 1; k < pieces_.size(); ++k) {
    const double jump = 6 * (pieces_[k].sixth_third - pieces_[k - 1].sixth_third);
    if (std::abs(jump) > roundoff(k - 1) + roundoff(k))
      found.push_back({time_[k], jump, std::min(width(k - 1), width(k))});
  }
  return found;
}

double CubicSpline::span(int derivative) const {
  Bounds range{kInfinity, -kInfinity};
  const auto i = static_cast<std::size_t>(derivative);
  for (std::size_t k = 0; k < pieces_.size(); ++k) take(range, at(k, 0)[i]);
  take(range, at(pieces_.size() - 1, time_.back() - time_[time_.size() - 2])[i]);
  return range.high - range.low;
}

}  // namespace dalembert
