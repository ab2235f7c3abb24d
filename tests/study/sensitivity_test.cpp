// SPDX-License-Identifier: Apache-2.0
// Derivatives of runs: against closed forms, and for every shipped model against differences of runs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/dynamics/linearization.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "study/closed_forms.h"
#include "systems/shipped_model.h"
#include "tape/model_files.h"

namespace dalembert {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

BuiltModel built_model(Result<Model> model) {
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(model))), {}, {.machine_code = false}));
}
BuiltModel built_model(const std::string& text) {
  return built_model(load_model(make_source("sensitivity", text), {}));
}
BuiltModel shipped(const std::string& name, const std::vector<std::string>& set = {}) {
  return built_model(load_model_file(source_tree() + "/models/" + name + ".toml", load_options(set)));
}

// A run differentiated by the quantities with these names.
Trajectory differentiated(const BuiltModel& system, const std::vector<std::string>& names, IntegrateOptions options) {
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  const Diagnostics problems = find_tangents(system, options);
  EXPECT_TRUE(problems.empty()) << render(problems);
  const Assembly start = assemble_start(system.equations, system.dynamics);
  EXPECT_TRUE(start.ok());
  return integrate(system.dynamics, start.state, options);
}

double last(const Trajectory& run, const std::string& name) {
  const auto series = run.series(name);
  EXPECT_FALSE(series.empty()) << name;
  return series.empty() ? NAN : series.back();
}

const std::string kBob = R"toml(name = "pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
L = "1 m"
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[constraint]]
name = "rod"
holonomic = "x^2 + y^2 - L^2"
[initial]
position = {x = "L*sin(1)"}
guess = {y = "-L*cos(1)"}
velocity = {x = 0}
)toml";

// A mass that starts exactly where its force changes its sign, x₀ = 0.1 m with ẋ₀ = v: to the right x(t) = x₀ + v t + a t²/2 with a = F/m, so
// ∂x/∂x₀ = 1; from x₀ − ε it is slowed down for ε/v first, and ∂x/∂x₀ = 1 + 2 a t/v (integrate/tangents_at_start.cpp). Runs from beside x₀ have both.
TEST(Sensitivity, OfAStartOnASwitchSaysThatItIsOfOneSide) {
  const auto moved = [](const std::string& force, const std::string& x0, const std::string& v0 = "1") {
    return built_model(fmt::format(R"toml(coordinates = [{{name = "x", unit = "m"}}]
parameters = {{m = "2 kg", F = "3 N"}}
[energy]
kinetic = "m*x'^2/2"
[[force]]
coordinate = "x"
value = "{}"
[initial]
position = {{x = {}}}
velocity = {{x = {}}}
)toml",
                                   force, x0, v0));
  };
  const IntegrateOptions options{.until = 2, .rtol = 1e-12, .atol = 1e-14};
  const std::string force = "F*sign(x - 0.1 m)";
  const Trajectory run = differentiated(moved(force, "0.1"), {"x", "m"}, options);
  EXPECT_NEAR(last(run, "sens/x/q/x"), 1, 1e-9);
  const auto end = [&](const std::string& x0) { return last(differentiated(moved(force, x0), {}, options), "q/x"); };
  EXPECT_NEAR((end("0.10001") - end("0.1")) / 1e-5, 1, 1e-4);
  EXPECT_NEAR((end("0.1") - end("0.09999")) / 1e-5, 1 + 2 * 1.5 * 2 / 1, 1e-3);
  const std::vector<std::string> expected{
      "derivatives by `x` are those of one side: at the start `x - 1/10` is 0, and on its other side a run begins with "
      "other accelerations"};
  EXPECT_EQ(run.verdict.warnings, expected);
  // The velocity and the mass do not move the start across x = 0.1 m; beside it, and where nothing jumps, there is one derivative.
  for (const auto& [system, by] :
       {std::pair(moved(force, "0.1"), std::string("x'")), std::pair(moved(force, "0.1"), std::string("F")),
        std::pair(moved(force, "0.2"), std::string("x")),
        std::pair(moved("F*abs(x/(1 m) - 0.1)", "0.1"), std::string("x")),
        std::pair(moved("F*max(x/(1 m) - 0.1, 0)", "0.1"), std::string("x"))})
    EXPECT_THAT(differentiated(system, {by}, options).verdict.warnings, IsEmpty()) << by;
  // At rest on a corner between two springs the motion stays, with the one spring or the other beside it.
  const Trajectory rest = differentiated(moved("-(8 N/m)*max(x, 0 m) - (2 N/m)*min(x, 0 m)", "0", "0"), {"x"}, options);
  ASSERT_EQ(rest.verdict.warnings.size(), 1U);
  EXPECT_THAT(rest.verdict.warnings.front(), HasSubstr("derivatives by `x` are those of one side"));
}

// θ = 2 asin(k sn(K(k) − ωt, k)), k = sin ½, ω² = g/L, x = L sin θ, y = −L cos θ; mpmath with 30 digits gives the derivatives at t = 2 s. The initial
// position is a formula of L, so the derivative by L includes it.
TEST(Sensitivity, OfAPendulumIsThatOfJacobisFunctions) {
  const BuiltModel system = built_model(kBob);
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau}) {
    const Trajectory run = differentiated(
        system, {"L", "g", "m", "x"}, {.until = 2, .rtol = 1e-13, .atol = 1e-15, .method = method, .output_step = 0.5});
    EXPECT_NEAR(last(run, "sens/L/q/x"), 0.1132470948417231, 3e-11) << to_text(method);
    EXPECT_NEAR(last(run, "sens/L/q/y"), -1.503409517447472, 3e-11);
    EXPECT_NEAR(last(run, "sens/g/q/x"), 0.06960603373673281, 3e-11);
    EXPECT_NEAR(last(run, "sens/g/q/y"), 0.09156178611531834, 3e-11);
    EXPECT_NEAR(last(run, "sens/x/q/x"), 0.7047858112897412, 1e-10);
    EXPECT_NEAR(last(run, "sens/x/q/y"), 0.927095601431569, 1e-10);
    EXPECT_NEAR(last(run, "sens/m/q/x"), 0, 1e-12);
    // λ is proportional to m.
    EXPECT_NEAR(last(run, "sens/m/lambda/rod"), last(run, "lambda/rod"), 1e-10);
    EXPECT_EQ(run.series("sens/L/q/x").size(), run.time.size());
  }
  // The derivative of the start: x = L sin 1, y = −√(L² − x²).
  const Trajectory run = differentiated(system, {"L"}, {.until = 0.1});
  EXPECT_NEAR(run.series("sens/L/q/x")[0], std::sin(1), 1e-11);
  EXPECT_NEAR(run.series("sens/L/q/y")[0], -std::cos(1), 1e-11);
}

// Rows h and 2h share the force of h alone: the λ of least norm are 1/5 and 2/5 of it, and so are their derivatives. A friction may use both.
TEST(Sensitivity, OfMultipliersThatAreNotUniqueIsThatOfLeastNorm) {
  const IntegrateOptions options{.until = 1, .rtol = 1e-12, .atol = 1e-14, .output_step = 0.5};
  const std::string again = "[[constraint]]\nname = \"again\"\nholonomic = \"2*(x^2 + y^2 - L^2)\"\n";
  for (const bool rubs : {false, true}) {
    std::string one = kBob, two = kBob;
    two.insert(two.find("[initial]"), again);
    const std::string rub = "[[friction]]\nname = \"air\"\nvelocity = \"x'\"\ncoefficient = 0.1\nnormal = ";
    if (rubs) one.insert(one.find("[initial]"), rub + "\"lambda(rod)*(1 m)\"\n");
    if (rubs) two.insert(two.find("[initial]"), rub + "\"(lambda(rod) + 2*lambda(again))*(1 m)\"\n");
    const std::string outputs = "[outputs]\nhalf = \"lambda(rod)/2\"\n";
    const BuiltModel alone = built_model(one + outputs), twice = built_model(two + outputs);
    const std::vector<std::string> names = {"L", "g", "m"};
    const Trajectory a = differentiated(alone, names, options), b = differentiated(twice, names, options);
    for (const std::string& name : names) {
      const double sens = last(a, "sens/" + name + "/lambda/rod"), few = 1e-8 * (1 + std::abs(sens));
      EXPECT_NEAR(last(b, "sens/" + name + "/lambda/rod"), sens / 5, few) << name << rubs;
      EXPECT_NEAR(last(b, "sens/" + name + "/lambda/again"), 2 * sens / 5, few) << name << rubs;
      EXPECT_NEAR(last(b, "sens/" + name + "/output/half"), sens / 10, few) << name << rubs;
      EXPECT_NEAR(last(b, "sens/" + name + "/q/x"), last(a, "sens/" + name + "/q/x"), 1e-9) << name << rubs;
    }
  }
}

TEST(Sensitivity, ChangesNothingOfTheRun) {
  const BuiltModel system = shipped("woodpecker-toy");
  const Assembly start = assemble_start(system.equations, system.dynamics);
  const Trajectory plain = integrate(system.dynamics, start.state, {.until = 0.3}),
                   with = differentiated(system, {"g", "mS"}, {.until = 0.3});
  EXPECT_EQ(plain.q, with.q);
  EXPECT_EQ(plain.lambda, with.lambda);
  EXPECT_EQ(plain.evaluations, with.evaluations);
}

// Truth: the last row of derivatives for all rows, within the errors that both runs name. Between them one step of collocation passes several steps of the run.
TEST(Sensitivity, OfTheEndAloneIsThatOfTheLastRow) {
  struct Case {
    std::string model;
    std::vector<std::string> names;
    IntegrateOptions options;
  };
  for (const Case& one : {Case{"slider-crank", {"L1", "theta"}, {.until = 5, .second_run = true}},
                          Case{"four-bar", {"m1", "theta1"}, {.until = 3, .second_run = true}},
                          Case{"rolling-disk", {"r"}, {.until = 5, .second_run = true}},
                          Case{"bouncing-ball", {"e", "g"}, {.until = 2, .second_run = true}},
                          Case{"slider-crank", {"L1"}, {.until = 2, .method = Method::kRadau, .second_run = true}},
                          Case{"slider-crank", {"L1"}, {.until = -4, .second_run = true}}}) {
    const BuiltModel system = shipped(one.model);
    const Trajectory rows = differentiated(system, one.names, one.options);
    IntegrateOptions options = one.options;
    options.sensitivities_at_end = true;
    const Trajectory end = differentiated(system, one.names, options);
    EXPECT_EQ(rows.q, end.q);
    EXPECT_EQ(rows.evaluations, end.evaluations);
    for (std::size_t k = 0; k < one.names.size(); ++k) {
      const Sensitivity &by = rows.sensitivities[k], &at = end.sensitivities[k];
      EXPECT_GT(at.error, 0) << one.model;
      for (const auto group : {&Sensitivity::q, &Sensitivity::v, &Sensitivity::a, &Sensitivity::lambda}) {
        double size = 1e-6;
        for (const std::vector<double>& series : by.*group) size = std::max(size, std::abs(series.back()));
        for (std::size_t i = 0; i < (by.*group).size(); ++i) {
          ASSERT_EQ((at.*group)[i].size(), 1U);
          // The accelerations follow from q and v, with factors.
          EXPECT_NEAR((at.*group)[i].back(), (by.*group)[i].back(), 30 * (by.error + at.error) * size)
              << one.model << " " << one.names[k] << " " << i;
        }
      }
    }
    const auto is_derivative = [](const Trajectory::Column& column) { return column.name.starts_with("sens/"); };
    EXPECT_TRUE(std::ranges::any_of(rows.columns(), is_derivative));
    EXPECT_TRUE(std::ranges::none_of(end.columns(), is_derivative));
  }
}

// Truth: the same run with derivatives for all rows, stopped at the same step.
TEST(Sensitivity, OfTheEndOfARunThatIsStopped) {
  const BuiltModel system = shipped("slider-crank");
  for (const std::int64_t steps : {1, 40, 41, 42, 43, 44}) {
    IntegrateOptions options{
        .until = 5, .progress = [&](const RunPoint& at) { return at.steps < steps; }, .progress_every = 1};
    const Trajectory rows = differentiated(system, {"L1"}, options);
    options.sensitivities_at_end = true;
    const Trajectory end = differentiated(system, {"L1"}, options);
    EXPECT_EQ(rows.status, RunStatus::kStopped);
    ASSERT_EQ(rows.time, end.time);
    const double expected = last(rows, "sens/L1/q/x");
    ASSERT_EQ(end.sensitivities[0].q[2].size(), 1U);
    EXPECT_NEAR(end.sensitivities[0].q[2].back(), expected, 1e-8 * (1 + std::abs(expected))) << steps;
  }
}

// Truth: x'' = x from rest at 0 has the derivative cosh t by the start, which a double holds until t = 710; the motion itself stays at 0.
TEST(Sensitivity, ThatGrowsBeyondAllNumbersIsUnknown) {
  const BuiltModel system = built_model(R"toml(name = "unstable"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "-x^2/2"
[initial]
position = {x = 0}
velocity = {x = 0}
)toml");
  const Trajectory held = differentiated(system, {"x"}, {.until = 300, .max_step = 0.25, .second_run = true});
  EXPECT_NEAR(last(held, "sens/x/q/x") / std::cosh(300), 1, 1e-8);
  EXPECT_LT(held.sensitivities[0].error, 1e-6);
  const Trajectory lost = differentiated(system, {"x"}, {.until = 800, .max_step = 0.25, .second_run = true});
  EXPECT_TRUE(std::isnan(last(lost, "sens/x/q/x")));
  EXPECT_TRUE(std::isnan(lost.sensitivities[0].error));
  EXPECT_THAT(lost.verdict.warnings, testing::Contains(HasSubstr("grown beyond all numbers")));
}

// The nth bounce is at √(2h/g)(1 + 2(e + … + eⁿ⁻¹)).
TEST(Sensitivity, OfABallsBouncesIsThatOfTheirSeries) {
  const Trajectory run =
      differentiated(shipped("bouncing-ball"), {"e", "g", "y"}, {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  const double fall = std::sqrt(2 / 9.81);
  int n = 0;
  for (const RunEvent& event : run.events) {
    if (event.kind != RunEventKind::kImpact) continue;
    ++n;
    double by_e = 0;
    for (int i = 1; i < n; ++i) by_e += 2 * fall * i * std::pow(0.8, i - 1);
    ASSERT_EQ(event.sensitivity.size(), 3U);
    EXPECT_NEAR(event.sensitivity[0], by_e, 1e-10 * (1 + by_e)) << n;
    EXPECT_NEAR(event.sensitivity[1], -event.t / (2 * 9.81), 1e-11);
    EXPECT_NEAR(event.sensitivity[2], event.t / 2, 1e-10);
  }
  EXPECT_GE(n, 5);
  // After n bounces it flies with √(2gh) eⁿ at first: y = r + v (t − t_n) − g/2 (t − t_n)².
  const auto height = [&](double e) {
    double t = fall;
    for (int i = 1; i < n; ++i) t += 2 * fall * std::pow(e, i);
    return std::sqrt(2 * 9.81) * std::pow(e, n) * (3 - t) - 9.81 / 2 * (3 - t) * (3 - t);
  };
  EXPECT_NEAR(last(run, "sens/e/q/y"), derivative_of(height, 0.8), 1e-9);
}

// It sticks from x₀ until k x = μ_s N, and then slides: x = μN/k + A cos ωτ + B sin ωτ.
TEST(Sensitivity, OfABlockThatSticksAndSlips) {
  const BuiltModel system = shipped("block-on-belt", {"x=2 m"});
  const Trajectory run =
      differentiated(system, {"k", "mu", "mu_s", "belt", "x"}, {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  struct Belt {
    double k = 1, mu = 0.3, mu_s = 0.5, belt = 3, x = 2;
    double at(double t) const {
      const double slips = mu_s * 10 / k, t1 = (slips - x) / belt, w = std::sqrt(k), middle = mu * 10 / k;
      return middle + (slips - middle) * std::cos(w * (t - t1)) + belt / w * std::sin(w * (t - t1));
    }
  };
  const auto by = [](double Belt::*which) {
    return derivative_of(
        [&](double value) {
          Belt belt;
          belt.*which = value;
          return belt.at(3);
        },
        Belt().*which);
  };
  EXPECT_NEAR(last(run, "q/x"), Belt().at(3), 1e-10);
  EXPECT_NEAR(last(run, "sens/k/q/x"), by(&Belt::k), 1e-9);
  EXPECT_NEAR(last(run, "sens/mu/q/x"), by(&Belt::mu), 1e-9);
  EXPECT_NEAR(last(run, "sens/mu_s/q/x"), by(&Belt::mu_s), 1e-9);
  // Where the belt is faster, the block has its speed after an instant of slipping.
  EXPECT_NEAR(last(run, "sens/belt/q/x"), by(&Belt::belt), 1e-9);
  EXPECT_NEAR(last(run, "sens/x/q/x"), by(&Belt::x), 1e-9);
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_NEAR(run.events[0].sensitivity[0], -5.0 / 3, 1e-9);
}

// A ball that slips with u = 2 m/s over the table, aslant, rolls from t_r = 2u/(7μg) on: x = v₀ t − 2/7 u_x (t − t_r/2). Its friction has no direction at t_r.
TEST(Sensitivity, OfABallThatSlidesAndRolls) {
  const Trajectory run =
      differentiated(shipped("ball-with-spin"), {"mu", "m", "y'"}, {.until = 0.8, .rtol = 1e-12, .atol = 1e-14});
  const double rolls = 2 * 2 / (7 * 0.2 * 9.81), by_mu = -rolls / 0.2;
  EXPECT_NEAR(last(run, "sens/mu/q/x"), 2 * 0.8 / 7 * by_mu, 1e-9);
  EXPECT_NEAR(last(run, "sens/mu/q/y"), 2 * 0.6 / 7 * by_mu, 1e-9);
  EXPECT_NEAR(last(run, "sens/m/q/x"), 0, 1e-9);
  // The start across the sliding turns its direction: u = (1.6, 1.2) m/s.
  EXPECT_NEAR(last(run, "sens/y'/q/x"), 1.6 / 7 * 2 * 1.2 / (7 * 0.2 * 9.81 * 2), 1e-9);
  EXPECT_NEAR(last(run, "sens/y'/q/y"), 0.8 - 2.0 / 7 * (0.8 - rolls / 2) + 1.2 / 7 * 2 * 1.2 / (7 * 0.2 * 9.81 * 2),
              1e-9);
  EXPECT_NEAR(last(run, "sens/y'/v/y"), 5.0 / 7, 1e-9);
  ASSERT_EQ(run.events.back().kind, RunEventKind::kStick);
  EXPECT_NEAR(run.events.back().t, rolls, 1e-9);
  EXPECT_NEAR(run.events.back().sensitivity.at(0), by_mu, 1e-7);
}

// A point that slides as it bounces to rest loses μ (1 + e) times its speed of approach at each impact, and μ g afterwards: with t_k = t₁ (1 + 2 Σ eⁱ), i = 1 … k,
// x = v t − μ Σ (1 + e) eᵏ g t₁ (t − t_k) − μ g (t − t_∞)²/2.
struct Skips {
  double e = 0.6, mu = 0.2, h = 1, v = 6;
  double at(double t) const {
    const double g = 9.81, first = std::sqrt(2 * h / g), rest = first * (1 + e) / (1 - e),
                 slides = std::max(0.0, t - rest);
    double x = v * t - mu * g * slides * slides / 2, when = first, speed = g * first;
    for (; speed > 1e-20 && when < t; when += 2 * speed / g) x -= mu * (1 + e) * speed * (t - when), speed *= e;
    return x;
  }
  double by(double Skips::*which, double t) const {
    return derivative_of(
        [&](double value) {
          Skips skips = *this;
          skips.*which = value;
          return skips.at(t);
        },
        this->*which);
  }
};

// The ground is so high that the round-off of gaps is larger than what the last bounces move in a thousandth of their flights.
constexpr const char* kSkips = R"toml(name = "skips"
coordinates = ["x", "y"]
[parameters]
e = 0.6
mu = 0.2
h = 1
v = 6
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y - 1000"
unilateral = true
restitution = "e"
[[friction]]
name = "rub"
normal = "lambda(ground)"
velocity = "x'"
coefficient = "mu"
[initial]
position = {x = 0, y = "h + 1000"}
velocity = {x = "v", y = 0}
)toml";

TEST(Sensitivity, OfAPointThatBouncesToRestAndSlides) {
  const BuiltModel system = built_model(kSkips);
  for (const double atol : {1e-10, 1e-12}) {
    const Trajectory run = differentiated(system, {"e", "mu", "h"}, {.until = 2.5, .rtol = 1e-12, .atol = atol});
    // Bounces lower than atol, and than the round-off of 1000, are left out, with a speed of √(2 g atol).
    const double left_out = std::sqrt(2 * 9.81 * std::max(atol, 1e-11));
    const Skips skips;
    EXPECT_NEAR(last(run, "q/x"), skips.at(2.5), left_out);
    EXPECT_NEAR(last(run, "sens/mu/q/x"), skips.by(&Skips::mu, 2.5), 10 * left_out);
    EXPECT_NEAR(last(run, "sens/e/q/x"), skips.by(&Skips::e, 2.5), 100 * left_out);
    EXPECT_NEAR(last(run, "sens/h/q/x"), skips.by(&Skips::h, 2.5), 100 * left_out);
  }
}

// The first impact leaves 1 mm/s of 1.4 m/s: a little more friction, and it would stick.
TEST(Sensitivity, OfAnImpactThatAlmostSticks) {
  const double lost = 0.2 * 1.6 * std::sqrt(2 * 9.81);
  BuiltModel system =
      built_model(load_model(make_source("skips", kSkips), load_options({fmt::format("v={}", lost + 0.001)})));
  const Trajectory run = differentiated(system, {"v", "mu", "e"}, {.until = 0.8, .rtol = 1e-12, .atol = 1e-14});
  const Skips skips{.v = lost + 0.001};
  EXPECT_NEAR(last(run, "q/x"), skips.at(0.8), 1e-11);
  EXPECT_NEAR(last(run, "sens/v/q/x"), 0.8, 1e-8);
  EXPECT_NEAR(last(run, "sens/mu/q/x"), skips.by(&Skips::mu, 0.8), 1e-7);
  EXPECT_NEAR(last(run, "sens/e/q/x"), skips.by(&Skips::e, 0.8), 1e-7);
}

// A pull of c t at the angle β breaks a point loose on a rough plane at t₀ = μ_s g/c. It slides along the pull,
// r = c (t³ − t₀³)/6 − c t₀² (t − t₀)/2 − μ g (t − t₀)²/2. By β it moves across: its friction has no direction at first.
TEST(Sensitivity, OfAPointThatBreaksLooseInAPlane) {
  const BuiltModel system = built_model(R"toml(name = "pulled"
coordinates = ["x", "y", "z"]
[parameters]
mu = 0.3
mu_s = 0.4
c = 3
beta = 0.5
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z"
[[friction]]
name = "rough"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = "mu"
static = "mu_s"
[[force]]
coordinate = "x"
value = "c*t*cos(beta)"
[[force]]
coordinate = "y"
value = "c*t*sin(beta)"
[[constraint]]
name = "floor"
holonomic = "z"
unilateral = true
[initial]
position = {x = 0, y = 0, z = 0}
velocity = {x = 0, y = 0, z = 0}
)toml");
  const Trajectory run =
      differentiated(system, {"c", "mu", "mu_s", "beta"}, {.until = 2.5, .rtol = 1e-12, .atol = 1e-14});
  struct Pull {
    double c = 3, mu = 0.3, mu_s = 0.4;
    double at(double t) const {
      const double t0 = mu_s * 9.81 / c, later = t - t0;
      return c * (t * t * t - t0 * t0 * t0) / 6 - c * t0 * t0 * later / 2 - mu * 9.81 * later * later / 2;
    }
  };
  const auto by = [](double Pull::*which) {
    return derivative_of(
        [&](double value) {
          Pull pull;
          pull.*which = value;
          return pull.at(2.5);
        },
        Pull().*which);
  };
  for (const auto& [name, which] :
       {std::pair("c", &Pull::c), std::pair("mu", &Pull::mu), std::pair("mu_s", &Pull::mu_s)}) {
    EXPECT_NEAR(last(run, fmt::format("sens/{}/q/x", name)), by(which) * std::cos(0.5), 1e-8) << name;
    EXPECT_NEAR(last(run, fmt::format("sens/{}/q/y", name)), by(which) * std::sin(0.5), 1e-8) << name;
  }
  EXPECT_NEAR(last(run, "sens/beta/q/x"), -Pull().at(2.5) * std::sin(0.5), 1e-8);
  EXPECT_NEAR(last(run, "sens/beta/q/y"), Pull().at(2.5) * std::cos(0.5), 1e-8);
}

// The spokes of a wheel without a rim have no inertia, so that the projection moves its angle alone; where a spoke stands upright it would have to move far. Truth:
// central differences of runs with tolerances of 1e-13.
TEST(Sensitivity, OfAWheelWhoseSpokesHaveNoInertia) {
  for (const double longest : {0.0, 0.001}) {
    const Trajectory run = differentiated(shipped("rimless-wheel"), {"theta'"}, {.until = 0.5, .max_step = longest});
    EXPECT_NEAR(last(run, "sens/theta'/q/theta"), 0.7291185335, 1e-6);
    EXPECT_NEAR(last(run, "sens/theta'/v/theta"), 2.4867520494, 1e-6);
  }
}

// The run has a condition on time, one on the state, an event that sets a velocity, and one that ends it; the time of each depends on a parameter.
TEST(Sensitivity, PassesConditionsAndEvents) {
  const BuiltModel system = built_model(R"toml(name = "pushed"
coordinates = ["x"]
[parameters]
a = 2.0
b = 1.5
c = 0.7
d = 0.4
[energy]
kinetic = "x'^2/2"
[[force]]
coordinate = "x"
value = "if(t > c, a, 0) + if(x > b, d, 0)"
[[event]]
name = "kick"
when = "x - a"
set = {"x'" = "x'*d"}
[[event]]
name = "there"
when = "x - 4"
stop = true
[initial]
velocity = {x = 1}
)toml");
  struct Pushed {
    double a = 2, b = 1.5, c = 0.7, d = 0.4;
    // The speed after the distance s under the acceleration f, and the time until then.
    static double speed(double v, double f, double s) { return std::sqrt(v * v + 2 * f * s); }
    static double time(double v, double f, double s) { return (speed(v, f, s) - v) / f; }
    double end() const {
      const double v1 = speed(1, a, b - c), v2 = speed(v1, a + d, a - b);
      return c + time(1, a, b - c) + time(v1, a + d, a - b) + time(d * v2, a + d, 4 - a);
    }
  };
  const auto by = [](double Pushed::*which) {
    return derivative_of(
        [&](double value) {
          Pushed pushed;
          pushed.*which = value;
          return pushed.end();
        },
        Pushed().*which);
  };
  for (const Method method : {Method::kDop853, Method::kRadau}) {
    const Trajectory run =
        differentiated(system, {"a", "b", "c", "d"}, {.until = 20, .rtol = 1e-13, .atol = 1e-15, .method = method});
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    EXPECT_NEAR(run.time.back(), Pushed().end(), 1e-11);
    ASSERT_EQ(run.events.back().kind, RunEventKind::kStop);
    const std::vector<double>& end = run.events.back().sensitivity;
    ASSERT_EQ(end.size(), 4U);
    EXPECT_NEAR(end[0], by(&Pushed::a), 1e-9);
    EXPECT_NEAR(end[1], by(&Pushed::b), 1e-9);
    EXPECT_NEAR(end[2], by(&Pushed::c), 1e-9);
    EXPECT_NEAR(end[3], by(&Pushed::d), 1e-9);
    // The last state is that at the displaced instant of the event: x = 4 for all parameters.
    EXPECT_NEAR(last(run, "sens/a/q/x"), 0, 1e-9);
  }
}

// A body that is free spins about its axis and moves on: the velocities of the motion are the angular velocity, then x'. Neither is held, so that their values at
// the start are those of the guess: e₃ = sin ωt/2.
TEST(Sensitivity, OfVelocitiesThatTheModelGuesses) {
  const BuiltModel system = built_model(R"toml(name = "free"
coordinates = ["e0", "e1", "e2", "e3", {name = "x", unit = "m"}]
parameters = {m = "1 kg", J = "1 kg*m^2"}
frame = [{name = "top", quaternion = ["e0", "e1", "e2", "e3"], origin = ["x", 0, 0]}]
body = [{name = "b", mass = "m", frame = "top", inertia = ["J", "J", "J"]}]
[initial]
position = {e0 = 1}
guess = {"top.omega.z" = "3 rad/s", "x'" = "2 m/s"}
)toml");
  const Trajectory run = differentiated(system, {"top.omega.z", "x'"}, {.until = 1, .rtol = 1e-12, .atol = 1e-14});
  EXPECT_NEAR(last(run, "q/e3"), std::sin(1.5), 1e-11);
  EXPECT_NEAR(last(run, "sens/top.omega.z/q/e3"), std::cos(1.5) / 2, 1e-9);
  EXPECT_NEAR(last(run, "sens/top.omega.z/q/e0"), -std::sin(1.5) / 2, 1e-9);
  EXPECT_NEAR(last(run, "sens/x'/q/x"), 1, 1e-9);
}

TEST(Sensitivity, SaysWhatItCannotDo) {
  const BuiltModel system = built_model(kBob);
  IntegrateOptions unknown{.tangents = {{.name = "xx"}}}, held{.tangents = {{.name = "y"}}};
  EXPECT_THAT(render(find_tangents(system, unknown)), HasSubstr("did you mean `x`?"));
  EXPECT_THAT(render(find_tangents(system, held)), HasSubstr("no start has `y` a little larger or smaller"));
  const Assembly start = assemble_start(system.equations, system.dynamics);
  EXPECT_THAT(integrate(system.dynamics, start.state, {.tangents = {{.name = "L"}}}).reason,
              HasSubstr("find_tangents() completes them"));
  // The block starts at the limit of static friction: it slips at once for changes of k of one sign only.
  const Trajectory at_limit = differentiated(shipped("block-on-belt"), {"k"}, {.until = 1});
  EXPECT_EQ(at_limit.status, RunStatus::kOk);
  EXPECT_TRUE(std::isnan(last(at_limit, "sens/k/q/x")));
  ASSERT_FALSE(at_limit.verdict.warnings.empty());
  EXPECT_THAT(at_limit.verdict.warnings.back(),
              HasSubstr("the derivatives by `k` are unknown from t = 0 s on: the motion changes just where it starts"));
}

class SensitivityOf : public ::testing::TestWithParam<std::string> {};

// Oracle: differences of runs with displaced parameters, with an error of the fourth order.
TEST_P(SensitivityOf, AShippedModelIsThatOfRunsBesideIt) {
  const BuiltModel system = built_model(load_model_file(GetParam(), {}));
  if (system.model->parameters.empty()) GTEST_SKIP() << "no parameters";
  if (!assemble_start(system.equations, system.dynamics).ok()) GTEST_SKIP() << "no start";
  IntegrateOptions options = value_of(run_options(*system.model));
  options.until = system.model->initial.t + std::min(0.3, 0.1 * (options.until - system.model->initial.t));
  options.method = Method::kDop853;
  options.formulation = Formulation::kIndex1;
  options.rtol = 1e-12;
  options.atol = 1e-14;
  options.output_step = 0;
  options.output_times = {options.until};
  // The third parameter, or the last one before it that the start may change with.
  std::size_t p = std::min<std::size_t>(2, system.model->parameters.size() - 1);
  const auto name_of = [&] { return system.model->parameters[p].name; };
  for (IntegrateOptions tried; p > 0; --p) {
    tried.tangents = {{.name = name_of()}};
    if (find_tangents(system, tried).empty()) break;
  }
  const Trajectory run = differentiated(system, {name_of()}, options);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  if (std::isnan(run.sensitivities[0].q[0].back())) GTEST_SKIP() << run.verdict.warnings.back();
  const double value = system.model->parameters[p].value;
  DerivativeAlong difference;
  std::vector<double> expected;
  const bool found = difference.find(
      1e-3 * (value != 0 ? std::abs(value) : 1),
      [&](double change, std::vector<double>& end) {
        std::vector<double> values;
        for (const Parameter& parameter : system.model->parameters) values.push_back(parameter.value);
        values[p] += change;
        const BuiltModel beside = with_parameters(system, values);
        const Assembly start = assemble_start(beside.equations, beside.dynamics);
        const Trajectory other = integrate(beside.dynamics, start.state, options);
        end.clear();
        for (const auto* group : {&other.q, &other.v})
          for (const std::vector<double>& series : *group) end.push_back(series.back());
        return other.status == RunStatus::kOk;
      },
      expected);
  ASSERT_TRUE(found);
  const Sensitivity& by = run.sensitivities[0];
  double size = 0;
  for (const double one : expected) size = std::max(size, std::abs(one));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double is = i < by.q.size() ? by.q[i].back() : by.v[i - by.q.size()].back();
    EXPECT_NEAR(is, expected[i], 1e-6 * size + 1e-8 * run.verdict.motion[i] / (value != 0 ? std::abs(value) : 1))
        << name_of() << " " << i;
  }
}

// Twins: derivatives of the system's functions by their differentiated tapes, interpreted and as machine code, and by finite differences, whose round-off is
// 1e-12 of the values.
TEST_P(SensitivityOf, AShippedModelIsTheSameByDifferencesOfItsFunctions) {
  const BuiltModel system = built_model(load_model_file(GetParam(), {}));
  if (system.model->parameters.empty()) GTEST_SKIP() << "no parameters";
  const Assembly start = assemble_start(system.equations, system.dynamics);
  IntegrateOptions options = value_of(run_options(*system.model));
  const double from = system.model->initial.t, length = std::min(0.3, 0.1 * (options.until - from));
  options.until = from + length;
  options.method = Method::kDop853;
  options.formulation = Formulation::kIndex1;
  options.rtol = 1e-10;
  options.atol = 1e-12;
  options.output_times = {from + 0.4 * length, from + 0.7 * length, options.until};
  options.output_step = 0;
  options.tangents = {{.name = system.model->parameters[0].name}};
  if (!find_tangents(system, options).empty()) GTEST_SKIP() << "the start cannot be displaced";
  if (options.derivatives == nullptr) GTEST_SKIP() << "differences alone";
  const Trajectory exact = integrate(system.dynamics, start.state, options);
  options.derivatives->note_calls(1'000'000, 0);
  const Trajectory compiled = integrate(system.dynamics, start.state, options);
  options.derivatives = nullptr;
  const Trajectory beside = integrate(system.dynamics, start.state, options);
  ASSERT_EQ(exact.time, beside.time);
  EXPECT_EQ(exact.q, beside.q);
  for (const auto group :
       {&Sensitivity::q, &Sensitivity::v, &Sensitivity::a, &Sensitivity::lambda, &Sensitivity::outputs}) {
    const auto &a = exact.sensitivities[0].*group, &b = beside.sensitivities[0].*group,
               &c = compiled.sensitivities[0].*group;
    for (std::size_t i = 0; i < a.size(); ++i) {
      double size = 1e-6;
      for (const double one : a[i]) size = std::max(size, std::abs(one));
      for (const std::vector<double>& other : a)
        for (const double one : other) size = std::max(size, 1e-3 * std::abs(one));
      for (std::size_t row = 0; row < a[i].size(); ++row) {
        EXPECT_NEAR(a[i][row], b[i][row], 2e-7 * size + 2e-9) << i << " " << row;
        EXPECT_NEAR(a[i][row], c[i][row], 1e-8 * size) << i << " " << row;
      }
    }
  }
}

// Derivatives of its accelerations have 26,000 operations; what is above holds them against differences.
TEST(Sensitivity, LongEquationsAreDifferentiatedExactly) {
  EXPECT_NE(compile_derivatives(shipped("whipple-bicycle").equations, {0}), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Shipped, SensitivityOf, ::testing::ValuesIn(model_files()), name_of_file);

}  // namespace
}  // namespace dalembert
