// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/prime_field.h"

#include <algorithm>
#include <utility>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::uint64_t kPrime = PrimeFieldPoint::kPrime;
// Angles may have fractions of a part up to such a denominator: cos(theta/2).
constexpr int kFraction = 24;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
std::uint64_t negative(std::uint64_t a) { return a == 0 ? 0 : kPrime - a; }
std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return add(static_cast<std::uint64_t>(product & kPrime), static_cast<std::uint64_t>(product >> 61));
}
std::uint64_t power(std::uint64_t a, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, a = multiply(a, a))
    if ((exponent & 1U) != 0) result = multiply(result, a);
  return result;
}
std::uint64_t inverse(std::uint64_t a) { return power(a, kPrime - 2); }

std::uint64_t digits_modulo(const std::string& integer) {
  std::uint64_t value = 0;
  for (const char c : integer)
    if (c >= '0' && c <= '9') value = add(multiply(value, 10), static_cast<std::uint64_t>(c - '0'));
  return integer.starts_with('-') ? negative(value) : value;
}

std::optional<std::uint64_t> modulo(const Rational& number) {
  const std::uint64_t below = digits_modulo(number.denominator().to_string());
  if (below == 0) return std::nullopt;
  return multiply(digits_modulo(number.numerator().to_string()), inverse(below));
}

// a^(k/2)
std::optional<std::uint64_t> raised(std::uint64_t a, const Rational& exponent) {
  const std::optional<int> halves = (exponent * Rational(2)).as_int();
  if (!halves) return std::nullopt;
  std::uint64_t base = a;
  int times = *halves;
  if (times % 2 == 0) {
    times /= 2;
  } else {
    base = power(a, (kPrime + 1) / 4);
    if (multiply(base, base) != a) return std::nullopt;
  }
  if (times < 0 && base == 0) return std::nullopt;
  return times >= 0 ? power(base, static_cast<std::uint64_t>(times))
                    : inverse(power(base, static_cast<std::uint64_t>(-times)));
}

}  // namespace

PrimeFieldPoint::PrimeFieldPoint(const Graph& graph, std::uint64_t seed, std::unordered_map<SymbolId, Rational> known)
    : graph_(graph), state_(seed), given_(std::move(known)) {}

// SplitMix64.
std::uint64_t PrimeFieldPoint::random() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return (z ^ (z >> 31)) % kPrime;
}

std::optional<std::uint64_t> PrimeFieldPoint::known(NodeId node) const {
  const auto found = values_.find(node);
  return found == values_.end() ? std::nullopt : found->second;
}

std::optional<std::uint64_t> PrimeFieldPoint::value(const Expr& expression) {
  const std::vector<Expr> roots{expression};
  for (const NodeId node : reachable(roots))
    if (!values_.contains(node)) {
      const std::optional<std::uint64_t> computed = compute(node);
      values_.emplace(node, computed);
    }
  return known(expression.id());
}

std::optional<std::uint64_t> PrimeFieldPoint::compute(NodeId node) {
  switch (graph_.op(node)) {
    case Op::kConstant:
      return modulo(graph_.number(node));
    case Op::kPi:
      return random();
    case Op::kSymbol: {
      const auto found = given_.find(graph_.symbol_of(node));
      return found == given_.end() ? random() : modulo(found->second);
    }
    case Op::kSum: {
      std::optional<std::uint64_t> sum = modulo(graph_.number(node));
      for (const Graph::Item& item : graph_.items(node)) {
        const auto term = known(item.node), factor = modulo(graph_.number(item));
        if (!term || !factor || !sum) return std::nullopt;
        sum = add(*sum, multiply(*term, *factor));
      }
      return sum;
    }
    case Op::kProduct: {
      std::optional<std::uint64_t> product = modulo(graph_.number(node));
      for (const Graph::Item& item : graph_.items(node)) {
        const auto base = known(item.node);
        const auto factor = base ? raised(*base, graph_.number(item)) : std::nullopt;
        if (!factor || !product) return std::nullopt;
        product = multiply(*product, *factor);
      }
      return product;
    }
    case Op::kSin:
    case Op::kCos:
    case Op::kTan: {
      const std::optional<Circle> at = circle(graph_.items(node)[0].node);
      if (!at) return std::nullopt;
      if (graph_.op(node) == Op::kSin) return at->sine;
      if (graph_.op(node) == Op::kCos) return at->cosine;
      if (at->cosine == 0) return std::nullopt;
      return multiply(at->sine, inverse(at->cosine));
    }
    default:
      return std::nullopt;
  }
}

// An angle as Σ coefficient · part, parts being what is no sum and no multiple.
PrimeFieldPoint::AngleParts PrimeFieldPoint::parts_of(NodeId angle) const {
  AngleParts parts;
  const auto add_part = [&](NodeId node, const Rational& factor) {
    if (graph_.op(node) == Op::kProduct) {
      std::string key;
      for (const Graph::Item& item : graph_.items(node))
        key += std::to_string(item.node) + "^" + graph_.number(item).to_string() + " ";
      // A multiple of one symbol is a multiple of its angle.
      if (graph_.items(node).size() == 1 && graph_.number(graph_.items(node)[0]).is_one())
        key = std::to_string(graph_.items(node)[0].node);
      parts.emplace_back(key, factor * graph_.number(node));
    } else if (graph_.op(node) == Op::kConstant) {
      parts.emplace_back("1", factor * graph_.number(node));
    } else {
      parts.emplace_back(std::to_string(node), factor);
    }
  };
  if (graph_.op(angle) != Op::kSum) {
    add_part(angle, 1);
    return parts;
  }
  if (!graph_.number(angle).is_zero()) parts.emplace_back("1", graph_.number(angle));
  for (const Graph::Item& item : graph_.items(angle)) {
    if (graph_.op(item.node) == Op::kSum) {
      for (auto& [key, factor] : parts_of(item.node)) parts.emplace_back(key, factor * graph_.number(item));
    } else {
      add_part(item.node, graph_.number(item));
    }
  }
  return parts;
}

std::optional<PrimeFieldPoint::Circle> PrimeFieldPoint::circle(NodeId angle) {
  Circle all;
  for (const auto& [key, factor] : parts_of(angle)) {
    auto found = circles_.find(key);
    if (found == circles_.end()) {
      const std::uint64_t s = random(), squared = multiply(s, s), below = add(1, squared);
      if (below == 0) return std::nullopt;
      const std::uint64_t over = inverse(below);
      found = circles_.emplace(key, Circle{multiply(add(1, negative(squared)), over), multiply(add(s, s), over)}).first;
    }
    // A decimal number is one fixed angle; only its own multiples are known to be that.
    const std::optional<int> times = (factor * Rational(kFraction)).as_int();
    if (!times || std::abs(*times) > 1000 * kFraction) return std::nullopt;
    Circle turn = found->second;
    if (*times < 0) turn.sine = negative(turn.sine);
    for (int left = std::abs(*times); left != 0; left >>= 1) {
      const auto turned = [](const Circle& a, const Circle& b) {
        return Circle{add(multiply(a.cosine, b.cosine), negative(multiply(a.sine, b.sine))),
                      add(multiply(a.sine, b.cosine), multiply(a.cosine, b.sine))};
      };
      if ((left & 1) != 0) all = turned(all, turn);
      turn = turned(turn, turn);
    }
  }
  return all;
}

bool PrimeFieldRank::add(std::vector<std::uint64_t> row) {
  for (const auto& [pivot, with] : rows_) {
    const std::uint64_t factor = row[pivot];
    if (factor == 0) continue;
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = dalembert::add(row[j], negative(multiply(factor, with[j])));
  }
  const auto at = std::ranges::find_if(row, [](std::uint64_t x) { return x != 0; });
  if (at == row.end()) return false;
  const auto pivot = static_cast<std::size_t>(at - row.begin());
  const std::uint64_t over = inverse(*at);
  for (std::uint64_t& x : row) x = multiply(x, over);
  rows_.emplace_back(pivot, std::move(row));
  return true;
}

}  // namespace dalembert
