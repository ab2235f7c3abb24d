// SPDX-License-Identifier: Apache-2.0
// Which kinds of symbols an expression contains. Answers are cached for many expressions of one growing graph.
#pragma once

#include <cstdint>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// One bit mask for each node, filled in order of ids as the graph grows. All queries together cost O(nodes), where a search for each query
/// would cost O(N²) for a chain of N bodies.
class KindMasks {
 public:
  using Mask = std::uint16_t;  ///< one bit for each SymbolKind
  static constexpr Mask bit(SymbolKind kind) { return static_cast<Mask>(1u << static_cast<unsigned>(kind)); }
  Mask of(const Expr& expression);
  bool contains(const Expr& expression, SymbolKind kind) { return (of(expression) & bit(kind)) != 0; }

 private:
  std::vector<Mask> masks_;
};

}  // namespace dalembert
