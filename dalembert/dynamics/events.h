// SPDX-License-Identifier: Apache-2.0
// Events of a system (theory §8): instants at which a function g of the motion passes 0. There a run notes the event, sets
// coordinates and velocities, or ends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// Immutable and safe to call from many threads, each with its own `in.work` of work_size() numbers. Functions read all of
/// `in`: t, q, v, v̇, λ, u, p.
class Events {
 public:
  virtual ~Events() = default;

  struct Event {
    std::string name;
    std::string text;   ///< g as printed
    int direction = 0;  ///< 1: g passes 0 from below, −1: from above, 0: both count
    bool conditional = false;
    bool stops = false;
    std::vector<int> coordinates, velocities;  ///< those that the event sets
    bool reads_forces = false;                 ///< g, or its rate if it has an integral, depends on v̇ or λ
    bool reads_integrals = false;              ///< the event reads an integral over the run (Layout::integrals)
    bool has_rate = true;                      ///< watch() knows dg/dt
    bool is_smooth = true;                     ///< g does not jump where the motion is smooth

    bool sets() const { return !coordinates.empty() || !velocities.empty(); }
  };
  std::vector<Event> events;

  /// Computes g of each event and the rate of g along the motion, 0 where the rate is not known.
  virtual void watch(const KernelArguments& in, double* g, double* rate) const = 0;
  /// Of each g the sum of the sizes of its terms.
  virtual void measure(const KernelArguments& in, double* size) const = 0;
  /// Whether event k counts: true unless it is conditional and its condition is not met.
  virtual bool holds(std::size_t k, const KernelArguments& in) const = 0;
  /// What event k sets: its coordinates, then its velocities.
  virtual void set(std::size_t k, const KernelArguments& in, double* values) const = 0;

  virtual std::size_t work_size() const = 0;
};

}  // namespace dalembert
