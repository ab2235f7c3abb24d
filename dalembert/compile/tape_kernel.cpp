// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/tape_kernel.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "dalembert/compile/kkt_tapes.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
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

// N, then n₀; nothing where v = q̇.
std::vector<Expr> kinematics(const Equations& equations) {
  return (Pack() << equations.N.value << equations.n0).take();
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
  // Then quasi-velocities and their rates (dynamics/output_names.h).
  std::unordered_map<SymbolId, Expr> along = equations.model->time_rates();
  for (auto& [symbol, rate] : along) rate = equations.graph->adopt(rate);
  for (std::size_t i = 0; i < equations.q.size(); ++i) {
    along.emplace(equations.q[i].symbol(), equations.qd[i]);
    along.emplace(equations.qd[i].symbol(), equations.qdd[i]);
  }
  for (const QuasiVelocity& velocity : equations.model->quasi_velocities) {
    const Expr definition = equations.graph->adopt(velocity.definition);
    list.push_back(definition);
    list.push_back(directional_derivative(std::array{definition}, along).front());
  }
  if (const auto actuations = actuation_multipliers(equations); !actuations.empty())
    for (Expr& output : list) output = substitute(output, actuations);
  if (!equations.v_is_qdot()) {
    const std::unordered_map<SymbolId, Expr> motion = motion_of_coordinates(equations);
    for (Expr& output : list) output = substitute(output, motion);
  }
  const std::unordered_map<SymbolId, Expr> frictions = frictions_of_model(equations);
  if (!frictions.empty())
    for (Expr& output : list) output = substitute(output, frictions);
  return list;
}

// dE/dt.
Expr power_balance(const Equations& equations) {
  std::vector<Graph::Term> terms{{equations.power, 1}, {equations.dLdt, -1}};
  for (std::size_t r = 0; r < equations.a.size(); ++r)
    if (!equations.a[r].is_zero()) terms.push_back({equations.lambda[r] * equations.a[r], -1});
  // Of forces that depend on multipliers.
  const std::vector<Expr>& v = equations.velocities();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (std::size_t k = 0; k < equations.Phi.value.size(); ++k)
    terms.push_back(
        {equations.Phi.value[k] * equations.lambda[at(equations.Phi.col[k])] * v[at(equations.Phi.row[k])], 1});
  for (std::size_t k = 0; k < equations.C.value.size(); ++k)
    terms.push_back(
        {equations.C.value[k] * equations.frictions[at(equations.C.row[k])].force * v[at(equations.C.col[k])], -1});
  return equations.t.graph().sum(terms);
}

// Parts of the friction, in the order of FrictionPlaces.
std::vector<Expr> friction_terms(const Equations& equations) {
  if (!equations.load_dependent()) return {};
  Pack pack;
  pack << equations.Phi.value << equations.C.value << equations.load.value;
  for (Expr FrictionLaw::*part : {&FrictionLaw::c0, &FrictionLaw::gamma, &FrictionLaw::N0, &FrictionLaw::mu,
                                  &FrictionLaw::mu_s, &FrictionLaw::viscous})
    for (const FrictionLaw& law : equations.frictions) pack << law.*part;
  return pack.take();
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
  for (std::size_t i = 0; i < equations.F.size(); ++i) {
    const std::array<Graph::Term, 3> terms{{{equations.F[i], 1}, {equations.B[i], -1}, {equations.G[i], -1}}};
    f.push_back(equations.t.graph().sum(terms));
  }
  return f;
}

std::vector<Expr> position_sizes(const Equations& equations) {
  std::vector<Expr> sizes;
  if (equations.v_is_qdot()) return sizes;
  const Variables q(equations.q);
  for (const Expr& h : position_level(equations)) {
    std::vector<Graph::Term> terms;
    for (const auto& [i, slope] : sparse_gradient(h, q))
      terms.push_back({abs(slope * equations.q[static_cast<std::size_t>(i)]), 1});
    sizes.push_back(equations.graph->sum(terms));
  }
  return sizes;
}

std::vector<Expr> kernel_expressions(const Equations& equations, KernelFunction function) {
  const Equations& e = equations;
  switch (function) {
    case KernelFunction::kPosition:
      return (Pack() << position_level(e) << position_sizes(e)).take();
    case KernelFunction::kVelocity:
      return (Pack() << e.W.value << e.a).take();
    case KernelFunction::kKinematics:
      return kinematics(e);
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
    case KernelFunction::kFriction:
      return friction_terms(e);
    case KernelFunction::kAccelerations:
    case KernelFunction::kPositionStep:
    case KernelFunction::kVelocityStep:
      break;  // solved, not written as expressions: kkt_tapes.h
  }
  return {};
}

Layout kernel_layout(const Equations& equations) {
  Layout layout;
  layout.set_coordinates(equations.nv());
  if (!equations.v_is_qdot()) {
    layout.nq = equations.n();
    layout.v_is_qdot = false;
    layout.N = pattern(equations.N);
    layout.quaternions = equations.quaternions;
  }
  layout.m = equations.m();
  layout.holonomic = equations.holonomic;
  layout.parameters = static_cast<int>(equations.model->parameters.size());
  layout.inputs = static_cast<int>(equations.model->inputs.size());
  layout.outputs = static_cast<int>(equations.model->outputs.size() + 2 * equations.model->quasi_velocities.size());
  layout.conserved = static_cast<int>(equations.momenta.size());
  layout.M = pattern(equations.M);
  layout.W = pattern(equations.W);
  layout.frictions = static_cast<int>(equations.frictions.size());
  layout.Phi = pattern(equations.Phi);
  layout.C = pattern(equations.C);
  layout.load = pattern(equations.load);
  layout.conservative = equations.conservative;
  layout.driven = std::ranges::any_of(equations.model->inputs, [](const Input& input) { return bool(input.rate); });
  return layout;
}

TapeKernel::TapeKernel(const Equations& given)
    : TapeKernel(with_prescribed_rows(on_overlay(given)), kernel_layout(given)) {}

TapeKernel::TapeKernel(const Equations& equations, Layout layout) : layout_(std::move(layout)) {
  // The rows of prescribed coordinates are known now.
  layout_.m = equations.m();
  layout_.holonomic = equations.holonomic;
  layout_.W = pattern(equations.W);
  layout_.Phi = pattern(equations.Phi);
  layout_.load = pattern(equations.load);
  // Expressions first: they add nodes to the graph, which lowering must know.
  std::array<std::vector<Expr>, kKernelFunctions> expressions;
  for (std::size_t i = 0; i < expressions.size(); ++i)
    expressions[i] = kernel_expressions(equations, static_cast<KernelFunction>(i));
  // A system that is not symmetric is solved by dynamics/friction.h.
  std::optional<KktTapes> solved;
  if (!equations.load_dependent()) solved = make_kkt_tapes(equations);
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
