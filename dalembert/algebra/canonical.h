// SPDX-License-Identifier: Apache-2.0
// Canonical form of trigonometric polynomials, in which equality is decided.
//
// An expression becomes a sum of terms  r · Π g^e · {1, cos A, sin A}  with rational r, where
//   g  are generators: symbols, square roots of primes, and whatever is opaque (exp, atan2, |x|, roots and reciprocals
//   of sums), A  is a rational combination of angles whose leading coefficient is positive (the earlier coordinate
//   leads).
// Products of sines and cosines become sums (cos A cos B = ½cos(A−B) + ½cos(A+B) …), so powers become multiple angles,
// and the functions cos A, sin A with distinct A are linearly independent: two trigonometric polynomials are equal
// exactly when their forms are. Opaque generators are told apart by the canonical forms of their arguments; relations
// between them are not known.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/expr.h"

namespace dalembert {

enum class Trig : std::uint8_t { kOne, kCos, kSin };

/// One product of generators and at most one sine or cosine; ids refer to the Canonicalizer that made it.
struct TermKey {
  std::uint32_t monomial = 0;
  std::uint32_t angle = 0;
  Trig trig = Trig::kOne;
  friend auto operator<=>(const TermKey&, const TermKey&) = default;
};

struct PolynomialTerm {
  TermKey key;
  Rational coefficient;
  friend auto operator<=>(const PolynomialTerm&, const PolynomialTerm&) = default;
};
/// Sorted by key, no zero coefficients; empty is 0.
using Polynomial = std::vector<PolynomialTerm>;

/// generator^(twelfths/12)
struct GeneratorPower {
  std::uint32_t generator;
  std::int32_t twelfths;
  friend auto operator<=>(const GeneratorPower&, const GeneratorPower&) = default;
};
using Monomial = std::vector<GeneratorPower>;          // by generator
inline constexpr std::int32_t kWhole = 12, kHalf = 6;  // exponents in twelfths

/// Σ coefficient · monomial, in printing order; the first coefficient is positive.
using Angle = std::vector<std::pair<std::uint32_t, Rational>>;

/// What a generator stands for.
struct Generator {
  enum class Kind { kSymbol, kPi, kPrime, kFunction, kSum } kind;
  SymbolId symbol = 0;     ///< kSymbol
  std::int64_t prime = 0;  ///< kPrime: only fractional powers of it occur
  Op op = Op::kConstant;   ///< kFunction
  std::vector<Polynomial>
      arguments;  ///< kFunction: its arguments; kSum: the sum whose root or reciprocal this is a base of
  friend auto operator<=>(const Generator&, const Generator&) = default;
};

/// Of monomials, angles and generators by what they hold, and of pairs of angles.
struct FormHash {
  std::size_t operator()(const Monomial& monomial) const;
  std::size_t operator()(const Angle& angle) const;
  std::size_t operator()(const Generator& generator) const;
  std::size_t operator()(const std::pair<std::uint32_t, std::uint32_t>& angles) const;
};

/// What holds wherever a model has a value, beyond what holds of functions: forms are equal where that makes them equal.
struct StateRelations {
  std::vector<std::array<SymbolId, 4>> units =
      {};                        ///< attitudes: the first squared is 1 less the squares of the others
  std::vector<Expr> sides = {};  ///< sign(u) of a u that is not 0 there: its square is 1
  bool empty() const { return units.empty() && sides.empty(); }
};

/// Makes canonical forms of one graph's expressions and remembers them. Belongs to one thread.
class Canonicalizer {
 public:
  /// A form with more than `max_terms` terms is given up.
  explicit Canonicalizer(Graph& graph, std::size_t max_terms = kMaxTerms, StateRelations relations = {});
  static constexpr std::size_t kMaxTerms = 20000;
  const StateRelations& relations() const { return relations_; }

  /// Nothing when the form (or that of a part) would be too large.
  std::optional<Polynomial> canonical(const Expr& expression);
  /// Clears the reciprocals and roots of sums that are in denominators: zero exactly when `p` is, and easier to
  /// decide.
  std::optional<Polynomial> cleared(Polynomial p);

  Polynomial add(const Polynomial& a, const Polynomial& b, const Rational& factor = 1) const;
  std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
  /// The same function after every linear relation between cosines and sines of rational multiples of π, alone or added
  /// to one angle (cyclotomic.h): zero exactly when these relations make it so, and square roots where they suffice.
  Polynomial without_angle_relations(Polynomial p);

  const Monomial& monomial(std::uint32_t id) const { return *monomials_[id]; }
  const Angle& angle(std::uint32_t id) const { return *angles_[id]; }
  const Generator& generator(std::uint32_t id) const { return *generators_[id]; }
  Graph& graph() const { return graph_; }
  /// What sorts an angle or an opaque generator the same way however it came about: the places of its symbols in the
  /// model and its coefficients, as text. Made once.
  const std::string& angle_order(std::uint32_t angle) const;
  const std::string& generator_order(std::uint32_t generator) const;

  /// How many symbols, numbers and functions `p` has when it is written out, functions of functions and all; may be
  /// astronomical. Costs what is stored, not what would be written.
  double written_size(const Polynomial& p) const;

  /// The id of ±angle with a positive lead, and the sign taken out.
  std::pair<std::uint32_t, int> intern_angle(Angle angle);

  /// Back to an expression of the graph.
  Expr expression(const Polynomial& p);
  Expr expression(const PolynomialTerm& term);
  Expr expression(const GeneratorPower& power);
  Expr expression(const Angle& angle);

  /// What rational_form() made of forms, for it alone.
  struct RationalForms;
  std::shared_ptr<RationalForms>& rational_forms() { return rational_forms_; }

  /// Order in which factors and angles are written: coordinates in the order of the model, then the rest.
  bool angle_before(std::uint32_t monomial_a, std::uint32_t monomial_b) const;

 private:
  using Result = std::optional<Polynomial>;
  Result compute(NodeId id);
  Result function(NodeId id);
  void use_relations();
  Result with_state_relations(Result p);
  struct Circle {
    Polynomial cosine, sine;
  };
  class AngleRelations;
  std::optional<Circle> circle(const Polynomial& argument);
  std::optional<Circle> opaque_circle(Polynomial argument);
  std::optional<Circle> function_circle(const PolynomialTerm& term);
  std::optional<Circle> multiple(const Circle& circle, int times);
  std::optional<Circle> sum(const Circle& a, const Circle& b);
  const Circle& angle_circle(const Angle& angle);
  Polynomial constant_cosine(const Rational& turns);
  Polynomial trigonometric_product(const TermKey& a, const TermKey& b);
  Rational turns(std::uint32_t angle) const;  // multiple of π in it
  std::uint32_t pi_monomial();
  Polynomial in_lowest_terms(const Polynomial& p);
  Result with_primitive_roots(const Polynomial& p);
  Result opened(const Polynomial& product);
  bool must_open(const GeneratorPower& power) const;
  void fold_primes(Monomial& monomial, Rational& coefficient) const;
  bool can_spend(std::size_t operations) const { return effort_ + operations <= limit_; }
  bool spend(std::size_t operations);
  void allow();
  Result power(const Polynomial& base, const Rational& exponent);
  Result power_of_product(const PolynomialTerm& base, const Rational& exponent);
  Result power_of_number(const Rational& base, const Rational& exponent);
  Result opaque(Generator generator, std::int32_t twelfths);
  Polynomial constant(const Rational& value) const;
  Polynomial single(Monomial monomial, const Rational& coefficient = 1);
  std::uint32_t intern(Monomial monomial);
  std::uint32_t intern_generator(Generator generator);
  std::uint32_t multiply_monomials(std::uint32_t a, std::uint32_t b, Rational& coefficient);
  Angle combine(const Angle& a, const Angle& b, int sign_of_b) const;
  std::optional<Rational> as_constant(const Polynomial& p) const;

  std::string monomial_order(std::uint32_t monomial) const;
  double generator_size(std::uint32_t generator) const;

  mutable std::unordered_map<std::uint32_t, std::string> angle_orders_, generator_orders_;
  mutable std::unordered_map<std::uint32_t, double> sizes_;  // of generators
  Graph& graph_;
  std::size_t max_terms_;
  StateRelations relations_;
  struct Unit {
    std::uint32_t first;  // generator
    Polynomial square;    // of it
  };
  std::vector<Unit> units_;
  std::vector<std::uint32_t> sides_;                     // generators
  std::size_t effort_ = 0, limit_ = 0, total_ = 0;       // term operations: done, allowed now, earned by questions
  int depth_ = 0;                                        // of calls of canonical within each other
  std::unordered_map<std::uint32_t, Expr> expressions_;  // of generators
  std::vector<bool> has_pi_;                             // angle → it holds a multiple of π
  bool any_pi_ = false;
  std::optional<std::uint32_t> pi_monomial_;
  std::map<Angle, Circle> circles_;  // of angles with a multiple of π
  std::unordered_map<NodeId, Result> known_;
  std::unordered_map<Monomial, std::uint32_t, FormHash> monomial_index_;  // keys stay where they are
  std::vector<const Monomial*> monomials_;
  std::unordered_map<Angle, std::uint32_t, FormHash> angle_index_;
  std::vector<const Angle*> angles_;
  std::unordered_map<Generator, std::uint32_t, FormHash> generator_index_;
  std::vector<const Generator*> generators_;
  std::unordered_map<std::pair<std::uint32_t, std::uint32_t>,
                     std::pair<std::pair<std::uint32_t, int>, std::pair<std::uint32_t, int>>, FormHash>
      angle_products_;
  std::shared_ptr<RationalForms> rational_forms_;
};

enum class ZeroTest { kZero, kNonzero, kUndecided };

/// Decides whether an expression vanishes identically, wherever it has a value. kZero: its canonical form is empty.
/// kNonzero: at some point its value is certainly not 0 (enclosure.h), or its form is not empty and made of symbols,
/// their roots, sines and cosines alone. Round-off decides nothing.
ZeroTest decide_zero(Canonicalizer& canonicalizer, const Expr& expression);

}  // namespace dalembert
