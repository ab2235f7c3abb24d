// SPDX-License-Identifier: Apache-2.0
// Optimisation of runs, against closed forms, other ways of computing them, and points beside the answer.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/base/text.h"
#include "dalembert/study/optimize.h"
#include "dalembert/study/optimize/multipliers.h"
#include "dalembert/study/optimize/nlopt.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/sweep_run.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kProjectile = R"toml(name = "projectile"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
v = "20 m/s"
a = "0.3 rad"
c = "0 kg/m"
[[point]]
name = "tip"
at = ["x", "y"]
[[body]]
name = "ball"
mass = "m"
position = ["x", "y"]
[[force]]
at = "tip"
vector = ["-c*x'*hypot(x', y')", "-c*y'*hypot(x', y')"]
[initial]
position = {x = "0 m", y = "0 m"}
velocity = {x = "v*cos(a)", y = "v*sin(a)"}
[[event]]
name = "down"
when = "y"
stop = true
[simulation]
until = "10 s"
)toml";

OptimizationStatement statement_of(const std::string& objective,
                                   const std::vector<std::pair<std::string, std::string>>& free,
                                   const std::vector<std::string>& constraints = {}, bool maximize = false) {
  OptimizationStatement statement{.maximize = maximize, .objective = MappedText::of(objective), .free = {}};
  for (const auto& [name, range] : free) statement.free.push_back({name, MappedText::of(range), {}});
  for (const std::string& one : constraints) statement.constraints.push_back(MappedText::of(one));
  return statement;
}

Result<Optimum> optimize_text(const std::string& text, const OptimizationStatement& statement,
                              const std::vector<std::string>& set = {},
                              const OptimizeOptions& options = {.starts = 3}) {
  const Model model = value_of(load_model(make_source("optimised", text), load_options(set)));
  return optimize(model, statement, value_of(run_options(model)), options, {.machine_code = false});
}

class Optimize : public testing::Test {
 protected:
  void SetUp() override {
    if (!optimizing::require_nlopt().empty()) GTEST_SKIP() << "NLopt is not there";
  }
};

// Without drag the range v² sin(2a)/g is greatest at 45°.
TEST_F(Optimize, FindsTheAngleOfTheFarthestShot) {
  const Optimum found = value_of(optimize_text(kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}}, {}, true)));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.values[0], std::numbers::pi / 4, 1e-8);
  EXPECT_NEAR(found.objective, 400 / 9.81, 1e-8);
  EXPECT_THAT(found.active, IsEmpty());
  EXPECT_LT(found.stationarity, 1e-7);
  EXPECT_TRUE(found.run.verdict.holds);
  EXPECT_EQ(found.objective_unit, "m");
}

// With drag no grid around the answer has a better point.
TEST_F(Optimize, NoPointBesideTheAnswerIsBetter) {
  const std::vector<std::string> drag{"c=0.02 kg/m"};
  const Optimum found =
      value_of(optimize_text(kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}}, {}, true), drag));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  const Model model = value_of(load_model(make_source("optimised", kProjectile), load_options(drag)));
  StudyStatement study;
  const double at = found.values[0];
  study.vary.push_back({"a", MappedText::of(std::to_string(at - 0.01) + ":" + std::to_string(at + 0.01) + ":21"), {}});
  study.measure.push_back({"far", MappedText::of("final(x)"), {}});
  std::vector<StudyRun> rows;
  const Sweep sweep = value_of(Sweep::prepare(model, study, {}, value_of(run_options(model))));
  run_sweep(sweep, {.threads = 1}, rows);
  for (const StudyRun& row : rows) EXPECT_LE(row.measures[0], found.objective * (1 + 1e-9));
}

// The flight takes 2 v sin(a)/g: with v at its bound, sin(a) = g t/(2v). The derivative of the range √(v² − (g t/2)²) t by t and by v are the multipliers.
TEST_F(Optimize, NamesWhatIsActiveWithItsMultiplier) {
  const double g = 9.81, t = 1.5, v = 20, up = g * t / 2, along = std::sqrt(v * v - up * up);
  const Optimum found = value_of(optimize_text(
      kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}, {"v", "1:20"}}, {"final(t) == 1500 ms"}, true)));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.values[0], std::asin(up / v), 1e-9);
  EXPECT_NEAR(found.values[1], 20, 1e-9);
  ASSERT_THAT(found.active, SizeIs(2));
  EXPECT_EQ(found.active[0].text, "final(t) == 1500 ms");
  EXPECT_NEAR(found.active[0].multiplier, along - up * up / along, 1e-6);
  EXPECT_EQ(found.active[0].unit, "m/s");
  EXPECT_EQ(found.active[1].kind, ActiveLimit::Kind::kUpper);
  EXPECT_EQ(found.active[1].text, "v <= 20 m/s");
  EXPECT_NEAR(found.active[1].multiplier, v / along * t, 1e-6);
}

// A multiplier is the derivative of the best objective by the limit.
TEST_F(Optimize, MultipliersAreDerivativesOfTheOptimum) {
  const auto best = [](const std::string& limit) {
    return value_of(optimize_text(
        kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}}, {"max(y) <= " + limit}, true), {"c=0.01 kg/m"}));
  };
  const Optimum found = best("5 m");
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.active.at(0).multiplier, (best("5.001 m").objective - best("4.999 m").objective) / 0.002, 1e-4);
}

// A quadratic program ends within 1e-9 of a limit, on either side; the answer is not beyond it, and hardly worse than the optimum, which is on it.
TEST_F(Optimize, IsNotBeyondItsLimits) {
  for (const std::string& limit :
       {"max(y) <= 5 m", "max(y) <= 3.3 m", "final(t) <= 1100 ms", "integral(x'^2) <= 200 m^2/s"})
    for (const std::string& drag : {"0", "0.01 kg/m", "0.02 kg/m"}) {
      const Optimum found = value_of(optimize_text(
          kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}, {"v", "5:20"}}, {limit}, true), {"c=" + drag}));
      EXPECT_EQ(found.status, Optimum::Status::kFound) << limit << drag << found.message;
      EXPECT_LE(found.differences.at(0), 0) << limit << drag;
      EXPECT_GE(found.differences.at(0), -1e-5) << limit << drag;
      EXPECT_THAT(found.notes, IsEmpty());
    }
}

// No shot goes farther than v²/g = 40.7747 m. A limit beyond that is missed by what is left, and the note says how much; by less than the tolerance, it says that too.
TEST_F(Optimize, SaysByHowMuchLimitsAreMissed) {
  const double far = 400 / 9.81;
  const auto shot = [&](double limit) {
    return value_of(optimize_text(
        kProjectile, statement_of("max(y)", {{"a", "0.1:1.5"}}, {fmt::format("final(x) >= {:.17g} m", limit)})));
  };
  const Optimum beyond = shot(50);
  EXPECT_EQ(beyond.status, Optimum::Status::kInfeasible) << beyond.message;
  EXPECT_NEAR(beyond.differences.at(0), far - 50, 1e-6);
  EXPECT_THAT(beyond.notes, ElementsAre("`final(x) >= 50 m` is missed by 9.23 in SI units"));
  const Optimum nearly = shot(far * (1 + 1e-9));
  EXPECT_GT(-nearly.differences.at(0), 0.9e-9 * far);
  EXPECT_THAT(nearly.notes, ElementsAre(HasSubstr(fmt::format("is missed by {} in SI units, within the tolerance of",
                                                              to_text(-nearly.differences.at(0), 3)))));
  EXPECT_THAT(shot(40).notes, IsEmpty());
}

// 2 a depends on the angle, and not on the speed, whose value is as good as any other.
TEST_F(Optimize, SaysWhatNothingDependsOn) {
  EXPECT_THAT(value_of(optimize_text(kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}}, {}, true))).notes,
              IsEmpty());
  EXPECT_THAT(value_of(optimize_text(kProjectile, statement_of("2*a", {{"a", "0.1:1.5"}, {"v", "1:20"}}))).notes,
              ElementsAre(HasSubstr("has changed with `v` where derivatives were taken")));
}

// The length of a pendulum with a given period: a quarter of it is √(L/g)·π/(2 agm(1, cos(θ₀/2))). The objective is a parameter.
TEST_F(Optimize, FindsTheLengthForAPeriod) {
  const std::string pendulum = R"toml(name = "pendulum"
coordinates = [{name = "theta", unit = "rad"}]
gravity = ["0", "-g"]
[parameters]
m = "2 kg"
L = "2 m"
g = "9.81 m/s^2"
[[body]]
name = "bob"
mass = "m"
position = ["L*sin(theta)", "-L*cos(theta)"]
[initial]
position = {theta = "1.2 rad"}
[[event]]
name = "lowest"
when = "theta"
[simulation]
until = "3 s"
)toml";
  const Optimum found =
      value_of(optimize_text(pendulum, statement_of("L", {{"L", "0.2 m:4 m"}}, {"time(lowest) >= 0.5 s"})));
  double a = 1, b = std::cos(0.6);
  while (std::abs(a - b) > 1e-15) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const double root = 0.5 * 2 * a / std::numbers::pi;
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.values[0], 9.81 * root * root, 1e-7);
}

const std::string kFall = R"toml(name = "fall"
coordinates = [{name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
h = "1 m"
A = "0 m"
B = "0 m/s"
[[body]]
name = "ball"
mass = "m"
position = [0, "y"]
[simulation]
until = "1 s"
)toml";

// The straight line nearest to −g t²/2 on [0, T] in the largest deviation: three deviations of g T²/16 with alternating signs (Chebyshev).
TEST_F(Optimize, ReachesTheCornerOfALargestDeviation) {
  const Optimum found = value_of(
      optimize_text(kFall, statement_of("max(abs(y - A - B*t))", {{"A", "-5 m:5 m"}, {"B", "-10 m/s:10 m/s"}})));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.objective, 9.81 / 16, 1e-9);
  EXPECT_NEAR(found.values[0], 9.81 / 16, 1e-9);
  EXPECT_NEAR(found.values[1], -9.81 / 2, 1e-9);
  ASSERT_THAT(found.notes, SizeIs(1));
  EXPECT_THAT(found.notes[0], HasSubstr("0 s, 0.5 s and 1 s"));
}

// The same as a constraint. The line with the greatest B within a deviation of d = 1 m touches −d at t = 1, so A + B = d − g/2, and d where the parabola is
// parallel to it, so −A + B²/(2g) = d.
TEST_F(Optimize, KeepsToALargestDeviation) {
  const Optimum found = value_of(optimize_text(
      kFall, statement_of("B", {{"A", "-5 m:5 m"}, {"B", "-10 m/s:10 m/s"}}, {"max(abs(y - A - B*t)) <= 1 m"}, true)));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  const double g = 9.81, b = g * (std::sqrt(1 - 2 * (g / 2 - 2) / g) - 1);
  EXPECT_NEAR(found.values[1], b, 1e-7);
  EXPECT_NEAR(found.values[0], b * b / (2 * g) - 1, 1e-7);
}

// The spread of y − B t, y = −g t²/2, on [0, 1] is least for B = −g/2: the greatest value g/8 is at 1/2 and the least one at both ends, which is a corner of two extremes.
TEST_F(Optimize, ReachesTheCornerOfADifferenceOfExtremes) {
  const Optimum found =
      value_of(optimize_text(kFall, statement_of("max(y - B*t) - min(y - B*t)", {{"B", "-10 m/s:10 m/s"}})));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.objective, 9.81 / 8, 1e-9);
  EXPECT_NEAR(found.values[0], -9.81 / 2, 1e-8);
  ASSERT_THAT(found.notes, SizeIs(1));
  EXPECT_THAT(found.notes[0], HasSubstr("0 s, 0.5 s and 1 s"));
}

// As a constraint: for −g/2 < B < 0 the greatest value is B²/(2g), the least one −g/2 − B at t = 1, so the spread is (B + g)²/(2g) = 2 m.
TEST_F(Optimize, KeepsToADifferenceOfExtremes) {
  const Optimum found = value_of(
      optimize_text(kFall, statement_of("B", {{"B", "-10 m/s:10 m/s"}}, {"max(y - B*t) - min(y - B*t) <= 2 m"}, true)));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.values[0], std::sqrt(2 * 9.81 * 2) - 9.81, 1e-7);
}

// |t − 1 s| at the end of a run of 1 s is at its corner whatever is free, so there are no derivatives; the search without them ends at the same velocity.
TEST_F(Optimize, GoesOnWithoutDerivatives) {
  const OptimizationStatement statement =
      statement_of("(abs(final(t) - 1)*B + final(y) - h)^2", {{"y'", "-20 m/s:20 m/s"}}, {"max(y) <= 10 m"});
  const Optimum found = value_of(optimize_text(kFall, statement, {}, {.starts = 2}));
  EXPECT_EQ(found.status, Optimum::Status::kNotProved);
  EXPECT_THAT(found.message, HasSubstr("without derivatives"));
  EXPECT_NEAR(found.values[0], 1 + 9.81 / 2, 1e-4);
  for (const OptimizationStart& start : found.starts) {
    EXPECT_EQ(start.ended, "without derivatives: converged");
    EXPECT_THAT(start.without_derivatives, HasSubstr("corner"));
    EXPECT_LT(start.points, 200);
  }
}

// An initial velocity for a place at the end; the answer is the same, to the last bit, whoever makes the runs.
TEST_F(Optimize, DoesNotDependOnThreads) {
  const OptimizationStatement statement = statement_of("(final(y) - h)^2", {{"y'", "-20 m/s:20 m/s"}});
  std::vector<Optimum> all;
  for (const int threads : {1, 2, 5})
    all.push_back(value_of(optimize_text(kFall, statement, {}, {.starts = 6, .threads = threads})));
  EXPECT_NEAR(all[0].values[0], 1 + 9.81 / 2, 1e-4);
  for (const Optimum& one : all) {
    EXPECT_EQ(one.values, all[0].values);
    EXPECT_EQ(one.runs, all[0].runs);
    EXPECT_EQ(optimum_json(one).text(), optimum_json(all[0]).text());
  }
}

// A motion with far more extremes of one size than are followed by themselves.
TEST_F(Optimize, FollowsManyEqualExtremes) {
  const std::string spring = R"toml(name = "spring"
coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "1 kg"
k = "100 N/m"
b = "3 m"
[[body]]
name = "block"
mass = "m"
position = ["x", 0]
[energy]
potential = "k/2*x^2"
[initial]
position = {x = "2 m"}
[simulation]
until = "40 s"
)toml";
  const Optimum found =
      value_of(optimize_text(spring, statement_of("max(abs(x - b))", {{"b", "-5 m:5 m"}}), {}, {.starts = 2}));
  EXPECT_EQ(found.status, Optimum::Status::kFound) << found.message;
  EXPECT_NEAR(found.values[0], 0, 1e-6);
  EXPECT_NEAR(found.objective, 2, 1e-6);
}

// A rod that is too short closes no loop: such points are counted, and the answer is where the loop closes.
TEST_F(Optimize, GoesAroundRunsThatFail) {
  const Model model = value_of(load_model_file(source_tree() + "/models/slider-crank.toml"));
  IntegrateOptions run = value_of(run_options(model));
  run.until = 0.5;
  const Optimum found =
      value_of(optimize(model, statement_of("max(abs(lambda(pin[2])))", {{"L2", "0.01 m:0.6 m"}}), run, {.starts = 6}));
  ASSERT_THAT(found.failures, testing::Not(IsEmpty()));
  EXPECT_GT(found.values.at(0), 0.15);
  EXPECT_TRUE(found.run.verdict.holds);
}

TEST_F(Optimize, SaysWhatCannotBe) {
  const Optimum none = value_of(optimize_text(kFall, statement_of("final(y)", {{"y'", "0:1"}}, {"final(y) >= 100 m"})));
  EXPECT_EQ(none.status, Optimum::Status::kInfeasible);
  EXPECT_NEAR(none.values[0], 1, 1e-6);
  const Optimum unknown = value_of(optimize_text(kFall, statement_of("integral(abs(y + h))", {{"y'", "0:1"}})));
  EXPECT_EQ(unknown.status, Optimum::Status::kNotProved);
  EXPECT_THAT(unknown.message, HasSubstr("integrand"));
}

TEST_F(Optimize, CanBeInterrupted) {
  const Optimum found = value_of(optimize_text(kProjectile, statement_of("final(x)", {{"a", "0.1:1.5"}}, {}, true), {},
                                               {.starts = 100'000, .progress = [](std::int64_t) { return false; }}));
  EXPECT_EQ(found.status, Optimum::Status::kInterrupted);
}

TEST_F(Optimize, RefusesWhatIsNoProblem) {
  const auto refusal = [](const OptimizationStatement& statement) {
    const Result<Optimum> found = optimize_text(kProjectile, statement);
    return found ? "" : render(found.diagnostics());
  };
  EXPECT_THAT(refusal(statement_of("final(x)", {})), HasSubstr("nothing is free"));
  EXPECT_THAT(refusal(statement_of("x", {{"a", "0:1"}})), HasSubstr("E0420"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"b", "0:1"}})), HasSubstr("E0421"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "1:0"}})), HasSubstr("no range"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0:1:5"}})), HasSubstr("FROM:TO"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0 m:1 m"}})), HasSubstr("E0203"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0:1"}, {"a", "0:2"}})), HasSubstr("free twice"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0:1"}}, {"max(y) < 3 m"})), HasSubstr("compares nothing"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0:1"}}, {"max(y) <= "})), HasSubstr("is empty"));
  EXPECT_THAT(refusal(statement_of("final(x)", {{"a", "0:1"}}, {"max(y) <= 3 s"})), HasSubstr("are in `m` and in `s`"));
}

// Columns of which some would need a negative share; found by looking at all subsets.
TEST(NonnegativeLeastSquares, IsThatOfTheBestSubset) {
  const std::vector<std::vector<double>> columns{{1, 0, 2}, {-1, 1, 0}, {0, 1, 1}, {1, 1, -1}};
  EXPECT_THAT(optimizing::nonnegative_least_squares(columns, {1, 0, 2}),
              ElementsAre(DoubleNear(1, 1e-14), DoubleNear(0, 1e-14), DoubleNear(0, 1e-14), DoubleNear(0, 1e-14)));
  const std::vector<double> x = optimizing::nonnegative_least_squares(columns, {-1, 2, 0});
  // The residual is orthogonal to the columns that are used, and no other column would reduce it.
  std::vector<double> rest{-1, 2, 0};
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t k = 0; k < 3; ++k) rest[k] -= x[j] * columns[j][k];
  for (std::size_t j = 0; j < 4; ++j) {
    double along = 0;
    for (std::size_t k = 0; k < 3; ++k) along += rest[k] * columns[j][k];
    EXPECT_GE(x[j], 0);
    EXPECT_LE(along, 1e-13);
    if (x[j] > 0) EXPECT_NEAR(along, 0, 1e-13);
  }
}

// A pendulum with a negative spring runs away the faster the more negative its mass: such points count as failures before a run is made, which took
// more than a minute.
TEST_F(Optimize, NegativeMassesAreNotRun) {
  const Result<Optimum> found = optimize_text(R"toml(coordinates = [{name = "x", unit = "m"}]
[parameters]
m = "0.5 kg"
k = "5e7 N/m"
[energy]
kinetic = "m*x'^2/2"
potential = "k*x^2/2"
[initial]
position = {x = "0.1 m"}
velocity = {x = 0}
[simulation]
until = "0.1 s"
)toml",
                                              statement_of("max(x')", {{"m", "-1:2"}}), {}, {.starts = 4});
  ASSERT_TRUE(found) << render(found.diagnostics());
  bool named = false;
  for (const auto& [reason, count] : found->failures) {
    EXPECT_THAT(reason, testing::StartsWith("the mass `m` is negative")) << count;
    named = true;
  }
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace dalembert
