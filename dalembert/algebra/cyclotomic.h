// SPDX-License-Identifier: Apache-2.0
// Sums of roots of unity, Σ c·e^{2πi·turn} with rational c and turn: whether they vanish, and their values in square
// roots.
//
// All linear relations between roots of unity over Q come from Σ_j e^{2πi(x + j/p)} = 0, one for each prime p (Lang,
// Algebra, VI §3; Conway and Jones, Acta Arith. 30 (1976) 229). So a sum is taken apart prime by prime, without
// matrices and without a bound on the denominators but that of machine integers. √p is a sum of roots of unity as well
// (Gauss).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dalembert/expr/rational.h"

namespace dalembert {

/// Σ coefficient · e^{2πi·place/order}
class RootSum {
 public:
  struct Term {
    std::int64_t place;  ///< 0 … order − 1
    Rational coefficient;
  };

  /// `order` must be positive and at most kMaxOrder.
  explicit RootSum(std::int64_t order) : order_(order) {}
  static constexpr std::int64_t kMaxOrder = 1'000'000'000;

  std::int64_t order() const { return order_; }
  const std::vector<Term>& terms() const { return terms_; }
  /// c · e^{2πi·turn}; the denominator of `turn` divides the order.
  void add(const Rational& turn, const Rational& coefficient);
  void add(const RootSum& other, const Rational& factor = 1);  ///< of the same order
  RootSum times(const RootSum& other) const;                   ///< of the same order

  /// Decided exactly.
  bool vanishes() const;
  /// The average over all conjugates, Σ c·μ(n)/φ(n) with n the order of each root: the rational part.
  Rational rational_part() const;

 private:
  std::int64_t order_;
  std::vector<Term> terms_;
};

/// √prime as a sum of roots of unity of that order. Nothing where it is none (the order must be divisible by p, and by
/// 4 for p ≡ 3 mod 4, by 8 for 2), and for p above 2000.
std::optional<RootSum> square_root_of_prime(std::int64_t prime, std::int64_t order);

/// The different primes of n > 0, ascending.
std::vector<std::int64_t> prime_factors(std::int64_t n);

}  // namespace dalembert
