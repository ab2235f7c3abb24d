// SPDX-License-Identifier: Apache-2.0
// Where the right-hand side of a system is not smooth, and what of it depends on time alone: what a run must not miss.
//
// Conditions and kinks (if, abs, sign, min, max, floor) choose a branch by the level of a guard: the sign of a − b for
// `a < b`, the integer below x for floor(x). A system with its branches held is a kernel that reads these levels as
// further parameters: smooth in every step, also where a stage looks beyond the guard. A run holds the levels, ends a
// step where a guard leaves its level, and takes the new one.
// Guards of time alone are searched before the run, with bounds that hold for whole intervals: none can be missed.
// So are pulses: a drive is a part of the equations that depends on time alone and may be narrow.
// Sources: Hairer, Nørsett & Wanner, Solving ODEs I, 2nd ed., II.6; Shampine, Gladwell & Brankin, ACM TOMS 17
// (1991) 11.
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/base/bounds.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// A function of time: a guard or a drive.
struct TimeFunction {
  std::string text;           ///< as printed
  bool has_rate = false;      ///< its derivative is known, and bounds on it bound its changes (no jumps inside)
  bool reads_inputs = false;  ///< u must hold the table inputs
};

/// Immutable and safe to call from many threads, each with its own `work` of work_size() numbers.
class Switching {
 public:
  virtual ~Switching() = default;

  /// The kernel with branches held: its parameters are the system's, then the level of each guard. Null where there
  /// are no guards.
  std::shared_ptr<const Kernel> held;

  /// Guards in the order of their levels.
  struct Guard {
    std::string text;
    int timed = -1;        ///< place in `functions`; −1: a guard of the state
    bool floor = false;    ///< the level is an integer, not a sign
    bool has_rate = true;  ///< watch() knows dg/dt
  };
  double level_of(std::size_t k, double guard) const {
    return guards[k].floor ? std::floor(guard) : static_cast<double>((guard > 0) - (guard < 0));
  }
  std::vector<Guard> guards;
  std::vector<TimeFunction> functions;  ///< guards of time, then drives
  std::size_t drives_from = 0;

  /// Guards of the state and their rates along the motion, one for each guard (0 for those of time), branches held:
  /// in.p holds the levels too; in.qdd is read.
  virtual void watch(const KernelArguments& in, double* guard, double* rate) const = 0;

  /// functions[i] at a time, without holding anything; p are the system's parameters.
  virtual double value(std::size_t i, double t, const double* p, const double* u, double* work) const = 0;
  /// Bounds on functions[i] over an interval of time, and on its rate where it is known; u: bounds on table inputs.
  virtual Bounds bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const = 0;
  virtual Bounds rate_bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const = 0;

  virtual std::size_t work_size() const = 0;
};

}  // namespace dalembert
