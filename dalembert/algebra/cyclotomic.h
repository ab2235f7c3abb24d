// SPDX-License-Identifier: Apache-2.0
// Sums of roots of unity, Σ c·e^{2πi·turn} with rational c and turn: whether they vanish, and their values in square roots.
//
// All linear relations between roots of unity over Q follow from Σ_j e^{2πi(x + j/p)} = 0, one for each prime p (Lang, Algebra, VI §3;
// Conway and Jones, Acta Arith. 30 (1976) 229). So a sum is decomposed prime by prime, without matrices; denominators are limited only by
// the range of machine integers. √p is a sum of roots of unity as well (Gauss).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dalembert/expr/rational.h"

namespace dalembert {

/// A sum of roots of unity, Σ coefficient · e^{2πi·place/order}.
class RootSum {
 public:
  struct Term {
    std::int64_t place;  ///< number k of the root e^{2πi·k/order}, from 0 to order − 1
    Rational coefficient;
  };

  /// `order` must be positive and at most kMaxOrder.
  explicit RootSum(std::int64_t order) : order_(order) {}
  static constexpr std::int64_t kMaxOrder = 1'000'000'000;

  std::int64_t order() const { return order_; }
  const std::vector<Term>& terms() const { return terms_; }
  /// Adds coefficient · e^{2πi·turn}; the denominator of `turn` must divide the order.
  void add(const Rational& turn, const Rational& coefficient);
  void add(const RootSum& other, const Rational& factor = 1);  ///< both sums must have the same order
  RootSum times(const RootSum& other) const;                   ///< both sums must have the same order

  /// Whether the sum is 0; decided exactly.
  bool vanishes() const;
  /// The rational part of the sum: its average over all conjugates, Σ c·μ(n)/φ(n) with n the order of each root.
  Rational rational_part() const;

 private:
  std::int64_t order_;
  std::vector<Term> terms_;
};

/// √prime as a sum of roots of unity of the given order. Nothing if it is not such a sum (the order must be divisible by `prime`, also by 4
/// for prime ≡ 3 mod 4, and by 8 for 2), or if `prime` exceeds 2000.
std::optional<RootSum> square_root_of_prime(std::int64_t prime, std::int64_t order);

/// The distinct prime factors of n > 0, ascending.
std::vector<std::int64_t> prime_factors(std::int64_t n);

}  // namespace dalembert
