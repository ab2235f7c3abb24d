// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "dalembert/base/numeric.h"
#include "dalembert/compile/argument_entries.h"
#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/machine/machine_code.h"
#include "dalembert/tape/tape_jacobian.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Limit on the instructions that make_jacobian() may emit, per operation that the finished tape may have: many are
// later fused with others or removed because nothing reads them.
constexpr std::size_t kEmittedPerKept = 8;

// A tape in single-assignment form, and which of its outputs are differentiated.
struct FunctionTape {
  Tape tape;
  JacobianRows rows;
};

std::optional<FunctionTape> function_of(const Equations& equations, KernelFunction function) {
  if (function < KernelFunction::kAccelerations) {
    Tape tape = flatten(kernel_expressions(equations, function));
    const std::size_t rows = tape.outputs;
    return FunctionTape{std::move(tape), rows};
  }
  const bool of_motion = function == KernelFunction::kAccelerations;
  std::optional<KktTapes> solved = make_kkt_tapes(equations, of_motion ? KktUse::kDifferentiate : KktUse::kEvaluate);
  if (!solved) return std::nullopt;
  if (of_motion)
    return FunctionTape{std::move(solved->by_residuals),
                        rows_by_residuals(index(equations.nv()), index(equations.m()), false)};
  Tape& tape = function == KernelFunction::kPositionStep ? solved->position_step : solved->velocity_step;
  const std::size_t rows = tape.outputs - 2;
  return FunctionTape{std::move(tape), rows};
}

}  // namespace

struct KernelJacobian::Program {
  Tape tape;
  std::once_flag once;
  std::shared_ptr<const MachineCode> made;
  std::atomic<const MachineCode*> code = nullptr;
};

std::vector<KernelArgument> arguments_of(const Equations& equations, std::initializer_list<SymbolKind> kinds) {
  std::vector<KernelArgument> arguments;
  for (const SymbolKind kind : kinds)
    for (const ArgumentEntry& entry : entries_of(equations, {array_of(kind)})) arguments.push_back({kind, entry.index});
  return arguments;
}

KernelJacobian::KernelJacobian(const Equations& equations, KernelFunction function,
                               const std::vector<KernelArgument>& by, std::size_t most)
    : program_(std::make_shared<Program>()) {
  const std::optional<FunctionTape> differentiated = function_of(on_overlay(equations), function);
  valid_ = differentiated.has_value();
  if (!valid_) return;
  const std::size_t on_the_way =
      most > std::numeric_limits<std::size_t>::max() / kEmittedPerKept ? most : kEmittedPerKept * most;
  std::vector<ArgumentEntry> entries;
  for (const KernelArgument& one : by) entries.push_back({array_of(one.kind), one.index});
  TapeJacobian jacobian = make_jacobian(differentiated->tape, entries, differentiated->rows, on_the_way);
  valid_ = !jacobian.too_long;
  if (!valid_) return;
  Tape& tape = program_->tape;
  tape = std::move(jacobian.tape);
  pattern_ = {static_cast<int>(differentiated->rows.count), static_cast<int>(by.size()), std::move(jacobian.row),
              std::move(jacobian.col)};
  finish(tape);
  valid_ = count_operations(tape) <= most;
}

std::size_t KernelJacobian::work() const { return program_->tape.registers; }
const Tape& KernelJacobian::tape() const { return program_->tape; }

void KernelJacobian::call(const KernelArguments& in, double* out) const {
  if (!valid_) return;
  const MachineCode* code = program_->code.load(std::memory_order_acquire);
  if (code != nullptr && code->run(0, TapeArguments(in).array, in.work, out) == 0) return;
  run(program_->tape, in, out);
}

void KernelJacobian::make_code() const { make_code(default_code_options()); }
void KernelJacobian::make_code(const CodeOptions& options) const {
  if (!valid_) return;
  std::call_once(program_->once, [&] {
    const CodeFunction function{.tape = &program_->tape};
    program_->made = generate_code({&function, 1}, options);
    program_->code.store(program_->made.get(), std::memory_order_release);
  });
}

}  // namespace dalembert
