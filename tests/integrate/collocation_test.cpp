// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/collocation.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert::integration {
namespace {

// x'' = −x with two right-hand sides, of which the second has x'' = −x + 1.
class Oscillator {
 public:
  explicit Oscillator(Collocation& made) : made_(made) {
    made_.resize(2, 2);
    made_.use_all_entries();
    for (std::size_t i = 0; i < made_.nodes(); ++i) {
      made_.A(i, 0, 1) = 1;
      made_.A(i, 1, 0) = -1;
      made_.b(i, 1, 1) = 1;
    }
  }
  // Makes steps from x = (1, 0) and (0, 0). With `follow`, each knows that it follows the last one.
  void run(double h, int steps, bool follow) {
    x_ = {{1, 0}, {0, 0}};
    for (int k = 0; k < steps; ++k) {
      ASSERT_TRUE(follow ? made_.advance(h, x_, k * h) : made_.advance(h, x_));
      for (std::size_t c = 0; c < 2; ++c)
        for (std::size_t i = 0; i < 2; ++i) x_[c][i] += made_.change(c, i);
    }
  }
  // The largest error at t, from the solutions cos t and 1 − cos t.
  double error(double t) const {
    return std::max({std::abs(x_[0][0] - std::cos(t)), std::abs(x_[0][1] + std::sin(t)),
                     std::abs(x_[1][0] - 1 + std::cos(t)), std::abs(x_[1][1] - std::sin(t))});
  }
  const std::vector<std::vector<double>>& x() const { return x_; }

 private:
  Collocation& made_;
  std::vector<std::vector<double>> x_;
};

// Truth: the orders of the rules (Hairer & Wanner, IV.5): 2s for Gauss, 2s − 1 for Radau. Halving the step divides the error by 2 to this power; a power less is
// allowed for terms of higher order.
TEST(Collocation, HasTheOrderOfItsRule) {
  struct Rule {
    bool stiff;
    std::size_t nodes;
    double h;
    int order;
  };
  for (const auto& [stiff, nodes, h, order] :
       {Rule{false, 5, 1, 10}, Rule{false, 7, 2.5, 14}, Rule{true, 5, 1, 9}, Rule{true, 7, 2.5, 13}}) {
    Collocation rule(stiff, false, nodes);
    Oscillator motion(rule);
    motion.run(h, 2, false);
    const double whole = motion.error(2 * h);
    motion.run(h / 2, 4, false);
    EXPECT_GT(whole / motion.error(2 * h), std::pow(2, order - 1)) << stiff << nodes;
    EXPECT_LT(whole, 1e-6) << stiff << nodes;
  }
}

// Truth: the same steps without a guess, to the round-off at which the iteration ends.
TEST(Collocation, AGuessChangesNothing) {
  for (const std::size_t nodes : {Collocation::kNodes, Collocation::kMostNodes}) {
    Collocation alone(false, false, nodes), following(false, false, nodes);
    Oscillator one(alone), other(following);
    one.run(0.3, 20, false);
    other.run(0.3, 20, true);
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(one.x()[c][i], other.x()[c][i], 1e-13);
    EXPECT_LT(other.error(6), nodes == Collocation::kNodes ? 1e-12 : 1e-13);
  }
}

// Truth: e^h and the turn by h. The estimate is the error of growth within a factor, and above that of an oscillation.
TEST(Collocation, TheErrorIsEstimated) {
  for (const double h : {1.5, 2.0, 2.5, 3.0, 4.0}) {
    Collocation growing(false, false, Collocation::kMostNodes), turning(false, false, Collocation::kMostNodes);
    growing.resize(1, 1);
    growing.use_all_entries();
    for (std::size_t i = 0; i < growing.nodes(); ++i) growing.A(i, 0, 0) = 1;
    ASSERT_TRUE(growing.advance(h, {{1}}));
    const double size = h * growing.steepest(0, 0), error = std::abs(1 + growing.change(0, 0) - std::exp(h)) / size;
    const double estimate = growing.error_of(std::abs(growing.doubt(0, 0)) / size);
    EXPECT_GT(estimate, error) << h;
    EXPECT_LT(estimate, 4 * error) << h;
    Oscillator motion(turning);
    motion.run(h, 1, false);
    double doubt = 0;
    for (std::size_t i = 0; i < 2; ++i) doubt = std::max(doubt, std::abs(turning.doubt(0, i)) / h);
    EXPECT_GT(turning.error_of(doubt), motion.error(h)) << h;
  }
}

}  // namespace
}  // namespace dalembert::integration
