// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of a kernel's functions with respect to states, inputs, parameters, …: their tapes are
// differentiated instruction by instruction, through the KKT solve as well (tape_jacobian.h).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/expr/symbol.h"

namespace dalembert {

struct CodeOptions;
struct Tape;

/// Entry `index` of what a kernel's functions read: coordinates, velocities, accelerations, multipliers, inputs, parameters,
/// the time.
struct KernelArgument {
  SymbolKind kind = SymbolKind::kCoordinate;
  int index = 0;
};
/// Every entry of these kinds, one kind after the other.
std::vector<KernelArgument> arguments_of(const Equations& equations, std::initializer_list<SymbolKind> kinds);

/// The Jacobian of one function of dynamics/kernel.h. Immutable; safe to call from many threads, each with its own
/// `work`.
class KernelJacobian {
 public:
  /// Rows are the function's outputs, columns the arguments `by`. For a function that solves the KKT system the rows
  /// exclude trust[2], and the derivatives are meaningful only where trust[2] is trusted(). Such a function needs
  /// TapeKernel::solves_kkt(). The result is not valid() without it, or if the Jacobian takes more operations than
  /// `most`; call() then does nothing.
  KernelJacobian(const Equations& equations, KernelFunction function, const std::vector<KernelArgument>& by,
                 std::size_t most = std::numeric_limits<std::size_t>::max());

  bool valid() const { return valid_; }
  const Pattern& pattern() const { return pattern_; }
  std::size_t work() const;  ///< doubles of scratch memory that a call needs
  const Tape& tape() const;

  /// Writes the value of each entry of pattern() to `out`. Reads the arguments of the function, and `p`.
  void call(const KernelArguments& in, double* out) const;

  /// Makes later calls use machine code where it can be made; before, and otherwise, they are interpreted. Must not run
  /// while other threads call.
  void make_code();
  void make_code(const CodeOptions& options);

 private:
  struct Program;
  std::shared_ptr<Program> program_;  // copies share it
  Pattern pattern_;
  bool valid_ = true;
};

}  // namespace dalembert
