// SPDX-License-Identifier: Apache-2.0
// Names for parts of formulas that do not fit on a line, and for long sums that occur several times.
//
// CommonTerms gives each name a provisional number. NameWriter numbers the names that the reader sees (z_1, z_2, …) in the
// order of reading. So the output is the same on every machine, and every printed definition is used.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/expr/print_formula.h"
#include "dalembert/report/formula_parts.h"

namespace dalembert {

class CommonTerms {
 public:
  /// `definitions`: definitions of the provisional names that occur in the formulas already, by number.
  explicit CommonTerms(std::vector<Formula> definitions = {}) : definitions_(std::move(definitions)) {}

  /// The number of the name for this content; a new name if it has none yet.
  int name(FormulaPart content);
  /// Names the sums in parentheses, fractions and roots that occur at least twice in `formulas` and their parts, if
  /// `size` of them is at least `min_size` after shorter names are put in. A formula that is nothing but the sum, times a number, is no occurrence.
  template <class Size>
  void name_repeated(const std::vector<const Formula*>& formulas, double min_size, const Size& size) {
    for (const Formula& content : repeated(formulas))
      if (size(replaced(content, false)) >= min_size) name(content);
  }

  /// The formula with its outermost named parts replaced by their names. `whole`: the formula itself may become a name. Without it neither does a sum that
  /// is all of the formula but for a number: T = z/2 would say nothing.
  Formula replaced(FormulaPart formula, bool whole) const;
  /// The content of a name, written with other names.
  Formula definition(int name) const;
  int size() const { return static_cast<int>(definitions_.size()); }
  bool empty() const { return definitions_.empty(); }

 private:
  // Contents that occur at least twice, shorter ones first.
  static std::vector<Formula> repeated(const std::vector<const Formula*>& formulas);

  std::vector<Formula> definitions_;
  std::map<std::string, int> names_;  // number of the name, by formula_key() of its content
};

/// Writes names as the reader sees them, and remembers which names still need a definition.
class NameWriter {
 public:
  /// The letter of the names is the first of z, w, s, u, y, r, zz, … that begins no symbol of the graph.
  NameWriter(const Graph& graph, Notation notation);

  std::string text(FormulaPart part);
  std::string symbol(int name);  ///< z_{1} in LaTeX, z1 in text
  /// Returns the names shown since the last call, in order of appearance.
  std::vector<int> take_undefined();
  /// Returns the names shown since the last call that had been shown before it, by their numbers as the reader sees them.
  std::set<int> take_recalled();
  /// How many names have been shown.
  int shown() const { return static_cast<int>(shown_.size()); }

 private:
  std::string letter_;
  Notation notation_;
  std::map<int, int> shown_;
  std::vector<int> undefined_;
  std::set<int> recalled_;
  int before_ = 0;  // names shown before the last call of take_recalled()
};

/// The names that are shown but not defined yet, and those that their definitions show in turn.
std::vector<int> undefined_names(NameWriter& names, const CommonTerms& terms);

/// Names for shared nodes of an expression graph, so that it is printed as formulas of bounded size: see
/// SharedNodes::print.
class SharedNodes {
 public:
  SharedNodes(Graph& graph, Notation notation) : graph_(graph), notation_(notation) {}

  /// Prints the expression as it is in the graph, with provisional names for shared nodes that would be long to repeat.
  /// The length of the output is proportional to the size of the graph. A name means the same in every call.
  Formula print(const Expr& expression);
  /// Characters of a formula that print() returned, plus each definition that it needs, counted once.
  std::size_t length(const Formula& printed) const;
  /// Definitions of the provisional names, by number.
  const std::vector<Formula>& definitions() const { return definitions_; }
  /// Moves the definitions out, for use after the last print().
  std::vector<Formula> take_definitions() { return std::move(definitions_); }

 private:
  Graph& graph_;
  Notation notation_;
  std::unordered_map<NodeId, Expr> symbols_;
  std::vector<std::uint32_t> place_;  // by node: index within the expression being printed
  FormulaNames names_;
  std::vector<Formula> definitions_;
};

}  // namespace dalembert
