// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/cyclotomic.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace dalembert {
namespace {

using Terms = std::vector<RootSum::Term>;

constexpr std::int64_t kLargestGaussSum = 2000;

void merge(Terms& terms) {
  std::ranges::sort(terms, {}, &RootSum::Term::place);
  Terms merged;
  for (RootSum::Term& term : terms) {
    if (!merged.empty() && merged.back().place == term.place)
      merged.back().coefficient = merged.back().coefficient + term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const RootSum::Term& term) { return term.coefficient.is_zero(); });
  terms = std::move(merged);
}

std::int64_t power_modulo(std::int64_t base, std::int64_t exponent, std::int64_t modulus) {
  std::int64_t result = 1 % modulus;
  for (base %= modulus; exponent > 0; exponent >>= 1, base = base * base % modulus)
    if (exponent & 1) result = result * base % modulus;
  return result;
}

// The inverse of a modulo m, by Euclid's algorithm; a and m have no common factor.
std::int64_t inverse_modulo(std::int64_t a, std::int64_t m) {
  std::int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const std::int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return m == 1 ? 0 : (t0 % m + m) % m;
}

// Whether the sum vanishes. `primes` must contain all prime factors of `order`.
bool vanish(Terms terms, std::int64_t order, const std::vector<std::int64_t>& primes) {
  merge(terms);
  if (terms.empty()) return true;
  if (terms.size() == 1 || order == 1) return false;
  const std::int64_t p = *std::ranges::find_if(primes, [&](std::int64_t q) { return order % q == 0; });
  const std::int64_t rest = order / p;
  std::map<std::int64_t, Terms> parts;
  if (rest % p == 0) {
    // With ζ = ζ_order, order = p · rest and p dividing rest, Q(ζ) has the basis 1, ζ, …, ζ^(p−1) over Q(ζ_rest).
    for (const RootSum::Term& term : terms)
      parts[term.place % p].push_back({(term.place - term.place % p) / p, term.coefficient});
    return std::ranges::all_of(parts, [&](const auto& part) { return vanish(part.second, rest, primes); });
  }
  // Split place/order = a/p + b/rest, and let w_a be the sum of the terms with the same a, in Q(ζ_rest). The whole sum
  // Σ_a w_a ζ_p^a is 0 exactly when all w_a are equal.
  const std::int64_t to_a = inverse_modulo(rest, p), to_b = inverse_modulo(p, rest);
  for (const RootSum::Term& term : terms)
    parts[term.place % p * to_a % p].push_back({rest == 1 ? 0 : term.place % rest * to_b % rest, term.coefficient});
  if (static_cast<std::int64_t>(parts.size()) == p) {
    const auto smallest = std::ranges::min_element(parts, {}, [](const auto& part) { return part.second.size(); });
    const Terms common = std::move(smallest->second);
    parts.erase(smallest);
    for (auto& [a, part] : parts)
      for (const RootSum::Term& term : common) part.push_back({term.place, -term.coefficient});
  }
  return std::ranges::all_of(parts, [&](const auto& part) { return vanish(part.second, rest, primes); });
}

}  // namespace

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) primes.push_back(n);
  return primes;
}

void RootSum::add(const Rational& turn, const Rational& coefficient) {
  const auto above = turn.numerator().as_int(), below = turn.denominator().as_int();
  const std::int64_t n = above.value_or(0) % below.value_or(1), d = below.value_or(1);
  terms_.push_back({((n + d) % d) * (order_ / d), coefficient});
  if (terms_.size() % 64 == 0) merge(terms_);
}

void RootSum::add(const RootSum& other, const Rational& factor) {
  for (const Term& term : other.terms_) terms_.push_back({term.place, term.coefficient * factor});
  merge(terms_);
}

RootSum RootSum::times(const RootSum& other) const {
  RootSum product(order_);
  for (const Term& x : terms_)
    for (const Term& y : other.terms_)
      product.terms_.push_back({(x.place + y.place) % order_, x.coefficient * y.coefficient});
  merge(product.terms_);
  return product;
}

bool RootSum::vanishes() const { return vanish(terms_, order_, prime_factors(order_)); }

Rational RootSum::rational_part() const {
  Rational sum = 0;
  const std::vector<std::int64_t> primes = prime_factors(order_);
  for (const Term& term : terms_) {
    const std::int64_t n = order_ / std::gcd(order_, term.place);
    std::int64_t phi = n;
    int moebius = 1;
    for (const std::int64_t p : primes) {
      if (n % p != 0) continue;
      phi = phi / p * (p - 1);
      moebius = n / p % p == 0 ? 0 : -moebius;
    }
    if (moebius != 0) sum = sum + term.coefficient * Rational(moebius, phi);
  }
  return sum;
}

std::optional<RootSum> square_root_of_prime(std::int64_t prime, std::int64_t order) {
  RootSum root(order);
  if (prime == 2) {
    if (order % 8 != 0) return std::nullopt;
    root.add(Rational(1, 8), 1);
    root.add(Rational(-1, 8), 1);
    return root;
  }
  // Gauss sum: Σ (k/p) ζ_p^k is √p for p ≡ 1 mod 4 and i√p for p ≡ 3 mod 4, with the Legendre symbol (k/p).
  const bool real = prime % 4 == 1;
  if (prime > kLargestGaussSum || order % prime != 0 || (!real && order % 4 != 0)) return std::nullopt;
  for (std::int64_t k = 1; k < prime; ++k) {
    const bool residue = power_modulo(k, (prime - 1) / 2, prime) == 1;
    root.add(Rational(k, prime) - (real ? Rational(0) : Rational(1, 4)), residue ? 1 : -1);
  }
  return root;
}

}  // namespace dalembert
