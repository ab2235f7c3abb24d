// SPDX-License-Identifier: Apache-2.0
// Canonical form of trigonometric polynomials, in which equality is decided.
//
// An expression becomes a sum of terms  r · Π g^e · {1, cos A, sin A}  with rational r, where
//   g  are generators: symbols, square roots of primes, and everything opaque (exp, atan2, |x|, roots and reciprocals of sums),
//   A  is a rational combination of angles whose leading coefficient is positive (the earlier coordinate leads).
// Products of sines and cosines become sums (cos A cos B = ½cos(A−B) + ½cos(A+B) …), so powers become multiple angles. The functions cos A,
// sin A with distinct A are linearly independent: two trigonometric polynomials are equal exactly when their forms are equal. Opaque
// generators are different if the canonical forms of their arguments are; relations between them are not known.
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

/// A product of generators and at most one sine or cosine. The ids refer to the Canonicalizer that created it.
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
/// Sorted by key, without zero coefficients; the empty polynomial is 0.
using Polynomial = std::vector<PolynomialTerm>;

/// A power of a generator: generator^(twelfths/12).
struct GeneratorPower {
  std::uint32_t generator;
  std::int32_t twelfths;
  friend auto operator<=>(const GeneratorPower&, const GeneratorPower&) = default;
};
using Monomial = std::vector<GeneratorPower>;          // sorted by generator
inline constexpr std::int32_t kWhole = 12, kHalf = 6;  // exponents in twelfths

/// An angle Σ coefficient · monomial, where monomials are given by id, in printing order; the first coefficient is positive.
using Angle = std::vector<std::pair<std::uint32_t, Rational>>;

/// A generator, one of the factors of terms.
struct Generator {
  enum class Kind { kSymbol, kPi, kPrime, kFunction, kSum } kind;
  SymbolId symbol = 0;     ///< the symbol of a kSymbol
  std::int64_t prime = 0;  ///< the prime of a kPrime; only fractional powers of primes occur
  Op op = Op::kConstant;   ///< the function of a kFunction
  std::vector<Polynomial>
      arguments;  ///< for kFunction its arguments; for kSum the sum whose roots or reciprocals occur
  friend auto operator<=>(const Generator&, const Generator&) = default;
};

/// Hashes monomials, angles and generators by their content, and pairs of angles by their ids.
struct FormHash {
  std::size_t operator()(const Monomial& monomial) const;
  std::size_t operator()(const Angle& angle) const;
  std::size_t operator()(const Generator& generator) const;
  std::size_t operator()(const std::pair<std::uint32_t, std::uint32_t>& angles) const;
};

/// Relations between symbols that hold in every state of a model; forms are reduced by them, as they are by identities of functions.
struct StateRelations {
  std::vector<std::array<SymbolId, 4>> units =
      {};                        ///< attitudes (unit quaternions): first² is 1 minus the squares of the others
  std::vector<Expr> sides = {};  ///< sign(u) for an expression u that is never 0: its square is 1
  bool empty() const { return units.empty() && sides.empty(); }
};

/// Computes and caches canonical forms of the expressions of one graph. Belongs to one thread.
class Canonicalizer {
 public:
  /// A form with more than `max_terms` terms is given up.
  explicit Canonicalizer(Graph& graph, std::size_t max_terms = kMaxTerms, StateRelations relations = {});
  static constexpr std::size_t kMaxTerms = 20000;
  const StateRelations& relations() const { return relations_; }

  /// The canonical form; nothing if it, or the form of a subexpression, would be too large.
  std::optional<Polynomial> canonical(const Expr& expression);
  /// Multiplies `p` by the sums, and roots of sums, in its denominators: the result is zero exactly when `p` is, and easier to decide.
  std::optional<Polynomial> cleared(Polynomial p);

  Polynomial add(const Polynomial& a, const Polynomial& b, const Rational& factor = 1) const;
  std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
  /// An equal form, reduced by all linear relations between cosines and sines of rational multiples of π, which may be alone or added to one angle
  /// (cyclotomic.h). It is empty exactly if these relations make `p` zero. Constants are written with square roots where these suffice.
  Polynomial without_angle_relations(Polynomial p);

  const Monomial& monomial(std::uint32_t id) const { return *monomials_[id]; }
  const Angle& angle(std::uint32_t id) const { return *angles_[id]; }
  const Generator& generator(std::uint32_t id) const { return *generators_[id]; }
  Graph& graph() const { return graph_; }
  /// Sort key of an angle or an opaque generator, as text: the indices of its symbols in the model and its coefficients. It does not depend on
  /// when the angle or generator was created, and is cached.
  const std::string& angle_order(std::uint32_t angle) const;
  const std::string& generator_order(std::uint32_t generator) const;

  /// Number of symbols, numbers and functions in the printed form of `p`, arguments of functions included; may be astronomical. The cost is
  /// proportional to the stored size, not to the printed size.
  double written_size(const Polynomial& p) const;

  /// The id of `angle` or of −`angle`, whichever has a positive leading coefficient, and the sign ±1 between them.
  std::pair<std::uint32_t, int> intern_angle(Angle angle);

  /// Converts back to an expression of the graph.
  Expr expression(const Polynomial& p);
  Expr expression(const PolynomialTerm& term);
  Expr expression(const GeneratorPower& power);
  Expr expression(const Angle& angle);

  /// Results of rational_form(), which alone uses this cache.
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
  Polynomial sum_of(std::vector<Polynomial> parts) const;
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
  Rational turns(std::uint32_t angle) const;  // the multiple of π that the angle contains
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
  // By generator: number of symbols, numbers and functions in its printed form.
  mutable std::unordered_map<std::uint32_t, double> sizes_;
  Graph& graph_;
  std::size_t max_terms_;
  StateRelations relations_;
  struct Unit {
    std::uint32_t first;  // id of the generator that stands for the attitude's first component
    Polynomial square;    // 1 minus the squares of the other components: equal to the square of `first`
  };
  std::vector<Unit> units_;
  std::vector<std::uint32_t> sides_;  // the generators sign(u) whose square is 1
  // Effort in term operations: done so far, the limit for the current call of canonical(), and what calls so far have
  // added to the limit for all calls together.
  std::size_t effort_ = 0, limit_ = 0, total_ = 0;
  int depth_ = 0;                                        // nesting depth of calls of canonical()
  std::unordered_map<std::uint32_t, Expr> expressions_;  // expressions already built, by generator
  std::vector<bool> has_pi_;                             // by angle: whether it contains a multiple of π
  bool any_pi_ = false;
  std::optional<std::uint32_t> pi_monomial_;
  std::map<Angle, Circle> circles_;  // by angle that contains a multiple of π: its cosine and sine
  std::unordered_map<NodeId, Result> known_;
  // Ids of monomials. Keys of this map never move, so monomials_ points to them.
  std::unordered_map<Monomial, std::uint32_t, FormHash> monomial_index_;
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

/// Decides whether an expression vanishes identically, wherever it has a value. kZero: its canonical form is empty. kNonzero: at some point its value is
/// certainly not 0 (enclosure.h), or its form is not empty and contains only symbols, their roots, sines and cosines. Round-off cannot change the answer.
ZeroTest decide_zero(Canonicalizer& canonicalizer, const Expr& expression);

}  // namespace dalembert
