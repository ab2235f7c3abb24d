// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/step_ends.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dalembert {
namespace {

// A grid point within this fraction of a step of the end, or of a corner, is the same point up to round-off.
constexpr double kSamePoint = 1e-6;

}  // namespace

StepEnds::StepEnds(double start, double until, double fixed_step, std::vector<Kink> kinks, std::size_t most)
    : start_(start), until_(until), direction_(until < start ? -1 : 1), fixed_step_(fixed_step) {
  if (kinks.size() > most) {
    left_out_ = kinks.size() - most;
    std::nth_element(kinks.begin(), kinks.begin() + static_cast<std::ptrdiff_t>(most), kinks.end(),
                     [](const Kink& a, const Kink& b) { return a.size > b.size; });
    kinks.resize(most);
    std::sort(kinks.begin(), kinks.end(),
              [&](const Kink& a, const Kink& b) { return direction_ * (a.time - b.time) < 0; });
  }
  // Leave out a corner within round-off of another one, of the start or of the end: the
  // step between them would be empty.
  const double nothing = 16 * std::numeric_limits<double>::epsilon() *
                         std::max({std::abs(start), std::abs(until), std::abs(until - start)});
  double last = start;
  for (const Kink& kink : kinks)
    if (std::abs(kink.time - last) > nothing && std::abs(until - kink.time) > nothing)
      corners_.push_back(last = kink.time);
  find_next();
}

void StepEnds::advance() {
  if (ends_corner_) ++corner_;
  if (ends_grid_) ++count_;
  find_next();
}

void StepEnds::find_next() {
  next_ = until_;
  ends_corner_ = ends_grid_ = false;
  const double same = kSamePoint * fixed_step_;
  if (fixed_step_ > 0) {
    const double grid = start_ + direction_ * fixed_step_ * static_cast<double>(count_ + 1);
    if (direction_ * (until_ - grid) > same) {
      next_ = grid;
      ends_grid_ = true;
    }
  }
  if (corner_ == corners_.size()) return;
  const double corner = corners_[corner_], before = direction_ * (next_ - corner);
  if (before < -same) return;
  next_ = corner;
  ends_corner_ = true;
  ends_grid_ = ends_grid_ && before <= same;
}

}  // namespace dalembert
