// SPDX-License-Identifier: Apache-2.0
// Expressions become instructions, each when its value is first asked for.
//
// Factors that depend on parameters alone are gathered, because their product is computed only once (Kernel::prepare):
// a term is (numbers · parameters) · (the rest), and a sum adds up the coefficients of equal rests, so that m₁gL cos
// θ + 2m₂gL cos θ costs one multiplication an evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/tape/angle_sums.h"
#include "dalembert/tape/tape_builder.h"

namespace dalembert {

class Lowering {
 public:
  /// `graph` and `builder` must outlive this; no nodes may be added to the graph meanwhile. Sines and cosines of sums
  /// of angles are computed from those of the other angles in `expressions` (angle_sums.h).
  Lowering(const Graph& graph, TapeBuilder& builder, std::span<const Expr> expressions = {});

  /// The value of an expression of the graph; emits what is not on the tape yet. Symbols that have no value
  /// (kShorthand) are NaN.
  Operand value(const Expr& expression);
  /// From now on the symbol has this value, instead of that of an entry of an array.
  void bind(const Expr& symbol, Operand value) { close(symbol.id(), value); }

 private:
  struct Term {
    Operand coefficient, rest;  // coefficient: depends on parameters alone; rest: the other factors, or 1
  };

  Operand known(NodeId node) const { return operands_[place_[node]]; }
  bool is_known(NodeId node) const { return place_[node] != 0; }
  void compute(NodeId root);
  void close(NodeId node, Operand value);
  Operand leaf(NodeId node);
  Operand at_once(NodeId node);
  Operand sine_or_cosine(Op op, NodeId angle);
  Operand sum(NodeId node);
  Operand product(NodeId node);
  Operand power(Operand base, const Rational& exponent);
  Operand add_up(std::span<const Term> terms);
  Term term(NodeId node, const Rational& coefficient);

  const Graph& graph_;
  TapeBuilder& builder_;
  std::unordered_map<NodeId, AngleSum> angle_sums_;
  // By angle and Op::kSin or kCos: values for angles that are sums of others.
  std::map<std::pair<NodeId, Op>, Operand> of_sums_;
  std::vector<std::uint32_t> place_;  // by node: index of its value in operands_; 0: not computed yet
  std::vector<Operand> operands_{Operand{}};
  std::vector<NodeId> open_;  // nodes that compute() has still to visit; an explicit stack, because nesting may be deep
};

}  // namespace dalembert
