// SPDX-License-Identifier: Apache-2.0
// Private to integrate: memory that a run leaves to the next one. A run of some milliseconds takes as long to be made as some of its steps.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/run_for.h"
#include "dalembert/integrate/runge_kutta.h"
#include "dalembert/integrate/step.h"
#include "dalembert/integrate/trajectory.h"

namespace dalembert::integration {

/// What a StepMaker gives away when it ends, and another one takes over if it has the same kernel and method, and trajectories that nobody reads any
/// more. Nothing but memory and sizes is taken over. It belongs to one thread.
class SpareParts {
 public:
  /// The parts that were left, as new; those of another kind are made.
  Workspace workspace(const Dynamics& dynamics);
  RungeKutta pair(const Tableau& tableau, int size, int room);
  Step step();
  void leave(const Dynamics& dynamics, Workspace&& workspace, RungeKutta&& pair, Step&& step);
  std::unique_ptr<Trajectory> trajectory(RunFor purpose);
  void leave(RunFor purpose, std::unique_ptr<Trajectory> path) { spare_of(purpose) = std::move(path); }

 private:
  std::unique_ptr<Trajectory>& spare_of(RunFor purpose) {
    return purpose == RunFor::kVerdict ? of_verdicts_ : of_states_;
  }

  std::shared_ptr<const Kernel> kernel_;  // of workspace_
  std::optional<Workspace> workspace_;
  std::optional<RungeKutta> pair_;
  Step step_;
  std::unique_ptr<Trajectory> of_verdicts_, of_states_;
};

}  // namespace dalembert::integration
