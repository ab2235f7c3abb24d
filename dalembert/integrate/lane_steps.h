// SPDX-License-Identifier: Apache-2.0
// Private to integrate: explicit Runge–Kutta steps of several runs at once, one in each lane.
//
// The runs are of one system with other parameters and states. Each step has a time and a length of its own. It leaves in the run what
// RungeKutta::advance() and error() would leave, with the same bits, whoever has the other lanes: a lane reads no number of another one, and
// where code in lanes refuses a point, that run alone evaluates it. The stages stay here until a run asks for its own (StagesOfLanes).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dalembert/base/aligned.h"
#include "dalembert/dynamics/lane_code.h"
#include "dalembert/integrate/lane_projection.h"
#include "dalembert/integrate/step_maker.h"
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {

class LaneSteps final : private StagesOfLanes {
 public:
  static_assert(kLanes == LaneCode::kLanes);

  /// `dynamics` is the system of one of the runs.
  LaneSteps(std::shared_ptr<const LaneCode> code, const Dynamics& dynamics, const Tableau& tableau);

  /// A run takes this lane: its parameters are those of its system from now on.
  void seat(std::size_t lane, const StepMaker& run);
  /// Whether the step that the run has begun (StepMaker::begin_step) can be made here.
  bool takes(StepMaker& run) const;
  /// Makes the steps that these runs have begun; null: the lane is empty. advanced[l]: what RungeKutta::advance() would return.
  void advance(const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& advanced);
  /// Projects the ends of these steps, which advance() has made. A run whose end cannot be projected leaves `runs`.
  void project_ends(std::array<StepMaker*, kLanes>& runs);
  /// What StepMaker::displacement() would return after it.
  double displacement(std::size_t lane) const { return displacement_[lane]; }
  /// Evaluates the ends of these steps, which project_ends() has projected. evaluated[l]: what StepMaker::evaluate_end() would return.
  void evaluate_ends(const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& evaluated);

 private:
  double* stage(std::size_t i) { return stages_.data() + i * stage_; }
  void begin(const std::array<StepMaker*, kLanes>& runs);
  void find_inputs(const std::array<StepMaker*, kLanes>& runs);
  void take_projected(std::uint64_t done, const std::array<StepMaker*, kLanes>& runs);
  void find_displacements(const std::array<double, kLanes>& positions, const std::array<double, kLanes>& velocities);
  /// The arguments of code for a state, without multipliers.
  std::array<const double*, 8> arguments(const double* y) const;
  void evaluate(std::size_t i, const std::array<StepMaker*, kLanes>& runs, std::array<bool, kLanes>& advanced);
  std::uint64_t run_code(const double* y, double* slope);
  std::uint64_t note(const double* y, double* slope, std::uint64_t refused);
  std::size_t entries() const { return ny_ + (with_power_ != 0 ? 1 : 0); }
  bool evaluate_alone(std::size_t lane, StepMaker& run, double* slope);
  void add_up(std::span<const Weight> weights, double* result);
  void hand_back(const std::array<StepMaker*, kLanes>& runs, const std::array<bool, kLanes>& advanced);
  void hand_back_errors(const std::array<StepMaker*, kLanes>& runs, const std::array<bool, kLanes>& made,
                        const double* y1);
  void bring(std::size_t lane, std::size_t size, double* stages, std::size_t stride, double* point) const override;
  void put_together(std::array<const double*, kLanes> from, double* lanes) const;
  std::uint64_t find_finite(const double* slopes) const;
  void keep_forces(const double* slopes, const std::array<double*, kLanes>& own,
                   const std::array<StepMaker*, kLanes>& runs);

  const std::shared_ptr<const LaneCode> code_;
  LaneProjection projection_;
  const Tableau& tableau_;
  const std::size_t nq_, nv_, m_, ny_;  // ny_: entries of (q, v); the work is entry ny_
  const bool constant_inputs_;
  const std::size_t stage_;     // numbers of a stage, all lanes
  const bool errors_need_end_;  // error_needs_last_slope() of the pair
  LaneWeightedSum* const add_up_;
  LaneErrorSum* const sum_errors_;
  LanesApart* const take_apart_;
  LanesTogether* const put_together_;
  std::uint64_t with_power_ = 0;  // bits of the lanes whose runs integrate their work
  const TableauWeights weights_;
  // Entry s of lane l at [s · kLanes + l]. The slopes at the ends of the steps are those of stage `stages`; last_point_: the argument of the one before.
  LineNumbers p_, prepared_, u_, start_, point_, last_point_, end_, before_, stages_, high_, low_, lambda_, work_;
  alignas(64) std::array<double, kLanes> t0_{}, h_{}, t_{}, rtol_{}, atol_{}, high2_{}, low2_{}, displacement_{};
  // Of the present step: the largest loss and |λ|, number of evaluations in lanes.
  alignas(64) std::array<double, kLanes> loss_{}, most_{};
  std::array<int, kLanes> shared_{};
  // Bits of the lanes whose runs have been advanced so far, and of those that the last evaluation was made for in lanes.
  std::uint64_t running_ = 0, last_shared_ = 0;
  std::vector<double> alone_, alone_slope_;  // a point of one run
};

}  // namespace dalembert::integration
