// SPDX-License-Identifier: Apache-2.0
// Canonical forms of powers and functions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/expr/functions.h"

namespace dalembert {
namespace {

constexpr std::int32_t kMostTwelfths = 600000;  // largest exponent of a generator, in twelfths
constexpr std::size_t kMostReduced = 100;       // limit on the terms of an argument that is reduced to lowest terms

std::optional<std::int32_t> in_twelfths(const Rational& exponent) {
  const auto scaled = (exponent * Rational(kWhole)).as_int();
  if (!scaled || std::abs(*scaled) > 12000) return std::nullopt;
  return scaled;
}

// The largest positive rational number that divides all coefficients (content); 1 if they are too long.
Rational content(const Polynomial& p) {
  std::int64_t above = 0, below = 1;
  for (const PolynomialTerm& term : p) {
    const auto n = term.coefficient.numerator().as_int(), d = term.coefficient.denominator().as_int();
    if (!n || !d || below > (std::int64_t{1} << 31)) return 1;
    above = std::gcd(above, static_cast<std::int64_t>(*n));
    below = std::lcm(below, static_cast<std::int64_t>(*d));
  }
  return above == 0 ? Rational(1) : Rational(above, below);
}

}  // namespace

std::optional<Polynomial> Canonicalizer::power_of_number(const Rational& base, const Rational& exponent) {
  if (const auto integer = exponent.as_int(); integer && !(base.is_zero() && *integer < 0)) {
    if (base.bits() * static_cast<std::size_t>(std::abs(static_cast<std::int64_t>(*integer))) > 100000)
      return std::nullopt;
    return constant(base.is_zero() ? Rational(0) : base.power(*integer));
  }
  const auto twelfths = in_twelfths(exponent);
  if (!twelfths || base.sign() <= 0) return std::nullopt;
  // Factorises numerator and denominator into primes, if they are small enough for trial division.
  Polynomial result = constant(1);
  for (const int side : {1, -1}) {
    const Rational part = side > 0 ? base.numerator() : base.denominator();
    if (part > Rational(1000000000000)) return std::nullopt;
    auto rest = static_cast<std::int64_t>(part.to_double());
    const auto use = [&](std::int64_t prime, int count) {
      Generator g{Generator::Kind::kPrime, 0, prime, Op::kConstant, {}};
      result = *multiply(result, single({{intern_generator(std::move(g)), *twelfths * count * side}}));
    };
    for (std::int64_t prime = 2; prime * prime <= rest; ++prime) {
      int count = 0;
      for (; rest % prime == 0; rest /= prime) ++count;
      if (count > 0) use(prime, count);
    }
    if (rest > 1) use(rest, 1);
  }
  return result;
}

std::optional<Polynomial> Canonicalizer::opaque(Generator generator, std::int32_t twelfths) {
  return single({{intern_generator(std::move(generator)), twelfths}});
}

std::optional<Polynomial> Canonicalizer::power(const Polynomial& given, const Rational& exponent) {
  if (exponent.is_one()) return given;
  const auto integer = exponent.as_int();
  if (given.empty()) return exponent.sign() > 0 ? Result(Polynomial{}) : std::nullopt;  // 1/0 has no value
  const Polynomial base = integer ? given : in_lowest_terms(given);
  if (const auto number = as_constant(base)) {
    if (auto value = power_of_number(*number, exponent)) return value;
  }
  const auto twelfths = in_twelfths(exponent);
  if (!twelfths) {
    // An exponent that is not a multiple of 1/12: the whole power is an opaque generator.
    return opaque({Generator::Kind::kFunction, 0, 0, Op::kPower, {base, constant(exponent)}}, kWhole);
  }
  if (base.size() == 1 && base[0].key.trig == Trig::kOne) return power_of_product(base[0], exponent);
  if (integer && *integer > 0) {
    if (*integer > 64) return std::nullopt;
    Result result = constant(1), square = base;
    for (int e = *integer; e > 0; e >>= 1) {
      if (e & 1) result = multiply(*result, *square);
      if (e > 1 && result) square = multiply(*square, *square);
      if (!result || !square) return std::nullopt;
    }
    return result;
  }
  Polynomial primitive = base;
  // 1/(c·S) = (1/c)·1/S, where S has the first coefficient 1, so that all multiples of a sum share one generator. √(4S) = 2√S, but √(2S)
  // is kept as people write it; with_primitive_roots() splits it.
  const Rational outside = integer ? base.front().coefficient : content(base);
  Result factor = integer || exact_sqrt(outside) ? power_of_number(outside, exponent) : std::nullopt;
  if (factor && as_constant(*factor))
    for (PolynomialTerm& term : primitive) term.coefficient = term.coefficient / outside;
  else
    factor = constant(1);
  // S^(k+f) with 0 ≤ f < 1: the integer power S^k is multiplied out.
  std::int32_t rest = *twelfths;
  Result whole = constant(1);
  for (; rest >= kWhole && whole; rest -= kWhole) whole = multiply(*whole, primitive);
  if (!whole) return std::nullopt;
  Result value = rest == 0 ? constant(1) : opaque({Generator::Kind::kSum, 0, 0, Op::kConstant, {primitive}}, rest);
  value = multiply(*value, *whole);
  return value ? multiply(*value, *factor) : value;
}

// (c·x^a·y^b)^e. For a fractional e, numbers and even powers are taken out of the root, √(x²) = |x|; factors that may be negative stay
// inside.
std::optional<Polynomial> Canonicalizer::power_of_product(const PolynomialTerm& base, const Rational& exponent) {
  const Monomial m = monomial(base.key.monomial);
  const std::int32_t twelfths = *in_twelfths(exponent);
  const auto too_far = [](const GeneratorPower& g) { return std::abs(g.twelfths) > kMostTwelfths; };
  if (exponent.is_integer()) {
    Monomial raised = m;
    for (GeneratorPower& g : raised) g.twelfths = g.twelfths * (twelfths / kWhole);
    const Result number = power_of_number(base.coefficient, exponent);
    if (std::ranges::any_of(raised, too_far) || !number) return std::nullopt;
    return multiply(*number, single(std::move(raised)));
  }
  const Rational size = base.coefficient.sign() < 0 ? -base.coefficient : base.coefficient;
  Result value = exact_sqrt(size) ? power_of_number(size, exponent) : std::nullopt;
  Rational inside = base.coefficient.sign();
  if (!value || !as_constant(*value)) {
    value = constant(1);
    inside = base.coefficient;
  }
  Monomial left;
  for (const GeneratorPower& g : m) {
    const Generator& what = generator(g.generator);
    const bool positive = what.kind == Generator::Kind::kPrime || what.kind == Generator::Kind::kPi ||
                          (what.kind == Generator::Kind::kFunction && (what.op == Op::kAbs || what.op == Op::kExp)) ||
                          g.twelfths % kWhole != 0;  // a root has a value only if its base is not negative
    const std::int32_t even = positive ? g.twelfths : g.twelfths / (2 * kWhole) * (2 * kWhole);
    const std::int64_t outer = static_cast<std::int64_t>(even) * twelfths;
    if (even == 0 || outer % kWhole != 0 || std::abs(outer / kWhole) > kMostTwelfths) {
      left.push_back(g);
      continue;
    }
    Result root;
    const auto count = static_cast<std::int32_t>(outer / kWhole);
    if (positive) {
      root = single({{g.generator, count}});
    } else {
      const Polynomial argument = single({{g.generator, kWhole}});
      root = opaque({Generator::Kind::kFunction, 0, 0, Op::kAbs, {argument}}, count);
    }
    // multiply() replaces |u|² by u².
    value = value && root ? multiply(*value, *root) : std::nullopt;
    if (!value) return std::nullopt;
    if (g.twelfths != even) left.push_back({g.generator, g.twelfths - even});
  }
  if (left.empty() && inside.is_one()) return value;
  const bool lone = left.size() == 1 && left[0].twelfths == kWhole && inside.is_one();
  const Result root = lone ? single({{left[0].generator, twelfths}})
                           : opaque({Generator::Kind::kSum, 0, 0, Op::kConstant, {single(left, inside)}}, twelfths);
  return root ? multiply(*value, *root) : std::nullopt;
}

// Writes every root of a sum as the root of a number times the root of a sum whose coefficients have no common divisor: √(2x + 2) = √2 √(x + 1).
std::optional<Polynomial> Canonicalizer::with_primitive_roots(const Polynomial& p) {
  const auto number_of = [&](const GeneratorPower& power) -> Rational {
    const Generator& g = generator(power.generator);
    const bool root = g.kind == Generator::Kind::kSum && power.twelfths % kWhole != 0 && !g.arguments[0].empty();
    return root ? content(g.arguments[0]) : Rational(1);
  };
  Polynomial kept, changed;
  for (const PolynomialTerm& term : p) {
    const Monomial m = monomial(term.key.monomial);
    if (std::ranges::all_of(m, [&](const GeneratorPower& power) { return number_of(power).is_one(); })) {
      kept.push_back(term);
      continue;
    }
    Result value = Polynomial{{TermKey{0, term.key.angle, term.key.trig}, term.coefficient}};
    for (const GeneratorPower& power : m) {
      const Rational number = number_of(power), exponent(power.twelfths, kWhole);
      const Result outside = number.is_one() ? std::nullopt : power_of_number(number, exponent);
      Result factor = single({power});
      if (outside) {
        const Polynomial base = add({}, generator(power.generator).arguments[0], number.inverse());
        factor = this->power(base, exponent);
        if (factor) factor = multiply(*factor, *outside);
      }
      value = value && factor ? multiply(*value, *factor) : std::nullopt;
    }
    if (!value) return std::nullopt;
    changed = add(changed, *value);
  }
  return add(kept, changed);
}

// Reduces the argument of a function to lowest terms, so that equal quotients give the same function: sin((x²−y²)/(x−y)) is sin(x+y).
Polynomial Canonicalizer::in_lowest_terms(const Polynomial& p) {
  const bool quotient = std::ranges::any_of(p, [&](const PolynomialTerm& term) {
    return std::ranges::any_of(monomial(term.key.monomial), [&](const GeneratorPower& power) {
      return power.twelfths < 0 && power.twelfths % kWhole == 0 &&
             generator(power.generator).kind == Generator::Kind::kSum;
    });
  });
  if (!quotient || p.size() > kMostReduced || !spend(1000 * p.size())) return p;
  const auto written = rational_form(*this, p);
  if (!written) return p;
  auto reduced = canonical(dalembert::expression(*this, *written));
  return reduced ? *std::move(reduced) : p;
}

std::optional<Polynomial> Canonicalizer::function(NodeId id) {
  const Op op = graph_.op(id);
  std::vector<Polynomial> arguments;
  const std::vector<Graph::Item> items(graph_.items(id).begin(), graph_.items(id).end());
  for (const Graph::Item& item : items) {
    const Result& argument = known_.at(item.node);
    if (!argument) return std::nullopt;
    arguments.push_back(in_lowest_terms(*argument));
  }
  switch (op) {
    case Op::kSin:
    case Op::kCos: {
      auto both = circle(arguments[0]);
      if (!both) return std::nullopt;
      return without_angle_relations(op == Op::kSin ? std::move(both->sine) : std::move(both->cosine));
    }
    case Op::kTan: {
      const auto both = circle(arguments[0]);
      const Result reciprocal = both ? power(both->cosine, Rational(-1)) : std::nullopt;
      return reciprocal ? multiply(both->sine, *reciprocal) : std::nullopt;
    }
    case Op::kLog:
      if (arguments[0].empty()) return std::nullopt;  // log 0 has no value
      break;
    default:
      break;
  }
  // |2u| = 2|u|, sign(2u) = sign(u)
  Rational size = 1;
  if ((op == Op::kAbs || op == Op::kSign) && !arguments[0].empty()) {
    size = arguments[0].front().coefficient;
    if (size.sign() < 0) size = -size;
    for (PolynomialTerm& term : arguments[0]) term.coefficient = term.coefficient / size;
    if (op == Op::kSign) size = 1;
  }
  // f(−u) = ±f(u): make the first coefficient positive.
  const Parity parity = function_info(op).parity;
  if (parity != Parity::kNone && !arguments[0].empty() && arguments[0].front().coefficient.sign() < 0) {
    for (PolynomialTerm& term : arguments[0]) term.coefficient = -term.coefficient;
    if (parity == Parity::kOdd) size = -size;
  }
  const Result value = opaque({Generator::Kind::kFunction, 0, 0, op, std::move(arguments)}, kWhole);
  return value ? Result(add({}, *value, size)) : value;
}

}  // namespace dalembert
