// SPDX-License-Identifier: Apache-2.0
// One system in many states at once: the kernel's functions for 4, 8 or 32 lanes. A lane that they cannot solve is
// solved alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct CodeOptions;

/// Entry i of lane l is at [i · lanes + l]. A function reads only the arrays that its row in dynamics/kernel.h names;
/// the others may be null.
struct LaneArguments {
  const double* t = nullptr;       ///< lanes doubles
  const double* q = nullptr;       ///< nq · lanes doubles
  const double* v = nullptr;       ///< nv · lanes doubles
  const double* qdd = nullptr;     ///< nv · lanes doubles
  const double* lambda = nullptr;  ///< m · lanes doubles
  const double* u = nullptr;       ///< inputs · lanes doubles
};

struct LaneOptions {
  bool machine_code = true;           ///< false, or where none can be made: the interpreter
  const CodeOptions* code = nullptr;  ///< machine/machine_code.h; null: what all code is made with
};

/// The number of lanes whose machine code is fastest: 8, or 4 for more than 4,000 instructions without loops, whose
/// values do not fit the processor's cache. (8 lanes of a dense chain of 40 links, 18,000 instructions, take a fifth
/// more time per lane than 4; of one of 20 links, 3,800 instructions, the same.)
int fastest_lanes(const Dynamics& dynamics);

/// Belongs to one thread: it holds the memory that calls work in. After construction nothing allocates but the first
/// lane that takes the rank-revealing solve, the first call() of a function and the first advance().
class LaneKernel {
 public:
  /// `dynamics` was made by compile(). lanes: 4 or 8; 32 by the interpreter only.
  explicit LaneKernel(Dynamics dynamics, int lanes, const LaneOptions& options = {});

  LaneKernel(LaneKernel&&) noexcept;
  LaneKernel& operator=(LaneKernel&&) noexcept;
  ~LaneKernel();

  int lanes() const;
  bool machine_code() const;
  const std::string& why_no_machine_code() const;

  /// Writes qdd[nv], lambda[m] and trust[2] to `out`, each for all lanes. `u` is computed from `t` where it is null.
  /// Lanes whose pivots cannot be trusted are solved one by one by solve_kkt(); where that fails as well, q̈ and λ of
  /// the lane are NaN. Returns the number of lanes solved one by one.
  int accelerations(const LaneArguments& in, double* out);

  /// Evaluates any function of the kernel: residuals, terms, steps of projection, outputs. Its code is made on the
  /// first call. `u` is computed from `t` where it is null and `t` is not. Returns the number of lanes that the
  /// interpreter computed because an angle was beyond 2³⁰.
  int call(KernelFunction function, const LaneArguments& in, double* out);

  /// Makes `steps` classical Runge–Kutta steps of size h from time t on (the same for all lanes), on the index-1 form
  /// without projection. state: q[nq] then v[nv], entry i of lane l at [i · lanes + l]. Returns the number of lanes
  /// that were advanced one by one because a pivot was not trusted or an angle was beyond 2³⁰. The code of the steps is
  /// made on the first call.
  int advance(double* state, double t, double h, std::uint64_t steps);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dalembert
