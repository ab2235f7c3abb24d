// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/tape_kernel.h"

#include <algorithm>
#include <cassert>

#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/tape/tape_passes.h"

namespace dalembert {
namespace {

// Lists of expressions one after the other.
class Pack {
 public:
  Pack& operator<<(const Expr& expression) {
    expressions_.push_back(expression);
    return *this;
  }
  Pack& operator<<(const std::vector<Expr>& list) {
    expressions_.insert(expressions_.end(), list.begin(), list.end());
    return *this;
  }
  std::vector<Expr> take() { return std::move(expressions_); }

 private:
  std::vector<Expr> expressions_;
};

std::vector<Expr> position_level(const Equations& equations) {
  std::vector<Expr> h;
  for (const int row : equations.holonomic) h.push_back(equations.h[static_cast<std::size_t>(row)]);
  return h;
}

std::vector<Expr> energies(const Equations& equations) {
  std::vector<Expr> list{equations.T, equations.V, equations.E, equations.dLdt, equations.power};
  for (const ConservedQuantity& quantity : equations.momenta) list.push_back(quantity.expression);
  return list;
}

// A table's input counts as 0 here: Dynamics writes its value over it.
std::vector<Expr> inputs(const Equations& equations) {
  std::vector<Expr> list;
  for (const Input& input : equations.model->inputs)
    list.push_back(input.value ? equations.graph->adopt(input.value) : equations.graph->constant(0));
  return list;
}

std::vector<Expr> model_outputs(const Equations& equations) {
  std::vector<Expr> list;
  for (const Output& output : equations.model->outputs) list.push_back(equations.graph->adopt(output.expression));
  return list;
}

// dE/dt.
Expr power_balance(const Equations& equations) {
  std::vector<Graph::Term> terms{{equations.power, 1}, {equations.dLdt, -1}};
  for (std::size_t r = 0; r < equations.a.size(); ++r)
    if (!equations.a[r].is_zero()) terms.push_back({equations.lambda[r] * equations.a[r], -1});
  return equations.t.graph().sum(terms);
}

bool reads_time(const Tape& tape) {
  return std::ranges::any_of(tape.instructions, [](const Instruction& instruction) {
    return instruction.op == TapeOp::kArgument && instruction.a == static_cast<std::uint32_t>(TapeArray::kTime);
  });
}

}  // namespace

Pattern pattern(const SparseMatrix& matrix) { return {matrix.rows, matrix.cols, matrix.row, matrix.col}; }

std::vector<Expr> generalized_force(const Equations& equations) {
  std::vector<Expr> f;
  for (std::size_t i = 0; i < equations.q.size(); ++i) {
    const std::array<Graph::Term, 3> terms{{{equations.F[i], 1}, {equations.B[i], -1}, {equations.G[i], -1}}};
    f.push_back(equations.t.graph().sum(terms));
  }
  return f;
}

std::vector<Expr> kernel_expressions(const Equations& equations, KernelFunction function) {
  const Equations& e = equations;
  switch (function) {
    case KernelFunction::kPosition:
      return position_level(e);
    case KernelFunction::kVelocity:
      return (Pack() << e.W.value << e.a).take();
    case KernelFunction::kKinematics:
      return {};  // v = q̇
    case KernelFunction::kMass:
      return e.M.value;
    case KernelFunction::kTerms:
      return (Pack() << e.M.value << e.B << e.G << e.F << e.W.value << e.a << e.gamma).take();
    case KernelFunction::kRates:
      return (Pack() << e.M.value << generalized_force(e) << e.W.value << e.gamma).take();
    case KernelFunction::kEnergy:
      return energies(e);
    case KernelFunction::kInputs:
      return inputs(e);
    case KernelFunction::kOutputs:
      return model_outputs(e);
    case KernelFunction::kPower:
      return {power_balance(e)};
    case KernelFunction::kAccelerations:
    case KernelFunction::kPositionStep:
    case KernelFunction::kVelocityStep:
      break;  // solved, not written as expressions: kkt_tapes.h
  }
  return {};
}

Layout kernel_layout(const Equations& equations) {
  Layout layout;
  layout.set_coordinates(equations.n());
  layout.m = equations.m();
  layout.holonomic = equations.holonomic;
  layout.parameters = static_cast<int>(equations.model->parameters.size());
  layout.inputs = static_cast<int>(equations.model->inputs.size());
  layout.outputs = static_cast<int>(equations.model->outputs.size());
  layout.conserved = static_cast<int>(equations.momenta.size());
  layout.M = pattern(equations.M);
  layout.W = pattern(equations.W);
  layout.conservative = equations.conservative;
  layout.driven = std::ranges::any_of(equations.model->inputs, [](const Input& input) { return bool(input.rate); });
  return layout;
}

TapeKernel::TapeKernel(const Equations& given) : layout_(kernel_layout(given)) {
  const Equations equations = on_overlay(given);
  // Expressions first: they add nodes to the graph, which lowering must know.
  std::array<std::vector<Expr>, kKernelFunctions> expressions;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    expressions[i] = kernel_expressions(equations, static_cast<KernelFunction>(i));
  std::optional<KktTapes> solved = make_kkt_tapes(equations);
  for (std::size_t i = 0; i < static_cast<std::size_t>(KernelFunction::kAccelerations); ++i) {
    Tape tape = flatten(expressions[i]);
    if (static_cast<KernelFunction>(i) == KernelFunction::kRates) rates_ = tape;
    set(static_cast<KernelFunction>(i), std::move(tape));
  }
  layout_.constant_inputs = !reads_time(tape(KernelFunction::kInputs));
  if (!solved) return;
  solves_kkt_ = true;
  operations_as_derived_ = solved->operations_as_derived;
  set(KernelFunction::kAccelerations, std::move(solved->accelerations));
  set(KernelFunction::kPositionStep, std::move(solved->position_step));
  set(KernelFunction::kVelocityStep, std::move(solved->velocity_step));
}

void TapeKernel::set(KernelFunction function, Tape tape) {
  assert(tape.outputs == output_size(layout_, function));
  Part& part = parts_[static_cast<std::size_t>(function)];
  part.first = layout_.prepared;
  part.preparation = split_preparation(tape, static_cast<std::uint32_t>(part.first));
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
