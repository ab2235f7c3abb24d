// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/step_control.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/method.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert::integration {
namespace {

// Steps of a motion whose error in a step of length h is φ(i)·h^k, i the number of steps made.
struct Steps {
  std::vector<double> errors;  // of the accepted ones
  int rejected = 0;
};
template <class Phi>
Steps make_steps(const MethodFacts& method, int count, Phi&& phi) {
  StepControl control;
  Steps steps;
  double h = 0.1;
  while (static_cast<int>(steps.errors.size()) < count) {
    const double error = phi(static_cast<int>(steps.errors.size())) * std::pow(h, method.error_order + 1);
    if (error > 1) {
      ++steps.rejected;
      h *= control.after_rejection(method, error, true);
      continue;
    }
    steps.errors.push_back(error);
    h *= control.after_step(method, h, error, h);
  }
  return steps;
}

// Truth: the fixed point of h₁ = S·√(h·h_pred) in logarithms, with S = 0.87. Where φ grows by the factor r from step to
// step, h falls by r^(−1/k) and the error is S^(2k)·r; each step halves what is left of a deviation. So an error of half
// of what is allowed is kept where r = S^(−2k)/2, without rejections.
TEST(StepControl, FollowsAnErrorThatGrows) {
  for (const ExplicitPair& pair : kExplicitPairs) {
    const MethodFacts& method = pair.tableau();
    const double k = method.error_order + 1;
    const double r = 0.5 * std::pow(0.87, -2 * k);
    const Steps steps = make_steps(method, 100, [&](int i) { return 1e6 * std::pow(r, i); });
    for (std::size_t i = 50; i < 100; ++i) EXPECT_NEAR(steps.errors[i], 0.5, 1e-3) << method.name << " " << i;
    EXPECT_LE(steps.rejected, 3) << method.name;
  }
}

// A step that something else cut short does not make the next ones short, whatever its error says. Truth: with φ
// constant the next step is as long as the one before the cut.
TEST(StepControl, ForgetsAStepThatWasCut) {
  const MethodFacts& method = dormand_prince_853();
  StepControl control;
  double h = 0.1;
  const auto error_of = [&](double length) { return 1e6 * std::pow(length, 8); };
  for (int i = 0; i < 100; ++i) h *= control.after_step(method, h, error_of(h), h);
  const double before = h, cut = h / 3;
  double next = cut * control.after_step(method, cut, error_of(cut), h);
  EXPECT_GE(next, before);
  EXPECT_LE(error_of(next), 1);
  for (int i = 0; i < 3; ++i) next *= control.after_step(method, next, error_of(next), next);
  EXPECT_NEAR(next, before, 0.1 * before);
}

// Truth: arithmetic.
TEST(StepControl, RootsAreThoseOfNumbers) {
  for (const int degree : {1, 2, 3, 4, 5, 6, 8, 12})
    for (const double x : {1e-8, 0.3, 1.0, 7.0, 1e9})
      EXPECT_NEAR(std::pow(rough_root(x, degree), degree), x, 1e-6 * x) << degree << " " << x;
}

}  // namespace
}  // namespace dalembert::integration
