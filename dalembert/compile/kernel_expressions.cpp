// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kernel_expressions.h"

#include <algorithm>
#include <array>

#include "dalembert/compile/integrals.h"
#include "dalembert/compile/tape_arguments.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// Concatenates expressions and lists of them.
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

// The matrix N, then the vector n₀, of q̇ = N v + n₀; empty where v = q̇.
std::vector<Expr> kinematics(const Equations& equations) {
  return (Pack() << equations.N.value << equations.n0).take();
}

// The value of a table input is 0 here; Dynamics overwrites it.
std::vector<Expr> inputs(const Equations& equations) {
  std::vector<Expr> list;
  for (const Input& input : equations.model->inputs)
    list.push_back(input.value ? equations.graph->adopt(input.value) : equations.graph->constant(0));
  return list;
}

std::vector<Expr> model_outputs(const Equations& equations) {
  std::vector<Expr> list;
  for (const Output& output : equations.model->outputs) list.push_back(equations.graph->adopt(output.expression));
  // The model's outputs are followed by its quasi-velocities and their rates (dynamics/output_names.h).
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
  return in_kernel_symbols(equations, std::move(list));
}

std::vector<Expr> integrands(const Equations& equations) {
  std::vector<Expr> list;
  for (const Integral& integral : equations.model->integrals)
    if (is_in_kernel(integral)) list.push_back(equations.graph->adopt(integral.integrand));
  return in_kernel_symbols(equations, std::move(list));
}

// Integrals that the kernel does not have are 0, as they are where a run begins.
std::unordered_map<SymbolId, Expr> integrals_at_start(const Equations& equations) {
  std::unordered_map<SymbolId, Expr> none;
  for (const Integral& integral : equations.model->integrals)
    if (!is_in_kernel(integral)) none.emplace(integral.symbol.symbol(), equations.graph->constant(0));
  return none;
}

bool chooses_branch(const Graph& graph, NodeId id) {
  return function_info(graph.op(id)).guard != Guard::kNone || graph.op(id) == Op::kEqual;
}

bool is_root(const Graph& graph, NodeId id) {
  return graph.op(id) == Op::kPower ||
         (graph.op(id) == Op::kProduct && !std::ranges::all_of(graph.items(id), [&](const Graph::Item& item) {
            return graph.number(item).is_integer();
          }));
}

// Whether an operation may have a corner or a jump where its operands have none: also roots at 0, as hypot(x, y), and inverse functions at ±1, as acos(cos(x)).
bool may_bend(const Graph& graph, NodeId id) {
  const Op op = graph.op(id);
  return chooses_branch(graph, id) || is_root(graph, id) || op == Op::kAtan2 ||
         function_info(op).domain == Domain::kUnit;
}

// Whether an integrand chooses a branch by the state, or at times that depend on parameters; at other times steps end.
bool bends(const Expr& integrand) {
  Graph& graph = integrand.graph();
  KindMasks kinds;
  return std::ranges::any_of(reachable(std::array{integrand}), [&](NodeId id) {
    return chooses_branch(graph, id) && std::ranges::any_of(graph.items(id), [&](const Graph::Item& item) {
             const KindMasks::Mask by = kinds.of({&graph, item.node});
             return by != 0 && by != KindMasks::bit(SymbolKind::kParameter) && by != KindMasks::bit(SymbolKind::kTime);
           });
  });
}

// Of expressions of one graph, in one pass over all that they contain.
std::vector<Bends> bends_of(const std::vector<Expr>& outputs) {
  if (outputs.empty()) return {};
  Graph& graph = outputs.front().graph();
  KindMasks kinds;
  std::vector<char> bent(graph.size(), 0);  // of each node: whether it contains an operation that may bend
  const auto is_bent = [&](const Graph::Item& item) { return bent[item.node] != 0; };
  const auto varies = [&](const Graph::Item& item) {
    return (kinds.of({&graph, item.node}) & ~KindMasks::bit(SymbolKind::kParameter)) != 0;
  };
  for (const NodeId id : reachable(outputs)) {
    const auto items = graph.items(id);
    bent[id] = std::ranges::any_of(items, is_bent) || (may_bend(graph, id) && std::ranges::any_of(items, varies));
  }
  std::vector<Bends> bends;
  for (const Expr& output : outputs) {
    const auto items = graph.items(output.id());
    // A root has its corner where it is 0.
    const bool root = output.op() == Op::kProduct && items.size() == 1 && graph.number(items[0]).sign() > 0,
               upward = output.op() == Op::kAbs || output.op() == Op::kMax || root;
    if (bent[output.id()] == 0)
      bends.push_back(Bends::kNowhere);
    else
      bends.push_back(upward && std::ranges::none_of(items, is_bent) ? Bends::kUpward : Bends::kAnywhere);
  }
  return bends;
}

// In the order of model_outputs().
std::vector<Bends> output_bends(const Model& model) {
  std::vector<Expr> expressions;
  for (const Output& output : model.outputs) expressions.push_back(output.expression);
  for (const QuasiVelocity& velocity : model.quasi_velocities) expressions.push_back(velocity.definition);
  const std::vector<Bends> known = bends_of(expressions);
  const auto of_velocities = known.begin() + static_cast<std::ptrdiff_t>(model.outputs.size());
  std::vector<Bends> all(known.begin(), of_velocities);
  for (auto of = of_velocities; of != known.end(); ++of)
    all.insert(all.end(), 2, *of == Bends::kNowhere ? Bends::kNowhere : Bends::kAnywhere);
  return all;
}

// The rate of the energy, dE/dt = F·q̇ − λᵀa − ∂L/∂t, with the power of friction and of forces that depend on
// multipliers (F: forces, a: W v + a = 0 are the constraints, L: the Lagrangian).
Expr power_balance(const Equations& equations) {
  std::vector<Graph::Term> terms{{equations.power, 1}, {equations.dLdt, -1}};
  for (std::size_t r = 0; r < equations.a.size(); ++r)
    if (!equations.a[r].is_zero()) terms.push_back({equations.lambda[r] * equations.a[r], -1});
  // Power of the forces Φ λ, which depend on multipliers, and of the frictions.
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

// The terms of the friction laws, in the order of FrictionPlaces.
std::vector<Expr> friction_terms(const Equations& equations) {
  if (!equations.load_dependent()) return {};
  Pack pack;
  pack << equations.Phi.value << equations.C.value << equations.load.value;
  for (Expr FrictionLaw::*part : {&FrictionLaw::c0, &FrictionLaw::gamma, &FrictionLaw::N0, &FrictionLaw::mu,
                                  &FrictionLaw::mu_s, &FrictionLaw::viscous})
    for (const FrictionLaw& law : equations.frictions) pack << law.*part;
  return pack.take();
}

}  // namespace

Pattern pattern(const SparseMatrix& matrix) { return {matrix.rows, matrix.cols, matrix.row, matrix.col}; }

std::vector<Expr> in_kernel_symbols(const Equations& equations, std::vector<Expr> list) {
  const auto replace = [&](const std::unordered_map<SymbolId, Expr>& by) {
    if (by.empty()) return;
    for (Expr& expression : list) expression = substitute(expression, by);
  };
  replace(actuation_multipliers(equations));
  if (!equations.v_is_qdot()) replace(motion_of_coordinates(equations));
  replace(frictions_of_model(equations));
  replace(integrals_at_start(equations));
  return list;
}

std::unordered_map<SymbolId, Expr> rates_along(const Equations& equations,
                                               const std::unordered_map<SymbolId, Expr>& inputs) {
  Graph& graph = equations.t.graph();
  std::unordered_map<SymbolId, Expr> along = rates_of_state(equations);
  along.emplace(equations.t.symbol(), graph.constant(1));
  for (const auto& [symbol, value] : inputs) {
    const Expr rate = directional_derivative(std::array{value}, {{equations.t.symbol(), graph.constant(1)}}).front();
    if (!rate.is_zero()) along.emplace(symbol, rate);
  }
  for (const Input& input : equations.model->inputs)
    if (input.rate && !input.value) along.emplace(input.symbol.symbol(), graph.adopt(input.rate));
  return along;
}

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
    case KernelFunction::kIntegrands:
      return integrands(e);
    case KernelFunction::kAccelerations:
    case KernelFunction::kPositionStep:
    case KernelFunction::kVelocityStep:
      break;  // these functions solve the KKT system and have tapes only (kkt_tapes.h)
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
  layout.output_bends = output_bends(*equations.model);
  layout.conserved = static_cast<int>(equations.momenta.size());
  layout.M = pattern(equations.M);
  layout.W = pattern(equations.W);
  layout.frictions = static_cast<int>(equations.frictions.size());
  for (int j = 1; j < layout.frictions; ++j)
    if (equations.frictions[static_cast<std::size_t>(j)].second) layout.planes.push_back(j - 1);
  layout.Phi = pattern(equations.Phi);
  layout.C = pattern(equations.C);
  layout.load = pattern(equations.load);
  layout.conservative = equations.conservative;
  layout.driven = std::ranges::any_of(equations.model->inputs, [](const Input& input) { return bool(input.rate); });
  for (const Integral& integral : equations.model->integrals) {
    if (!is_in_kernel(integral)) continue;
    // Those that are states of exported code come after all parameters, where no parameter is.
    if (layout.integrals++ == 0)
      layout.first_integral = integral.parameter >= 0 ? integral.parameter : layout.parameters;
    layout.integral_bends.push_back(bends(integral.integrand) ? 1 : 0);
    for (const SymbolId s : symbols_in(std::array{integral.integrand}))
      layout.integrals_read_forces |= is_result(integral.integrand.graph().symbol_info(s).kind);
  }
  return layout;
}

}  // namespace dalembert
