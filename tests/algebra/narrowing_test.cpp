// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/narrowing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();

class Narrowing : public ::testing::Test {
 protected:
  Narrowing() {
    for (const char* name : {"x", "y", "z", "u", "v"})
      symbols_.push_back(graph_.add_symbol({name, SymbolKind::kCoordinate, static_cast<int>(symbols_.size()), {}}));
  }
  double value(const Expr& f, const std::vector<double>& at) const {
    return evaluate(f, [&](SymbolId s) { return at[static_cast<std::size_t>(graph_.symbol_info(s).index)]; });
  }
  BoundedFunctions bounded(const std::vector<Expr>& functions) const {
    return {functions, symbols_, [](SymbolId) { return std::nan(""); }};
  }
  // Whole numbers, sums, products, powers and functions.
  Expr random_function(std::mt19937& random, int depth) {
    const auto pick = [&](unsigned n) { return random() % n; };
    if (depth == 0) return pick(5) == 0 ? graph_.constant(Rational(static_cast<int>(pick(7)) - 3)) : symbols_[pick(3)];
    const Expr a = random_function(random, depth - 1);
    switch (pick(9)) {
      case 0:
      case 1:
        return a + random_function(random, depth - 1) * 2;
      case 2:
      case 3:
        return a * random_function(random, depth - 1);
      case 4:
        return sin(a);
      case 5:
        return cos(a);
      case 6:
        return pow(a, Rational(static_cast<int>(pick(4)) + 1));
      case 7:
        return sqrt(square(a) + 1);
      default:
        return a / (square(random_function(random, depth - 1)) + 1);
    }
  }

  Graph graph_;
  std::vector<Expr> symbols_;
};

// Truth: a point at which a function has its value is a zero of the difference, and no narrowing may lose it. Round-off of
// the value is a variable of its own, u and v.
TEST_F(Narrowing, LosesNoZero) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-2, 2), part(0, 1);
  int narrowed = 0;
  for (int trial = 0; trial < 8000; ++trial) {
    const std::vector<double> at{unit(random), unit(random), unit(random)};
    std::vector<Expr> zeros;
    for (int k = 0; k < 2; ++k) {
      const Expr f = random_function(random, 3);
      const double here = value(f, at);
      if (!std::isfinite(here) || std::abs(here) > 1e6) continue;
      zeros.push_back(f - here - symbols_[3 + static_cast<std::size_t>(k)]);
    }
    if (zeros.empty()) continue;
    BoundedFunctions functions = bounded(zeros);
    ASSERT_TRUE(functions.known());
    Box box(5);
    for (std::size_t i = 0; i < 3; ++i)
      if (random() % 8 != 0) box[i] = {at[i] - 3 * part(random), at[i] + 3 * part(random)};
    box[3] = box[4] = {-1e-9, 1e-9};
    std::vector<Stretch> values;
    functions.bound(box, values);
    for (const Stretch& one : values) ASSERT_TRUE(one.contains(0)) << trial;
    const Box before = box;
    for (int pass = 0; pass < 3; ++pass) ASSERT_TRUE(functions.narrow_to_zeros(box)) << trial;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(box[i].contains(at[i])) << trial << " " << i;
      narrowed += box[i].width() < 0.9 * before[i].width() ? 1 : 0;
    }
  }
  EXPECT_GT(narrowed, 800);
}

// Truth: x² + y² = 4 bounds both by 2; with x = 3 nothing is left.
TEST_F(Narrowing, BoundsWhatIsUnbounded) {
  BoundedFunctions circle = bounded({square(symbols_[0]) + square(symbols_[1]) - 4});
  Box box(5);
  ASSERT_TRUE(circle.narrow_to_zeros(box));
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(box[static_cast<std::size_t>(i)].lower, -2, 1e-9);
    EXPECT_NEAR(box[static_cast<std::size_t>(i)].upper, 2, 1e-9);
  }
  EXPECT_EQ(box[2].upper, kEver);
  box[0] = {3, 3};
  EXPECT_FALSE(circle.narrow_to_zeros(box));
}

// Truth: cos x = 1/2 in [−1, 7] at π/3 and 2π − π/3; near π nowhere.
TEST_F(Narrowing, KnowsTheBranchesOfCosines) {
  BoundedFunctions half = bounded({cos(symbols_[0]) - Rational(1, 2)});
  Box box(5);
  box[0] = {-1, 7};
  ASSERT_TRUE(half.narrow_to_zeros(box));
  EXPECT_NEAR(box[0].lower, M_PI / 3, 1e-9);
  EXPECT_NEAR(box[0].upper, 2 * M_PI - M_PI / 3, 1e-9);
  box[0] = {2, 4};
  EXPECT_FALSE(half.narrow_to_zeros(box));
  EXPECT_FALSE(bounded({abs(symbols_[0])}).known());
}

}  // namespace
}  // namespace dalembert
