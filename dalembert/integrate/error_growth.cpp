// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/error_growth.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/one_step_method.h"

namespace dalembert::integration {
namespace {

// An error is followed over stretches of several steps. kStretch: length of a stretch, times the rate |J| (1/s) at
// which the error changes. A single step longer than kLongest, in the same measure, is followed in parts.
constexpr double kStretch = 0.5, kLongest = 1.0;
// The rate g of an error δv in the velocities counts as opposed to δv if the squared cosine of the angle between −g and
// δv exceeds this.
constexpr double kOpposed = 0.5;
// Largest number of steps in a stretch, and of parts into which one step is divided.
constexpr int kMostSteps = 16, kMostParts = 8;
// Number of stretches between projections to the tangent space, and between updates of the size of the motion.
constexpr int kTangentEvery = 4, kLookEvery = 4;
// Displacement of a finite difference, relative to the motion.
constexpr double kDisplacement = 1e-6;
// Two maxima are remembered, of |J|, the measured rate at which the error changes, and of the error itself. From one
// stretch of steps to the next each decays by this factor.
constexpr double kMemory = 0.9;

}  // namespace

ErrorGrowth::ErrorGrowth(const Dynamics& dynamics, Workspace& workspace, double atol, bool enabled)
    : dynamics_(dynamics),
      enabled_(enabled),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      ny_(nq_ + nv_),
      atol_(atol),
      workspace_(workspace) {
  const Layout& layout = dynamics.layout();
  const std::size_t of_error = enabled_ ? 1 : 0, of_rates = layout.v_is_qdot ? 0 : of_error;
  memory_.make({{ny_, {&lowest_, &highest_, &range_, &size_, &weight_}},
                {of_error * ny_, {&delta_, &step_errors_, &shifted_, &largest_}},
                {of_error * nv_, {&g_, &g_before_, &g_next_}},
                {of_error * static_cast<std::size_t>(layout.multipliers()), {&lambda_}},
                {of_rates * ny_, {&rates_before_, &rates_, &qdot_, &dq_, &beside_}}});
  group_by_units();
  if (!enabled_ || ny_ == 0) every_ = std::numeric_limits<int>::max();
}

void ErrorGrowth::start(double t, const double* y) {
  at_ = t;
  for (std::size_t i = 0; i < ny_; ++i) lowest_[i] = highest_[i] = y[i];
  look_at(y);
}

// Coordinates of the same unit form a group, and so do velocities of the same unit.
void ErrorGrowth::group_by_units() {
  const Names& names = dynamics_.names();
  const std::vector<std::string>& of_velocities =
      names.velocities.empty() ? names.coordinate_units : names.velocity_units;
  const auto unit = [&](std::size_t i) -> std::string_view {
    const std::vector<std::string>& units = i < nq_ ? names.coordinate_units : of_velocities;
    const std::size_t place = i < nq_ ? i : i - nq_;
    return place < units.size() ? std::string_view(units[place]) : std::string_view();
  };
  std::vector<std::size_t>
      first;  // for each group: its first component. There are few groups, and every run makes them.
  group_.reserve(ny_);
  first.reserve(ny_);
  for (std::size_t i = 0; i < ny_; ++i) {
    std::size_t g = 0;
    while (g < first.size() && ((first[g] < nq_) != (i < nq_) || unit(first[g]) != unit(i))) ++g;
    if (g == first.size()) first.push_back(i);
    group_.push_back(g);
  }
  group_range_.resize(first.size());
}

// Updates how far each component moves. 1/weight is the size of a significant change of a component. It has a lower
// bound for components that have not moved yet: finite differences over a tiny displacement would be round-off.
void ErrorGrowth::look_at(const double* y) {
  std::fill(group_range_.begin(), group_range_.end(), 0.0);
  for (std::size_t i = 0; i < ny_; ++i) {
    lowest_[i] = std::min(lowest_[i], y[i]);
    highest_[i] = std::max(highest_[i], y[i]);
    size_[i] = std::max(highest_[i], -lowest_[i]);
    range_[i] = i < nq_ ? highest_[i] - lowest_[i] : size_[i];
    double& most = group_range_[group_[i]];
    if (std::isfinite(range_[i])) most = std::max(most, range_[i]);
  }
  for (std::size_t i = 0; i < ny_; ++i)
    weight_[i] = 1 / std::max({range_[i], kMinorMotion * group_range_[group_[i]], 100 * atol_, 0.01 * std::abs(y[i])});
}

double ErrorGrowth::share_of(std::span<const double> change) const {
  double share = 0;
  for (std::size_t i = 0; i < ny_; ++i) share = std::max(share, std::abs(change[i]) * weight_[i]);
  return share;
}

// Computes g = J x, the change of the accelerations that a change x of the state causes, by a finite difference.
// shifted_ holds x on entry and the displaced state on return.
bool ErrorGrowth::slope(double t, const double* y, const double* qdd, double* g) {
  share_ = share_of(shifted_);
  if (!(share_ > 0) || !std::isfinite(share_)) {
    std::fill_n(g, nv_, 0.0);
    return share_ == 0;
  }
  const double epsilon = kDisplacement / share_, inverse = share_ / kDisplacement;
  for (std::size_t i = 0; i < ny_; ++i) shifted_[i] = y[i] + epsilon * shifted_[i];
  ++evaluations_;
  const KktStatus status =
      solve_kkt(dynamics_, t, shifted_.data(), shifted_.data() + nq_, workspace_, g, lambda_.data());
  if (status != KktStatus::kOk && status != KktStatus::kInconsistent) return false;
  for (std::size_t i = 0; i < nv_; ++i) g[i] = (g[i] - qdd[i]) * inverse;
  return true;
}

void ErrorGrowth::add_step_errors(const double* y) {
  double along = 0;
  for (std::size_t i = 0; i < ny_; ++i) along += delta_[i] * step_errors_[i] * weight_[i] * weight_[i];
  const double sign = along < 0 ? -1 : 1, roundoff = 0.5 * kEps * steps_;
  for (std::size_t i = 0; i < ny_; ++i) {
    const double e = sign * step_errors_[i];
    delta_[i] += e + std::copysign(roundoff * y[i], e);
    step_errors_[i] = 0;
  }
}

void ErrorGrowth::advance(double t, const double* y, const double* qdd) {
  const double whole = t - at_;
  const int parts = std::clamp(static_cast<int>(std::ceil(steps_ * turn_ / kLongest)), 1, kMostParts);
  const double H = whole / parts;
  for (int part = 0; part < parts; ++part) {
    const double second = last_stretch_ != 0 ? H * H / (2 * last_stretch_) : 0;
    const double damped = H * damping();
    const bool stiff = damped > kLongest;
    if (dynamics_.layout().v_is_qdot) {
      for (std::size_t i = 0; i < nv_; ++i) {
        const double v = delta_[nq_ + i];
        if (stiff) {
          delta_[nq_ + i] += H * g_[i] / (1 + damped);
          delta_[i] += H / 2 * (v + delta_[nq_ + i]);
          shifted_[nq_ + i] = delta_[nq_ + i];
        } else {
          delta_[i] += H * (v + H / 2 * g_[i]);
          shifted_[nq_ + i] = v + H * g_[i] + second * (g_[i] - g_before_[i]);
        }
        shifted_[i] = delta_[i];
      }
    } else {
      for (std::size_t i = 0; i < nv_; ++i)
        shifted_[nq_ + i] =
            delta_[nq_ + i] + (stiff ? H * g_[i] / (1 + damped) : H * g_[i] + second * (g_[i] - g_before_[i]));
      move_coordinates(t, y, H, delta_.data() + nq_, shifted_.data() + nq_);
      if (stiff)
        std::copy(shifted_.begin() + static_cast<std::ptrdiff_t>(nq_), shifted_.end(),
                  delta_.begin() + static_cast<std::ptrdiff_t>(nq_));
      std::copy_n(delta_.begin(), nq_, shifted_.begin());
    }
    if (!slope(t, y, qdd, g_next_.data())) std::copy(g_.begin(), g_.end(), g_next_.begin());
    if (!stiff)
      for (std::size_t i = 0; i < nv_; ++i) delta_[nq_ + i] += H / 2 * (g_[i] + g_next_[i]);
    std::swap(g_before_, g_);
    std::swap(g_, g_next_);
    last_stretch_ = H;
  }
  end_stretch(y);
  choose_stretch(std::abs(whole) / steps_);
  at_ = t;
  steps_ = 0;
  if (dynamics_.m() > 0 && stretches_ % kTangentEvery == 0) back_to_tangents(t, y);
  note_size(t);
}

void ErrorGrowth::carry(double t, const double* y, OneStepMethod& method) {
  method.carry(delta_.data());
  share_ = share_of(delta_);
  steps_ = 1;
  end_stretch(y);
  at_ = t;
  steps_ = 0;
  forget_rates();
  note_size(t);
}

// Forgets earlier rates of the error: they are invalid after an implicit step and after a jump.
void ErrorGrowth::forget_rates() {
  for (const std::span<double>& x : {g_, g_before_, g_next_}) std::ranges::fill(x, 0.0);
  last_stretch_ = 0;
}

void ErrorGrowth::end_stretch(const double* y) {
  if (stretches_ < 2 * kLookEvery || stretches_ % kLookEvery == 0) look_at(y);
  ++stretches_;
  add_step_errors(y);
}

void ErrorGrowth::note_size(double t) {
  for (std::size_t i = 0; i < ny_; ++i) largest_[i] = std::max(kMemory * largest_[i], std::abs(delta_[i]));
  if (!(share_ * kOverestimate > kDigitsLost))
    lost_at_.reset();
  else if (!lost_at_)
    lost_at_ = t;
}

// The damping rate Γ = −g·g/g·δv (g: rate of the error δv), in weighted norms; 0 where g is not opposed to δv.
double ErrorGrowth::damping() const {
  double gg = 0, gv = 0, vv = 0;
  for (std::size_t i = 0; i < nv_; ++i) {
    const double s = weight_[nq_ + i] * weight_[nq_ + i], v = delta_[nq_ + i];
    gg += g_[i] * g_[i] * s;
    gv += g_[i] * v * s;
    vv += v * v * s;
  }
  return gv < 0 && gv * gv > kOpposed * gg * vv ? -gg / gv : 0;
}

// Estimates the rate |J| at which the error (δq, δv) changes from g, the rate of δv, and chooses the length of the next
// stretch. In an oscillation |g| = ω²|δq| = ω|δv|, with damping |g| = Γ|δv|.
void ErrorGrowth::choose_stretch(double step) {
  double g = 0, v = 0, q = 0;
  for (std::size_t i = 0; i < nv_; ++i) {
    const double weight = over_moved(weight_, static_cast<int>(i)), s = weight * weight;
    g += g_[i] * g_[i] * s;
    v += delta_[nq_ + i] * delta_[nq_ + i] * s;
  }
  for (std::size_t i = 0; i < nq_; ++i) q += delta_[i] * delta_[i] * (weight_[i] * weight_[i]);
  const double bottom = std::sqrt(v) + std::sqrt(std::sqrt(g * q));
  turn_ = std::max(kMemory * turn_, bottom > 0 ? 2 * step * std::sqrt(g) / bottom : 0.0);
  const int most = std::min(kMostSteps, 2 * every_);
  every_ = turn_ * most > kStretch ? std::max(1, static_cast<int>(kStretch / turn_)) : most;
}

double ErrorGrowth::largest_moved(std::span<const double> of_coordinates, int velocity) const {
  const Layout& layout = dynamics_.layout();
  double most = 0;
  for (std::size_t k = 0; k < layout.N.row.size(); ++k)
    if (layout.N.col[k] == velocity) most = std::max(most, of_coordinates[static_cast<std::size_t>(layout.N.row[k])]);
  return most;
}

// Moves the errors δq of the coordinates in delta_ over a stretch where v is not q̇: (4) of error_growth.h.
void ErrorGrowth::move_coordinates(double t, const double* y, double H, const double* dv0, const double* dv1) {
  find_qdot(dynamics_, t, y, y + nq_, workspace_, qdot_.data());
  if (!find_rates(t, y, delta_.data(), dv0, rates_before_.data())) return;
  std::ranges::copy(rates_before_, rates_.begin());
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < nq_; ++i) dq_[i] = delta_[i] + H / 2 * (rates_before_[i] + rates_[i]);
    if (!find_rates(t, y, dq_.data(), dv1, rates_.data())) return;
  }
  for (std::size_t i = 0; i < nq_; ++i) delta_[i] += H / 2 * (rates_before_[i] + rates_[i]);
}

// Computes the change of q̇ that (δq, δv) causes, by a difference to qdot_.
bool ErrorGrowth::find_rates(double t, const double* y, const double* dq, const double* dv, double* rates) {
  std::copy_n(dq, nq_, beside_.begin());
  std::copy_n(dv, nv_, beside_.data() + nq_);
  const double share = share_of(beside_);
  std::fill_n(rates, nq_, 0.0);
  if (!(share > 0) || !std::isfinite(share)) return share == 0;
  const double epsilon = kDisplacement / share, inverse = share / kDisplacement;
  for (std::size_t i = 0; i < ny_; ++i) beside_[i] = y[i] + epsilon * beside_[i];
  find_qdot(dynamics_, t, beside_.data(), beside_.data() + nq_, workspace_, rates);
  for (std::size_t i = 0; i < nq_; ++i) rates[i] = (rates[i] - qdot_[i]) * inverse;
  return true;
}

// Projects the error δ onto the tangent space: projects the displaced state onto the manifold, and subtracts y.
void ErrorGrowth::back_to_tangents(double t, const double* y) {
  if (!(share_ > 0) || !std::isfinite(share_)) return;
  const double epsilon = kDisplacement / share_, inverse = share_ / kDisplacement;
  const auto shift = [&] {
    for (std::size_t i = 0; i < ny_; ++i) shifted_[i] = y[i] + epsilon * delta_[i];
  };
  shift();
  double *q = shifted_.data(), *v = q + nq_;
  if (!project_once(dynamics_, t, q, v, workspace_)) {
    shift();
    if (!project(dynamics_, t, q, v, workspace_).ok) return;
  }
  for (std::size_t i = 0; i < ny_; ++i) delta_[i] = (shifted_[i] - y[i]) * inverse;
}

}  // namespace dalembert::integration
