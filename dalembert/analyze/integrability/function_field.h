// SPDX-License-Identifier: Apache-2.0
// Private to analyze: values of functions at random points of a prime field, where only those relations between
// functions hold that hold everywhere.
//
// exp, log, sine and atan of expressions are symbols with a known derivative. Each belongs to a pair (y, exp y), for angles
// (iy, exp iy). Where the y of all pairs are linearly independent over ℚ up to constants, each pair adds one function that
// is algebraically independent of coordinates, time and the other pairs (J. Ax, On Schanuel's conjectures, Annals of Math.
// 93 (1971) 252-268). Therefore
//
//   - independence is proved by derivatives at points: a minor that is not 0 modulo p is not 0
//   - a linear dependence with rational coefficients makes the new function a product of powers, or a sum, of earlier ones:
//     exp(x + 2y) = exp(x) exp(y)², log(x²y) = 2 log x + log y. The remaining constant must be a small fraction or a
//     multiple of π
//   - a square root is a new function where its radicand is no square in the field so far, which shows at a point where
//     the radicand has no root modulo p. The root of a square has a sign that is not known here
//
// The constants π, exp(c), cos(c), log(2), log(3), … are taken as independent (Schanuel's conjecture).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/integrability/prime_field.h"
#include "dalembert/analyze/integrability/taylor_of.h"

namespace dalembert {

/// The expressions, and the symbols of which they are functions.
struct PlaceOfFunctions {
  const Graph* graph = nullptr;
  std::vector<NodeId> nodes;                       ///< nodes of the expressions, children first
  std::vector<SymbolId> variables;                 ///< coordinates and time, as far as they occur in the expressions
  std::vector<std::vector<SymbolId>> quaternions;  ///< components of each quaternion of norm 1
  std::unordered_map<SymbolId, Rational> known;    ///< values of the parameters
  std::unordered_map<SymbolId, SymbolId> rates;    ///< for an input: the symbol of its time derivative
  std::optional<SymbolId> time;
  std::unordered_map<NodeId, int> signs;  ///< for piecewise functions: the sign that selects the piece
  int place_of(SymbolId symbol) const;    ///< index among the variables, or -1
};

class FunctionField;

/// The values at one random point, for a single TaylorOf (taylor_of.h).
class PrimePoint {
 public:
  using Number = PrimeField::Number;
  using Polynomial = std::vector<Number>;

  /// `on_sphere`: quaternions vary on their unit sphere, along three of their four variables.
  PrimePoint(const FunctionField& field, std::uint64_t seed, bool on_sphere);

  std::optional<Number> number(const Rational& value);
  Number pi() const;
  std::optional<Number> raised(Number a, const Rational& exponent) const;
  Polynomial symbol(const Taylor<PrimeField>& taylor, SymbolId id);
  std::optional<Number> exponential(NodeId node, const Polynomial& u);
  std::optional<Number> logarithm(NodeId node, const Polynomial& u, const Polynomial& rest);
  std::optional<PrimeField::Circle> circle(NodeId angle, const Polynomial& u);
  template <class Of>
  std::optional<Number> angle(NodeId node, const Of& of, const Polynomial& rest) {
    std::vector<Number> arguments;
    for (const Graph::Item& item : graph().items(node)) {
      const Polynomial& p = of.at(item.node);
      arguments.push_back(p.empty() ? 0 : p[0]);
    }
    return angle_value(node, arguments, rest);
  }
  std::optional<int> sign(NodeId node, Number) const;

 private:
  friend class FunctionField;
  struct Pair {
    Polynomial y;
    Number root = 0;   // kParts-th root of e^y, for a pair (y, e^y) whose independent symbol is e^y
    Number power = 0;  // value of e^y, for a pair whose independent symbol is y
    // Cosine and sine of y/kParts, for a pair (iy, e^{iy}) whose independent symbol is e^{iy}.
    PrimeField::Circle part{};
    Number x_side = 0, y_side = 0;  // cos y and sin y times a common factor, for a pair whose independent symbol is y
  };

  const Graph& graph() const;
  const PrimeField& numbers() const;
  Number value_of(SymbolId id, int rate);
  Number random(std::uint64_t kind, std::uint64_t which) const;
  std::optional<Number> angle_value(NodeId node, const std::vector<Number>& arguments, const Polynomial& rest);
  std::optional<Number> exponent_value(std::size_t pair, const Rational& factor) const;
  Pair& pair(std::vector<Pair>& pairs, std::size_t index);

  const FunctionField* field_;
  std::uint64_t seed_;
  bool on_sphere_;
  std::vector<Pair> exponentials_, angles_;
  std::unordered_map<std::string, Number> numbers_of_;
};

class FunctionField {
 public:
  enum class Kind {
    kExact,  ///< no other relation holds between the functions
    kBound,  ///< more relations may hold: true ranks may be smaller than those found here, not larger
    kNone,   ///< some function has no values in the field
  };

  FunctionField(const PlaceOfFunctions& place, std::uint64_t seed);
  FunctionField(const FunctionField&) = delete;
  ~FunctionField();
  Kind kind() const { return kind_; }
  const PrimeField& numbers() const { return *numbers_; }
  const PlaceOfFunctions& place() const { return place_; }

  /// The seed of a point where everything has a value; no value where many attempts fail.
  std::optional<std::uint64_t> find_point(std::uint64_t seed) const;

 private:
  friend class PrimePoint;
  using Number = PrimeField::Number;
  using Polynomials = std::vector<std::vector<Number>>;  // one polynomial for each sample
  static constexpr int kParts = 24;                      // exponents and angles may occur in multiples of 1/kParts

  // A function of the field as the linear combination Σ factor · y over pairs (y, e^y), plus constants.
  struct Combination {
    std::vector<std::pair<std::size_t, Rational>> pairs;
    // Index of a pair made for this function, if it does not follow from earlier pairs.
    std::optional<std::size_t> fresh;
    Rational number = 0;                                    // rational constant added to the combination
    std::int64_t parts = 0;                                 // constant angle added, in units of 2π/kTurn
    std::vector<std::pair<std::int64_t, Rational>> primes;  // constants added to a logarithm: factor · log(prime)
  };
  enum class Symbol { kPower, kExponent };  // which member of a pair is the symbol: exp y (kPower) or y (kExponent)
  struct Sample;
  using Radicand = std::function<Number(const Sample&)>;

  void decide(NodeId node);
  void decide_exponential(NodeId node, const Polynomials& y);
  void decide_logarithm(NodeId node);
  void decide_circle(NodeId argument);
  void decide_angle(NodeId node);
  void decide_radicand(const Radicand& radicand);
  bool add_to_samples(NodeId node);
  bool add_samples();
  std::optional<Combination> combination(const Polynomials& y, bool angles, bool& independent) const;
  std::optional<Number> constant_rest(const Polynomials& y, const Combination& of, bool angles) const;
  Combination fresh(bool angle, Symbol symbol);
  bool has_parts(const Combination& of, bool angles);
  bool set_constant(std::optional<Rational>& first, const Rational& number);
  Polynomials at_samples(NodeId node) const;
  std::optional<Number> constant(const std::vector<Number>& values) const;
  void give_up(Kind kind) { kind_ = std::max(kind_, kind); }

  PlaceOfFunctions place_;
  std::uint64_t seed_, next_seed_ = 0;
  std::optional<PrimeField> numbers_;
  std::unique_ptr<Taylor<PrimeField>> values_, first_order_;
  Kind kind_ = Kind::kExact;
  std::vector<std::unique_ptr<Sample>> samples_;
  std::size_t done_ = 0;  // number of nodes, in order, for which the samples have values
  std::vector<Radicand> radicands_;
  std::vector<Symbol> exponentials_, angles_;
  std::unordered_map<NodeId, Combination> exponential_of_, logarithm_of_, circle_of_, angle_of_;
  // The first rational constants that occur as an exponent and as an angle; later ones must be simple fractions of
  // these.
  std::optional<Rational> first_exponent_, first_angle_;
};

}  // namespace dalembert
