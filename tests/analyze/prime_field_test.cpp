// SPDX-License-Identifier: Apache-2.0
// Arithmetic of prime fields and Taylor polynomials against identities that hold in any field.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "dalembert/analyze/integrability/bounded_number.h"
#include "dalembert/analyze/integrability/prime_field.h"
#include "dalembert/analyze/integrability/taylor.h"

namespace dalembert {
namespace {

using Number = PrimeField::Number;

TEST(PrimeField, RootsAndAnglesAgree) {
  std::uint64_t state = 5;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::array<std::int64_t, 2> squares{7, 11};
    const auto field = PrimeField::choose(seed, squares);
    ASSERT_TRUE(field);
    const auto at = [&](const Rational& x) { return field->of(x).value(); };
    const auto root = [&](std::int64_t x) { return field->raised(at(x), Rational(1, 2)).value(); };
    EXPECT_EQ(field->multiply(at(Rational(2, 3)), at(Rational(3, 4))), at(Rational(1, 2)));
    EXPECT_EQ(field->multiply(root(7), root(7)), at(7));
    EXPECT_EQ(field->multiply(root(7), root(11)), root(77));
    // 60° and 45° have their cosines in roots; 2 cos 36° is the golden section.
    EXPECT_EQ(field->at(PrimeField::kTurn / 6).cosine, at(Rational(1, 2)));
    EXPECT_EQ(field->at(PrimeField::kTurn / 12).cosine, field->multiply(root(3), at(Rational(1, 2))));
    EXPECT_EQ(field->at(PrimeField::kTurn / 12).sine, at(Rational(1, 2)));
    EXPECT_EQ(field->at(PrimeField::kTurn / 8).sine, field->at(PrimeField::kTurn / 8).cosine);
    EXPECT_EQ(field->at(PrimeField::kTurn / 8).cosine, field->multiply(root(2), at(Rational(1, 2))));
    EXPECT_EQ(field->multiply(at(4), field->at(PrimeField::kTurn / 10).cosine), field->add(root(5), at(1)));
    EXPECT_EQ(field->at(PrimeField::kTurn / 2).cosine, at(-1));
    EXPECT_EQ(field->fraction(at(Rational(-355, 113))), Rational(-355, 113));
    EXPECT_FALSE(field->fraction(field->of_bits(next_random(state))));
    const Number any = field->of_bits(next_random(state));
    EXPECT_EQ(field->power(field->raised(any, Rational(1, 3)).value(), 3), any);
    EXPECT_EQ(field->multiply(field->raised(at(49), Rational(-3, 2)).value(), at(343)), at(1));
  }
}

template <class Field>
void expect_equal(const Field& field, const typename Taylor<Field>::Polynomial& a,
                  const typename Taylor<Field>::Polynomial& b);
template <>
void expect_equal(const PrimeField&, const std::vector<Number>& a, const std::vector<Number>& b) {
  EXPECT_EQ(a, b);
}
// Within the bounds of both.
template <>
void expect_equal(const BoundedNumbers&, const std::vector<BoundedNumber>& a, const std::vector<BoundedNumber>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LE(std::abs(a[i].value - b[i].value), a[i].error + b[i].error);
    EXPECT_LT(a[i].error, 1e-10);
  }
}

// a · a⁻¹ = 1, (√a)² = a, cos² + sin² = 1, exp a · exp(−a) = 1 and d(log a) = da/a, as polynomials of 3 variables.
template <class Field>
void expect_identities(const Field& field, const std::vector<typename Field::Number>& values) {
  using Polynomial = typename Taylor<Field>::Polynomial;
  const Taylor<Field> taylor(field, 3, 4);
  ASSERT_EQ(taylor.monomials().size(4), static_cast<std::size_t>(Monomials::count(3, 4)));
  Polynomial a(taylor.monomials().size(4));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = values[i % values.size()];
  a[0] = field.of(4);
  const Polynomial one = taylor.constant(field.one());
  const auto half = field.inverse(field.of(2));
  expect_equal(field, taylor.product(a, taylor.inverse(a)), one);
  const Polynomial root = taylor.power(a, half, field.of(2));
  expect_equal(field, taylor.product(root, root), a);
  const auto circle = taylor.circle(a, field.one(), field.zero());
  Polynomial sum = taylor.product(circle.cosine, circle.cosine);
  taylor.add_to(sum, taylor.product(circle.sine, circle.sine), field.one());
  expect_equal(field, sum, one);
  const Polynomial up = taylor.exponential(a, field.one());
  expect_equal(field, taylor.product(up, taylor.exponential(taylor.scaled(a, field.of(-1)), field.one())), one);
  Polynomial log = taylor.integrated(taylor.inverse(a), a, field.zero());
  expect_equal(field, taylor.exponential(log, field.of(4)), a);
  // ∂(a²)/∂x = 2 a ∂a/∂x
  Polynomial left, right;
  taylor.add_derivative(left, taylor.product(a, a), 1, one, 3, false);
  taylor.add_derivative(right, a, 1, taylor.scaled(a, field.of(2)), 3, false);
  expect_equal(field, left, right);
}

TEST(Taylor, Identities) {
  const auto field = PrimeField::choose(3);
  ASSERT_TRUE(field);
  std::uint64_t state = 9;
  std::vector<Number> values;
  for (int i = 0; i < 40; ++i) values.push_back(field->of_bits(next_random(state)));
  expect_identities(*field, values);
  std::vector<BoundedNumber> numbers;
  for (int i = 0; i < 40; ++i) numbers.push_back({static_cast<double>(next_random(state) % 1000) / 1000 - 0.5, 0});
  expect_identities(BoundedNumbers(), numbers);
}

// Rows that differ by less than their bounds are not independent; the doubt says how far they may be.
TEST(BoundedRank, CountsWhatIsCertain) {
  BoundedRank rank;
  EXPECT_TRUE(rank.add({{1, 0}, {2, 0}}));
  EXPECT_FALSE(rank.add({{2, 1e-12}, {4 + 1e-13, 1e-12}}));
  EXPECT_GT(rank.doubt(), 1e-13);
  EXPECT_LT(rank.doubt(), 1e-11);
  EXPECT_TRUE(rank.add({{2, 1e-12}, {4 + 1e-10, 1e-12}}));
}

}  // namespace
}  // namespace dalembert
