// SPDX-License-Identifier: Apache-2.0
// Formulas kept in shortest form while a linear system of them is eliminated, up to a size that anybody reads.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// What was shortened, for another ShortForms of the same graph, relations and largest cost: attempts to eliminate with one
/// choice of velocities and another begin alike.
struct Shortened {
  struct Form {
    Expr written;  ///< null: 0
    int cost = 0;
    std::size_t terms = 0;
    bool too_long = false;
  };
  std::unordered_map<NodeId, Form> forms;
};

/// In all of these a null Expr is 0.
class ShortForms {
 public:
  /// `max_cost`: of a formula (algebra/gather.h); `max_work`: terms of all forms on the way, 20 max_cost if not given.
  ShortForms(Graph& graph, int max_cost, std::size_t max_work, StateRelations relations = {});
  ShortForms(Graph& graph, int max_cost, StateRelations relations = {})
      : ShortForms(graph, max_cost, 20 * static_cast<std::size_t>(max_cost), std::move(relations)) {}

  /// `e` in shortest form; null where it is 0, or where possible() has become false.
  Expr shorten(const Expr& e);
  /// Takes what is known there, and adds to it.
  void share(std::shared_ptr<Shortened> known) { known_ = std::move(known); }
  /// False once a formula or the work became too large.
  bool possible() const { return possible_; }
  /// Possible again, with as much work as in the beginning: for another attempt.
  void begin_again() {
    possible_ = true;
    work_ = 0;
  }
  void give_up() { possible_ = false; }
  /// Terms of all forms so far.
  std::size_t work() const { return work_; }
  /// What shorten() returned costs, or 1.
  int cost(const Expr& e) const;
  /// Whether its value changes with coordinates, time or whatever else is not a parameter.
  bool has_variables(const Expr& e);
  /// Whether `e` vanishes identically; false where that could not be decided.
  bool vanishes(const Expr& e);
  /// What a product is made of that can vanish: its factors with variables, each in shortest form.
  std::vector<Expr> vanishing_factors(const Expr& e);

  Graph& graph() const { return canonicalizer_.graph(); }
  Canonicalizer& canonicalizer() { return canonicalizer_; }

 private:
  int max_cost_;
  std::size_t max_work_, work_ = 0;
  bool possible_ = true;
  mutable Canonicalizer canonicalizer_;
  std::unordered_map<NodeId, int> costs_;
  std::shared_ptr<Shortened> known_ = std::make_shared<Shortened>();
};

/// A x = c for several right-hand sides, A square.
struct FormulaSystem {
  FormulaSystem(std::size_t size, std::size_t sides)
      : A(size, std::vector<Expr>(size)), c(size, std::vector<Expr>(sides)) {}
  std::vector<std::vector<Expr>> A, c;
};
struct FormulaSolution {
  std::vector<std::vector<Expr>> x;  ///< row by row; empty where there is none
  std::vector<Expr> divisors;        ///< those with variables: it has no value where one of them is 0
};
/// By Gauss and Jordan with pivots that are numbers or parameters as long as there are any; what is left by cofactors
/// where that is at most 3×3, so that nothing is divided by that cancels later. No solution where A is singular as a
/// matrix of formulas, or where `forms` gives up.
FormulaSolution solve_formulas(ShortForms& forms, FormulaSystem system);

}  // namespace dalembert
