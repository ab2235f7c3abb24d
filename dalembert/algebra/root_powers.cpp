// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/root_powers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>
#include <string>
#include <utility>

#include "dalembert/algebra/rational_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostCollected = 2000;
constexpr std::size_t kLongEnough = 60;    // operations; what has fewer is readable over one bar
constexpr std::size_t kMostOfPower = 400;  // terms that are factored
constexpr std::size_t kMostParts = 400;    // terms of a sum that is looked through for parts without a common symbol

// The powers of roots of sums in a term.
Monomial roots_of(const Canonicalizer& canonicalizer, const PolynomialTerm& term) {
  Monomial roots;
  for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
    const Generator& g = canonicalizer.generator(power.generator);
    if (g.kind == Generator::Kind::kSum && power.twelfths % kWhole != 0 && g.arguments[0].size() > 1)
      roots.push_back(power);
  }
  return roots;
}

// The sum of the terms, divided by their roots.
Expr without_roots(Canonicalizer& canonicalizer, const Polynomial& terms, const Monomial& roots) {
  std::vector<Graph::Term> sum;
  for (const PolynomialTerm& term : terms) {
    std::vector<Expr> factors;
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial))
      if (std::ranges::find(roots, power) == roots.end()) factors.push_back(canonicalizer.expression(power));
    if (term.key.trig != Trig::kOne) {
      const Expr angle = canonicalizer.expression(canonicalizer.angle(term.key.angle));
      factors.push_back(term.key.trig == Trig::kCos ? cos(angle) : sin(angle));
    }
    sum.push_back({canonicalizer.graph().product(factors), term.coefficient});
  }
  return canonicalizer.graph().sum(sum);
}

// The generators of a term, those in its angle too.
std::vector<std::uint32_t> generators_of(const Canonicalizer& canonicalizer, const PolynomialTerm& term) {
  std::vector<std::uint32_t> all;
  const auto add = [&](std::uint32_t monomial) {
    for (const GeneratorPower& power : canonicalizer.monomial(monomial)) all.push_back(power.generator);
  };
  add(term.key.monomial);
  if (term.key.trig != Trig::kOne)
    for (const auto& [monomial, coefficient] : canonicalizer.angle(term.key.angle)) add(monomial);
  return all;
}

FactorRank first_rank(const Canonicalizer& canonicalizer, const Polynomial& part) {
  FactorRank first{std::numeric_limits<int>::max(), 0, {}};
  for (const PolynomialTerm& term : part)
    for (const std::uint32_t g : generators_of(canonicalizer, term))
      first = std::min(first, rank(canonicalizer, {g, Trig::kOne, kWhole}));
  return first;
}

// Terms that have a generator in common, directly or by others between them, are in one part. In the order of textbooks, which does not depend
// on how the form was computed.
std::vector<Polynomial> parts_without_common_symbol(const Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<std::size_t> part(form.size());
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto head = [&](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  std::map<std::uint32_t, std::size_t> first;  // by generator
  for (std::size_t i = 0; i < form.size(); ++i)
    for (const std::uint32_t g : generators_of(canonicalizer, form[i]))
      part[head(i)] = head(first.emplace(g, i).first->second);
  std::map<std::size_t, Polynomial> parts;
  for (std::size_t i = 0; i < form.size(); ++i) parts[head(i)].push_back(form[i]);
  std::vector<Polynomial> list;
  for (auto& [at, terms] : parts) list.push_back(std::move(terms));
  std::ranges::sort(list, {}, [&](const Polynomial& terms) { return first_rank(canonicalizer, terms); });
  return list;
}

std::vector<FormTerm> shortest_or_factored(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> written = shortest(canonicalizer, form);
  if (form.size() < 3 || form.size() > kMostOfPower) return written;
  auto factored = rational_form(canonicalizer, form);
  return factored && cost(canonicalizer, *factored) < cost(canonicalizer, written) ? *std::move(factored) : written;
}

std::vector<FormTerm> with_parts_apart(Canonicalizer& canonicalizer, std::vector<FormTerm> sum) {
  const auto form = canonicalizer.canonical(expression(canonicalizer, sum));
  if (!form || form->size() < 4 || form->size() > kMostParts) return sum;
  const std::vector<Polynomial> parts = parts_without_common_symbol(canonicalizer, *form);
  if (parts.size() < 2) return sum;
  std::vector<FormTerm> apart;
  for (const Polynomial& part : parts)
    std::ranges::move(shortest_or_factored(canonicalizer, part), std::back_inserter(apart));
  return cost(canonicalizer, apart) < cost(canonicalizer, sum) ? apart : sum;
}

std::vector<FormTerm> written_by_itself(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::vector<FormTerm> sum = shortest_or_factored(canonicalizer, form);
  if (sum.size() > 1) return with_parts_apart(canonicalizer, std::move(sum));
  for (FormTerm& term : sum)
    for (FormTerm::SumPower& power : term.sums) power.sum = with_parts_apart(canonicalizer, std::move(power.sum));
  return sum;
}

}  // namespace

std::optional<std::vector<FormTerm>> by_powers_of_roots(Canonicalizer& canonicalizer, const Polynomial& form,
                                                        const Expr& than) {
  const std::size_t operations = count_operations(std::array{than});
  if (form.size() > kMostCollected || operations < kLongEnough) return std::nullopt;
  std::map<Monomial, Polynomial> by_roots;
  for (const PolynomialTerm& term : form) by_roots[roots_of(canonicalizer, term)].push_back(term);
  if (by_roots.size() < 2) return std::nullopt;
  // In an order that does not depend on when a root was met first.
  std::map<std::vector<std::pair<std::string, int>>, std::pair<Monomial, Polynomial>> powers;
  for (auto& [roots, terms] : by_roots) {
    std::vector<std::pair<std::string, int>> key;
    for (const GeneratorPower& power : roots)
      key.emplace_back(canonicalizer.generator_order(power.generator), power.twelfths);
    std::ranges::sort(key);
    powers.emplace(std::move(key), std::pair(roots, std::move(terms)));
  }
  std::vector<FormTerm> all;
  for (const auto& [key, group] : std::views::reverse(powers)) {
    const auto& [roots, terms] = group;
    const auto factor = canonicalizer.canonical(without_roots(canonicalizer, terms, roots));
    if (!factor || factor->empty()) return std::nullopt;
    std::vector<FormTerm> sum = written_by_itself(canonicalizer, *factor);
    for (const GeneratorPower& power : roots)
      sum = {times(canonicalizer, std::move(sum), {power.generator, Trig::kOne, power.twelfths})};
    std::ranges::move(sum, std::back_inserter(all));
  }
  const Expr made = expression(canonicalizer, all);
  const bool shorter = 4 * count_operations(std::array{made}) <= 3 * operations;
  if (!shorter || decide_zero(canonicalizer, made - than) != ZeroTest::kZero) return std::nullopt;
  return all;
}

}  // namespace dalembert
