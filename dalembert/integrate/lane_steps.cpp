// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/lane_steps.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/lanes.h"

namespace dalembert::integration {
namespace {

constexpr std::uint64_t kAllLanes = (std::uint64_t{1} << kLanes) - 1;
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
      projection_(code_, dynamics),
      tableau_(tableau),
      nq_(index(dynamics.nq())),
      nv_(index(dynamics.nv())),
      m_(index(dynamics.layout().multipliers())),
      ny_(nq_ + nv_),
      constant_inputs_(dynamics.layout().constant_inputs),
      stage_((ny_ + m_ + 2) * kLanes),
      errors_need_end_(tableau.e.back() != 0),
      add_up_(lane_weighted_sum()),
      sum_errors_(lane_error_sum()),
      take_apart_(lanes_apart()),
      put_together_(lanes_together()),
      weights_(tableau, stage_) {
  p_.resize(dynamics.parameters().size() * kLanes);
  prepared_.resize(dynamics.layout().prepared * kLanes);
  u_.resize(index(dynamics.layout().inputs) * kLanes);
  // Whole groups of them are read when lanes are taken apart.
  for (LineNumbers* x : {&start_, &point_, &last_point_, &end_, &before_, &high_, &low_})
    x->resize(padded(ny_ + 1) * kLanes);
  stages_.resize((index(tableau.stages) + 1) * stage_ + padded(ny_) * kLanes);
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
  std::swap(point_, last_point_);
  add_up(weights_.b(), end_.data());
  hand_back(runs, advanced);
  if (!errors_need_end_) hand_back_errors(runs, advanced, end_.data());
}

void LaneSteps::begin(const std::array<StepMaker*, kLanes>& runs) {
  with_power_ = 0;
  loss_.fill(0);
  most_.fill(0);
  shared_.fill(static_cast<int>(tableau_.stages) - 1);
  running_ = 0;
  std::array<const double*, kLanes> states{}, slopes{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    t0_[l] = run.step.t;
    h_[l] = run.step.length;
    rtol_[l] = run.options.rtol;
    atol_[l] = run.options.atol;
    running_ |= std::uint64_t{1} << l;
    states[l] = run.step.y.data();
    slopes[l] = run.explicit_pair().first_slope();
    if (!run.with_power) continue;
    with_power_ |= std::uint64_t{1} << l;
    to_lane(states[l] + ny_, 1, start_.data() + ny_ * kLanes, l);
    to_lane(slopes[l] + ny_, 1, stages_.data() + ny_ * kLanes, l);
  }
  put_together(states, start_.data());
  put_together(slopes, stages_.data());
}

// The (q, v) or their slopes of these lanes; null lanes get those of another one, which nobody reads.
void LaneSteps::put_together(std::array<const double*, kLanes> from, double* lanes) const {
  const double* const any = *std::ranges::find_if(from, [](const double* x) { return x != nullptr; });
  for (const double*& x : from)
    if (x == nullptr) x = any;
  put_together_(from.data(), ny_, lanes);
}

void LaneSteps::add_up(std::span<const Weight> weights, double* result) {
  add_up_({.weights = weights.data(),
           .count = weights.size(),
           .stages = stages_.data(),
           .base = start_.data(),
           .h = h_.data(),
           .size = entries()},
          result);
}

// Computes the slopes of stage i at point_.
void LaneSteps::evaluate(std::size_t i, const std::array<StepMaker*, kLanes>& runs,
                         std::array<bool, kLanes>& advanced) {
  find_inputs(runs);
  double* slope = stage(i);
  const std::uint64_t alone = run_code(point_.data(), slope) & running_;
  last_shared_ = running_ & ~alone;
  if (alone == 0) [[likely]]
    return;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if ((alone >> l & 1) == 0) continue;
    advanced[l] = evaluate_alone(l, *runs[l], slope);
    --shared_[l];
    if (advanced[l]) continue;
    shared_[l] -= static_cast<int>(index(tableau_.stages) - 1 - i);
    running_ &= ~(std::uint64_t{1} << l);
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

std::array<const double*, 8> LaneSteps::arguments(const double* y) const {
  return {t_.data(), p_.data(), u_.data(), y, y + nq_ * kLanes, nullptr, nullptr, prepared_.data()};
}

// Computes the slopes at the states y of all lanes. Returns the bits of those that must be evaluated alone.
DALEMBERT_CALLS_CODE
std::uint64_t LaneSteps::run_code(const double* y, double* slope) {
  std::array<const double*, 8> in = arguments(y);
  std::uint64_t refused = code_->of(KernelFunction::kAccelerations)(in.data(), work_.data(), slope + nq_ * kLanes);
  refused |= note(y, slope, refused);
  if (with_power_ != 0) {
    // The power takes the place of the first multiplier, as in Motion.
    std::copy_n(slope + ny_ * kLanes, m_ * kLanes, lambda_.data());
    in[kMultipliers] = lambda_.data();
    refused |= with_power_ & code_->of(KernelFunction::kPower)(in.data(), work_.data(), slope + ny_ * kLanes);
  }
  return refused;
}

// Sets q̇ = v, and notes the largest loss and |λ| of the lanes that are neither refused nor untrusted. Returns the bits of those that are not trusted.
std::uint64_t LaneSteps::note(const double* y, double* slope, std::uint64_t refused) {
  std::uint64_t untrusted = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    const double *v = y + nq_ * kLanes, *lambda = slope + ny_ * kLanes, *trust = lambda + m_ * kLanes;
    double* qd = slope;
    // There are few of them: loops that are unrolled take longer.
#pragma GCC unroll 1
    for (const double* end = v + nv_ * kLanes; v != end; v += kLanes, qd += kLanes) lanes_at(qd) = lanes_at(v);
    LaneMask counts;
    find_trusted(trust, counts);
    untrusted = ~bits_of(counts) & kAllLanes;
    Lanes loss = lanes_at(loss_.data()), most = lanes_at(most_.data());
    if ((refused | untrusted) == 0) [[likely]] {
      keep_larger(loss, lanes_at(trust + kLanes));
#pragma GCC unroll 1
      for (const double* x = lambda; x != trust; x += kLanes) keep_larger_magnitude(most, lanes_at(x));
    } else {
      LaneMask left_out;
      spread(refused, left_out);
      counts &= ~left_out;
      keep_larger(loss, counts ? lanes_at(trust + kLanes) : Lanes{});
      for (const double* x = lambda; x != trust; x += kLanes)
        keep_larger_magnitude(most, counts ? lanes_at(x) : Lanes{});
    }
    lanes_at(loss_.data()) = loss;
    lanes_at(most_.data()) = most;
  });
  return untrusted;
}

bool LaneSteps::evaluate_alone(std::size_t lane, StepMaker& run, double* slope) {
  const std::size_t size = index(run.motion.size());
  from_lane(point_.data(), lane, size, alone_.data());
  const bool evaluated = run.motion.evaluate(t_[lane], alone_.data(), alone_slope_.data());
  to_lane(alone_slope_.data(), size, slope, lane);
  return evaluated;
}

// Leaves in the runs what their own steps would have left, but for the stages.
void LaneSteps::hand_back(const std::array<StepMaker*, kLanes>& runs, const std::array<bool, kLanes>& advanced) {
  const int last = tableau_.stages - 1;
  std::array<double*, kLanes> ends{}, own{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    Motion& motion = run.motion;
    motion.evaluations += shared_[l];
    motion.largest_loss = std::max(motion.largest_loss, loss_[l]);
    motion.largest_lambda = std::max(motion.largest_lambda, most_[l]);
    if (!advanced[l]) continue;
    RungeKutta& pair = run.explicit_pair();
    pair.copied_ = motion.copied();
    pair.stages_of_ = this;
    pair.lane_ = l;
    pair.norms_.reset();
    ends[l] = run.step.y1.data();
    if (run.with_power) from_lane(end_.data() + ny_ * kLanes, l, 1, ends[l] + ny_);
    if ((last_shared_ >> l & 1) != 0) own[l] = pair.stage(last);
  }
  take_apart_(end_.data(), ny_, ends.data());
  keep_forces(stage(index(last)), own, runs);
}

// Leaves in the runs the error estimates of the steps that are made, which end at y1.
void LaneSteps::hand_back_errors(const std::array<StepMaker*, kLanes>& runs, const std::array<bool, kLanes>& made,
                                 const double* y1) {
  LaneSum sum{.stages = stages_.data(), .size = entries()};
  for (const auto& [weights, result] : {std::pair(weights_.e(), &high_), std::pair(weights_.e_low(), &low_)}) {
    sum.weights = weights.data();
    sum.count = weights.size();
    add_up_(sum, result->data());
  }
  sum_errors_({high_.data(), low_.data(), start_.data(), y1, ny_, rtol_.data(), atol_.data()}, high2_.data(),
              low2_.data());
  std::array<double*, kLanes> high{}, low{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr || !made[l]) continue;
    RungeKutta& pair = runs[l]->explicit_pair();
    pair.norms_ = {high2_[l], low2_[l]};
    high[l] = pair.high_;
    low[l] = pair.low_;
  }
  // The work that one run integrates is surplus for the others, and vectors have room for it.
  take_apart_(high_.data(), entries(), high.data());
  take_apart_(low_.data(), entries(), low.data());
}

void LaneSteps::bring(std::size_t lane, std::size_t size, double* stages, std::size_t stride, double* point) const {
  from_lane(last_point_.data(), lane, size, point);
  for (std::size_t i = 1; i < index(tableau_.stages); ++i)
    from_lane(stages_.data() + i * stage_, lane, size, stages + i * stride);
}

// Leaves λ behind the runs' own copies of slopes, and notes how it was found. Null: not of this lane.
void LaneSteps::keep_forces(const double* slopes, const std::array<double*, kLanes>& own,
                            const std::array<StepMaker*, kLanes>& runs) {
  if (with_power_ == 0) {
    // Own copies hold λ and trust[2] as the lanes do (Motion::room).
    std::array<double*, kLanes> forces{};
    for (std::size_t l = 0; l < kLanes; ++l)
      if (own[l] != nullptr) forces[l] = own[l] + ny_;
    take_apart_(slopes + ny_ * kLanes, m_ + 2, forces.data());
    for (std::size_t l = 0; l < kLanes; ++l)
      if (own[l] != nullptr) runs[l]->motion.note_shared(forces[l], forces[l] + m_);
    return;
  }
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (own[l] == nullptr) continue;
    Motion& motion = runs[l]->motion;
    std::array<double, 2> trust{};
    from_lane(slopes + (ny_ + m_) * kLanes, l, 2, trust.data());
    double* lambda = own[l] + motion.size();
    from_lane(lambda_.data(), l, m_, lambda);
    motion.note_shared(lambda, trust.data());
  }
}

// The ends are still in the lanes.
void LaneSteps::project_ends(std::array<StepMaker*, kLanes>& runs) {
  std::uint64_t done = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    t_[l] = runs[l]->step.t1;
    if (projection_.takes(runs[l]->dynamics, runs[l]->motion.workspace)) done |= std::uint64_t{1} << l;
  }
  find_inputs(runs);
  if (done != 0) {
    std::copy_n(end_.data(), ny_ * kLanes, before_.data());
    done &= projection_.project(arguments(end_.data()).data(), work_.data(), end_.data());
  }
  // 1 where the projection has corrected more than round-off.
  alignas(64) std::array<double, kLanes> positions{}, velocities{};
  if (done != 0) take_projected(done, runs);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if ((done >> l & 1) == 0 || runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    if (!run.keep_projection(run.manifold.keep(projection_.of(l), run.step.y1.data()))) runs[l] = nullptr;
    positions[l] = run.manifold.position_corrected() ? 1 : 0;
    velocities[l] = run.manifold.velocity_corrected() ? 1 : 0;
  }
  if (done != 0) find_displacements(positions, velocities);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if ((done >> l & 1) != 0 || runs[l] == nullptr) continue;
    if (!runs[l]->project_end()) {
      runs[l] = nullptr;
      continue;
    }
    to_lane(runs[l]->step.y1.data(), ny_, end_.data(), l);
    displacement_[l] = runs[l]->displacement();
  }
}

// Leaves in the runs of these lanes their projected ends and what their own projections would leave.
void LaneSteps::take_projected(std::uint64_t done, const std::array<StepMaker*, kLanes>& runs) {
  std::array<double*, kLanes> ends{};
  std::array<Workspace*, kLanes> workspaces{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    if ((done >> l & 1) == 0 || runs[l] == nullptr) continue;
    ends[l] = runs[l]->step.y1.data();
    workspaces[l] = &runs[l]->motion.workspace;
  }
  take_apart_(end_.data(), ny_, ends.data());
  projection_.hand_back(workspaces);
}

// Manifold::displacement() of all lanes; 1 or 0 for what counts.
void LaneSteps::find_displacements(const std::array<double, kLanes>& positions,
                                   const std::array<double, kLanes>& velocities) {
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes sum{};
    const auto add = [&](const Lanes& counts, std::size_t begin, std::size_t count) __attribute__((always_inline)) {
      const double *at_start = start_.data() + begin, *at_end = end_.data() + begin, *was = before_.data() + begin;
      Lanes floor{};
      for (std::size_t i = 0; i < count; i += kLanes) keep_larger_magnitude(floor, lanes_at(at_end + i));
      floor = lanes_at(atol_.data()) + 64 * kEps * floor;
      for (std::size_t i = 0; i < count; i += kLanes) {
        Lanes size{};
        keep_larger_magnitude(size, lanes_at(at_start + i));
        keep_larger_magnitude(size, lanes_at(at_end + i));
        const Lanes ratio = (lanes_at(at_end + i) - lanes_at(was + i)) / (floor + lanes_at(rtol_.data()) * size);
        sum += counts != 0.0 ? ratio * ratio : Lanes{};
      }
    };
    add(lanes_at(positions.data()), 0, nq_ * kLanes);
    add(lanes_at(velocities.data()), nq_ * kLanes, nv_ * kLanes);
    lanes_at(displacement_.data()) = sum;
  });
  for (double& x : displacement_) x = x == 0 ? 0 : std::sqrt(x / static_cast<double>(nq_ + nv_));
}

// The bits of the lanes whose slopes, that of the work included where it is integrated, are finite.
std::uint64_t LaneSteps::find_finite(const double* slopes) const {
  std::uint64_t finite = 0;
  with_wide_registers([&]() __attribute__((always_inline)) {
    Lanes sum{};  // NaN as soon as a value is not finite
    const double* x = slopes;
    for (const double* end = x + ny_ * kLanes; x != end; x += kLanes) sum += lanes_at(x) * 0.0;
    finite = bits_of(sum == 0.0);
    if (with_power_ != 0) finite &= bits_of(lanes_at(x) * 0.0 == 0.0) | ~with_power_;
  });
  return finite;
}

void LaneSteps::evaluate_ends(const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& evaluated) {
  loss_.fill(0);
  most_.fill(0);
  double* slopes = stage(index(tableau_.stages));
  const std::uint64_t refused = run_code(end_.data(), slopes);
  std::array<double*, kLanes> own{};
  for (std::size_t l = 0; l < kLanes; ++l)
    if (runs[l] != nullptr && (refused >> l & 1) == 0) own[l] = runs[l]->explicit_pair().last_slope();
  take_apart_(slopes, entries(), own.data());
  keep_forces(slopes, own, runs);
  const std::uint64_t finite = find_finite(slopes);
  for (std::size_t l = 0; l < kLanes; ++l) {
    if (runs[l] == nullptr) continue;
    StepMaker& run = *runs[l];
    if ((refused >> l & 1) != 0) {
      evaluated[l] = run.evaluate_end();
      to_lane(run.method().last_slope(), index(run.motion.size()), slopes, l);
      continue;
    }
    Motion& motion = run.motion;
    ++motion.evaluations;
    motion.largest_loss = std::max(motion.largest_loss, loss_[l]);
    motion.largest_lambda = std::max(motion.largest_lambda, most_[l]);
    evaluated[l] = (finite >> l & 1) != 0;
    if (!evaluated[l]) run.step.failure = motion.status = KktStatus::kNotFinite;
  }
  if (errors_need_end_) hand_back_errors(runs, evaluated, end_.data());
}

}  // namespace dalembert::integration
