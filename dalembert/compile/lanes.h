// SPDX-License-Identifier: Apache-2.0
// One system in many states at once: the kernel's functions for 4, 8 or 32 lanes, with what a lane needs when it leaves
// the common path.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dalembert/base/aligned.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/machine/machine_code.h"

namespace dalembert {

/// Entry i of lane l is at [i · lanes + l]. A function reads only what its row in dynamics/kernel.h names; the
/// others may be null.
struct LaneArguments {
  const double* t = nullptr;       ///< lanes
  const double* q = nullptr;       ///< nq · lanes
  const double* v = nullptr;       ///< nv · lanes
  const double* qdd = nullptr;     ///< nv · lanes
  const double* lambda = nullptr;  ///< m · lanes
  const double* u = nullptr;       ///< inputs · lanes
};

struct LaneOptions {
  bool machine_code = true;  ///< false, or where none can be made: the interpreter
  CodeOptions code = default_code_options();
};

/// How many lanes are fastest by machine code: 8, or 4 for long straight code, whose values are too many for the fast
/// memory (a dense chain of 40 links, 18,000 instructions: 8 lanes take a fifth more for each; of 20, 3,800: as much).
int fastest_lanes(const Dynamics& dynamics);

/// Belongs to one thread: it holds the memory that calls work in. After construction nothing allocates but the first
/// lane that takes the rank-revealing solve, the first call() of a function and the first advance().
class LaneKernel {
 public:
  /// `dynamics` was made by compile(). lanes: 4 or 8; 32 by the interpreter only.
  explicit LaneKernel(Dynamics dynamics, int lanes, const LaneOptions& options = {});

  int lanes() const { return lanes_; }
  bool machine_code() const { return code_ != nullptr; }
  const std::string& why_no_machine_code() const { return why_not_; }

  /// Accelerations and multipliers: qdd[nv], lambda[m] and trust[2] into `out`, each with its lanes. `u` is computed
  /// from `t` where it is null. Lanes whose pivots cannot be trusted are solved one by one, as solve_kkt() does:
  /// returned is how many. Where even that fails, q̈ and λ of the lane are NaN.
  int accelerations(const LaneArguments& in, double* out);

  /// Any function as the kernel gives it: residuals, terms, steps of projection, outputs. Its code is made on the first
  /// call. `u` is computed from `t` where it is null and `t` is not. Returned is how many lanes the interpreter did,
  /// for an angle beyond 2³⁰.
  int call(KernelFunction function, const LaneArguments& in, double* out);

  /// `steps` classical Runge–Kutta steps of size h from time t on (the same for all lanes), on the index-1 form without
  /// projection. state: q[nq] then v[nv], entry i of lane l at [i · lanes + l]. Returned is how many lanes were advanced
  /// one by one, because of a pivot or an angle beyond 2³⁰. The code of the steps is made on the first call.
  int advance(double* state, double t, double h, std::uint64_t steps);

 private:
  const MachineCode* code_of(KernelFunction function);
  const MachineCode* code_of_steps();
  std::uint64_t all_lanes() const { return ~std::uint64_t{0} >> (64 - lanes_); }
  const double* inputs(const LaneArguments& in);
  const double* const* arguments(const LaneArguments& in, const double* u);
  std::uint64_t untrusted(const double* out) const;
  void solve_lane(int lane, const LaneArguments& in, double* out);
  void advance_lane(int lane, double* state, double t, double h, std::uint64_t steps);

  Dynamics dynamics_;
  std::shared_ptr<const TapeKernel> tapes_;
  int lanes_;
  std::shared_ptr<const MachineCode> code_;  // accelerations
  struct Slot {
    std::shared_ptr<const MachineCode> code;
    bool decided = false;
  };
  std::array<Slot, kKernelFunctions> functions_;  // what call() has made
  Slot steps_;                                    // what advance() has made
  CodeOptions code_options_;
  bool watched_ = false;  // whether function 0 says itself which lanes are not to be trusted
  std::string why_not_;
  Workspace workspace_;                                   // of single lanes
  LineNumbers work_, out_;                                // of all lanes
  std::vector<double> u_, t_;                             // likewise
  std::vector<double> q_, v_, qdd_, lambda_, k_, point_;  // of one lane
  const double* arguments_[kTapeArrays] = {};
};

}  // namespace dalembert
