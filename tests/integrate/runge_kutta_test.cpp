// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/runge_kutta.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/method.h"

namespace dalembert {
namespace {

// A rooted tree: its order, γ (the density) and its children, as places in the list of all trees.
struct Tree {
  int order = 1;
  double density = 1;
  std::vector<int> children;
};

// All rooted trees up to an order: 1, 1, 2, 4, 9, 20, 48, 115 of them (Hairer, Nørsett & Wanner, table II.2.3).
std::vector<Tree> all_trees(int order) {
  std::vector<Tree> trees{Tree{}};
  for (int n = 2; n <= order; ++n) {
    const int known = static_cast<int>(trees.size());
    std::vector<int> children;
    std::function<void(int, int)> choose = [&](int left, int first) {
      if (left == 0) {
        Tree tree{n, static_cast<double>(n), children};
        for (int child : children) tree.density *= trees[child].density;
        trees.push_back(tree);
        return;
      }
      for (int child = first; child < known; ++child) {
        if (trees[child].order > left) continue;
        children.push_back(child);
        choose(left - trees[child].order, child);
        children.pop_back();
      }
    };
    choose(n - 1, 0);
  }
  return trees;
}

// Φᵢ of each tree at each stage: the product over the children of Σⱼ aᵢⱼ Φⱼ(child).
std::vector<std::vector<double>> stage_weights(const Tableau& tableau, const std::vector<Tree>& trees) {
  const auto stages = static_cast<std::size_t>(tableau.all_stages);
  std::vector<std::vector<double>> phi(trees.size(), std::vector<double>(stages, 1.0));
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t i = 0; i < stages; ++i)
      for (int child : trees[t].children) {
        double sum = 0;
        for (std::size_t j = 0; j < tableau.a[i].size(); ++j) sum += tableau.a[i][j] * phi[child][j];
        phi[t][i] *= sum;
      }
  return phi;
}

double weigh(const std::vector<double>& b, const std::vector<double>& phi) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * phi[i];
  return sum;
}

TEST(Trees, AreAllThere) {
  const std::vector<Tree> trees = all_trees(8);
  std::vector<int> count(9);
  for (const Tree& tree : trees) ++count[tree.order];
  EXPECT_EQ(count, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115}));
}

// Truth: theorem II.2.13: order p iff Σ bᵢΦᵢ(τ) = 1/γ(τ) for all trees of order <= p. Coefficients have 16 digits and
// reach 43, so a sum of products may be off by 1e-13. One tree of order p + 1 must fail, or the order would be higher
// than claimed.
TEST(Tableau, SatisfiesAllOrderConditions) {
  for (const ExplicitPair& pair : kExplicitPairs) {
    const Tableau* tableau = &pair.tableau();
    const std::vector<Tree> trees = all_trees(9);
    const auto phi = stage_weights(*tableau, trees);
    double failing = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const double off = weigh(tableau->b, phi[t]) - 1 / trees[t].density;
      if (trees[t].order <= tableau->order) {
        EXPECT_NEAR(off, 0, 1e-13) << tableau->name << " tree " << t;
      }
      if (trees[t].order == tableau->order + 1) failing = std::max(failing, std::abs(off));
    }
    EXPECT_GT(failing, 1e-8) << tableau->name;
    for (std::size_t i = 0; i < tableau->a.size(); ++i) {
      double sum = 0;
      for (double a : tableau->a[i]) sum += a;
      EXPECT_NEAR(sum, tableau->c[i], 5e-14) << tableau->name << " row " << i;
    }
  }
}

// Truth: an error estimate of order p̂ vanishes for trees up to p̂ and not for all of the next order. dop853: 5 and 3;
// dopri5: 4.
TEST(Tableau, ErrorEstimatesHaveTheirOrders) {
  const auto order_of = [](const Tableau& tableau, const std::vector<double>& e) {
    const std::vector<Tree> trees = all_trees(7);
    const auto phi = stage_weights(tableau, trees);
    int order = 7;
    for (std::size_t t = 0; t < trees.size(); ++t)
      if (std::abs(weigh(e, phi[t])) > 1e-12) order = std::min(order, trees[t].order - 1);
    return order;
  };
  EXPECT_EQ(order_of(dormand_prince_853(), dormand_prince_853().e), 5);
  EXPECT_EQ(order_of(dormand_prince_853(), dormand_prince_853().e_low), 3);
  EXPECT_EQ(order_of(dormand_prince_54(), dormand_prince_54().e), 4);
}

// Truth: II.6: the continuous extension has order p* iff Σ bᵢ(θ)Φᵢ(τ) = θ^ρ/γ(τ) for trees of order ρ <= p*.
TEST(Tableau, ContinuousExtensionHasItsOrder) {
  for (const ExplicitPair& pair : kExplicitPairs) {
    const Tableau* tableau = &pair.tableau();
    const std::vector<Tree> trees = all_trees(tableau->dense_order);
    const auto phi = stage_weights(*tableau, trees);
    const auto stages = static_cast<std::size_t>(tableau->all_stages), s = static_cast<std::size_t>(tableau->stages);
    for (double theta : {0.1, 0.35, 0.5, 0.77, 1.0}) {
      std::vector<double> b(stages);
      for (std::size_t i = 0; i < stages; ++i) {
        // Formula (2) of runge_kutta.h for h = 1 and kᵢ = 1, all others 0.
        const double difference = i < s ? tableau->b[i] : 0, first = i == 0, last = i == s;
        std::vector<double> F{difference, first - difference, 2 * difference - first - last};
        for (const auto& d : tableau->d) F.push_back(d[i]);
        for (std::size_t r = F.size(); r-- > 0;) b[i] = (b[i] + F[r]) * (r % 2 == 0 ? theta : 1 - theta);
      }
      for (std::size_t t = 0; t < trees.size(); ++t)
        EXPECT_NEAR(weigh(b, phi[t]), std::pow(theta, trees[t].order) / trees[t].density, 1e-12)
            << tableau->name << " tree " << t << " theta " << theta;
    }
  }
}

// y' = y cos t, y = exp(sin t): not autonomous and not polynomial.
class Wave : public RightHandSide {
 public:
  bool evaluate(double t, const double* y, double* dydt) override {
    dydt[0] = y[0] * std::cos(t);
    return true;
  }
};

// Errors at the end and at the middle of each step, from 0 to 2, with `steps` steps.
std::pair<double, double> wave_errors(const Tableau& tableau, int steps) {
  Wave wave;
  RungeKutta method(tableau, 1);
  double y = 1, y1 = 0, middle = 0, worst = 0;
  const double h = 2.0 / steps;
  wave.evaluate(0, &y, method.first_slope());
  for (int k = 0; k < steps; ++k) {
    method.advance(wave, k * h, &y, h, &y1);
    wave.evaluate((k + 1) * h, &y1, method.last_slope());
    method.make_dense(wave, k * h, &y, &y1, h);
    method.interpolate(0.6, &y, &middle);
    worst = std::max(worst, std::abs(middle - std::exp(std::sin((k + 0.6) * h))));
    method.shift();
    y = y1;
  }
  return {std::abs(y - std::exp(std::sin(2.0))), worst};
}

// Truth: the closed form; the error falls by 2^p when the step is halved, within a quarter of an order at these steps.
TEST(RungeKutta, ConvergesWithItsOrder) {
  const auto order = [](double coarse, double fine) { return std::log2(coarse / fine); };
  const auto dop_coarse = wave_errors(dormand_prince_853(), 4), dop_fine = wave_errors(dormand_prince_853(), 8);
  EXPECT_GT(order(dop_coarse.first, dop_fine.first), 7.5);
  EXPECT_GT(order(dop_coarse.second, dop_fine.second), 7.2);
  const auto coarse = wave_errors(dormand_prince_54(), 20), fine = wave_errors(dormand_prince_54(), 40);
  EXPECT_NEAR(order(coarse.first, fine.first), 5, 0.4);
  EXPECT_GT(order(coarse.second, fine.second), 4.6);
}

// What is looked at within a step leaves the estimate of stiffness as it is; that of y' = −30 y is 30 h for any step.
TEST(RungeKutta, LooksWithinAStepLeaveItsStiffnessAlone) {
  class Decay : public RightHandSide {
   public:
    bool evaluate(double, const double* y, double* dydt) override {
      dydt[0] = -30 * y[0];
      return true;
    }
  };
  for (const Tableau* tableau : {&dormand_prince_853(), &dormand_prince_54()}) {
    Decay decay;
    RungeKutta method(*tableau, 1);
    const double y = 1, h = 0.05;
    double y1 = 0, within = 0;
    decay.evaluate(0, &y, method.first_slope());
    method.advance(decay, 0, &y, h, &y1);
    y1 += 1e-3;  // as a projection would move it
    decay.evaluate(h, &y1, method.last_slope());
    const double before = method.stiffness(&y1, h);
    EXPECT_NEAR(before, 30 * h, 1e-9);
    method.make_dense(decay, 0, &y, &y1, h);
    method.interpolate(0.3, &y, &within);
    EXPECT_EQ(method.stiffness(&y1, h), before) << tableau->name;
  }
}

// Truth: interpolate() in the step itself.
TEST(RungeKutta, KeptExtensionsAreThoseOfTheirSteps) {
  for (const Tableau* tableau : {&dormand_prince_853(), &dormand_prince_54()}) {
    Wave wave;
    RungeKutta method(*tableau, 1);
    const double h = 0.25;
    double y = 1, y1 = 0, there = 0, kept_there = 0;
    std::vector<double> kept;
    wave.evaluate(0, &y, method.first_slope());
    for (int k = 0; k < 2; ++k) {
      method.advance(wave, k * h, &y, h, &y1);
      wave.evaluate((k + 1) * h, &y1, method.last_slope());
      method.make_dense(wave, k * h, &y, &y1, h);
      if (k == 0) {
        method.interpolate(0.7, &y, &there);
        ASSERT_TRUE(method.keep_dense(&y, kept));
      }
      method.shift();
      y = y1;
    }
    method.interpolate_kept(kept, 0.7, &kept_there);
    EXPECT_EQ(kept_there, there) << tableau->name;
  }
}

}  // namespace
}  // namespace dalembert
