// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/halfspaces.h"

#include <cmath>
#include <limits>
#include <utility>

namespace dalembert {
namespace {

// An inequality counts as satisfied up to this.
constexpr double kMet = 1e-10;
// A normal whose part beyond the span of the active ones is shorter than this depends on them.
constexpr double kDependentNormal = 1e-9;
// The search ends after this many steps for each inequality that was added; then it has shown nothing.
constexpr std::size_t kStepsOfEach = 10;
// Round-off of a certificate, relative to the sum of its multipliers.
constexpr double kCertain = 1e-9;
constexpr std::size_t kNoneLeft = static_cast<std::size_t>(-1);

double dot(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Halfspaces::Halfspaces(std::size_t size, const std::vector<double>& normals, const std::vector<double>& offsets)
    : size_(size), normals_(normals), offsets_(offsets), x_(size, 0.0), rest_(size) {}

std::size_t Halfspaces::most_violated() const {
  std::size_t worst = kNoneLeft;
  double most = kMet;
  for (const std::size_t i : added_) {
    const double missing = offsets_[i] - dot(normal(i), x_.data(), size_);
    if (missing > most) most = missing, worst = i;
  }
  return worst;
}

// Splits a normal: share_ of the active ones, and rest_ beyond them. Projected twice, so that rest_ is orthogonal to round-off.
void Halfspaces::split(const double* a) {
  const std::size_t count = active_.size();
  rest_.assign(a, a + size_);
  along_.assign(count, 0.0);
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t k = 0; k < count; ++k) {
      const double* row = basis_.data() + k * size_;
      const double part = dot(row, rest_.data(), size_);
      along_[k] += part;
      for (std::size_t i = 0; i < size_; ++i) rest_[i] -= part * row[i];
    }
  share_ = along_;
  for (std::size_t k = count; k-- > 0;) {
    share_[k] /= triangle_[k][k];
    for (std::size_t i = 0; i < k; ++i) share_[i] -= triangle_[k][i] * share_[k];
  }
}

// Appends the inequality that was split last to the active ones.
void Halfspaces::append(std::size_t inequality) {
  const double length = std::sqrt(dot(rest_.data(), rest_.data(), size_));
  for (std::size_t i = 0; i < size_; ++i) basis_.push_back(rest_[i] / length);
  along_.push_back(length);
  triangle_.push_back(along_);
  active_.push_back(inequality);
}

void Halfspaces::drop(std::size_t place) {
  std::vector<std::size_t> later(active_.begin() + static_cast<std::ptrdiff_t>(place) + 1, active_.end());
  active_.resize(place);
  triangle_.resize(place);
  basis_.resize(place * size_);
  multiplier_.erase(multiplier_.begin() + static_cast<std::ptrdiff_t>(place));
  for (const std::size_t inequality : later) {
    split(normal(inequality));
    append(inequality);
  }
}

// Whether the multipliers 1 of the inequality that was split last and −share_ of the active ones prove that there is no solution.
bool Halfspaces::is_certain(std::size_t inequality) const {
  std::vector<double> sum(normal(inequality), normal(inequality) + size_);
  double offset = offsets_[inequality], all = 1;
  for (std::size_t k = 0; k < active_.size(); ++k) {
    const double y = -share_[k];
    if (!(y > 0)) continue;
    all += y;
    offset += y * offsets_[active_[k]];
    for (std::size_t i = 0; i < size_; ++i) sum[i] += y * normal(active_[k])[i];
  }
  return offset > kFar * std::sqrt(dot(sum.data(), sum.data(), size_)) + kCertain * all;
}

bool Halfspaces::may_meet() {
  std::size_t steps = kStepsOfEach * (added_.size() + 1);
  for (std::size_t worst = most_violated(); worst != kNoneLeft; worst = most_violated()) {
    double own = 0;
    for (bool full = false; !full;) {
      if (steps-- == 0) return true;
      split(normal(worst));
      // How far the multipliers of the active ones allow to go, and how far it is to the new one.
      std::size_t blocks = kNoneLeft;
      double length = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < active_.size(); ++k)
        if (share_[k] > kDependentNormal && multiplier_[k] / share_[k] < length)
          length = multiplier_[k] / share_[k], blocks = k;
      const double beyond = dot(rest_.data(), rest_.data(), size_);
      const bool depends = beyond <= kDependentNormal * kDependentNormal;
      const double missing = offsets_[worst] - dot(normal(worst), x_.data(), size_);
      if (depends && blocks == kNoneLeft) return !is_certain(worst);
      full = !depends && missing / beyond <= length;
      if (full) length = missing / beyond;
      if (!depends)
        for (std::size_t i = 0; i < size_; ++i) x_[i] += length * rest_[i];
      for (std::size_t k = 0; k < active_.size(); ++k) multiplier_[k] -= length * share_[k];
      own += length;
      if (!full) drop(blocks);
    }
    append(worst);
    multiplier_.push_back(own);
  }
  return true;
}

}  // namespace dalembert
