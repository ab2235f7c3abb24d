// SPDX-License-Identifier: Apache-2.0
// Private to integrate: frictions that stick and slide along a run. How stands in stick_slip.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/dynamics/friction.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/observer.h"

namespace dalembert::integration {

class StickSlip final : public Observer {
 public:
  /// Only of systems with frictions. `branches` must outlive this: it has their guards.
  StickSlip(StepMaker& maker, Trajectory& path, Branches& branches);

  void note_end() override { friction().meet_forces(manifold_.largest_friction()); }
  /// Their guards at a point, into the branches; rates are differences over `seconds`.
  void watch(double t, const double* y, bool with_rates);
  void look_ahead(double seconds) { look_ahead_ = seconds; }
  /// Whether a state has ended where they were watched.
  bool have_left() const;
  /// Through guard k.
  FrictionExit exit_through(std::size_t k);
  /// The states that they go on with from a point on the manifold; what comes to rest is brought to rest. False, with
  /// problem(), where there are none or several.
  bool decide(double t, double* y, const FrictionExit& exit);
  /// Where one end of the step has more than one consistent state: the motion is not the only one.
  bool is_ambiguous(double t, const double* y);
  bool may_be_ambiguous() { return friction().slides_with_load(); }
  /// At t, where is_ambiguous() was true last.
  void end_ambiguously(double t);
  /// The state is another: none sticks for having stuck before.
  void let_go() { let_go_ = true; }
  const std::string& problem() const { return problem_; }

 private:
  FrictionSolver& friction() const { return *motion_.workspace.friction; }
  void find_guards();
  void set_guards();

  Branches& branches_;
  bool started_ = false;  // their states are those of the run
  bool let_go_ = false;
  std::vector<char> at_rest_;
  std::vector<double> qdd_, multipliers_, guards_, sizes_, ahead_;
  double look_ahead_ = 0;
  FrictionAnswer ambiguous_;
  std::string problem_;  // why the motion ends
};

}  // namespace dalembert::integration
