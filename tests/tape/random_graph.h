// SPDX-License-Identifier: Apache-2.0
// Random expression graphs over every Op, the same for the same choices.
#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "dalembert/compile/tape_arguments.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/expr/expr.h"
#include "tape/choices.h"

namespace dalembert::testing {

/// Values for the arguments of a tape, with the memory they are in.
struct Arguments {
  static constexpr std::size_t kEach = 3;
  double t = 0;
  std::array<std::vector<double>, 7> of_kind{};  ///< by SymbolKind
  std::vector<double> work;

  explicit Arguments(std::size_t registers = 0) : work(registers, std::nan("")) {
    for (std::vector<double>& values : of_kind) values.resize(kEach);
  }
  KernelArguments view() {
    const auto values = [&](SymbolKind kind) { return of_kind[static_cast<std::size_t>(kind)].data(); };
    return {.t = t,
            .q = values(SymbolKind::kCoordinate),
            .v = values(SymbolKind::kVelocity),
            .qdd = values(SymbolKind::kAcceleration),
            .lambda = values(SymbolKind::kMultiplier),
            .u = values(SymbolKind::kInput),
            .p = values(SymbolKind::kParameter),
            .work = work.data()};
  }
  double value_of(const Symbol& symbol) const {
    if (symbol.kind == SymbolKind::kTime) return t;
    return of_kind[static_cast<std::size_t>(symbol.kind)][static_cast<std::size_t>(symbol.index)];
  }
};

class RandomGraph {
 public:
  Graph graph;
  std::vector<Expr> nodes;  ///< leaves first

  explicit RandomGraph(unsigned seed) : RandomGraph(Choices(seed)) {}
  explicit RandomGraph(Choices choices) : choices_(std::move(choices)) {
    nodes.push_back(graph.add_symbol({"t", SymbolKind::kTime, 0, {}}));
    for (const SymbolKind kind : {SymbolKind::kParameter, SymbolKind::kInput, SymbolKind::kCoordinate,
                                  SymbolKind::kVelocity, SymbolKind::kAcceleration, SymbolKind::kMultiplier})
      for (int i = 0; i < static_cast<int>(Arguments::kEach); ++i)
        nodes.push_back(graph.add_symbol({"s", kind, i, {}}));
    nodes.push_back(graph.pi());
    nodes.push_back(graph.constant(Rational(3, 7)));
  }

  int below(int n) { return choices_.below(n); }
  double uniform(double low, double high) { return choices_.uniform(low, high); }
  bool at_end() const { return choices_.at_end(); }
  Expr pick() { return nodes[static_cast<std::size_t>(below(static_cast<int>(nodes.size())))]; }

  std::vector<Expr> symbols(SymbolKind kind) {
    std::vector<Expr> found;
    for (SymbolId id = 0; id < graph.symbol_count(); ++id)
      if (graph.symbol_info(id).kind == kind) found.push_back(graph.symbol(id));
    return found;
  }

  Arguments arguments(double low, double high) {
    Arguments made;
    made.t = uniform(low, high);
    for (std::vector<double>& values : made.of_kind)
      for (double& value : values) value = uniform(low, high);
    return made;
  }

  /// Any operation at all; values may become NaN or infinite.
  void grow() {
    constexpr int kFirst = static_cast<int>(Op::kSin);  // of those of one argument
    switch (below(4)) {
      case 0:
        return add_sum(-4, 4);
      case 1:
        return add_product();
      case 2:
        return add_function(static_cast<Op>(kFirst + below(static_cast<int>(Op::kFloor) + 1 - kFirst)), 1);
      default:
        return add_choice();
    }
  }

  /// Only operations whose value has about the relative error of their operands while everything is positive.
  void grow_positive() {
    switch (below(3)) {
      case 0:
        return add_sum(1, 4);
      case 1:
        nodes.push_back(pick() / (pick() + 1) * sqrt(pick()));
        return;
      default:
        return add_function(std::array{Op::kAtan, Op::kTanh, Op::kErf}[static_cast<std::size_t>(below(3))], 1);
    }
  }

  /// Only operations that are smooth everywhere.
  void grow_smooth() {
    static constexpr std::array kFunctions{Op::kSin, Op::kCos, Op::kAtan, Op::kTanh};
    switch (below(4)) {
      case 0:
        return add_sum(-2, 2);
      case 1:
        nodes.push_back(pick() * pick());
        return;
      case 2:
        nodes.push_back(pick() * pow(square(pick()) + 2, Rational(1 - 2 * below(3), 2)));
        return;
      default:
        return add_function(kFunctions[static_cast<std::size_t>(below(4))], 1);
    }
  }

 private:
  void add_sum(int low, int high) {
    std::vector<Graph::Term> terms{{graph.constant(below(3)), 1}};
    for (int i = below(4); i >= 0; --i) terms.push_back({pick(), Rational(low + below(high - low + 1), 1 + below(2))});
    nodes.push_back(graph.sum(terms));
  }
  void add_product() {
    static const std::array<Rational, 12> kExponents{
        1, 1, 1, 2, 3, 5, -1, -2, Rational(1, 2), Rational(-1, 2), Rational(-3, 2), Rational(1, 3)};
    std::vector<Expr> factors{graph.constant(Rational(1 - 2 * below(2), 1 + below(3)))};
    for (int i = below(4); i >= 0; --i) {
      const Expr base = pick();
      if (!base.is_zero()) factors.push_back(pow(base, kExponents[static_cast<std::size_t>(below(12))]));
    }
    nodes.push_back(graph.product(factors));
  }
  void add_function(Op op, int count) {
    std::vector<Expr> arguments;
    for (int i = 0; i < count; ++i) arguments.push_back(pick());
    nodes.push_back(graph.function(op, arguments));
  }
  void add_choice() {
    switch (below(4)) {
      case 0:
        nodes.push_back(pow(pick(), pick()));
        return;
      case 1:
        return add_function(static_cast<Op>(static_cast<int>(Op::kAtan2) + below(8)), 2);
      case 2:
        return add_function(Op::kNot, 1);
      default:
        return add_function(Op::kSelect, 3);
    }
  }

  Choices choices_;
};

}  // namespace dalembert::testing
