// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/tape_kernel.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "dalembert/compile/kernel_expressions.h"
#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

bool reads_time(const Tape& tape) {
  return std::ranges::any_of(tape.instructions, [](const Instruction& instruction) {
    return instruction.op == TapeOp::kArgument && instruction.a == static_cast<std::uint32_t>(TapeArray::kTime);
  });
}

}  // namespace

TapeKernel::TapeKernel(const Equations& given)
    : TapeKernel(with_prescribed_rows(on_overlay(given)), kernel_layout(given)) {}

TapeKernel::TapeKernel(const Equations& equations, Layout layout) : layout_(std::move(layout)) {
  // `equations` has the rows of prescribed coordinates, which `layout` lacks.
  layout_.m = equations.m();
  layout_.holonomic = equations.holonomic;
  layout_.W = pattern(equations.W);
  layout_.Phi = pattern(equations.Phi);
  layout_.load = pattern(equations.load);
  // All expressions come first: making them adds nodes to the graph, which is not allowed while tapes are made from it.
  std::array<std::vector<Expr>, kKernelFunctions> expressions;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    expressions[i] = kernel_expressions(equations, static_cast<KernelFunction>(i));
  // Friction that depends on multipliers makes the system unsymmetric; dynamics/friction_system.h solves it, in parts. Projections know no
  // friction; those of a system that is too large for one dense matrix are the kernel's.
  std::optional<KktTapes> solved;
  const bool load_dependent = equations.load_dependent();
  if (!load_dependent || !fits_dense(layout_.nv, layout_.m)) solved = make_kkt_tapes(equations);
  for (std::size_t i = 0; i < static_cast<std::size_t>(KernelFunction::kAccelerations); ++i) {
    Tape tape = flatten(expressions[i]);
    if (static_cast<KernelFunction>(i) == KernelFunction::kRates) rates_ = tape;
    set(static_cast<KernelFunction>(i), std::move(tape));
  }
  layout_.constant_inputs = !reads_time(tape(KernelFunction::kInputs));
  operations_ = count_operations(tape(KernelFunction::kRates));
  if (!solved) return;
  projects_ = true;
  solves_kkt_ = !load_dependent;
  if (solves_kkt_) set(KernelFunction::kAccelerations, std::move(solved->accelerations));
  set(KernelFunction::kPositionStep, std::move(solved->position_step));
  set(KernelFunction::kVelocityStep, std::move(solved->velocity_step));
  if (!solves_kkt_) return;
  operations_as_derived_ = solved->operations_as_derived;
  operations_ = count_operations(tape(KernelFunction::kAccelerations));
}

void TapeKernel::set(KernelFunction function, Tape tape) {
  assert(tape.outputs == output_size(layout_, function));
  Part& part = parts_[static_cast<std::size_t>(function)];
  part.first = layout_.prepared;
  part.preparation = split_preparation(
      tape, static_cast<std::uint32_t>(part.first),
      {static_cast<std::uint32_t>(layout_.first_integral), static_cast<std::uint32_t>(layout_.integrals)});
  layout_.prepared += part.preparation.outputs;
  finish(part.preparation);
  finish(tape);
  part.tape = std::move(tape);
  layout_.work = std::max({layout_.work, part.tape.registers, part.preparation.registers});
}

void TapeKernel::prepare(const double* p, double* prepared) const {
  std::vector<double> work(layout_.work);
  for (const Part& part : parts_) run(part.preparation, {.p = p, .work = work.data()}, prepared + part.first);
}

const Linearization* TapeKernel::linearization() const {
  std::call_once(once_, [this] { linearization_ = std::make_unique<const TapeLinearization>(rates_, layout_); });
  return linearization_.get();
}

void TapeKernel::call(KernelFunction function, const KernelArguments& in, double* out) const {
  run(tape(function), in, out);
}

}  // namespace dalembert
