// SPDX-License-Identifier: Apache-2.0
// Points at which formulas are compared. Inside analyze only.
#pragma once

#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

using SamplePoint = std::unordered_map<SymbolId, Rational>;

/// Quarters, so that a point can be typed and a double holds it: parameters from 1/2 to 4, the rest from −2 to 2
/// without 0. The same sequence on every machine.
class RandomPoints {
 public:
  RandomPoints(const Graph& graph, std::vector<SymbolId> symbols) : graph_(graph), symbols_(std::move(symbols)) {}
  SamplePoint next() {
    SamplePoint point;
    for (const SymbolId s : symbols_) point.emplace(s, value(graph_.symbol_info(s).kind == SymbolKind::kParameter));
    return point;
  }
  const std::vector<SymbolId>& symbols() const { return symbols_; }

 private:
  // The remainder is slightly uneven, and the same everywhere, which the distributions of the library are not.
  Rational value(bool positive) {
    const auto quarters = static_cast<std::int64_t>(random_() % (positive ? 15 : 16));
    return {positive ? quarters + 2 : quarters < 8 ? quarters - 8 : quarters - 7, 4};
  }

  const Graph& graph_;
  std::vector<SymbolId> symbols_;
  std::mt19937_64 random_{20240229};
};

}  // namespace dalembert
