// SPDX-License-Identifier: Apache-2.0
// Decides whether an expression vanishes: decide_zero() of canonical.h.
#include <algorithm>
#include <array>

#include "dalembert/algebra/canonical.h"
#include "dalembert/algebra/constant_zero.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/random_points.h"
#include "dalembert/algebra/relations.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kCheap = 2;   // number of random points tried before the expression is expanded
constexpr int kRounds = 4;  // number of rounds in which identities between functions are applied
constexpr int kPoints = 8;  // number of random points at which a nonempty form is evaluated

bool certainly_nonzero(const Canonicalizer& canonicalizer, const Expr& expression, int points, Effort effort) {
  std::vector<SymbolId> symbols = symbols_in(std::array{expression});
  // An expression contains few of a model's attitudes, and only those are needed.
  std::vector<std::array<SymbolId, 4>> units = canonicalizer.relations().units;
  std::erase_if(units, [&](const std::array<SymbolId, 4>& unit) {
    return std::ranges::none_of(unit, [&](SymbolId s) { return std::ranges::binary_search(symbols, s); });
  });
  RandomPoints random(expression.graph(), std::move(symbols), {}, std::move(units));
  for (int i = 0; i < points; ++i) {
    using Spread = RandomPoints::Spread;
    const Spread spread = i < kCheap ? Spread::kPositive : i % 2 == 0 ? Spread::kNear : Spread::kSmall;
    const EnclosedPoint point{random.next(spread), {}, nullptr};
    const Sign sign = sign_at(expression, point, effort);
    if (sign == Sign::kNegative || sign == Sign::kPositive) return true;
  }
  return false;
}

// Whether the form has only symbols, their roots, roots of primes, and sines and cosines of angles made of symbols,
// without π. It is then 0 only if empty.
bool independent(const Canonicalizer& canonicalizer, const Polynomial& form) {
  const auto plain = [&](std::uint32_t monomial, bool numbers) {
    return std::ranges::all_of(canonicalizer.monomial(monomial), [&](const GeneratorPower& power) {
      const auto kind = canonicalizer.generator(power.generator).kind;
      return kind == Generator::Kind::kSymbol || (numbers && kind == Generator::Kind::kPrime);
    });
  };
  return std::ranges::all_of(form, [&](const PolynomialTerm& term) {
    if (!plain(term.key.monomial, true)) return false;
    return std::ranges::all_of(canonicalizer.angle(term.key.angle),
                               [&](const auto& part) { return part.first != 0 && plain(part.first, false); });
  });
}

}  // namespace

ZeroTest decide_zero(Canonicalizer& canonicalizer, const Expr& expression) {
  if (expression.is_zero()) return ZeroTest::kZero;
  if (certainly_nonzero(canonicalizer, expression, kCheap, Effort::kDoubles)) return ZeroTest::kNonzero;
  auto form = canonicalizer.canonical(expression);
  if (form) form = canonicalizer.cleared(*std::move(form));
  if (form && form->empty()) return ZeroTest::kZero;
  if (form && independent(canonicalizer, *form)) return ZeroTest::kNonzero;
  if (certainly_nonzero(canonicalizer, expression, kPoints, Effort::kModerate)) return ZeroTest::kNonzero;
  for (int round = 0; round < kRounds && form; ++round) {
    if (vanishes_by_constants(canonicalizer, *form)) return ZeroTest::kZero;
    form = with_relations(canonicalizer, *form);
    if (form) form = canonicalizer.cleared(*std::move(form));
    if (form && form->empty()) return ZeroTest::kZero;
  }
  return ZeroTest::kUndecided;
}

}  // namespace dalembert
