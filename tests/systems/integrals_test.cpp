// SPDX-License-Identifier: Apache-2.0
// Integrals over runs against closed forms: with corners, through impacts and friction, along limits of conditions, in events, backwards, by every method.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/integrate/integrate.h"
#include "oracles/damped_oscillator.h"
#include "oracles/idas_slider_crank.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

System integral_system(const std::string& text) {
  return System(derive_loaded(load_model(make_source("integrals", text), {})));
}

double last_of(const Trajectory& run, const std::string& name) {
  const auto series = run.series(name);
  EXPECT_FALSE(series.empty()) << name;
  return series.empty() ? NAN : series.back();
}

const std::string kDampedOutputs = R"toml([outputs]
way = "integral(x')"
speed = "integral(x'')"
path = "integral(abs(x'))"
heat = "integral(c*x'^2)"
sum = "integral(c*x'^2) + energy(total)"
wave = "integral(abs(sin(7*t)))"
late = "integral(if(t > 1.3, 1, 0))"
)toml";

double wave(double t) {
  const double half = std::numbers::pi / 7, n = std::floor(t / half);
  return (2 * n + 1 - std::cos(7 * (t - n * half))) / 7;
}

// Truth: the closed forms above, in every row, at times within steps. The tolerance is a hundred of the run's.
TEST(Integrals, OfAnOscillatorAreItsClosedForms) {
  const System system = integral_system(kDamped + kDampedOutputs);
  const Damped exact;
  for (const double rtol : {1e-6, 1e-9, 1e-12})
    for (const Method method : kMethods) {
      const Trajectory run =
          integrate(system.dynamics, system.start(),
                    {.until = 5, .rtol = rtol, .atol = 1e-3 * rtol, .method = method, .output_step = 0.037});
      ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
      EXPECT_THAT(run.verdict.warnings, Not(Contains(HasSubstr("integral"))));
      const double allowed = 100 * rtol;
      for (std::size_t k = 0; k < run.size(); ++k) {
        const double t = run.time[k];
        const auto near = [&](const char* name, double value) {
          EXPECT_NEAR(run.series(name)[k], value, allowed) << name << " at " << t << " " << to_text(method);
        };
        near("way", exact.x(t) - 1);
        near("speed", exact.v(t));
        near("path", exact.path(t));
        near("heat", exact.heat(t));
        near("sum", 2);
        near("wave", wave(t));
        near("late", std::max(t - 1.3, 0.0));
      }
    }
}

// A free particle, x = x₀ + t: steps of hundreds of seconds pass windows of time and of the state, of integrands and of outputs.
const std::string kFree = R"toml(name = "free"
coordinates = ["x"]
[parameters]
t0 = 400
x0 = 700
[energy]
kinetic = "x'^2/2"
[initial]
position = {x = 0}
velocity = {x = 1}
[outputs]
timed = "integral(if(t > t0 and t < t0 + 20, x', 0))"
short = "integral(if(t > t0 and t < t0 + 0.001, x', 0))"
hat = "integral(max(0, 1 - abs(t - t0)))"
placed = "integral(if(x > x0 and x < x0 + 30, x', 0))"
seen = "if(t > t0 and t < t0 + 20, x, 0)"
met = "if(x > x0 and x < x0 + 30, x, 0)"
)toml";

// Truth: lengths of the windows, and x at their ends.
TEST(Integrals, AndExtremesSeeWindowsWithinLongSteps) {
  const System system = integral_system(kFree);
  for (const Method method : kMethods)
    for (const double until : {1000.0, 3000.0}) {
      const Trajectory run = integrate(system.dynamics, system.start(),
                                       {.until = until, .method = method, .second_run = true, .find_peaks = true});
      ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
      EXPECT_NEAR(last_of(run, "timed"), 20, 1e-9) << to_text(method);
      EXPECT_NEAR(last_of(run, "short"), 1e-3, 1e-11) << to_text(method);
      EXPECT_NEAR(last_of(run, "hat"), 1, 1e-9) << to_text(method);
      EXPECT_NEAR(last_of(run, "placed"), 30, 1e-9) << to_text(method);
      ASSERT_EQ(run.peaks.size(), 6U);
      EXPECT_NEAR(run.peaks[4].max, 420, 1e-9) << to_text(method);
      EXPECT_NEAR(run.peaks[5].max, 730, 1e-9) << to_text(method);
      for (const IntegralAtEnd& one : run.verdict.integrals) EXPECT_LT(one.error, 1e-8) << one.name;
    }
}

// Steps end where the value jumps, so derivatives know the instants. Truth: ∫ x dt from a on has the derivative −x(a) by a, and the length of the
// rest by x(0).
TEST(Integrals, WithConditionsOfTheirOwnHaveDerivatives) {
  const System system = integral_system(R"toml(name = "free"
coordinates = ["x"]
[parameters]
a = 1.3
[energy]
kinetic = "x'^2/2"
[initial]
position = {x = 0.5}
velocity = {x = 1}
[outputs]
late = "integral(if(t > a, x, 0))"
beyond = "integral(if(x > 2*a, x, 0))"
)toml");
  IntegrateOptions options{.until = 5};
  Tangent by_a, by_x;
  by_a.q = by_a.v = {0};
  by_a.parameters = {{0, 1.0}};
  by_x.q = {1};
  by_x.v = {0};
  options.tangents = {by_a, by_x};
  const Trajectory run = integrate(system.dynamics, system.start(), options);
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  ASSERT_EQ(run.sensitivities.size(), 2U);
  EXPECT_NEAR(run.sensitivities[0].outputs[0].back(), -1.8, 1e-8);
  EXPECT_NEAR(run.sensitivities[0].outputs[1].back(), -2 * 2.6, 1e-8);
  EXPECT_NEAR(run.sensitivities[1].outputs[0].back(), 3.7, 1e-8);
  EXPECT_NEAR(run.sensitivities[1].outputs[1].back(), 5.5, 1e-8);
}

// The named errors of integrals at the end, against the closed forms: not below the true ones, nor a hundred times larger where these are not round-off.
TEST(Integrals, HaveNamedErrors) {
  const System system = integral_system(kDamped + kDampedOutputs);
  const Damped exact;
  for (const double rtol : {1e-5, 1e-7, 1e-9}) {
    const Trajectory run =
        integrate(system.dynamics, system.start(), {.until = 5, .rtol = rtol, .atol = 1e-3 * rtol, .second_run = true});
    int known = 0;
    for (const IntegralAtEnd& one : run.verdict.integrals) {
      for (const auto& [name, value] :
           {std::pair("way", exact.x(5) - 1), std::pair("path", exact.path(5)), std::pair("heat", exact.heat(5))}) {
        if (last_of(run, name) != one.value) continue;
        ++known;
        const double error = std::abs(one.value - value);
        EXPECT_GE(one.error, error) << one.name << " at " << rtol;
        EXPECT_LE(one.error, std::max(100 * error, 0.1 * rtol)) << one.name << " at " << rtol;
      }
    }
    EXPECT_EQ(known, 3);
  }
  const Trajectory alone = integrate(system.dynamics, system.start(), {.until = 5});
  EXPECT_TRUE(std::isnan(alone.verdict.integrals.at(0).error));
}

// A row at every step, rows at given times, and a run by hand have the same integrals, bit for bit.
TEST(Integrals, DoNotDependOnTheRows) {
  const System system = integral_system(kDamped + kDampedOutputs);
  const Trajectory steps = integrate(system.dynamics, system.start(), {.until = 5}),
                   rows = integrate(system.dynamics, system.start(), {.until = 5, .output_step = 0.1}),
                   end = integrate(system.dynamics, system.start(), {.until = 5, .output_times = {5}}),
                   with_peaks = integrate(system.dynamics, system.start(), {.until = 5, .find_peaks = true});
  Stepper stepper(system.dynamics, system.start(), {.until = 5});
  while (stepper.step()) {
  }
  const Trajectory by_hand = stepper.finish();
  for (const char* name : {"way", "path", "heat", "wave", "late"}) {
    const double value = last_of(steps, name);
    for (const Trajectory* other : {&rows, &end, &with_peaks, &by_hand})
      EXPECT_EQ(last_of(*other, name), value) << name;
  }
  // The path grows, so its extremes are at both ends.
  const std::size_t path = 2;
  ASSERT_EQ(with_peaks.peaks.size(), 7U);
  EXPECT_EQ(with_peaks.peaks[path].min, 0);
  EXPECT_EQ(with_peaks.peaks[path].max, last_of(steps, "path"));
  EXPECT_NEAR(with_peaks.peaks[0].t_min, std::numbers::pi / Damped().w, 1e-4);  // x is smallest there
}

// Backwards in time the integral runs from the start, too: ∫ x' dt = x(t) − x(0), and the heat is negative.
TEST(Integrals, GoBackwards) {
  const System system = integral_system(kDamped + kDampedOutputs);
  const Damped exact;
  const Trajectory run = integrate(system.dynamics, system.start(), {.until = -2, .rtol = 1e-11, .output_step = 0.05});
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.time[k];
    EXPECT_NEAR(run.series("way")[k], exact.x(t) - 1, 1e-9);
    EXPECT_NEAR(run.series("heat")[k], exact.heat(t), 1e-9);
    EXPECT_LE(run.series("path")[k], 0);
  }
  EXPECT_NEAR(last_of(run, "wave"), -wave(2), 1e-9);
}

// Inputs that a caller holds between steps are in integrands, too.
TEST(Integrals, FollowHeldInputs) {
  const System system = integral_system(R"toml(name = "driven"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[inputs]
f = "0*t"
[[force]]
power = "f*x'"
[outputs]
impulse = "integral(f)"
work = "integral(f*x')"
)toml");
  Stepper stepper(system.dynamics, system.start(), {.until = 3, .rtol = 1e-12, .atol = 1e-14});
  for (const double f : {1.0, -2.0, 3.0}) {
    ASSERT_TRUE(stepper.hold_input("f", f)) << stepper.why_not();
    ASSERT_TRUE(stepper.step_to(stepper.time() + 1));
  }
  const double speed = stepper.v()[0];
  const Trajectory run = stepper.finish();
  EXPECT_NEAR(last_of(run, "impulse"), 2, 1e-12);
  EXPECT_NEAR(last_of(run, "work"), speed * speed / 2, 1e-11);
}

// A ball falls from h, bounces with e = ½ and rests after T = √(2h/g)(1 + e)/(1 − e): ∫λ is m g for as long as it rests, ∫y the sum of its flights,
// of which each with the speed v is 2v³/(3g²). Impacts add nothing.
TEST(Integrals, PassImpacts) {
  const System system = integral_system(R"toml(name = "ball"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
e = 0.5
[[body]]
name = "ball"
mass = "m"
position = [0, "y"]
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[initial]
position = {y = "1 m"}
[outputs]
push = "integral(lambda(ground))"
rests = "integral(closed(ground))"
height = "integral(y)"
way = "integral(y')"
speed = "integral(y'')"
[[event]]
name = "pushed"
when = "integral(lambda(ground)) - 20"
)toml");
  const double g = 9.81, fall = std::sqrt(2 / g), v = std::sqrt(2 * g), rest = fall * 3;
  double flights = fall - g * fall * fall * fall / 6;
  for (int n = 1; n < 60; ++n) flights += 2 * std::pow(v * std::pow(0.5, n), 3) / (3 * g * g);
  for (const Method method : kMethods) {
    const Trajectory run =
        integrate(system.dynamics, system.start(), {.until = 3, .method = method, .output_step = 0.01});
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    EXPECT_NEAR(last_of(run, "push"), 2 * g * (3 - rest), 1e-4)
        << to_text(method);  // it counts as resting a little earlier
    EXPECT_NEAR(last_of(run, "push"), 2 * g * last_of(run, "rests"), 1e-9);
    EXPECT_NEAR(last_of(run, "height"), flights, 1e-8);
    EXPECT_NEAR(last_of(run, "speed"), -g * (3 - last_of(run, "rests")), 1e-8);
    for (std::size_t k = 0; k < run.size(); ++k)
      EXPECT_NEAR(run.series("way")[k], run.q[0][k] - 1, 1e-8) << run.time[k];
    const auto pushed = std::ranges::find(run.events, "pushed", &RunEvent::name);
    ASSERT_NE(pushed, run.events.end());
    EXPECT_NEAR(pushed->t, 3 - (last_of(run, "push") - 20) / (2 * g), 1e-8);
  }
}

// A block of mass m with the speed u slides u²/(2μg) and stops at u/(μg): the work of friction is −m u²/2, its impulse m u.
TEST(Integrals, PassStickAndSlip) {
  const System system = integral_system(R"toml(name = "block"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
g = "10 m/s^2"
mu = 0.25
[[body]]
name = "block"
mass = "m"
position = ["x", "y"]
[[constraint]]
name = "floor"
holonomic = "y"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = "mu"
[initial]
position = {x = 0, y = 0}
velocity = {x = 5}
[outputs]
work = "integral(friction(rub)*x')"
impulse = "integral(friction(rub))"
weight = "integral(lambda(floor))"
)toml");
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau}) {
    const Trajectory run =
        integrate(system.dynamics, system.start(), {.until = 3, .method = method, .output_step = 0.1});
    EXPECT_NEAR(last_of(run, "work"), 2.0 * 5 * 5 / 2, 1e-8) << to_text(method);
    EXPECT_NEAR(last_of(run, "impulse"), 2.0 * 5, 1e-8);
    EXPECT_NEAR(last_of(run, "weight"), 2 * 10 * 3, 1e-8);
  }
}

// x'' = −2 sign(x + x'): from some instant on x' = −x along the limit of the condition, with the force x (Filippov).
TEST(Integrals, FollowSlides) {
  const System system = integral_system(R"toml(name = "relay"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[force]]
power = "-2*sign(x + x')*x'"
[initial]
position = {x = 0.5}
[outputs]
speed = "integral(x'')"
way = "integral(x')"
)toml");
  const Trajectory run = integrate(system.dynamics, system.start(), {.until = 4, .output_step = 0.05});
  ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
  EXPECT_LT(std::abs(run.q[0].back() + run.v[0].back()), 1e-9);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.series("speed")[k], run.v[0][k], 1e-8) << run.time[k];
    EXPECT_NEAR(run.series("way")[k], run.q[0][k] - 0.5, 1e-8);
  }
}

// Bars 1, 2, 1 on a base of 2 turn through their flat positions, where a row of W vanishes and accelerations that are solved for are round-off.
TEST(Integrals, PassSingularPositions) {
  const System system = integral_system(R"toml(name = "bars"
coordinates = ["a", "b", "c"]
[energy]
kinetic = "0.5*a'^2 + 0.7*b'^2 + 0.3*c'^2"
potential = "3*sin(a)"
[[constraint]]
name = "loop"
holonomic = ["cos(a) + 2*cos(b) - cos(c) - 2", "sin(a) + 2*sin(b) - sin(c)"]
[initial]
position = {a = 1.2}
velocity = {a = 6}
guess = {b = 0, c = 1.2}
[outputs]
way = "integral(a')"
speed = "integral(a'')"
push = "integral(lambda(loop[1]))"
)toml");
  for (const double rtol : {1e-6, 1e-9, 1e-12}) {
    const Trajectory run = integrate(system.dynamics, system.start(), {.until = 10, .rtol = rtol, .atol = rtol});
    ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
    EXPECT_NEAR(last_of(run, "way"), run.q[0].back() - 1.2, 10 * rtol);
    EXPECT_NEAR(last_of(run, "speed"), run.v[0].back() - 6, 100 * rtol);
    // The multiplier of the row that vanishes is not determined where it does.
    EXPECT_THAT(run.verdict.warnings, Contains(HasSubstr("`integral(lambda(loop[1]))` is uncertain by about")));
  }
}

// The instants at which the heat, the path and the speed reach given values, and a condition and a jump that read integrals.
TEST(Integrals, MakeEvents) {
  const System system = integral_system(kDamped + R"toml([[event]]
name = "warm"
when = "integral(c*x'^2) - 1"
stop = true
[[event]]
name = "walked"
when = "integral(abs(x')) - 2"
[[event]]
name = "fast"
when = "integral(x'') + 1"
where = "integral(abs(x')) < 1"
)toml");
  const Damped exact;
  const auto zero = [](const auto& f, double a, double b) {
    for (int k = 0; k < 200; ++k) ((f((a + b) / 2) < 0) == (f(a) < 0) ? a : b) = (a + b) / 2;
    return a;
  };
  const double warm = zero([&](double t) { return exact.heat(t) - 1; }, 0, 4),
               walked = zero([&](double t) { return exact.path(t) - 2; }, 0, 4),
               fast = zero([&](double t) { return exact.v(t) + 1; }, 0, 0.5);
  for (const Method method : kMethods) {
    const Trajectory run = integrate(system.dynamics, system.start(), {.until = 5, .rtol = 1e-11, .method = method});
    ASSERT_EQ(run.events.size(), 3U) << to_text(method);
    EXPECT_EQ(run.events[0].name, "fast");
    EXPECT_NEAR(run.events[0].t, fast, 1e-9);
    EXPECT_NEAR(run.events[1].t, walked, 1e-9);
    EXPECT_NEAR(run.events[2].t, warm, 1e-9);
    EXPECT_EQ(run.time.back(), run.events[2].t);
  }
  const System kicked = integral_system(kDamped + R"toml([[event]]
name = "kick"
when = "t - 1"
set = {"x'" = "-integral(x'')"}
)toml");
  const Trajectory run = integrate(kicked.dynamics, kicked.start(), {.until = 1.1, .rtol = 1e-12, .atol = 1e-14});
  ASSERT_EQ(run.events.size(), 1U);
  const auto row = static_cast<std::size_t>(std::ranges::find(run.time, run.events[0].t) - run.time.begin());
  EXPECT_NEAR(run.v[0][row], exact.v(1), 1e-10);
  EXPECT_NEAR(run.v[0][row + 1], -exact.v(1), 1e-10);
}

// A published functional, recomputed at 1e-13 (cases §30).
TEST(Integrals, OfTheSliderCrankOfIdas) {
  const System system(derive_loaded(load_model(make_source("idas", oracles::idas_slider_crank()), {})));
  for (const Method method : kMethods)
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
      const Trajectory run =
          integrate(system.dynamics, system.start(),
                    {.until = 10, .rtol = 1e-12, .atol = 1e-14, .method = method, .formulation = formulation});
      ASSERT_EQ(run.status, RunStatus::kOk) << run.reason;
      EXPECT_NEAR(last_of(run, "G"), 3.336606799483, 2e-11) << to_text(method);
    }
}

// What quadrature cannot resolve, or has no value, is told in the verdict.
TEST(Integrals, TellWhatTheyDoNotKnow) {
  const System rough = integral_system(kDamped + "[outputs]\nw = \"integral(sin(1e9*t^2))\"\n");
  const Trajectory uncertain = integrate(rough.dynamics, rough.start(), {.until = 5});
  ASSERT_EQ(uncertain.verdict.warnings.size(), 1U);
  EXPECT_THAT(uncertain.verdict.warnings[0], HasSubstr("`integral(sin(1000000000*t^2))` is uncertain by about"));
  const System none = integral_system(kDamped + "[outputs]\nw = \"integral(sqrt(x))\"\nx0 = \"integral(x)\"\n");
  const Trajectory unknown = integrate(none.dynamics, none.start(), {.until = 5});
  ASSERT_EQ(unknown.verdict.warnings.size(), 1U);
  EXPECT_THAT(unknown.verdict.warnings[0], HasSubstr("`integral(sqrt(x))` is unknown from t = "));
  EXPECT_TRUE(std::isnan(last_of(unknown, "w")));
  EXPECT_TRUE(std::isfinite(last_of(unknown, "x0")));
}

// x'/|x'| has no value at rest, where the motion begins: the integral has.
TEST(Integrals, BeginWhereAnIntegrandHasNoValue) {
  const System system = integral_system(kDamped + "[outputs]\nw = \"integral(x'/abs(x'))\"\n");
  const Trajectory run = integrate(system.dynamics, system.start(), {.until = 1.5});
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
  EXPECT_NEAR(last_of(run, "w"), -1.5, 1e-8);
}

}  // namespace
}  // namespace dalembert
