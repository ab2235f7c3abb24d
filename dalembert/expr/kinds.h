// SPDX-License-Identifier: Apache-2.0
// Which kinds of symbols an expression contains, for many expressions of one growing graph.
#pragma once

#include <cstdint>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

/// One byte a node, filled in order of ids as the graph grows: O(graph) for all questions together, where a search for
/// each would make a chain of N bodies cost N².
class KindMasks {
 public:
  static constexpr std::uint8_t bit(SymbolKind kind) {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
  }
  std::uint8_t of(const Expr& expression);
  bool contains(const Expr& expression, SymbolKind kind) { return (of(expression) & bit(kind)) != 0; }

 private:
  std::vector<std::uint8_t> masks_;
};

}  // namespace dalembert
