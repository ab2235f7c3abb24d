// SPDX-License-Identifier: Apache-2.0
// Events that a run must not miss: where the right-hand side of a system is not smooth, and the
// terms that depend on time alone.
//
// Conditions and kinks (if, abs, sign, min, max, floor) choose a branch by the level of a guard: the sign of a − b for
// `a < b`, the integer below x for floor(x). The system with held branches is a kernel that reads these levels as
// further parameters. It is smooth within each step, also for a Runge–Kutta stage beyond the guard's zero. A run holds
// the levels, ends a step where a guard leaves its level, and takes the new one. Guards that depend on time alone are
// searched before the run, with bounds that hold for whole intervals, so that none is missed. Pulses are found in the
// same way: a drive is a term of the equations, of an integrand, of the function of an event or of an output that depends on
// time alone and may have narrow peaks.
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
  std::string text;           ///< its formula, for messages
  bool has_rate = false;      ///< its derivative is known and bounds its changes: the function has no jumps
  bool reads_inputs = false;  ///< the function reads u, which must hold the table inputs
  bool acts = true;           ///< on the motion; else integrands, functions of events or outputs alone have the drive
  /// Of a drive that only outputs have: these. Nothing else of a run depends on it, so that only their extremes could be missed.
  std::vector<int> outputs = {};
};

/// Immutable and safe to call from many threads, each with its own `work` of work_size() numbers.
class Switching {
 public:
  virtual ~Switching() = default;

  /// The kernel with held branches. Its parameters are the system's, then the level of each guard.
  /// Null where there are no guards.
  std::shared_ptr<const Kernel> held;

  /// A guard; `guards` lists them in the order of their levels.
  struct Guard {
    std::string text;
    int timed = -1;        ///< index in `functions` of a guard of time alone; −1: the guard depends on the state
    bool floor = false;    ///< the guard of floor(x): its level is an integer, not a sign
    bool has_rate = true;  ///< watch() computes the rate of the guard
    bool acts = true;      ///< on the motion; else outputs, integrands and functions of events alone read the level
    std::string written = {},
                reader = {};  ///< of a guard that does not act: the condition, and who has it: "the output `x`"
  };
  double level_of(std::size_t k, double guard) const {
    return guards[k].floor ? std::floor(guard) : static_cast<double>((guard > 0) - (guard < 0));
  }
  std::vector<Guard> guards;
  std::vector<TimeFunction> functions;  ///< guards of time alone, then drives (from drives_from on)
  std::size_t drives_from = 0;

  /// Computes the values of all guards and their rates along the motion, with held branches (0 for guards of time
  /// alone, unless they jump). in.p must hold the levels too, and in.qdd the accelerations.
  virtual void watch(const KernelArguments& in, double* guard, double* rate) const = 0;
  /// Of each guard the sum of the sizes of its terms. What is left where they cancel is round-off of this.
  virtual void measure(const KernelArguments& in, double* size) const = 0;

  /// The value of functions[i] at a time, without held branches; p are the system's parameters.
  virtual double value(std::size_t i, double t, const double* p, const double* u, double* work) const = 0;
  /// Bounds on functions[i] over an interval of time, and on its rate where has_rate. u: bounds on the table inputs.
  virtual Bounds bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const = 0;
  virtual Bounds rate_bounds(std::size_t i, Bounds t, const Bounds* p, const Bounds* u) const = 0;

  virtual std::size_t work_size() const = 0;
};

}  // namespace dalembert
