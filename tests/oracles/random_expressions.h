// SPDX-License-Identifier: Apache-2.0
// Random expressions over given symbols, from a fixed seed; every Op occurs.
#pragma once

#include <random>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// Depth at most `depth`. Arguments of roots, logarithms and inverse functions are kept where those are smooth most of
/// the time.
inline Expr random_expression(Graph& graph, const std::vector<Expr>& symbols, int depth, std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(8) == 0) {
    if (pick(4) == 0) return graph.constant(Rational(pick(9) - 4, 1 + pick(3)));
    return symbols[static_cast<std::size_t>(pick(static_cast<int>(symbols.size())))];
  }
  const auto part = [&] { return random_expression(graph, symbols, depth - 1, random); };
  switch (pick(24)) {
    case 0:
    case 1:
    case 2:
      return part() + part();
    case 3:
    case 4:
      return part() - part();
    case 5:
    case 6:
    case 7:
      return part() * part();
    case 8:
      return part() / (2 + sin(part()));
    case 9:
      return pow(part(), Rational(2 + pick(2)));
    case 10:
      return sqrt(1 + square(part()));
    case 11:
      return sin(part());
    case 12:
      return cos(part());
    case 13:
      return tan(sin(part()));
    case 14:
      return asin(sin(part()) / 2);
    case 15:
      return acos(cos(part()) / 2);
    case 16:
      return atan(part()) + atan2(part(), 2 + cos(part()));
    case 17:
      return sinh(sin(part())) + cosh(cos(part())) * tanh(part()) - erf(part());
    case 18:
      return exp(sin(part()));
    case 19:
      return log(2 + cos(part()));
    case 20:
      return abs(part()) + sign(part()) - floor(part());
    case 21:
      return pow(2 + sin(part()), cos(part()));
    case 22:
      return min(part(), part()) - max(part(), part());
    default: {
      const Expr condition = graph.function(pick(2) ? Op::kLess : Op::kLessEqual, std::array{part(), part()});
      const Expr other = graph.function(
          Op::kOr,
          std::array{condition,
                     graph.function(Op::kNot, std::array{graph.function(Op::kEqual, std::array{part(), part()})})});
      return graph.function(Op::kSelect,
                            std::array{graph.function(Op::kAnd, std::array{condition, other}), part(), part()});
    }
  }
}

}  // namespace dalembert
