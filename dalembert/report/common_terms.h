// SPDX-License-Identifier: Apache-2.0
// Names for parts of formulas: what would not fit, and long sums that are in several places.
//
// A name has a provisional number here; what the reader sees (z_1, z_2, …) is numbered in the order of reading by
// NameWriter, so output is the same on every machine and every definition that is printed is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/print.h"
#include "dalembert/report/formula_parts.h"

namespace dalembert {

class CommonTerms {
 public:
  /// `definitions`: of the provisional names that are in the formulas already, by number.
  explicit CommonTerms(std::vector<Formula> definitions = {}) : definitions_(std::move(definitions)) {}

  /// The name of this content, made when it has none.
  int name(FormulaPart content);
  /// Names the sums in parentheses, fractions and roots that `formulas` and their parts hold twice or more, and that
  /// are at least `min_size` long by `size` once shorter names are in them.
  template <class Size>
  void name_repeated(const std::vector<const Formula*>& formulas, double min_size, const Size& size) {
    for (const Formula& content : repeated(formulas))
      if (size(replaced(content, false)) >= min_size) name(content);
  }

  /// The formula with names for the outermost parts that have one; `whole`: it may become one name itself.
  Formula replaced(FormulaPart formula, bool whole) const;
  /// What a name stands for, other names in it.
  Formula definition(int name) const;
  int size() const { return static_cast<int>(definitions_.size()); }
  bool empty() const { return definitions_.empty(); }

 private:
  // Contents that occur at least twice, shorter ones first.
  static std::vector<Formula> repeated(const std::vector<const Formula*>& formulas);

  std::vector<Formula> definitions_;
  std::map<std::string, int> names_;  // by formula_key of the content
};

/// Shows names and remembers which still have to be defined.
class NameWriter {
 public:
  /// The letter is the first of z, w, s, u, y, r, zz, … that begins no symbol of the graph.
  NameWriter(const Graph& graph, Notation notation);

  std::string text(FormulaPart part);
  std::string symbol(int name);  ///< z_{1}, z1
  /// Names shown and not yet taken, in order.
  std::vector<int> take_undefined();

 private:
  std::string letter_;
  Notation notation_;
  std::map<int, int> shown_;
  std::vector<int> undefined_;
};

/// The names that are shown but not defined, and those that their definitions show.
std::vector<int> undefined_names(NameWriter& names, const CommonTerms& terms);

/// Definitions that `graph` would need to be printed as a tree of bounded size: see SharedNodes::print.
class SharedNodes {
 public:
  SharedNodes(Graph& graph, Notation notation) : graph_(graph), notation_(notation) {}

  /// The expression as it stands in the graph, with provisional names for what it uses more than once where writing
  /// that out would be long. Its length stays in proportion to the graph's. A name means the same in every call.
  Formula print(const Expr& expression);
  /// Characters of a formula that print returned, with those of every definition that it needs, each once.
  std::size_t length(const Formula& printed) const;
  /// What the provisional names stand for, by number.
  const std::vector<Formula>& definitions() const { return definitions_; }
  /// The same for whoever keeps them once nothing more is printed.
  std::vector<Formula> take_definitions() { return std::move(definitions_); }

 private:
  Graph& graph_;
  Notation notation_;
  std::unordered_map<NodeId, Expr> symbols_;
  std::vector<std::uint32_t> place_;  // by node, of those being printed
  FormulaNames names_;
  std::vector<Formula> definitions_;
};

}  // namespace dalembert
