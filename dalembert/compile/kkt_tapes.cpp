// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/kkt_tapes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dalembert/compile/kkt_emission.h"
#include "dalembert/compile/lowering.h"
#include "dalembert/compile/tape_kernel.h"

namespace dalembert {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// A full matrix of 64 unknowns takes about 50,000 operations; a chain's about 40 an unknown.
std::size_t most_operations(int unknowns) { return std::max<std::size_t>(50'000, 400 * index(unknowns)); }

// The expressions among `wanted` that no symbol but parameters occurs in.
std::vector<bool> parameters_only(const std::vector<Expr>& wanted) {
  std::vector<bool> result;
  if (wanted.empty()) return result;
  const Graph& graph = wanted.front().graph();
  NodeId last = 0;
  for (const Expr& expression : wanted) last = std::max(last, expression.id());
  std::vector<bool> only(last + std::size_t{1});
  for (NodeId node = 0; node <= last; ++node) {
    if (graph.op(node) == Op::kSymbol) {
      only[node] = graph.symbol_info(graph.symbol_of(node)).kind == SymbolKind::kParameter;
    } else {
      const auto items = graph.items(node);
      only[node] = std::all_of(items.begin(), items.end(), [&](const auto& item) { return only[item.node]; });
    }
  }
  for (const Expr& expression : wanted) result.push_back(only[expression.id()]);
  return result;
}

Pattern pattern(const SparseMatrix& matrix) { return {matrix.rows, matrix.cols, matrix.row, matrix.col}; }

// What the KKT system of one kernel function is made of.
struct System {
  Pattern W;
  std::vector<Expr> W_value;
};

// One of the three functions being written.
class Function {
 public:
  Function(const Equations& equations, const System& system, const Elimination& plan)
      : equations_(equations),
        system_(system),
        M_pattern_(pattern(equations.M)),
        lowering_(equations.t.graph(), builder_),
        kkt_(
            builder_, plan, M_pattern_, [this](std::size_t k) { return value(equations_.M.value[k]); }, system_.W,
            [this](std::size_t k) { return value(system_.W_value[k]); }) {}

  Operand value(const Expr& expression) { return lowering_.value(expression); }

  // Outputs from `first` on: x, then λ where it is wanted.
  void solve(const KktEmission::Entry& b, const KktEmission::Entry& c, std::size_t first, bool with_multipliers) {
    const int n = equations_.n();
    kkt_.solve(b, c, [&](int unknown, Operand x) {
      if (unknown < n || with_multipliers) write(first + index(unknown), x);
    });
    const KktEmission::Trust trust = kkt_.trust();
    const std::size_t end = first + index(with_multipliers ? n + system_.W.rows : n);
    write(end, trust.least);
    write(end + 1, trust.largest);
  }

  // For each row: `residual`, and Σ_j |W_ij x_j| + |rest_i| with x one of the argument arrays; outputs 0 … 2m−1.
  void write_residuals(const std::vector<Operand>& residual, TapeArray x, const std::vector<Operand>& rest) {
    std::vector<Operand> size(residual.size(), Operand::of(0));
    for (std::size_t i = 0; i < rest.size(); ++i) size[i] = magnitude(rest[i]);
    for (std::size_t k = 0; k < system_.W_value.size(); ++k) {
      Operand& sum = size[index(system_.W.row[k])];
      sum = builder_.add(sum, magnitude(term(k, x)));
    }
    for (std::size_t i = 0; i < residual.size(); ++i) {
      write(i, residual[i]);
      write(residual.size() + i, size[i]);
    }
  }
  // W_ij x_j for entry k of W.
  Operand term(std::size_t k, TapeArray x) {
    return builder_.multiply(value(system_.W_value[k]), builder_.argument(x, system_.W.col[k]));
  }
  Operand add(Operand x, Operand y) { return builder_.add(x, y); }

  Tape take() { return builder_.take(outputs_); }

 private:
  Operand magnitude(Operand x) { return builder_.call(Op::kAbs, std::array{x}); }
  void write(std::size_t place, Operand x) {
    builder_.output(static_cast<std::uint32_t>(place), x);
    outputs_ = std::max(outputs_, place + 1);
  }

  const Equations& equations_;
  const System& system_;
  const Pattern M_pattern_;
  TapeBuilder builder_;
  Lowering lowering_;
  KktEmission kkt_;
  std::size_t outputs_ = 0;
};

Tape accelerations(const Equations& equations, const System& system, const Elimination& plan,
                   const std::vector<Expr>& force) {
  Function function(equations, system, plan);
  function.solve([&](std::size_t i) { return function.value(force[i]); },
                 [&](std::size_t i) { return function.value(equations.gamma[i]); }, 0, true);
  return function.take();
}

// W δq = −h.
Tape position_step(const Equations& equations, const System& system, const Elimination& plan) {
  Function function(equations, system, plan);
  std::vector<Operand> h;
  for (const int row : equations.holonomic) h.push_back(function.value(equations.h[index(row)]));
  function.write_residuals(h, TapeArray::kCoordinate, {});
  function.solve(
      {}, [&](std::size_t i) { return h[i]; }, 2 * h.size(), false);
  return function.take();
}

// W δv = −(Wv + a).
Tape velocity_step(const Equations& equations, const System& system, const Elimination& plan) {
  Function function(equations, system, plan);
  std::vector<Operand> a, residual;
  for (const Expr& rate : equations.a) a.push_back(function.value(rate));
  residual = a;
  for (std::size_t k = 0; k < system.W_value.size(); ++k) {
    Operand& sum = residual[index(system.W.row[k])];
    sum = function.add(sum, function.term(k, TapeArray::kVelocity));
  }
  function.write_residuals(residual, TapeArray::kVelocity, a);
  function.solve(
      {}, [&](std::size_t i) { return residual[i]; }, 2 * residual.size(), false);
  return function.take();
}

// The rows of W that have a position level.
System position_system(const Equations& equations) {
  std::vector<int> place(index(equations.m()), -1);
  for (std::size_t k = 0; k < equations.holonomic.size(); ++k)
    place[index(equations.holonomic[k])] = static_cast<int>(k);
  System system{{static_cast<int>(equations.holonomic.size()), equations.n(), {}, {}}, {}};
  for (std::size_t k = 0; k < equations.W.value.size(); ++k) {
    const int row = place[index(equations.W.row[k])];
    if (row < 0) continue;
    system.W.row.push_back(row);
    system.W.col.push_back(equations.W.col[k]);
    system.W_value.push_back(equations.W.value[k]);
  }
  return system;
}

}  // namespace

std::optional<KktTapes> make_kkt_tapes(const Equations& equations) {
  const int n = equations.n();
  std::vector<Expr> diagonal(index(n), equations.t);
  for (std::size_t k = 0; k < equations.M.value.size(); ++k)
    if (equations.M.row[k] == equations.M.col[k]) diagonal[index(equations.M.row[k])] = equations.M.value[k];
  const std::vector<bool> constant_pivot = parameters_only(diagonal);
  const std::vector<Expr> force = generalized_force(equations);
  const Pattern M = pattern(equations.M);

  const System all{pattern(equations.W), equations.W.value}, holonomic = position_system(equations);
  const std::size_t most = most_operations(n + equations.m());
  const auto plan = plan_elimination(n, M, all.W, constant_pivot, most);
  if (!plan) return std::nullopt;
  const bool same = static_cast<int>(equations.holonomic.size()) == equations.m();
  const auto position_plan = same ? plan : plan_elimination(n, M, holonomic.W, constant_pivot, most);
  if (!position_plan) return std::nullopt;
  return KktTapes{accelerations(equations, all, *plan, force), position_step(equations, holonomic, *position_plan),
                  velocity_step(equations, all, *plan)};
}

}  // namespace dalembert
