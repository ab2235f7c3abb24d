// SPDX-License-Identifier: Apache-2.0
// Samples that drive constraints and energies: a pendulum (bob m, length L) that hangs from a cart mc, whose position
// follows s(t). The other side is the same model with s as a formula.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

const std::string kSplineTop = R"toml(coordinates = [{name = "x", unit = "m"}, {name = "theta", unit = "rad"}]
gravity = ["0", "-g"]
[parameters]
g = "9.81 m/s^2"
mc = "1 kg"
m = "0.3 kg"
L = "0.4 m"
[[body]]
name = "cart"
mass = "mc"
position = ["x", "0"]
[[body]]
name = "bob"
mass = "m"
position = ["x + L*sin(theta)", "-L*cos(theta)"]
[initial]
position = {theta = "30 deg"}
velocity = {theta = 0}
guess = {x = 0}
)toml";
const std::string kFollows = "[[constraint]]\nname = \"drive\"\nholonomic = \"x - s\"\n";
const std::string kSamples = "[inputs]\ns = {file = \"s.csv\", column = \"s\", interpolation = \"spline\"}\n";

double sine(double t) { return 0.3 * std::sin(2 * t); }
const std::string kSine = "[define]\ns = \"0.3*sin(2*t)\"\n";

class SplineDrive : public testing::Test {
 protected:
  SplineDrive() { std::filesystem::create_directories(folder_); }
  ~SplineDrive() override { std::filesystem::remove_all(folder_); }

  System system(const std::string& text, const std::vector<std::string>& set = {}) {
    LoadOptions options = load_options(set);
    options.directory = folder_.string();
    return System(derive_loaded(load_model(make_source("driven", text), options)));
  }
  void sample(const std::function<double(double)>& f, double from, double to, int pieces) {
    std::ofstream file(folder_ / "s.csv");
    file << "time,s\n";
    for (int i = 0; i <= pieces; ++i) {
      const double t = from + (to - from) * i / pieces;
      file << fmt::format("{},{}\n", t, f(t));
    }
  }
  static Trajectory run(const System& system, double rtol, double until = 3) {
    const Trajectory path = integrate(system.dynamics, system.start(),
                                      {.until = until, .rtol = rtol, .atol = rtol / 1000, .output_step = until / 64});
    EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    return path;
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      (std::string("dalembert_spline_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

double largest_gap(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double gap = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) gap = std::max(gap, std::abs(a[i] - b[i]));
  return gap;
}

// Truth: the formula's run. x, x', x'' are s, s', s'' of the spline: Hall & Meyer's bounds (cubic_spline.h) with F =
// 0.3·2⁴, samples well beyond the run on both sides. The multiplier is (mc + m sin²θ) x'' and terms of θ, θ', so its
// error is at most (mc + m) that of x'' and what θ is off, of order h⁴. The orders are measured: halving h divides the
// errors by 16, 8, 4, 4, up to the places of 64 rows within the pieces: the error of s'' is zero at 2 points of each,
// so the ratio of the largest of 64 may be off by a few per cent; 15 % is far from the next order.
TEST_F(SplineDrive, ConstraintFollowsSamples) {
  const Trajectory exact = run(system(kSplineTop + kFollows + kSine), 1e-11);
  const double F = 0.3 * 16;
  std::vector<double> before;
  for (const int pieces : {128, 256}) {
    sample(sine, -1, 4, pieces);
    const double h = 5.0 / pieces;
    const Trajectory path = run(system(kSplineTop + kFollows + kSamples), 1e-11);
    const std::vector<double> gaps{largest_gap(path.q[0], exact.q[0]), largest_gap(path.v[0], exact.v[0]),
                                   largest_gap(path.a[0], exact.a[0]), largest_gap(path.lambda[0], exact.lambda[0])};
    EXPECT_LT(gaps[0], 5.0 / 384 * std::pow(h, 4) * F);
    EXPECT_LT(gaps[1], 1.0 / 24 * std::pow(h, 3) * F);
    EXPECT_LT(gaps[2], 3.0 / 8 * h * h * F);
    EXPECT_LT(gaps[3], 1.3 * 3.0 / 8 * h * h * F);
    EXPECT_LT(largest_gap(path.q[1], exact.q[1]), h * h * F);
    if (!before.empty()) {
      const double orders[] = {16, 8, 4, 4};
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(before[i] / gaps[i], orders[i], 0.15 * orders[i]) << i;
    }
    before = gaps;
  }
}

// Truth: a not-a-knot spline through samples of a cubic is the cubic, so the motion is that of the formula: each run is
// within its own estimate of its error.
TEST_F(SplineDrive, CubicsAreExact) {
  sample([](double t) { return 0.1 + 0.2 * t - 0.3 * t * t + 0.05 * t * t * t; }, 0, 3, 9);
  const System formula = system(kSplineTop + kFollows + "[define]\ns = \"0.1 + 0.2*t - 0.3*t^2 + 0.05*t^3\"\n");
  const System driven = system(kSplineTop + kFollows + kSamples);
  const Trajectory a = run(formula, 1e-10), b = run(driven, 1e-10);
  EXPECT_LT(largest_gap(a.q[0], b.q[0]), 1e-14);
  EXPECT_LT(largest_gap(a.v[0], b.v[0]), 1e-14);
  EXPECT_LT(largest_gap(a.a[0], b.a[0]), 1e-12);
  EXPECT_LT(largest_gap(a.q[1], b.q[1]), 1e-8);
  // Knots of the cubic are none: no step ends there.
  EXPECT_EQ(driven.dynamics.find_kinks(0, 3).size(), 0u);
}

// Truth: three statements of one motion: the constraint x = s, its rate x' = s' as a Pfaffian row, and no cart at all
// but a support at s(t), whose kinetic energy contains s and s'. θ agrees within the tolerance of the runs.
TEST_F(SplineDrive, PfaffianAndEnergiesAgreeWithTheConstraint) {
  sample(sine, 0, 3, 60);
  const Trajectory holonomic = run(system(kSplineTop + kFollows + kSamples), 1e-11);
  const Trajectory pfaffian =
      run(system(kSplineTop + "[[constraint]]\nname = \"drive\"\npfaffian = \"x' - dot(s)\"\n" + kSamples), 1e-11);
  std::string support = kSplineTop;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"{name = \"x\", unit = \"m\"}, ", ""},
                                 {"[\"x\", \"0\"]", "[\"s\", \"0\"]"},
                                 {"x + L", "s + L"},
                                 {"guess = {x = 0}\n", ""}})
    support.replace(support.find(from), from.size(), to);
  const Trajectory minimal = run(system(support + kSamples), 1e-11);
  EXPECT_LT(largest_gap(pfaffian.q[0], holonomic.q[0]), 1e-9);
  EXPECT_LT(largest_gap(pfaffian.q[1], holonomic.q[1]), 1e-9);
  EXPECT_LT(largest_gap(minimal.q[0], holonomic.q[1]), 1e-9);
  EXPECT_LT(largest_gap(pfaffian.lambda[0], holonomic.lambda[0]), 1e-7);
}

// Truth: `--set` of a formula: the samples are gone, and the derivatives are those of the formula.
TEST_F(SplineDrive, AFormulaReplacesTheSamples) {
  sample([](double) { return 7; }, 0, 3, 4);
  const Trajectory formula = run(system(kSplineTop + kFollows + kSine), 1e-10);
  const Trajectory set = run(system(kSplineTop + kFollows + kSamples, {"s=0.3*sin(2*t)"}), 1e-10);
  for (const std::size_t i : {0u, 1u}) EXPECT_LT(largest_gap(formula.q[i], set.q[i]), 1e-9);
  EXPECT_LT(largest_gap(formula.lambda[0], set.lambda[0]), 1e-8);
}

// Truth: a spline has no values outside of its samples (cubic_spline.h).
TEST_F(SplineDrive, RefusesToRunBeyondItsSamples) {
  sample(sine, 0, 2, 40);
  const System driven = system(kSplineTop + kFollows + kSamples);
  const Trajectory path = integrate(driven.dynamics, driven.start(), {.until = 2.001});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("the samples of `s` are from 0 to 2 s"));
  EXPECT_EQ(integrate(driven.dynamics, driven.start(), {.until = 2}).status, RunStatus::kOk);
}

// Truth: if steps ended at samples, there would be as many of them at least. At rtol = 1e-5 the corners of 600 samples
// are too small for that; at 1e-11 they are not, and then each piece is one step or two.
TEST_F(SplineDrive, StepsEndAtSamplesWhereTheToleranceAsksForIt) {
  constexpr int kPieces = 600;
  sample(sine, 0, 3, kPieces);
  const System driven = system(kSplineTop + kFollows + kSamples);
  const auto run_at = [&](double rtol) {
    return integrate(driven.dynamics, driven.start(), {.until = 3, .rtol = rtol, .atol = rtol / 1000});
  };
  EXPECT_LT(run_at(1e-5).steps, kPieces / 4);
  const Trajectory precise = run_at(1e-11);
  EXPECT_GE(precise.steps, kPieces - 2);  // not-a-knot: the first and the last two pieces are one
  EXPECT_LE(precise.steps, 2 * kPieces);
  EXPECT_EQ(precise.rejected, 0);
}

// Truth: h = x - s(t) at two times: machine code that is called without the kernel's call() sees the inputs of each
// time.
TEST_F(SplineDrive, CodeCalledDirectlySeesTheInputs) {
  sample(sine, 0, 3, 60);
  const System driven = system(kSplineTop + kFollows + kSamples);
  driven.dynamics.kernel().expect_many_calls();
  Workspace workspace(driven.dynamics);
  workspace.find_code(driven.dynamics.kernel());
  const double q[] = {0, 0};
  for (const double t : {0.5, 1.0, 2.0}) {
    evaluate_position(driven.dynamics, t, q, workspace);
    EXPECT_NEAR(workspace.h[0], -sine(t), 1e-15);  // of samples
    evaluate_velocity(driven.dynamics, t + 0.05, q, workspace);
    evaluate_position(driven.dynamics, t, q, workspace);
    EXPECT_NEAR(workspace.h[0], -sine(t), 1e-15);
  }
}

// Truth: solve_kkt, one state at a time, by the interpreter; lanes by the interpreter and by machine code, whose
// results differ in the order of operations alone.
TEST_F(SplineDrive, LanesFollowSamples) {
  sample(sine, 0, 3, 60);
  const System driven = system(kSplineTop + kFollows + kSamples);
  for (const bool code : {false, true}) {
    LaneKernel lanes(driven.dynamics, 4, {.machine_code = code});
    std::vector<double> work(driven.dynamics.layout().work);
    const std::vector<double> t{0, 0.51, 1.7, 3}, q{0, .1, .2, .3, 1, 2, 3, 4}, v{.5, .6, .7, .8, -1, -2, 1, 2};
    std::vector<double> out((2 + 1 + 2) * 4), h(4);
    lanes.accelerations({.t = t.data(), .q = q.data(), .v = v.data()}, out.data());
    lanes.call(KernelFunction::kPosition, {.t = t.data(), .q = q.data()}, h.data());
    for (std::size_t l = 0; l < 4; ++l) {
      const KktSolution one = solve_kkt(driven.dynamics, {t[l], {q[l], q[4 + l]}, {v[l], v[4 + l]}});
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(out[4 * i + l], one.qdd[i], 1e-12 * (1 + std::abs(one.qdd[i])));
      EXPECT_NEAR(out[8 + l], one.lambda[0], 1e-12 * (1 + std::abs(one.lambda[0])));
      double u[3];
      driven.dynamics.inputs(t[l], work.data(), u);
      EXPECT_NEAR(h[l], q[l] - u[0], 1e-15);
    }
  }
}

}  // namespace
}  // namespace dalembert
