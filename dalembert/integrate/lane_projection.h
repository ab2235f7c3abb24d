// SPDX-License-Identifier: Apache-2.0
// Private to integrate: projects states of several runs onto their manifolds at once, one in each lane.
//
// It takes the way that most projections take: at most one step of the positions and one of the velocities, by code that trusts its pivots, each
// of which leaves round-off. A state that needs more is left to its run. What it leaves has the bits that project() (project.h) leaves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dalembert/base/aligned.h"
#include "dalembert/dynamics/lane_code.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual_size.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/weighted_sum.h"

namespace dalembert::integration {

class LaneProjection {
 public:
  LaneProjection(std::shared_ptr<const LaneCode> code, const Dynamics& dynamics);

  /// Whether the states of a run with this workspace can be projected here.
  bool takes(const Dynamics& dynamics, const Workspace& workspace) const;
  /// Projects the states (q, v) at `y`. `arguments` are those of the code, q and v at `y` among them. Returns the bits of the lanes that are done;
  /// the numbers of the others are of no use.
  std::uint64_t project(const double* const* arguments, double* work, double* y);
  /// Leaves in the workspaces of runs whose lanes are done what they hold after their own projections, but for the displacement. Null: none.
  void hand_back(const std::array<Workspace*, kLanes>& workspaces) const;
  /// What project() returns of a lane that is done.
  Projection of(std::size_t lane) const;

 private:
  // Entry s of lane l at [s · kLanes + l] of all numbers.
  using OfLanes = std::array<double, kLanes>;
  // ResidualSize of each lane, and the bits of the lanes whose residuals are finite.
  struct Sizes {
    alignas(64) OfLanes largest{}, roundoff{};
    std::uint64_t finite = 0;
    ResidualSize of(std::size_t lane) const { return {.largest = largest[lane], .roundoff = roundoff[lane]}; }
    std::uint64_t that_need_steps() const;
    std::uint64_t replace(const Sizes& next, std::uint64_t lanes);
  };
  static Sizes measure(const double* residual, const double* magnitude, std::size_t rows);
  std::uint64_t move(const double* step, std::uint64_t lanes, double* x) const;
  void measure_rows(const double* q, const double* v);

  const std::shared_ptr<const LaneCode> code_;
  const std::size_t nv_, m_, m_h_;
  const VelocityStepPlaces at_;
  const SparseRows rows_;
  LanesApart* const take_apart_;
  LineNumbers position_, velocity_;               // results of the code
  LineNumbers residual_, magnitude_, row_sizes_;  // m: W v + a, RowSize::velocity and all three of Workspace::RowSize
  Sizes position_before_, position_left_, velocity_before_, velocity_left_;
  std::uint64_t moved_ = 0, turned_ = 0;  // bits of the lanes whose positions, velocities were changed
};

}  // namespace dalembert::integration
