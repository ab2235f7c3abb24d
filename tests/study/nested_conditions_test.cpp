// SPDX-License-Identifier: Apache-2.0
// Derivatives by the period of pulses whose conditions contain others: instants at which one condition jumps where another one is at its limit.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

struct Pulses {
  std::string formula;
  double by_period;  // of x(2 s), T = 0.3 s
};

class NestedConditions : public ::testing::TestWithParam<Pulses> {};

// A mass of 1 kg is at x = ∫(2 − t) p dt. Pulses of height h from α_j T to β_j T: ∂x/∂T = Σ h (β_j (2 − β_j T) − α_j (2 − α_j T)) over those that are over at 2 s; of the
// steps of floor(mod(t/T, 3)) from −2 to 1 likewise.
TEST_P(NestedConditions, HaveInstantsThatMoveWithThePeriod) {
  const BuiltModel system = value_of(build_model(
      std::make_shared<const Model>(value_of(load_model(make_source(
          "pulses",
          "coordinates = [\"x\"]\nparameters = {T = 0.3}\noutputs = {place = \"x\"}\n[energy]\nkinetic = \"x'^2/2\"\n"
          "[[force]]\ncoordinate = \"x\"\nvalue = \"" +
              GetParam().formula + "\"\n[initial]\nposition = {x = 0}\nvelocity = {x = 0}\n")))),
      {}, {.machine_code = false}));
  const State start = assemble_start(system.equations, system.dynamics).state;
  for (const Method method : {Method::kDop853, Method::kRadau}) {
    IntegrateOptions options{.until = 2, .rtol = 1e-10, .method = method};
    options.tangents = {{.name = "T"}};
    ASSERT_TRUE(find_tangents(system, options).empty());
    const Trajectory run = integrate(system.dynamics, start, options);
    EXPECT_NEAR(run.sensitivities[0].q[0].back(), GetParam().by_period, 1e-8);
    if (method != Method::kDop853) continue;
    options = {.until = 2, .rtol = 1e-10};
    ASSERT_TRUE(find_gradients(system, {"place"}, options).empty());
    const Trajectory back = integrate(system.dynamics, start, options);
    EXPECT_NEAR(back.gradients[0].by[0].value, GetParam().by_period, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, NestedConditions,
                         ::testing::Values(Pulses{"floor(t/T)", -14.7}, Pulses{"floor(mod(t/T, 3))", -1.2},
                                           Pulses{"floor(t/T) - 3*floor(t/(3*T))", -1.2},
                                           Pulses{"if(mod(t, T) < T/3, 1, 0)", 7. / 30},
                                           Pulses{"if(mod(t/T, 3) >= 1, 1, 0)", -0.4},
                                           Pulses{"mod(mod(t/T, 3), 1)", -31. / 270},
                                           Pulses{"floor(mod(t/T, 2.5))", -0.7}));

}  // namespace
}  // namespace dalembert
