// SPDX-License-Identifier: Apache-2.0
// Private to integrate: which branches of a system's conditions and kinks a run holds (dynamics/switching.h).
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/dynamics.h"
#include "dalembert/integrate/schedule.h"

namespace dalembert::integration {

class Branches {
 public:
  /// `schedule` says what levels the guards of time begin with. Only where the system has guards.
  Branches(const Dynamics& system, const Schedule& schedule);

  /// The system with the branches held; the same object all along.
  const Dynamics& held() const { return held_; }
  const Switching& switching() const { return *switching_; }
  std::size_t count() const { return guards_.size(); }
  bool is_timed(std::size_t k) const { return switching_->guards[k].timed >= 0; }

  const Dynamics& system() const { return system_; }
  const std::vector<double>& levels() const { return levels_; }
  double level(std::size_t k) const { return levels_[k]; }
  /// Takes effect with hold().
  void set_level(std::size_t k, double level) { levels_[k] = level; }
  void hold();
  /// The level that comes next on the side where the guard is leaving.
  double next_level(std::size_t k, bool upwards) const {
    return switching_->guards[k].floor ? levels_[k] + (upwards ? 1 : -1) : upwards ? 1 : -1;
  }

  /// Guards and rates at a point, with the branches held; qdd may be null where rates are not wanted.
  void watch(const KernelArguments& in);
  /// The guard, less what it was off its limit by when its level was taken: crossings are located to round-off only.
  double guard(std::size_t k) const { return guards_[k] - offset_[k]; }
  /// How far the guard is from leaving its level upwards and downwards: negative where it has left. A sign of 0 is left
  /// at once.
  double above(std::size_t k) const;
  double below(std::size_t k) const;
  double rate(std::size_t k) const { return rates_[k]; }
  /// Values within this are no more than round-off.
  double noise(std::size_t k) const { return noise_ + 4 * 2.3e-16 * largest_[k]; }
  void set_noise(double noise) { noise_ = noise; }
  /// The guard is at the limit where its level begins: below it when it came upwards.
  void stand_at_limit(std::size_t k, bool upwards);
  void forget_offset(std::size_t k) { offset_[k] = 0; }

 private:
  const Dynamics& system_;
  const Switching* switching_;
  std::vector<double> levels_, guards_, rates_, offset_, largest_, work_, none_;
  double noise_ = 0;
  Dynamics held_;
};

}  // namespace dalembert::integration
