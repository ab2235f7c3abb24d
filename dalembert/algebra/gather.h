// SPDX-License-Identifier: Apache-2.0
// Chooses which terms of a canonical form are written together: the cheapest of several groupings, so that output is short and the same on every machine.
//
// Cost of a written form: 1 for each number that is not ±1, each symbol, each function and each term of its argument,
// each parenthesis and each sign between terms; ½ more for a power. Ties go to the grouping that comes first here, but m*(x*y' - y*x') comes before
// -m*y*x' + m*x*y', which begins with a minus sign:
//
//   by state       one term for each product of coordinates, rates and functions, its parameters gathered:
//                  (m1 + 4*m2)*L1^2*theta''
//   by parameters  one term for each product of parameters, 1/2*m*(x'^2 + y'^2), unless that splits the coefficient of a product of the state
//   common factor  the common factor of all terms outside, the rest by one of the above
//   coefficient    if all products of the state have the same sum of parameters as coefficient, that sum outside: (e - f)*(x'^2 + 2*x'*y')
//   number         a number that all terms share outside
//   plain          a sum of products
//
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// A factor of a term: a power of a generator, or of the sine or cosine of an angle.
struct FormFactor {
  std::uint32_t id = 0;  ///< id of the generator or angle
  Trig trig = Trig::kOne;
  std::int32_t twelfths = 12;
  bool same_base(const FormFactor& other) const { return id == other.id && trig == other.trig; }
  friend bool operator==(const FormFactor&, const FormFactor&) = default;
};

/// A term coefficient · Π factors · Π (Σ sum)^exponent.
struct FormTerm {
  struct SumPower;
  Rational coefficient = 1;
  std::vector<FormFactor> factors;  ///< in printing order
  std::vector<SumPower> sums;
};
struct FormTerm::SumPower {
  std::vector<FormTerm> sum;
  int exponent = 1;
};

/// Whether the terms of a form are gathered.
enum class Gathering { kNone, kShortest };

/// The terms to print, in printing order: terms with accelerations, then with velocities, then the rest. An empty list is 0.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering);
/// The terms of an angle, in the same order as in the angle.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Angle& angle);

/// Gathers given terms, whose factors may be in any order.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, std::vector<FormTerm> terms, Gathering gathering);

/// `sum` times one more factor, as a single term.
FormTerm times(const Canonicalizer& canonicalizer, std::vector<FormTerm> sum, const FormFactor& factor);

/// Multiplies `product` by other^exponent. Its factors are no longer in printing order.
void multiply(FormTerm& product, const FormTerm& other, int exponent);

/// Converts a sum of terms to an expression of the graph.
Expr expression(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum);

/// Sort key of a factor in a product. The order is: numbers, masses, inertias, stiffnesses, g, other parameters, inputs, λ, coordinates,
/// velocities, accelerations, opaque functions, sines and cosines.
struct FactorRank {
  int stage = 0;
  std::uint32_t index = 0;  ///< index of the symbol in the model
  std::string_view key;     ///< for factors without an index in the model: the coordinates and coefficients of an angle
  friend auto operator<=>(const FactorRank&, const FactorRank&) = default;
};
/// The last stage of numbers and parameters.
inline constexpr int kLastParameter = 5;
FactorRank rank(const Canonicalizer& canonicalizer, const FormFactor& factor);

/// Twice the cost of a written sum (an integer, because powers cost ½).
int cost(const Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum);

}  // namespace dalembert
