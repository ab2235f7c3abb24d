// SPDX-License-Identifier: Apache-2.0
// Expressions of one model in the symbols of another. Inside analyze only.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Writes expressions of the model `there` in the graph of the equations `here`. What has the same name is the same: time, inputs,
/// multipliers of rows, actuations, parameters; coordinates are to be named by set(). A parameter that only `there` has is its value.
class Translation {
 public:
  /// Both equations must outlive this.
  Translation(const Equations& here, const Equations& there);

  /// Writes `value`, of the graph of `here`, wherever `there` has that symbol.
  void set(const Expr& symbol, const Expr& value) { symbols_.insert_or_assign(symbol.symbol(), value); }

  /// The expression in the graph of `here`; null where `here` has no symbol for one of its symbols, whose name is then missing().
  Expr moved(const Expr& expression);
  const std::string& missing() const { return missing_; }
  /// Names of the parameters that were replaced by their values so far.
  const std::vector<std::string>& as_numbers() const { return as_numbers_; }

 private:
  Expr moved_node(const Graph& from, NodeId id, const std::vector<Expr>& arguments);
  Expr moved_symbol(const Graph& from, SymbolId symbol);

  const Equations& here_;
  const Equations& there_;
  Graph& graph_;
  std::unordered_map<SymbolId, Expr> symbols_;
  std::unordered_map<SymbolId, std::pair<std::string, Expr>> numbers_;
  std::string missing_;
  std::vector<std::string> as_numbers_;
};

}  // namespace dalembert
