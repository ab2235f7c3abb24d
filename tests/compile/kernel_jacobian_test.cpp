// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "compile/reference_systems.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/machine/code_function.h"

namespace dalembert {
namespace {

// Arguments of the slider-crank near its manifold, by array.
struct Point {
  double t = 0.2;
  std::vector<double> q{0.8, 2.83, 0.88}, v{3, -1, -0.8}, qdd{1, 2, 3}, lambda{4, 5}, u{0.3, -0.7}, p;

  std::vector<double>& of(TapeArray array) {
    switch (array) {
      case TapeArray::kParameter:
        return p;
      case TapeArray::kInput:
        return u;
      case TapeArray::kVelocity:
        return v;
      case TapeArray::kAcceleration:
        return qdd;
      case TapeArray::kMultiplier:
        return lambda;
      default:
        return q;
    }
  }
  KernelArguments view(std::vector<double>& work, const double* prepared) const {
    return {.t = t,
            .q = q.data(),
            .v = v.data(),
            .qdd = qdd.data(),
            .lambda = lambda.data(),
            .u = u.data(),
            .p = p.data(),
            .prepared = prepared,
            .work = work.data()};
  }
};

// Oracle: central differences of the kernel itself with step h: their error is h²/6 times a third derivative, below 1e4
// here, and round-off 1e-13/h of values up to 1e2.
class KernelJacobians : public ::testing::TestWithParam<std::tuple<KernelFunction, bool>> {};

TEST_P(KernelJacobians, AreWhatDifferencesSay) {
  const auto [function, with_code] = GetParam();
  const testing::SliderCrank system;
  const Equations equations = system.equations();
  const TapeKernel kernel(equations);
  const std::vector<KernelArgument> by = arguments_of(
      equations, {SymbolKind::kCoordinate, SymbolKind::kVelocity, SymbolKind::kInput, SymbolKind::kParameter});
  KernelJacobian jacobian(equations, function, by);
  ASSERT_TRUE(jacobian.valid());
  CodeOptions options;
  if (with_code) jacobian.make_code(options);

  Point point;
  for (const Parameter& parameter : equations.model->parameters) point.p.push_back(parameter.value);
  std::vector<double> work(std::max(kernel.layout().work, jacobian.work())), values(jacobian.pattern().row.size());
  jacobian.call(point.view(work, nullptr), values.data());
  const auto evaluate = [&] {
    std::vector<double> prepared(kernel.layout().prepared), out(output_size(kernel.layout(), function));
    kernel.prepare(point.p.data(), prepared.data());
    kernel.call(function, point.view(work, prepared.data()), out.data());
    return out;
  };
  const bool solved = function >= KernelFunction::kAccelerations;
  const std::size_t rows = output_size(kernel.layout(), function) - (solved ? 2 : 0);
  std::vector<double> dense(rows * by.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    dense[static_cast<std::size_t>(jacobian.pattern().row[k]) * by.size() +
          static_cast<std::size_t>(jacobian.pattern().col[k])] = values[k];
  constexpr double h = 1e-6;
  for (std::size_t c = 0; c < by.size(); ++c) {
    double& x = point.of(array_of(by[c].kind))[static_cast<std::size_t>(by[c].index)];
    const double at = x;
    x = at + h;
    const std::vector<double> above = evaluate();
    x = at - h;
    const std::vector<double> below = evaluate();
    x = at;
    for (std::size_t r = 0; r < rows; ++r) {
      const double expected = (above[r] - below[r]) / (2 * h);
      EXPECT_NEAR(dense[r * by.size() + c], expected, 1e-6 * (1 + std::abs(expected))) << r << ", " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, KernelJacobians,
                         ::testing::Combine(::testing::Values(KernelFunction::kPosition, KernelFunction::kVelocity,
                                                              KernelFunction::kTerms, KernelFunction::kRates,
                                                              KernelFunction::kEnergy, KernelFunction::kOutputs,
                                                              KernelFunction::kPower, KernelFunction::kAccelerations,
                                                              KernelFunction::kVelocityStep),
                                            ::testing::Bool()));

}  // namespace
}  // namespace dalembert
