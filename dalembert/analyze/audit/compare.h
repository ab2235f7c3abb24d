// SPDX-License-Identifier: Apache-2.0
// Compares two formulas, by canonical forms and at points. Inside analyze only.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/random_points.h"
#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// Whether canonical forms prove that a = b wherever both have a value; whether they have a value anywhere is not checked.
bool proves_equal(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// Whether the expression contains no symbols but parameters.
bool only_parameters(const Expr& expression);

/// The reason why canonical forms do not decide whether a and b are equal.
struct Openness {
  bool too_large = false;           ///< the difference has no canonical form, because it is too large
  std::vector<std::string> opaque;  ///< functions between which no relation is known: "sqrt", "exp"
  bool decided_by_form() const { return !too_large && opaque.empty(); }
};
Openness openness(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// Random points at which the conditions hold and the divisors of the conditions are not 0.
class GivenPoints {
 public:
  /// `formulas`: the compared formulas before the conditions are put in. `determined`: symbols whose values follow from
  /// the others by equations besides the conditions; no values are chosen for them.
  GivenPoints(const Graph& graph, const Conditions& conditions, std::span<const Expr> formulas,
              std::span<const SymbolId> determined = {});
  EnclosedPoint next();
  /// Expressions that must not be 0 at a point.
  const std::vector<Expr>& nonzero() const { return nonzero_; }
  void require_nonzero(const Expr& expression) { nonzero_.push_back(expression); }
  /// The symbols of this formula are reported with a point that is found, also those for which no value was chosen.
  void tell_symbols_of(const Expr& formula) { told_.push_back(formula); }
  const std::vector<Expr>& told() const { return told_; }
  /// Whether every expression that the conditions require to have a value certainly has one at the point.
  bool has_required(const EnclosedPoint& point) const;
  /// Whether the quaternions that the conditions restrict have norm 1 at the point; all others always have.
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
  std::vector<std::pair<SymbolId, Rational>> at;  ///< values of the symbols that are free under the conditions
  std::vector<std::pair<SymbolId, Interval>>
      follows;  ///< other symbols of the formulas, with the values that conditions or equations give them
  double a = 0, b = 0, difference = 0;
  std::string a_digits, b_digits, difference_digits;
};
Difference difference_at(const EnclosedPoint& point, const Separation& separation, std::span<const Expr> formulas);

/// What a comparison of a and b at points shows.
struct Evidence {
  int points = 0;                        ///< number of points at which a and b both certainly have a value
  std::optional<Difference> difference;  ///< the clearest difference that was found
};
enum class Search { kAnyValue, kDifference };
/// Adds to a point the symbols that are determined there; no value where they cannot be found.
using Completion = std::function<std::optional<EnclosedPoint>(const EnclosedPoint&)>;
/// Compares a and b at points. kAnyValue stops at the first point with values. A point that `complete` rejects does not count.
Evidence look_at_points(GivenPoints& points, const Expr& a, const Expr& b, Search search,
                        const Completion& complete = {});

/// The factor k with b = k a, of numbers and parameters and not zero everywhere. It is proved; no value where there is none or no proof.
std::optional<Expr> constant_factor(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);

/// b − a where it contains numbers and parameters alone.
std::optional<Expr> constant_offset(Canonicalizer& canonicalizer, const Expr& a, const Expr& b);
/// Whether an entry with this correct value may be claimed with a constant added, which no equation of motion contains: an energy with variables.
bool may_have_offset(std::string_view part, const Expr& correct);
/// Whether `claimed` may be right but for such a constant: no point was found at which a derivative of the difference by anything but a
/// parameter is certainly not 0.
bool may_be_an_offset(std::string_view part, const Conditions& conditions, const Expr& correct, const Expr& claimed);

/// The expression in its shortest form; as it is stored where that form is too large to find.
std::string print_shortest(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);
/// An expression that is linear in accelerations and multipliers as text in its shortest form, with one term for each of them.
std::string print_equation(Canonicalizer& canonicalizer, const Expr& expression, Notation notation);

}  // namespace dalembert
