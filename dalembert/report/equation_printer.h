// SPDX-License-Identifier: Apache-2.0
// Prints entries and whole equations in one form and notation; used by every listing.
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
#include "dalembert/expr/print_formula.h"
#include "dalembert/report/common_terms.h"
#include "dalembert/report/format.h"

namespace dalembert {

/// The index of a multiplier in LaTeX: \mathrm{pin,1} for λ_{pin,1}, or the constraint's `latex` if given.
std::string index_of_multiplier(const Expr& lambda);
/// The label of a constraint row before its equation: its name, or in LaTeX the constraint's `latex` if given.
std::string constraint_label(const Equations& equations, std::size_t row, Notation notation);

/// Prints equations, and remembers canonical forms between calls. Belongs to one thread, like the graph.
class EquationPrinter {
 public:
  /// `shared` introduces names for shared parts of large graphs; without it such an entry is replaced by a note.
  /// `relations`: identities that hold in the printed states (derive/state_relations.h).
  EquationPrinter(Graph& graph, Form form, Notation notation, SharedNodes* shared = nullptr,
                  StateRelations relations = {});

  /// Prints one expression. The form as derived replaces a canonical form that is too large, or that is long and more
  /// than four times as long. If the form as derived, or the listing as a whole, is too large as well, a note with the
  /// size is printed.
  Formula entry(const Expr& expression);
  /// Whether the listing, including definitions of names, has reached its largest length.
  bool is_full() const { return characters_ > most(); }
  /// Largest length of a listing, in characters.
  std::size_t most() const { return most_written_ + most_written_ / 8; }
  std::string symbol(const Expr& symbol) const { return print(symbol, notation_); }

  /// Row i of M q̈ + B + G = F + Wᵀλ as left and right side, with one term for each acceleration and multiplier.
  std::pair<Formula, Formula> equation_of_motion(const Equations& equations, int i);
  /// A conserved quantity. Of an energy that is one product, such as m*(1/2*x'^2 + g*x), kinetic and potential energy are written apart.
  Formula conserved(const Equations& equations, const ConservedQuantity& quantity);
  /// The left side of h = 0 or η = 0 for row j, with the terms in the order in which the model states them
  /// (term_order.h).
  Formula constraint(const Equations& equations, int j);
  /// Row k of M_r v̇ = −b (derive/reduce.h) as left and right side.
  std::pair<Formula, Formula> reduced_equation(const Reduced& reduced, int k);
  /// The formula Σ coefficient · symbol + Σ rest.
  Formula linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest);

 private:
  struct Written {
    std::vector<FormTerm> terms;
    Formula formula;
  };
  /// The shortest form; null if the expression is to be printed as derived. Computed once for each expression.
  const Written* written(const Expr& expression);
  std::optional<Written> shorter(const Expr& expression);
  void use_powers_of_roots(const Polynomial& form, Written& result);
  Formula as_derived(const Expr& expression);
  bool has_room_for(double size) const;
  /// Adds the length of the formula to the characters written.
  Formula counted(Formula formula);
  bool is_crowded_by(const Expr& expression);
  Formula crowded_note() const;
  Formula uncounted_entry(const Expr& expression);
  Formula uncounted_linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest);

  /// Entries of M by row and of W by column, for the equations used last.
  struct EntriesByRow {
    const Equations* of = nullptr;
    std::vector<std::vector<std::size_t>> M, W;
  };
  const EntriesByRow& entries_of(const Equations& equations);

  /// Whether a name, as text, is a coordinate or velocity.
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
  std::size_t most_written_;  // limit on the characters of a listing, beyond which only short entries are written
  std::size_t characters_ = 0, operations_ = 0, formless_ = 0;
  std::size_t definitions_ = 0;           // number of definitions of shared_ whose length is in characters_
  std::vector<std::uint32_t> looked_at_;  // by node: the number of the call of is_crowded_by() that saw it last
  std::uint32_t looks_ = 0;               // calls of is_crowded_by() so far
};

}  // namespace dalembert
