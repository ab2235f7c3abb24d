// SPDX-License-Identifier: Apache-2.0
// Inputs that are given as samples, in exported code.
#include "dalembert/codegen/samples.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "codegen/loaded.h"
#include "dalembert/compile/compile.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

// A bead on a rail whose height follows a spline, pushed as a table says; a second coordinate is prescribed by samples.
Equations driven() {
  Model model("driven");
  const Coordinate x = model.coordinate("x"), y = model.coordinate("y"), z = model.coordinate("z");
  model.kinetic((square(x.qd) + 2 * square(y.qd) + 3 * square(z.qd) + x.qd * z.qd) / 2);
  model.potential(9.81 * y.q + sin(x.q - z.q));
  model.generalized_force(x, model.input("push"));
  model.generalized_force(y, model.input("steady"));
  model.holonomic("rail", {y.q - model.spline_input("height") * x.q});
  Numbers time, height, turn;
  // Not even, not from 0, and with values that no formula has.
  for (int k = 0; k <= 37; ++k) {
    const double t = -0.3 + 0.06 * k + 0.02 * std::sin(k);
    time.push_back(t);
    height.push_back(0.5 + 0.2 * std::sin(3 * t) + 0.01 * std::cos(17 * k));
    turn.push_back(t * t + 0.1 * std::sin(5 * t));
  }
  model.prescribe(z, time, turn);
  model.set_samples("push", {-0.1, 0.2, 0.25, 1.3, 1.35}, {0, 2, -1, -1.5, 7});
  model.set_samples("steady", {0.5}, {0.75});
  model.set_samples("height", time, height);
  Result<Equations> derived = derive(std::make_shared<const Model>(std::move(model)));
  EXPECT_TRUE(derived) << render(derived.diagnostics());
  return std::move(derived).value();
}

// Oracle: Dynamics::inputs. Tables to the bit, splines to round-off. Outside: what holds, and nan.
TEST(Samples, AreEvaluatedAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = driven();
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Loaded loaded(equations);
  Numbers work(dynamics.layout().work), u(as_size(dynamics.layout().inputs)), got(u.size());
  ASSERT_EQ(u.size(), 8u);
  const std::vector<std::string>& names = dynamics.names().inputs;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 3);
  // Where there are samples, and beside them.
  Numbers times{-0.1, 0.2, 0.25, 1.3, 1.35, 0.5, -0.3, std::nextafter(0.2, 1), std::nextafter(0.2, 0), 1e9, -1e9};
  for (int k = 0; k <= 37; ++k) times.push_back(-0.3 + 0.06 * k + 0.02 * std::sin(k));
  for (int k = 0; k < 500; ++k) times.push_back(any(random));
  times.push_back(std::nextafter(times.at(times.size() - 501), 3));  // a last digit beyond the last sample
  // Of second derivatives, which are below 64.
  constexpr double kRoundOff = 8 * 64 * 1.2e-16;
  int nothing = 0;
  for (const double t : times) {
    dynamics.inputs(t, work.data(), u.data());
    loaded.call<Loaded::Inputs>("inputs")(loaded.state(), t, got.data());
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (names[i] == "push" || names[i] == "steady") {
        EXPECT_EQ(got[i], u[i]) << t << " " << names[i];
      } else if (std::isnan(u[i])) {
        EXPECT_TRUE(std::isnan(got[i])) << t << " " << names[i];
        ++nothing;
      } else {
        EXPECT_NEAR(got[i], u[i], kRoundOff) << t << " " << names[i];
      }
    }
  }
  EXPECT_GE(nothing, 6 * 50);
}

TEST(Samples, SelfTestsAgreeInEveryLanguage) {
  const Equations equations = driven();
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = exported.self_test("-O1");
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    for (const char* routine : {"inputs", "accelerations", "step"})
      EXPECT_THAT(exported.files().back().text, HasSubstr(routine)) << to_text(language);
    EXPECT_THAT(exported.text(0), HasSubstr("push is given as 5 samples from t = -0.1 to 1.35")) << to_text(language);
  }
}

TEST(Samples, SelfTestAgreesInSinglePrecision) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Exported exported(driven(), CodeLanguage::kC, CodeShape{.single = true});
  const Ran ran = exported.self_test("-O1 -Wdouble-promotion");
  EXPECT_EQ(ran.status, 0) << ran.out;
  for (const char* routine : {"inputs", "accelerations", "step"})
    EXPECT_THAT(exported.files().back().text, HasSubstr(routine));
}

// A run beyond the samples of a spline has no motion there: status 3.
TEST(Samples, StepsBeyondASplineHaveNoAnswer) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(driven());
  Numbers q{0.5, 0.25, 0}, v{0, 0, 0};
  const Numbers before = q;
  EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 5, 1e-3, q.data(), v.data()), 3);
  EXPECT_EQ(q, before);
}

}  // namespace
}  // namespace dalembert::testing
