// SPDX-License-Identifier: Apache-2.0
// Entries and whole equations in one form and notation; shared by every listing.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/gather.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/common_terms.h"

namespace dalembert {

/// How entries are written (`--form`).
enum class Form {
  kCanonical,  ///< the cheapest of the forms that algebra knows (algebra/shortest.h)
  kExpanded,   ///< products of sines and cosines as multiple angles, a sum of products
  kAsDerived,  ///< the graph as derivation left it
};

/// \mathrm{pin,1} of the multiplier λ_{pin,1}, or what stands in its place by the constraint's `latex`.
std::string index_of_multiplier(const Expr& lambda);
/// The row's name before its equation: as it is typed, or as the constraint's `latex` has it.
std::string constraint_label(const Equations& equations, std::size_t row, Notation notation);

/// Remembers canonical forms between calls. Belongs to one thread, like the graph.
class EquationPrinter {
 public:
  /// `shared` gives names to what large graphs use more than once; without it such an entry is a note.
  /// `relations`: of the states that it is printed for (derive/state_relations.h).
  EquationPrinter(Graph& graph, Form form, Notation notation, SharedNodes* shared = nullptr,
                  StateRelations relations = {});

  /// One entry. Where the canonical form would be too large, or long and more than four times as long as the graph as
  /// it is, the latter; where that is too large, or everything together would be, a note with its size.
  Formula entry(const Expr& expression);
  /// Nothing more is to be written: what was, with the definitions of its names, is as long as a listing may be.
  bool is_full() const { return characters_ > most(); }
  /// Characters of a listing at most.
  std::size_t most() const { return most_written_ + most_written_ / 8; }
  std::string symbol(const Expr& symbol) const { return print(symbol, notation_); }

  /// Row i of M q̈ + B + G = F + Wᵀλ, left and right: one term for each acceleration and multiplier.
  std::pair<Formula, Formula> equation_of_motion(const Equations& equations, int i);
  /// The left side of h = 0 or η = 0 of row j, its terms in the order in which the model states them (term_order.h).
  Formula constraint(const Equations& equations, int j);
  /// Row k of M_r v̇ = −b (derive/reduce.h).
  std::pair<Formula, Formula> reduced_equation(const Reduced& reduced, int k);
  /// Σ coefficient · symbol + Σ rest
  Formula linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest);

 private:
  struct Written {
    std::vector<FormTerm> terms;
    Formula formula;
  };
  /// In shortest form; null where it is to be printed as derived. Made once for each expression.
  const Written* written(const Expr& expression);
  std::optional<Written> shorter(const Expr& expression);
  Formula as_derived(const Expr& expression);
  bool has_room_for(double size) const;
  /// Counts what is written.
  Formula counted(Formula formula);
  bool is_crowded_by(const Expr& expression);
  Formula crowded_note() const;
  Formula uncounted_entry(const Expr& expression);
  Formula uncounted_linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest);

  /// Entries of M by row and of W by column, of the equations asked for last.
  struct EntriesByRow {
    const Equations* of = nullptr;
    std::vector<std::vector<std::size_t>> M, W;
  };
  const EntriesByRow& entries_of(const Equations& equations);

  /// Names of coordinates and velocities, as text.
  bool moves(const Equations& equations, const std::string& name);

  EntriesByRow by_row_;
  const Equations* moving_of_ = nullptr;
  std::unordered_set<std::string> moving_;
  std::vector<const ConstraintRow*> stated_;
  Canonicalizer canonicalizer_;
  std::unordered_map<NodeId, std::optional<Written>> written_;
  Form form_;
  Notation notation_;
  SharedNodes* shared_;
  std::size_t most_written_;  // characters
  std::size_t characters_ = 0, operations_ = 0, formless_ = 0;
  std::size_t definitions_ = 0;  // those of shared_ whose characters are counted
};

}  // namespace dalembert
