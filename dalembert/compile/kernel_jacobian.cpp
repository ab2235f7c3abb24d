// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kernel_jacobian.h"

#include <optional>
#include <utility>

#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Limit on the instructions that make_jacobian() may emit, per operation that the finished tape may have: many are
// later fused with others or removed because nothing reads them.
constexpr std::size_t kOnTheWay = 8;

// A tape in single-assignment form, and the number of its outputs that are differentiated.
struct FunctionTape {
  Tape tape;
  std::size_t rows = 0;
};

std::optional<FunctionTape> function_of(const Equations& equations, KernelFunction function) {
  if (function < KernelFunction::kAccelerations) {
    Tape tape = flatten(kernel_expressions(equations, function));
    const std::size_t rows = tape.outputs;
    return FunctionTape{std::move(tape), rows};
  }
  std::optional<KktTapes> solved = make_kkt_tapes(equations);
  if (!solved) return std::nullopt;
  Tape& tape = function == KernelFunction::kAccelerations  ? solved->accelerations
               : function == KernelFunction::kPositionStep ? solved->position_step
                                                           : solved->velocity_step;
  const std::size_t rows = tape.outputs - 2;
  return FunctionTape{std::move(tape), rows};
}

}  // namespace

std::vector<ArgumentEntry> entries_of(const Equations& equations, std::initializer_list<TapeArray> arrays) {
  const auto size = [&](TapeArray array) -> std::size_t {
    switch (array) {
      case TapeArray::kTime:
        return 1;
      case TapeArray::kParameter:
        return equations.model->parameters.size();
      case TapeArray::kInput:
        return equations.model->inputs.size();
      case TapeArray::kCoordinate:
        return equations.q.size();
      case TapeArray::kVelocity:
      case TapeArray::kAcceleration:
        return equations.velocities().size();
      case TapeArray::kMultiplier:
        return equations.rows.size() + equations.frictions.size();
      case TapeArray::kPrepared:
        return 0;
    }
    return 0;
  };
  std::vector<ArgumentEntry> entries;
  for (const TapeArray array : arrays)
    for (std::size_t i = 0; i < size(array); ++i) entries.push_back({array, static_cast<int>(i)});
  return entries;
}

KernelJacobian::KernelJacobian(const Equations& equations, KernelFunction function,
                               const std::vector<ArgumentEntry>& by, std::size_t most) {
  const std::optional<FunctionTape> differentiated = function_of(on_overlay(equations), function);
  valid_ = differentiated.has_value();
  if (!valid_) return;
  const std::size_t on_the_way = most > std::numeric_limits<std::size_t>::max() / kOnTheWay ? most : kOnTheWay * most;
  TapeJacobian jacobian = make_jacobian(differentiated->tape, by, differentiated->rows, on_the_way);
  valid_ = !jacobian.too_long;
  if (!valid_) return;
  tape_ = std::move(jacobian.tape);
  pattern_ = {static_cast<int>(differentiated->rows), static_cast<int>(by.size()), std::move(jacobian.row),
              std::move(jacobian.col)};
  finish(tape_);
  valid_ = count_operations(tape_) <= most;
}

void KernelJacobian::call(const KernelArguments& in, double* out) const {
  if (!valid_) return;
  if (code_ != nullptr && code_->run(0, TapeArguments(in).array, in.work, out) == 0) return;
  run(tape_, in, out);
}

void KernelJacobian::make_code(const CodeOptions& options) {
  const CodeFunction function{.tape = &tape_};
  if (valid_) code_ = generate_code({&function, 1}, options);
}

}  // namespace dalembert
