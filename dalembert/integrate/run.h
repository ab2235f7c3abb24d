// SPDX-License-Identifier: Apache-2.0
// Private to integrate: the main loop of a run. integrate.h describes the mathematics and its sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dalembert/integrate/dead_ends.h"
#include "dalembert/integrate/guards.h"
#include "dalembert/integrate/integrals.h"
#include "dalembert/integrate/pace.h"
#include "dalembert/integrate/passages.h"
#include "dalembert/integrate/rows.h"
#include "dalembert/integrate/stiffness.h"
#include "dalembert/integrate/tangents.h"

namespace dalembert::integration {

/// Explains that the start does not have the sizes of the system; empty if it has.
std::string why_no_start(const Dynamics& dynamics, const State& start);

// One run: makes the steps and calls the observers. The verdict names the error by its growth, if it names one.
class Run {
 public:
  /// The start must have the sizes of the system.
  /// `dynamics`, `options` and `spare` (spare_parts.h) must outlive this object. `inputs_may_be_held`: hold_input() may be called. `rest`: for the adjoint (tangents.h).
  Run(const Dynamics& dynamics, const State& start, const IntegrateOptions& options, SpareParts& spare,
      RunFor purpose = RunFor::kVerdict, bool inputs_may_be_held = false, const AdjointRest* rest = nullptr);

  /// Prepares the first step (start.cpp). False where the run cannot begin; the reason is in path().
  bool begin();
  /// Steps to the end. False if the run ended earlier; the reason is in path().
  bool loop();
  /// Makes one accepted step, as long as its error allows.
  bool step();
  /// The parts of step(): begin_try(), then the step of maker() in parts, whose result end_try() takes. False where the run ended.
  enum class Made { kAgain, kAccepted, kOver };
  bool begin_try();
  Made end_try(bool made);
  double round_to_row(double t) const { return rows_.round_to_row(t); }
  /// No step() goes beyond this time.
  void stop_at(double t) { pace_.stop_at(t); }
  void stop();
  bool at_end() const { return maker_.step.stops || !(maker_.direction * (options_.until - maker_.step.t) > 0); }
  /// Overrides an input with a value from here on. False, with path() failed, where the
  /// equations cannot be evaluated with it.
  bool hold_input(int input, double value);
  /// Returns the rows and the verdict. The object must not be used afterwards.
  std::unique_ptr<Trajectory> finish();
  /// After finish(): what of the gradients is left to a run that ends earlier.
  const std::optional<AdjointRest>& rest_of_gradients() const { return rest_of_gradients_; }

  /// The present state: t, y, λ and accelerations.
  const StepMaker& maker() const { return maker_; }
  StepMaker& maker() { return maker_; }
  const Trajectory& path() const { return path_; }

 private:
  bool fail(std::string reason);
  std::string huge_input();
  std::string why_not_possible() const;
  std::string why_not_consistent();
  bool put_on_manifold();
  bool evaluate_start();
  void warn_of_times();
  bool may_go_on();
  bool accept();
  void look_for_code();

  std::unique_ptr<Trajectory> owned_path_;  // until finish()
  Trajectory& path_;
  Schedule schedule_;
  const std::unique_ptr<Branches> branches_;  // null where the system has no guards
  const IntegrateOptions& options_;
  StepMaker maker_;
  Pace pace_;
  Independence independence_;
  const RunFor purpose_;  // what measures look at changes the last bits of a run with branches: it measures all
  Judge judge_;
  Leaps leaps_;
  Passages passages_;
  const std::unique_ptr<Integrals> integrals_;  // null where the system has no integrals
  const std::unique_ptr<Guards> guards_;        // null where the system has no guards
  Rows rows_;
  const std::unique_ptr<Tangents> tangents_;  // null without IntegrateOptions::tangents
  std::optional<AdjointRest> rest_of_gradients_;
  Stiffness stiffness_;
  DeadEnds dead_ends_;
  Observers observers_;  // all observers above
  const double started_at_;
  std::int64_t tries_ = 0;
  int since_progress_ = 0;
  std::int64_t next_look_ = 0, told_ = 0;  // numbers of evaluations: at the next look_for_code(); reported so far
};

/// Carries the gradients of `path` on through the parts of its run that did not fit into memory, each in a run of its own that ends where the later part
/// begins. The run itself should be gone, as a part has the memory to itself.
void find_earlier_gradients(const Dynamics& dynamics, const State& start, const IntegrateOptions& options,
                            std::optional<AdjointRest> rest, Trajectory& path);

}  // namespace dalembert::integration
