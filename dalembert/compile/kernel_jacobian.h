// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of a kernel's functions with respect to states, inputs, parameters, …: those of the instructions,
// one by one, through the KKT solve as well (tape_jacobian.h).
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <memory>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/tape.h"
#include "dalembert/tape/tape_jacobian.h"

namespace dalembert {

/// Every entry of the arrays named, one array after the other.
std::vector<ArgumentEntry> entries_of(const Equations& equations, std::initializer_list<TapeArray> arrays);

/// The Jacobian of one function of dynamics/kernel.h. Immutable; safe to call from many threads, each with its own
/// `work`.
class KernelJacobian {
 public:
  /// Columns are `by`, rows the function's outputs. KKT outputs exclude trust[2], and their derivatives are meaningful
  /// where that is trusted(). Call only if valid(): of KKT functions, TapeKernel::solves_kkt(), and no more operations than
  /// `most`; a call does nothing else.
  KernelJacobian(const Equations& equations, KernelFunction function, const std::vector<ArgumentEntry>& by,
                 std::size_t most = std::numeric_limits<std::size_t>::max());

  bool valid() const { return valid_; }
  const Pattern& pattern() const { return pattern_; }
  std::size_t work() const { return tape_.registers; }  ///< doubles of scratch memory that a call needs
  const Tape& tape() const { return tape_; }

  /// The values of pattern() into `out`. Reads what the function reads, and `p`.
  void call(const KernelArguments& in, double* out) const;

  /// From here on by machine code, where it can be made; before, and otherwise, by the interpreter. Not while others
  /// call.
  void make_code(const CodeOptions& options = default_code_options());

 private:
  Tape tape_;
  Pattern pattern_;
  bool valid_ = true;
  std::shared_ptr<const MachineCode> code_;
};

}  // namespace dalembert
