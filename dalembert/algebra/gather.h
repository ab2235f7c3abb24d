// SPDX-License-Identifier: Apache-2.0
// Which terms of a canonical form are written together: of several groupings the cheapest, so that output is short and
// the same on every machine.
//
// Cost of a written form: 1 for each number that is not ±1, each symbol, each function and each term of its argument,
// each parenthesis and each sign between terms; ½ more for a power. Ties go to the grouping that comes first here:
//
//   by state       one term for each product of coordinates, rates and functions, its parameters gathered:
//                  (m1 + 4*m2)*L1^2*theta''
//   by parameters  one term for each product of parameters, 1/2*m*(x'^2 + y'^2), where no coefficient of a state is torn
//                  apart
//   common factor  what all terms share outside, the rest by one of the above
//   coefficient    one sum of parameters beside every product of the state outside: (e - f)*(x'^2 + 2*x'*y')
//   number         a number that all terms share outside
//   plain          a sum of products
//
#pragma once

#include <string_view>
#include <vector>

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// One factor of a term: a power of a generator, or of the sine or cosine of an angle.
struct FormFactor {
  std::uint32_t id = 0;  ///< generator, or angle
  Trig trig = Trig::kOne;
  std::int32_t twelfths = 12;
  bool same_base(const FormFactor& other) const { return id == other.id && trig == other.trig; }
  friend bool operator==(const FormFactor&, const FormFactor&) = default;
};

/// coefficient · Π factors · Π (Σ sum)^exponent
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

/// How far the terms of a form are gathered.
enum class Gathering { kNone, kShortest };

/// The terms to print, in printing order: accelerations, then velocities, then the rest. Empty is 0.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering);
/// The terms of an angle, in its own order.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, const Angle& angle);

/// The same for products of factors in any order.
std::vector<FormTerm> gather(const Canonicalizer& canonicalizer, std::vector<FormTerm> terms, Gathering gathering);

/// `sum` times one more factor, as one product.
FormTerm times(const Canonicalizer& canonicalizer, std::vector<FormTerm> sum, const FormFactor& factor);

/// Back to an expression of the graph.
Expr expression(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum);

/// Place of a factor in a product: numbers, masses, inertias, stiffnesses, g, other parameters, inputs, λ, coordinates,
/// velocities, accelerations, opaque things, sines and cosines.
struct FactorRank {
  int stage = 0;
  std::uint32_t index = 0;  ///< in the order of the model
  std::string_view key;     ///< of what has no place in the model: an angle's coordinates and coefficients
  friend auto operator<=>(const FactorRank&, const FactorRank&) = default;
};
FactorRank rank(const Canonicalizer& canonicalizer, const FormFactor& factor);

/// Twice the cost of a written sum.
int cost(const Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum);

}  // namespace dalembert
