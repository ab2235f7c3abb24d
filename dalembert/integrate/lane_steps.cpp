// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/lane_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dalembert/dynamics/numbers.h"

namespace dalembert::integration {
namespace {

constexpr std::size_t kMultipliers = 6;  // place of λ among the arguments of kernel code (base/kernel_code.h)

// Copies a vector of one system into a lane, or back.
void to_lane(const double* from, std::size_t count, double* to, std::size_t lane) {
  for (std::size_t s = 0; s < count; ++s) to[s * kLanes + lane] = from[s];
}
void from_lane(const double* from, std::size_t lane, std::size_t count, double* to) {
  for (std::size_t s = 0; s < count; ++s) to[s] = from[s * kLanes + lane];
}

}  // namespace

LaneSteps::LaneSteps(std::shared_ptr<const LaneCode> code, const Dynamics& dynamics, const Tableau& tableau)
    : code_(std::move(code)),
      tableau_(tableau),
      nq_(index(dynamics.nq())),
      nv_(index(dynamics.nv())),
      m_(index(dynamics.layout().multipliers())),
      ny_(nq_ + nv_),
      constant_inputs_(dynamics.layout().constant_inputs),
      stage_((ny_ + m_ + 2) * kLanes),
      add_up_(lane_weighted_sum()),
      take_apart_(lanes_apart()),
      weights_(tableau, stage_) {
  p_.resize(dynamics.parameters().size() * kLanes);
  prepared_.resize(dynamics.layout().prepared * kLanes);
  u_.resize(index(dynamics.layout().inputs) * kLanes);
  // Whole groups of them are read when lanes are taken apart.
  for (LineNumbers* x : {&start_, &point_, &end_}) x->resize(padded(ny_ + 1) * kLanes);
  stages_.resize(index(tableau.stages) * stage_ + padded(ny_) * kLanes);
  last_slopes_.resize(stage_);
  lambda_.resize(m_ * kLanes);
  work_.resize(code_->work);
  alone_.resize(ny_ + 1);
  alone_slope_.resize(ny_ + m_ + 2);
}

void LaneSteps::seat(std::size_t lane, const StepMaker& run) {
  const Dynamics& dynamics = run.dynamics;
  to_lane(dynamics.parameters().data(), dynamics.parameters().size(), p_.data(), lane);
  to_lane(dynamics.prepared(), dynamics.layout().prepared, prepared_.data(), lane);
  to_lane(run.motion.workspace.u.data(), run.motion.workspace.u.size(), u_.data(), lane);
}

bool LaneSteps::takes(StepMaker& run) const {
  return &run.method() == &run.explicit_pair() && &run.explicit_pair().tableau() == &tableau_ &&
         run.motion.may_share_lanes() && (!run.with_power || code_->of(KernelFunction::kPower) != nullptr);
}

void LaneSteps::advance(const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& advanced) {
  begin(runs);
  advanced.fill(true);
  for (std::size_t i = 1; i < index(tableau_.stages); ++i) {
    add_up(weights_.a(i), point_.data());
    for (std::size_t l = 0; l < kLanes; ++l) t_[l] = t0_[l] + tableau_.c[i] * h_[l];
    evaluate(i, runs, advanced);
  }
  add_up(weights_.b(), end_.data());
  hand_back(runs, advanced);
}

void LaneSteps::begin(const std::array<StepMaker*, kLanes>& runs) {
  with_power_ = 0;
  loss_.fill(0);
  most_.fill(0);
  shared_.fill(0);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    const std::size_t size = index(run.motion.size());
    t0_[l] = run.step.t;
    h_[l] = run.step.length;
    to_lane(run.step.y.data(), size, start_.data(), l);
    to_lane(run.explicit_pair().first_slope(), size, stages_.data(), l);
    if (run.with_power) with_power_ |= std::uint64_t{1} << l;
  }
}

void LaneSteps::add_up(std::span<const Weight> weights, double* result) {
  add_up_({.weights = weights.data(),
           .count = weights.size(),
           .stages = stages_.data(),
           .base = start_.data(),
           .h = h_.data(),
           .size = ny_ + (with_power_ != 0 ? 1 : 0)},
          result);
}

// Computes the slopes of stage i at point_.
void LaneSteps::evaluate(std::size_t i, const std::array<StepMaker*, kLanes>& runs,
                         std::array<bool, kLanes>& advanced) {
  find_inputs(runs);
  double* slope = stage(i);
  const std::uint64_t refused = run_code(slope);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr || !advanced[l]) continue;
    last_shared_[l] = (refused >> l & 1) == 0;
    if (last_shared_[l])
      ++shared_[l];
    else
      advanced[l] = evaluate_alone(l, *runs[l], slope);
  }
}

void LaneSteps::find_inputs(const std::array<StepMaker*, kLanes>& runs) {
  if (constant_inputs_) return;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    Workspace& workspace = runs[l]->motion.workspace;
    evaluate_inputs(runs[l]->dynamics, t_[l], workspace);
    to_lane(workspace.u.data(), workspace.u.size(), u_.data(), l);
  }
}

// Computes the slopes at point_ of all lanes. Returns the bits of those that must be evaluated alone.
DALEMBERT_CALLS_CODE
std::uint64_t LaneSteps::run_code(double* slope) {
  const double *q = point_.data(), *v = q + nq_ * kLanes;
  std::copy_n(v, nv_ * kLanes, slope);  // q̇ = v
  double* out = slope + nq_ * kLanes;
  const double* lambda = out + nv_ * kLanes;
  const double* arguments[] = {t_.data(), p_.data(), u_.data(), q, v, nullptr, nullptr, prepared_.data()};
  std::uint64_t refused = code_->of(KernelFunction::kAccelerations)(arguments, work_.data(), out);
  const double* trust = lambda + m_ * kLanes;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::array<double, 2> own{trust[l], trust[kLanes + l]};
    if (!trusted(own.data())) refused |= std::uint64_t{1} << l;
  }
  note(lambda, trust, refused);
  std::copy_n(lambda, m_ * kLanes, lambda_.data());
  if (with_power_ != 0) {
    // The power takes the place of the first multiplier, as in Motion.
    arguments[kMultipliers] = lambda_.data();
    refused |= with_power_ & code_->of(KernelFunction::kPower)(arguments, work_.data(), slope + ny_ * kLanes);
  }
  return refused;
}

// Notes the largest loss and |λ|.
void LaneSteps::note(const double* lambda, const double* trust, std::uint64_t refused) {
  std::array<double, kLanes> counts{};
  for (std::size_t l = 0; l < kLanes; ++l) counts[l] = (refused >> l & 1) == 0 ? 1 : 0;
  for (std::size_t l = 0; l < kLanes; ++l)
    if (counts[l] != 0) loss_[l] = std::max(loss_[l], trust[kLanes + l]);
  for (std::size_t r = 0; r < m_; ++r)
    for (std::size_t l = 0; l < kLanes; ++l)
      if (counts[l] != 0) most_[l] = std::max(most_[l], std::abs(lambda[r * kLanes + l]));
}

bool LaneSteps::evaluate_alone(std::size_t lane, StepMaker& run, double* slope) {
  const std::size_t size = index(run.motion.size());
  from_lane(point_.data(), lane, size, alone_.data());
  const bool evaluated = run.motion.evaluate(t_[lane], alone_.data(), alone_slope_.data());
  to_lane(alone_slope_.data(), size, slope, lane);
  return evaluated;
}

// Leaves in the runs what their own steps would have left.
void LaneSteps::hand_back(const std::array<StepMaker*, kLanes>& runs, const std::array<bool, kLanes>& advanced) {
  std::array<RungeKutta*, kLanes> pairs{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    Motion& motion = runs[l]->motion;
    motion.evaluations += shared_[l];
    motion.largest_loss = std::max(motion.largest_loss, loss_[l]);
    motion.largest_lambda = std::max(motion.largest_lambda, most_[l]);
    if (advanced[l]) pairs[l] = &runs[l]->explicit_pair();
  }
  // A work that one run integrates is surplus for the others.
  const std::size_t count = ny_ + (with_power_ != 0 ? 1 : 0);
  const auto take_apart = [&](const double* lanes, const auto& place) {
    std::array<double*, kLanes> to{};
    for (std::size_t l = 0; l < kLanes; ++l)
      if (pairs[l] != nullptr) to[l] = place(*pairs[l]);
    take_apart_(lanes, count, to.data());
  };
  take_apart(point_.data(), [](RungeKutta& pair) { return pair.point_; });
  take_apart(end_.data(), [](RungeKutta& pair) { return pair.high_; });
  for (std::size_t i = 1; i < index(tableau_.stages); ++i)
    take_apart(stage(i), [&](RungeKutta& pair) { return pair.stage(static_cast<int>(i)); });
  for (std::size_t l = 0; l < kLanes; ++l)
    if (pairs[l] != nullptr) hand_back_end(l, *runs[l]);
}

void LaneSteps::hand_back_end(std::size_t lane, StepMaker& run) {
  RungeKutta& pair = run.explicit_pair();
  Motion& motion = run.motion;
  const std::size_t size = index(motion.size());
  pair.copied_ = motion.copied();
  copy_few(run.step.y.data(), size, pair.start_);
  copy_few(pair.high_, size, run.step.y1.data());
  if (!last_shared_[lane]) return;
  const std::size_t last = index(tableau_.stages) - 1;
  keep_forces(lane, stage(last), motion, pair.stage(static_cast<int>(last)));
}

// Leaves λ behind the run's own copy of a slope, and notes how it was found.
void LaneSteps::keep_forces(std::size_t lane, const double* slope, Motion& motion, double* own) {
  std::array<double, 2> trust{};
  from_lane(slope + (ny_ + m_) * kLanes, lane, 2, trust.data());
  double* lambda = own + motion.size();
  from_lane(lambda_.data(), lane, m_, lambda);
  motion.note_shared(lambda, trust.data());
}

void LaneSteps::evaluate_ends(const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& evaluated) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    t_[l] = runs[l]->step.t1;
    to_lane(runs[l]->step.y1.data(), index(runs[l]->motion.size()), point_.data(), l);
  }
  find_inputs(runs);
  loss_.fill(0);
  most_.fill(0);
  const std::uint64_t refused = run_code(last_slopes_.data());
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    if ((refused >> l & 1) != 0) {
      evaluated[l] = run.evaluate_end();
      continue;
    }
    Motion& motion = run.motion;
    const std::size_t size = index(motion.size());
    double* slope = run.method().last_slope();
    ++motion.evaluations;
    motion.largest_loss = std::max(motion.largest_loss, loss_[l]);
    motion.largest_lambda = std::max(motion.largest_lambda, most_[l]);
    from_lane(last_slopes_.data(), l, size, slope);
    keep_forces(l, last_slopes_.data(), motion, slope);
    evaluated[l] = all_finite(slope, size);
    if (!evaluated[l]) run.step.failure = motion.status = KktStatus::kNotFinite;
  }
}

}  // namespace dalembert::integration
