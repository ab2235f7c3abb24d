// SPDX-License-Identifier: Apache-2.0
// Formulas that are kept in shortest form while a linear system of them is solved, up to a size that is worth reading.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// A cache of shortened formulas for several ShortForms with the same graph, relations and largest cost. Attempts with
/// different quasi-velocities begin with the same formulas.
struct Shortened {
  struct Form {
    Expr written;  ///< the shortest form; null: 0
    int cost = 0;
    std::size_t terms = 0;
    bool too_long = false;
  };
  std::unordered_map<NodeId, Form> forms;
};

/// Shortens formulas and limits their size. In all functions a null Expr is 0.
class ShortForms {
 public:
  /// `max_cost`: largest cost of a formula (algebra/gather.h); `max_work`: largest number of terms of all canonical
  /// forms together, 20 max_cost if not given.
  ShortForms(Graph& graph, int max_cost, std::size_t max_work, StateRelations relations = {});
  ShortForms(Graph& graph, int max_cost, StateRelations relations = {})
      : ShortForms(graph, max_cost, 20 * static_cast<std::size_t>(max_cost), std::move(relations)) {}

  /// `e` in shortest form; null where it is 0, or where possible() has become false.
  Expr shorten(const Expr& e);
  /// Uses `known` as the cache, and adds to it.
  void share(std::shared_ptr<Shortened> known) { known_ = std::move(known); }
  /// False once a formula or the work became too large.
  bool possible() const { return possible_; }
  /// Makes possible() true again and sets the work back to 0, for another attempt.
  void begin_again() {
    possible_ = true;
    work_ = 0;
  }
  void give_up() { possible_ = false; }
  /// Number of terms of all canonical forms so far.
  std::size_t work() const { return work_; }
  /// The cost of a formula that shorten() returned; 1 for any other.
  int cost(const Expr& e) const;
  /// Whether `e` contains any symbol that is not a parameter.
  bool has_variables(const Expr& e);
  /// Whether `e` vanishes identically; false where that could not be decided.
  bool vanishes(const Expr& e);
  /// The factors of `e` that may vanish, because they contain variables, each in shortest form.
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

/// A linear system A x = c of formulas with several right-hand sides, A square.
struct FormulaSystem {
  FormulaSystem(std::size_t size, std::size_t sides)
      : A(size, std::vector<Expr>(size)), c(size, std::vector<Expr>(sides)) {}
  std::vector<std::vector<Expr>> A, c;
};
struct FormulaSolution {
  std::vector<std::vector<Expr>> x;  ///< the solutions, row by row; empty where there is none
  std::vector<Expr> divisors;        ///< pivots with variables: there is no solution where one of them is 0
};
/// Solves by Gauss-Jordan elimination, with pivots that are numbers or parameters as long as there are any. A remaining
/// matrix of at most 3×3 is solved by cofactors, which avoids divisions that cancel later. No solution where A is
/// singular as a matrix of formulas, or where `forms` gives up.
FormulaSolution solve_formulas(ShortForms& forms, FormulaSystem system);

}  // namespace dalembert
