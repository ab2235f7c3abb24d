// SPDX-License-Identifier: Apache-2.0
// Two formulas side by side. Inside analyze only.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/random_points.h"
#include "dalembert/analyze/conditions.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// Whether canonical forms prove that a = b wherever both have a value; whether they have one anywhere is not asked.
bool proves_equal(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// Why the difference of a and b is beyond canonical forms.
struct Openness {
  bool too_large = false;           ///< no canonical form
  std::vector<std::string> opaque;  ///< functions between which no relation is known: "sqrt", "exp"
  bool decided_by_form() const { return !too_large && opaque.empty(); }
};
Openness openness(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// Random points at which the conditions hold and what they divide by is not 0.
class GivenPoints {
 public:
  /// For these formulas, in which the conditions are not put in. `determined` are symbols that something else gives a
  /// value once the others have one: they are not chosen.
  GivenPoints(const Graph& graph, const Conditions& conditions, std::span<const Expr> formulas,
              std::span<const SymbolId> determined = {});
  EnclosedPoint next();
  /// What must not be 0 at a point.
  const std::vector<Expr>& nonzero() const { return nonzero_; }
  void require_nonzero(const Expr& expression) { nonzero_.push_back(expression); }
  /// Of a formula whoever looks at a point wants to know the symbols, those too that were not chosen.
  void tell_symbols_of(const Expr& formula) { told_.push_back(formula); }
  const std::vector<Expr>& told() const { return told_; }
  /// Whether all that the conditions require to have a value certainly has one.
  bool has_required(const EnclosedPoint& point) const;
  /// Whether attitudes that the conditions restrict are of norm 1 there, as all others are.
  bool on_spheres(const SamplePoint& point) const;
  int tried() const { return tried_; }

 private:
  RandomPoints points_;
  const std::unordered_map<SymbolId, Expr>* defined_;
  std::vector<Expr> nonzero_, required_, told_;
  std::vector<std::array<SymbolId, 4>> restricted_;
  int tried_ = 0;
};

/// A point with short coordinates at which a and b certainly differ; the same on every machine.
struct Difference {
  std::vector<std::pair<SymbolId, Rational>> at;  ///< the symbols that are free under the conditions
  std::vector<std::pair<SymbolId, Interval>>
      follows;  ///< others of the formulas: what conditions or equations make them
  double a = 0, b = 0, difference = 0;
  std::string a_digits, b_digits, difference_digits;
};
Difference difference_at(const EnclosedPoint& point, const Separation& separation, std::span<const Expr> formulas);

/// What the values of a and b at points say.
struct Evidence {
  int points = 0;                        ///< points at which both certainly have a value
  std::optional<Difference> difference;  ///< the clearest of those found
};
enum class Search { kAnyValue, kDifference };
/// A point with what is determined there besides; nothing where that cannot be told.
using Completion = std::function<std::optional<EnclosedPoint>(const EnclosedPoint&)>;
/// kAnyValue stops at the first point with values. A point that `complete` has nothing for does not count.
Evidence look_at_points(GivenPoints& points, const Expr& a, const Expr& b, Search search,
                        const Completion& complete = {});

/// k, of numbers and parameters and not zero everywhere, with b = k a. Decided exactly; nothing when it is not.
std::optional<Expr> constant_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// b − a where that is made of numbers and parameters alone.
std::optional<Expr> constant_offset(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// In the shortest form; as the graph has it where that is too large to find.
std::string print_shortest(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);
/// The same for what is linear in accelerations and multipliers: one term for each of them.
std::string print_equation(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);

}  // namespace dalembert
