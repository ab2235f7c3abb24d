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
      a_(tableau.a, stage_),
      b_(non_zero(tableau.b, stage_)) {
  p_.resize(dynamics.parameters().size() * kLanes);
  prepared_.resize(dynamics.layout().prepared * kLanes);
  u_.resize(index(dynamics.layout().inputs) * kLanes);
  for (LineNumbers* x : {&start_, &point_, &end_}) x->resize((ny_ + 1) * kLanes);
  stages_.resize(index(tableau.stages) * stage_);
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
    add_up(a_[i], point_.data());
    for (std::size_t l = 0; l < kLanes; ++l) t_[l] = t0_[l] + tableau_.c[i] * h_[l];
    evaluate(i, runs, advanced);
  }
  add_up(b_, end_.data());
  for (std::size_t l = 0; l < kLanes; ++l)
    if (runs[l] != nullptr) hand_back(l, *runs[l], advanced[l]);
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

// Leaves in the run what its own step would have left.
void LaneSteps::hand_back(std::size_t lane, StepMaker& run, bool advanced) {
  RungeKutta& pair = run.explicit_pair();
  Motion& motion = run.motion;
  motion.evaluations += shared_[lane];
  motion.largest_loss = std::max(motion.largest_loss, loss_[lane]);
  motion.largest_lambda = std::max(motion.largest_lambda, most_[lane]);
  if (!advanced) return;
  const std::size_t size = index(motion.size()), stages = index(tableau_.stages);
  pair.copied_ = motion.copied();
  std::copy_n(run.step.y.data(), size, pair.start_.data());
  from_lane(point_.data(), lane, size, pair.point_.data());
  from_lane(end_.data(), lane, size, run.step.y1.data());
  for (std::size_t i = 1; i < stages; ++i) from_lane(stage(i), lane, size, pair.stage(static_cast<int>(i)));
  if (!last_shared_[lane]) return;
  double* last = pair.stage(static_cast<int>(stages) - 1) + size;
  std::array<double, 2> trust{};
  from_lane(stage(stages - 1) + (ny_ + m_) * kLanes, lane, 2, trust.data());
  from_lane(lambda_.data(), lane, m_, last);
  motion.note_shared(last, trust.data());
}

}  // namespace dalembert::integration
