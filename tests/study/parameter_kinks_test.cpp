// SPDX-License-Identifier: Apache-2.0
// Parameters at a value where the model has a kink, a jump or an infinite slope: no derivative of the run by them is given, and those by the others are. Oracle: a
// mass of 1 kg under the constant force f is at x = f t²/2, so ∂x/∂p = f'(p) t²/2.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

BuiltModel kinked_model(const std::string& force, double p, const std::string& more = "") {
  const std::string text = fmt::format(R"toml(coordinates = ["x"]
parameters = {{p = {}, f = 3}}
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = "f + {}"
{})toml",
                                       p, force, more);
  Result<Model> loaded = load_model(make_source("kinked", text), {});
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
}

Trajectory kinked_run(const BuiltModel& system) {
  IntegrateOptions options{.until = 2};
  options.tangents = {{.name = "p"}, {.name = "f"}};
  EXPECT_TRUE(find_tangents(system, options).empty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

struct Kinked {
  const char* force;
  double p;
  const char* why;
};

TEST(ParameterKinks, HaveNoDerivatives) {
  for (const Kinked& one : {Kinked{"abs(p)^0.3", 0, "has an infinite slope at p = 0"},
                            {"abs(p)^0.3*x", 0, "has an infinite slope at p = 0"},
                            {"p^0.4", 0, "has an infinite slope at p = 0"},
                            {"acos(p)", 1, "has an infinite slope at p = 1"},
                            {"abs(p - 1)", 1, "`abs(p - 1)` has a kink at p = 1"},
                            {"max(p, 0.3)*cos(t)", 0.3, "has a kink at p = 0.3"},
                            {"2*min(3*p - 0.3, 0)*x'", 0.1, "has a kink at p = 0.1"},
                            {"1e-3*abs(1e-6*p)", 0, "has a kink at p = 0"},
                            {"sign(p)", 0, "jumps at p = 0"},
                            {"floor(p)*t", 2, "jumps at p = 2"},
                            {"if(p > 1, t, x)", 1, "jumps at p = 1"}}) {
    const Trajectory run = kinked_run(kinked_model(one.force, one.p));
    ASSERT_EQ(run.status, RunStatus::kOk) << one.force << run.reason;
    EXPECT_THAT(run.verdict.warnings,
                ElementsAre(testing::AllOf(HasSubstr("the derivatives by `p` are unknown from t = 0 s on: "),
                                           HasSubstr(one.why))))
        << one.force;
    EXPECT_TRUE(std::isnan(run.sensitivities[0].q[0].front())) << one.force;
    EXPECT_TRUE(std::isnan(run.sensitivities[0].q[0].back())) << one.force;
    EXPECT_TRUE(std::isfinite(run.sensitivities[1].q[0].back())) << one.force;
  }
}

// Beside a kink, and where what has none is a factor of what makes it smooth. To the error of the run.
TEST(ParameterKinks, AreNotSeenWhereThereIsADerivative) {
  struct Smooth {
    const char* force;
    double p, slope;
  };
  for (const Smooth& one : {Smooth{"p*abs(p)", 0, 0},
                            {"abs(p)^1.5", 0, 0},
                            {"abs(p - 1)", 1.001, 1},
                            {"abs(p - 1)^0.3", 2, 0.3},
                            {"max(abs(p), 3)", 0, 0},
                            {"p^3 + 2*p", 0, 2},
                            {"if(p > 1, 2*p, p + 1)", 0.5, 1},
                            {"floor(p)", 2.5, 0}}) {
    const Trajectory run = kinked_run(kinked_model(one.force, one.p));
    ASSERT_EQ(run.status, RunStatus::kOk) << one.force << run.reason;
    EXPECT_THAT(run.verdict.warnings, IsEmpty()) << one.force;
    EXPECT_NEAR(run.sensitivities[0].q[0].back(), 2 * one.slope, 1e-8) << one.force;
  }
}

// What is not in the equations counts as well: events that end the run, and the formula of a start. What the motion does not depend on does not count.
TEST(ParameterKinks, AreFoundInAllThatTheMotionReads) {
  for (const std::string more :
       {"[outputs]\ny = \"abs(p - 1)\"\n", "[initial]\nguess = {x = \"abs(p - 1)\"}\n",
        "[outputs]\ny = \"if(p == 1, 2, 3)*x\"\n", "[[event]]\nname = \"half\"\nwhen = \"x - 2 - abs(p - 1)\"\n"}) {
    const Trajectory run = kinked_run(kinked_model("p", 1, more));
    EXPECT_THAT(run.verdict.warnings, testing::Not(Contains(HasSubstr("has a kink")))) << more;
    EXPECT_TRUE(std::isfinite(run.sensitivities[0].q[0].back())) << more;
  }
  for (const std::string more : {"[initial]\nposition = {x = \"abs(p - 1)\"}\n",
                                 "[[event]]\nname = \"half\"\nwhen = \"x - 2 - abs(p - 1)\"\nstop = true\n"}) {
    const Trajectory run = kinked_run(kinked_model("p", 1, more));
    EXPECT_THAT(run.verdict.warnings, Contains(HasSubstr("`abs(p - 1)` has a kink at p = 1"))) << more;
    EXPECT_TRUE(std::isnan(run.sensitivities[0].q[0].back())) << more;
    EXPECT_TRUE(std::isfinite(run.sensitivities[1].q[0].back())) << more;
  }
}

// By the adjoint for an output, and by derivatives along the run for a formula.
TEST(ParameterKinks, OfGradients) {
  const BuiltModel system = kinked_model("abs(p - 1)", 1, "[outputs]\ny = \"x\"\n");
  for (const char* number : {"y", "max(x*x')"}) {
    const RunGradients gradients =
        value_of(RunGradients::prepare(system, {MappedText::of(number)}, {.machine_code = false}));
    IntegrateOptions options{.until = 2};
    gradients.ask(options);
    const State start = assemble_start(system.equations, system.dynamics).state;
    Trajectory run = integrate(system.dynamics, start, options);
    gradients.finish(options, start, run);
    ASSERT_EQ(run.gradients.size(), 1U);
    for (const Gradient::By& by : run.gradients[0].by)
      EXPECT_EQ(std::isfinite(by.value), by.name != "p") << number << " by " << by.name;
    EXPECT_THAT(run.verdict.warnings, Contains(testing::AllOf(HasSubstr("the derivatives by `p` are unknown"),
                                                              HasSubstr("`abs(p - 1)` has a kink at p = 1"))))
        << number;
  }
}

}  // namespace
}  // namespace dalembert
