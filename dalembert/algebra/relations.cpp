// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/relations.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "dalembert/algebra/gather.h"
#include "dalembert/algebra/rational_form.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostTerms = 200;             // limit on the terms of a form
constexpr std::size_t kMostLogs = 8;                // limit on the logarithms in a form, which are compared in pairs
constexpr std::int64_t kLargestFactored = 1 << 20;  // limit on a number inside log that is factored into primes

class Relations {
 public:
  explicit Relations(Canonicalizer& canonicalizer) : canonicalizer_(canonicalizer), graph_(canonicalizer.graph()) {}

  std::optional<Polynomial> applied(const Polynomial& form) {
    if (form.size() > kMostTerms) return std::nullopt;
    collect(form);
    if (!any_) return std::nullopt;
    std::vector<Expr> terms;
    for (const PolynomialTerm& term : form) terms.push_back(rewritten(term));
    auto result = canonicalizer_.canonical(graph_.sum(terms));
    return result ? without_square_signs(*std::move(result)) : result;
  }

 private:
  const Generator& generator(const GeneratorPower& power) const { return canonicalizer_.generator(power.generator); }
  Expr argument(const Generator& g, std::size_t i = 0) { return canonicalizer_.expression(g.arguments[i]); }
  static bool is(const Generator& g, Op op) { return g.kind == Generator::Kind::kFunction && g.op == op; }
  static bool is_exponential(const Generator& g) {
    return g.kind == Generator::Kind::kFunction && function_info(g.op).exponentials.has_value();
  }

  void collect(const Polynomial& form) {
    for (const PolynomialTerm& term : form) {
      int roots = 0;
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial)) {
        const Generator& g = generator(power);
        roots += is_root(power);
        any_ = any_ || is_exponential(g) || is(g, Op::kLog) || is(g, Op::kAbs) || is(g, Op::kMax) || is(g, Op::kMin) ||
               is(g, Op::kSign);
        if (is_exponential(g))
          for (const PolynomialTerm& part : g.arguments[0]) {
            Rational& below = steps_.try_emplace(part.key, 1).first->second;
            const auto a = below.as_int(), b = part.coefficient.denominator().as_int();
            below = a && b ? Rational(std::lcm<std::int64_t, std::int64_t>(*a, *b)) : Rational(1);
          }
        const bool number = is(g, Op::kLog) && g.arguments[0].size() == 1 && g.arguments[0][0].key == TermKey{};
        if (is(g, Op::kLog) && !number && std::ranges::find(logs_, power.generator) == logs_.end())
          logs_.push_back(power.generator);
      }
      any_ = any_ || roots > 1;
    }
  }

  // Whether the power is a root (√u, √x or |u|) that can be merged with other roots of its term.
  bool is_root(const GeneratorPower& power) const {
    const Generator& g = generator(power);
    if (is(g, Op::kAbs)) return power.twelfths % (2 * kWhole) != 0 && power.twelfths % kWhole == 0;
    return (g.kind == Generator::Kind::kSum || g.kind == Generator::Kind::kSymbol) && power.twelfths % kWhole != 0 &&
           power.twelfths % kHalf == 0;
  }

  Expr rewritten(const PolynomialTerm& term) {
    std::vector<Expr> factors{graph_.constant(term.coefficient)}, roots;
    if (term.key.trig != Trig::kOne)
      factors.push_back(canonicalizer_.expression(PolynomialTerm{{0, term.key.angle, term.key.trig}, 1}));
    const Monomial monomial = canonicalizer_.monomial(term.key.monomial);
    const bool merge = std::ranges::count_if(monomial, [&](const GeneratorPower& p) { return is_root(p); }) > 1;
    for (const GeneratorPower& power : monomial) {
      if (merge && is_root(power)) {
        const Generator g = generator(power);
        const bool absolute = is(g, Op::kAbs);
        const Expr base =
            absolute ? square(argument(g)) : canonicalizer_.expression(GeneratorPower{power.generator, kWhole});
        roots.push_back(base);
        factors.push_back(pow(base, Rational((absolute ? power.twelfths / 2 : power.twelfths) - kHalf, kWhole)));
      } else {
        factors.push_back(pow(rewritten(power), Rational(power.twelfths, kWhole)));
      }
    }
    if (merge) factors.push_back(sqrt(expanded(graph_.product(roots))));
    return graph_.product(factors);
  }

  // Expands a product into a sum, so that its root is not split into roots of its factors.
  Expr expanded(const Expr& product) {
    const auto form = canonicalizer_.canonical(product);
    return form ? canonicalizer_.expression(*form) : product;
  }

  Expr rewritten(const GeneratorPower& power) {
    const Generator g = generator(power);
    if (is_exponential(g)) {
      const ByExponentials by = *function_info(g.op).exponentials;
      const Expr up = exponential(g.arguments[0], 1);
      if (by.down == 0) return up;
      const Expr down = exponential(g.arguments[0], -1), above = by.down > 0 ? up + down : up - down;
      return by.below ? above / (up + down) : above / 2;
    }
    if (g.kind == Generator::Kind::kFunction) switch (g.op) {
        case Op::kLog:
          return logarithm(power.generator, g.arguments[0]);
        case Op::kAbs:
          return absolute(argument(g));
        case Op::kMax:
        case Op::kMin: {
          const Expr u = argument(g, 0), v = argument(g, 1), apart = absolute(u - v);
          return (g.op == Op::kMax ? u + v + apart : u + v - apart) / 2;
        }
        default:
          break;
      }
    return canonicalizer_.expression(GeneratorPower{power.generator, kWhole});
  }

  Expr absolute(const Expr& u) { return sqrt(expanded(square(u))); }

  // The exponential exp(sign · argument), split into powers.
  Expr exponential(const Polynomial& argument, int sign) {
    std::vector<Expr> factors;
    for (const PolynomialTerm& part : argument) {
      const Monomial& monomial = canonicalizer_.monomial(part.key.monomial);
      const Rational times = part.coefficient * Rational(sign);
      if (part.key.trig == Trig::kOne && monomial.size() == 1 && monomial[0].twelfths == kWhole &&
          is(generator(monomial[0]), Op::kLog)) {
        const Generator log = generator(monomial[0]);
        factors.push_back(pow(this->argument(log), times));
        continue;
      }
      const Rational step = steps_.contains(part.key) ? steps_.at(part.key) : Rational(1);
      const Expr base = exp(canonicalizer_.expression(PolynomialTerm{part.key, step.inverse()}));
      factors.push_back(pow(base, times * step));
    }
    return graph_.product(factors);
  }

  // log v. Since it has a value, v > 0.
  Expr logarithm(std::uint32_t id, const Polynomial& v) {
    std::vector<Expr> terms;
    // Taken out of the logarithm are a number and, if v is a single term, exponentials and factors whose logarithm occurs too.
    const Rational lead = v.front().coefficient.sign() < 0 ? -v.front().coefficient : v.front().coefficient;
    const Expr number = logarithm_of(lead);
    if (!number) return log(canonicalizer_.expression(v));
    terms.push_back(number);
    Polynomial rest = canonicalizer_.add({}, v, lead.inverse());
    if (rest.size() == 1) {
      std::vector<Expr> left{graph_.constant(rest[0].coefficient)};
      for (const GeneratorPower& power : Monomial(canonicalizer_.monomial(rest[0].key.monomial))) {
        const Generator g = generator(power);
        if (is(g, Op::kExp))
          terms.push_back(Rational(power.twelfths, kWhole) * argument(g));
        else
          left.push_back(canonicalizer_.expression(power));
      }
      if (rest[0].key.trig != Trig::kOne)
        left.push_back(canonicalizer_.expression(PolynomialTerm{{0, rest[0].key.angle, rest[0].key.trig}, 1}));
      const auto form = canonicalizer_.canonical(graph_.product(left));
      if (!form) return log(canonicalizer_.expression(v));
      rest = *form;
    }
    for (const std::uint32_t other : logs_) {
      if (other == id || logs_.size() > kMostLogs) continue;
      const Polynomial given = canonicalizer_.generator(other).arguments[0];
      const Rational first = given.front().coefficient;
      const Polynomial w = canonicalizer_.add({}, given, (first.sign() < 0 ? -first : first).inverse());
      if (const auto q = quotient(rest, w)) {
        terms.push_back(log(canonicalizer_.expression(w)));
        terms.push_back(log(canonicalizer_.expression(*q)));
        return graph_.sum(terms);
      }
    }
    terms.push_back(log(canonicalizer_.expression(rest)));
    return graph_.sum(terms);
  }

  // log r as a sum over its prime factors; null if r is too large.
  Expr logarithm_of(const Rational& r) {
    std::vector<Expr> terms{graph_.constant(0)};
    for (const int side : {1, -1}) {
      const auto part = (side > 0 ? r.numerator() : r.denominator()).as_int();
      if (!part || *part > kLargestFactored) return {};
      int left = *part;
      const auto use = [&](int prime) { terms.push_back(side * log(graph_.constant(prime))); };
      for (int prime = 2; prime * prime <= left; ++prime)
        for (; left % prime == 0; left /= prime) use(prime);
      if (left > 1) use(left);
    }
    return graph_.sum(terms);
  }

  // v/w, if it is a polynomial in the generators; nothing otherwise.
  std::optional<Polynomial> quotient(const Polynomial& v, const Polynomial& w) {
    if (v == w) return std::nullopt;
    auto form = canonicalizer_.canonical(canonicalizer_.expression(v) / canonicalizer_.expression(w));
    if (form && w.size() > 1) {
      const auto lowest = rational_form(canonicalizer_, *form);
      form = lowest ? canonicalizer_.canonical(expression(canonicalizer_, *lowest)) : std::nullopt;
    }
    if (!form) return std::nullopt;
    for (const PolynomialTerm& term : *form)
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial))
        if (power.twelfths < 0) return std::nullopt;
    return form;
  }

  // sign(u)³ = sign(u). sign(u)² is 1 except at u = 0, so it is replaced by 1 if its coefficient vanishes where u = 0.
  std::optional<Polynomial> without_square_signs(Polynomial form) {
    std::vector<std::uint32_t> signs;
    for (const PolynomialTerm& term : form)
      for (const GeneratorPower& power : canonicalizer_.monomial(term.key.monomial))
        if (is(generator(power), Op::kSign) && power.twelfths >= 2 * kWhole &&
            std::ranges::find(signs, power.generator) == signs.end())
          signs.push_back(power.generator);
    for (const std::uint32_t sign : signs) {
      std::vector<Expr> rest, squared;
      for (const PolynomialTerm& term : form) {
        std::int32_t own = 0;
        std::vector<Expr> factors{
            canonicalizer_.expression(PolynomialTerm{{0, term.key.angle, term.key.trig}, term.coefficient})};
        for (const GeneratorPower& power : Monomial(canonicalizer_.monomial(term.key.monomial))) {
          if (power.generator == sign)
            own = power.twelfths;
          else
            factors.push_back(canonicalizer_.expression(power));
        }
        if (own < 0 || own % kWhole != 0) return form;
        const bool odd = own / kWhole % 2 != 0;
        if (odd) factors.push_back(canonicalizer_.expression(GeneratorPower{sign, kWhole}));
        (own > 0 && !odd ? squared : rest).push_back(graph_.product(factors));
      }
      const Expr coefficient = graph_.sum(squared);
      const bool vanishes = vanishes_with(coefficient, canonicalizer_.generator(sign).arguments[0]);
      const Expr square = pow(canonicalizer_.expression(GeneratorPower{sign, kWhole}), Rational(2));
      rest.push_back(vanishes ? coefficient : coefficient * square);
      auto next = canonicalizer_.canonical(graph_.sum(rest));
      if (!next) return std::nullopt;
      form = *std::move(next);
    }
    return form;
  }

  // Whether f = 0 wherever u = 0. To find out, u = c s + d is solved for a symbol s that d does not contain.
  bool vanishes_with(const Expr& f, const Polynomial& u) {
    for (const PolynomialTerm& term : u) {
      const Monomial& monomial = canonicalizer_.monomial(term.key.monomial);
      if (term.key.trig != Trig::kOne || monomial.size() != 1 || monomial[0].twelfths != kWhole ||
          generator(monomial[0]).kind != Generator::Kind::kSymbol)
        continue;
      const Expr s = graph_.symbol(generator(monomial[0]).symbol);
      const Expr solved = s - canonicalizer_.expression(u) / term.coefficient;
      const auto bare = canonicalizer_.canonical(solved);
      if (!bare) return false;
      const Expr value = canonicalizer_.expression(*bare);
      if (depends_on(value, std::span(&s, 1))) continue;
      const auto there = canonicalizer_.canonical(substitute(f, {{s.symbol(), value}}));
      return there && there->empty();
    }
    return false;
  }

  Canonicalizer& canonicalizer_;
  Graph& graph_;
  bool any_ = false;
  std::map<TermKey, Rational> steps_;  // by term in arguments of exponentials: common denominator of its coefficients
  std::vector<std::uint32_t> logs_;    // generators that are logarithms of formulas
};

}  // namespace

std::optional<Polynomial> with_relations(Canonicalizer& canonicalizer, const Polynomial& form) {
  return Relations(canonicalizer).applied(form);
}

}  // namespace dalembert
