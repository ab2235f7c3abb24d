// SPDX-License-Identifier: Apache-2.0
// How errors follow the step and the tolerance, and how inputs enter: the slider-crank from its file against itself
// reduced by hand to θ (minimal_coordinates.h), whose extrapolation is good to about 1e-12.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/minimal_coordinates.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using oracles::ReducedSliderCrank;

/// θ, θ̇ and the work ∫τ θ̇ dt at t, under the crank torque τ(t).
template <class Torque>
oracles::Vector reduced_motion(const State& start, double t, const Torque& tau) {
  return oracles::extrapolate(
      [&](double time, const oracles::Vector& y) -> oracles::Vector {
        return {y[1], ReducedSliderCrank(y[0]).acceleration(y[1], tau(time)), tau(time) * y[1]};
      },
      {start.q[0], start.v[0], 0}, 0, t, static_cast<int>(std::ceil(320 * t)));
}

struct Errors {
  double q = 0, v = 0, lambda = 0;
};

/// Of all coordinates, and of λ₁, which is −m₃ẍ: the slider feels nothing else.
Errors errors_at_end(const Trajectory& path, const oracles::Vector& y) {
  const ReducedSliderCrank at(y[0]);
  const double xdd = at.x.acceleration(y[1], at.acceleration(y[1]));
  return {std::hypot(path.q[0].back() - y[0], path.q[1].back() - at.phi.f, path.q[2].back() - at.x.f),
          std::hypot(path.v[0].back() - y[1],
                     std::hypot(path.v[1].back() - at.phi.rate(y[1]), path.v[2].back() - at.x.rate(y[1]))),
          std::abs(path.lambda[0].back() + ReducedSliderCrank::m3 * xdd)};
}

const auto kNoTorque = [](double) { return 0.0; };

// Oracle: the methods' orders 8 and 5 (Hairer, Nørsett & Wanner, tables II.5.2, II.5.4), of which projection takes
// nothing: errors in q, v and λ fall by 2^p when the fixed step is halved. Summed over starts round the crank, so that
// no chance cancellation counts. Before round-off takes over, terms of the next two orders still share in the errors of
// the coarser steps: the exponent measured lies between p − 0.5 and p + 2.5.
TEST(Accuracy, FixedStepsShowTheOrder) {
  for (const auto& [method, steps, order] : {std::tuple(Method::kDop853, 6, 8.0), std::tuple(Method::kDopri5, 32, 5.0),
                                             std::tuple(Method::kRadau, 32, 5.0)}) {
    Errors error[3];
    for (int degrees = 30; degrees < 360; degrees += 30) {
      const System system = shipped("slider-crank", {"theta=" + std::to_string(degrees) + " deg"});
      const State start = system.start();
      const oracles::Vector exact = reduced_motion(start, 0.25, kNoTorque);
      for (int k = 0; k < 3; ++k) {
        const Trajectory path =
            integrate(system.dynamics, start,
                      {.until = 0.25, .method = method, .initial_step = 0.25 / (steps << k), .adaptive = false});
        ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
        const Errors more = errors_at_end(path, exact);
        for (const auto part : {&Errors::q, &Errors::v, &Errors::lambda}) error[k].*part += more.*part;
        EXPECT_LE(path.verdict.max_position_residual, 1e-14);
      }
    }
    for (const auto part : {&Errors::q, &Errors::v, &Errors::lambda}) {
      const double observed = std::log2(error[0].*part / (error[2].*part)) / 2;
      EXPECT_GT(observed, order - 0.5) << to_text(method) << ": " << error[0].*part << " " << error[2].*part;
      EXPECT_LT(observed, order + 2.5) << to_text(method) << ": " << error[0].*part << " " << error[2].*part;
    }
  }
}

// Oracle: tolerance proportionality with local extrapolation: the global error goes like rtol^(p/(p̂+1)) or better,
// where the estimate's order p̂ is below p: a power near 1. Halving rtol must gain, and over ten halvings the power in
// q, v and λ is between 0.8 and 1.3. Errors stay below 2000 rtol (θ = 13 rad, θ̇ = 10 rad/s, λ = 100 N).
TEST(Accuracy, ErrorsFollowTheTolerance) {
  const System system = shipped("slider-crank", {"theta'=10 rad/s"});
  const State start = system.start();
  const oracles::Vector exact = reduced_motion(start, 3, kNoTorque);
  for (const Method method : kMethods) {
    constexpr int kHalvings = 16;
    Errors first, last;
    for (int k = 0; k <= kHalvings; ++k) {
      const double rtol = std::ldexp(1e-6, -k);
      const Trajectory path =
          integrate(system.dynamics, start, {.until = 3, .rtol = rtol, .atol = rtol, .method = method});
      ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
      EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
      const Errors error = errors_at_end(path, exact);
      for (const auto part : {&Errors::q, &Errors::v, &Errors::lambda})
        EXPECT_LE(error.*part, 2000 * rtol) << to_text(method) << " rtol " << rtol;
      if (k == 0) first = error;
      last = error;
    }
    for (const auto part : {&Errors::q, &Errors::v, &Errors::lambda}) {
      const double power = std::log2(first.*part / (last.*part)) / kHalvings;
      EXPECT_GT(power, 0.8) << to_text(method) << ": " << first.*part << " " << last.*part;
      EXPECT_LT(power, 1.3) << to_text(method) << ": " << first.*part << " " << last.*part;
    }
  }
}

// Oracle: theory §9, dE/dt = F·q̇ − λᵀa − ∂L/∂t = τ θ̇: the work of the torque, integrated along with the reduced motion,
// is the energy that the crank gains. rtol = 1e-10 over a few hundred steps.
TEST(Accuracy, DrivenCrankBalancesItsPower) {
  const System system = shipped("slider-crank", {"tau=0.1*sin(2*t)"});
  const State start = system.start();
  const Trajectory path =
      integrate(system.dynamics, start, {.until = 5, .rtol = 1e-10, .atol = 1e-13, .output_step = 1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_FALSE(path.verdict.conservative);
  const auto tau = [](double t) { return 0.1 * std::sin(2 * t); };
  double most = 0;
  for (std::size_t row = 0; row < path.size(); ++row) {
    const oracles::Vector y = reduced_motion(start, path.time[row], tau);
    EXPECT_NEAR(path.u[system.dynamics.names().inputs[0] == "tau" ? 0 : 1][row], tau(path.time[row]), 1e-15);
    EXPECT_NEAR(path.work[row], y[2], 1e-8);
    EXPECT_NEAR(path.total[row] - path.total[0], y[2], 1e-8);
    EXPECT_NEAR(path.q[0][row], y[0], 1e-7);
    most = std::max(most, std::abs(y[2]));
  }
  EXPECT_GT(most, 0.05) << "the torque does work";
  EXPECT_GT(path.verdict.energy_drift, 1e-3);
  EXPECT_LE(path.verdict.power_balance_error, 1e-8);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

class TableInputs : public ::testing::Test {
 protected:
  TableInputs() : folder_(std::filesystem::temp_directory_path() / ("dalembert-systems-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~TableInputs() override { std::filesystem::remove_all(folder_); }

  /// τ(t) from a table of samples every 3/count seconds until 3 s.
  template <class Torque>
  System from_table(int count, const Torque& tau) const {
    std::ofstream file(folder_ / "tau.csv");
    file << "time,ignored,tau\n";
    for (int k = 0; k <= count; ++k) {
      char line[100];
      std::snprintf(line, sizeof line, "%.17g,%d,%.17g\n", 3.0 * k / count, k, tau(3.0 * k / count));
      file << line;
    }
    file.close();
    return modified("slider-crank", {{"tau = 0\n", "tau = {file = 'tau.csv', column = 'tau'}\n"}}, {},
                    folder_.string());
  }
  static Trajectory run(const System& system) {
    const Trajectory path =
        integrate(system.dynamics, system.start(), {.until = 3, .rtol = 1e-11, .atol = 1e-13, .output_step = 0.25});
    EXPECT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
    return path;
  }
  static double difference(const Trajectory& a, const Trajectory& b) {
    EXPECT_EQ(a.size(), 13u);
    EXPECT_EQ(b.size(), 13u);
    double largest = 0;
    for (std::size_t i = 0; i < a.q.size(); ++i)
      for (std::size_t row = 0; row < a.size(); ++row)
        largest = std::max({largest, std::abs(a.q[i][row] - b.q[i][row]), std::abs(a.v[i][row] - b.v[i][row])});
    return largest;
  }

 private:
  std::filesystem::path folder_;
};

// Oracle: linear interpolation between samples is exact for a ramp: only the two runs' own errors are left, a few
// hundred steps of 1e-11.
TEST_F(TableInputs, RampIsExact) {
  const Trajectory table = run(from_table(7, [](double t) { return 0.2 - 0.05 * t; }));
  EXPECT_LE(difference(table, run(shipped("slider-crank", {"tau=0.2 - 0.05*t"}))), 1e-8);
  EXPECT_GT(difference(table, run(shipped("slider-crank", {"tau=0.2"}))), 1e-3);
}

// Oracle: the reduced motion under the same polygon, interval by interval. With fixed steps that end at its corners the
// method sees smooth pieces only; 16 steps in each make errors far below 1e-8.
TEST_F(TableInputs, PolygonIsFollowed) {
  const auto tau = [](double t) { return 0.1 * std::sin(2 * t); };
  const System system = from_table(60, tau);
  const Trajectory path = integrate(system.dynamics, system.start(),
                                    {.until = 3, .initial_step = 0.05 / 16, .adaptive = false, .output_step = 0.25});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  ASSERT_EQ(path.size(), 13u);
  oracles::Vector y{path.q[0][0], path.v[0][0], 0};
  for (int k = 0; k < 60; ++k) {
    const double h = 3.0 / 60, left = tau(k * h), slope = (tau((k + 1) * h) - left) / h;
    y = reduced_motion({0, {y[0]}, {y[1]}}, h, [&](double t) { return left + slope * t; });
    if ((k + 1) % 5 == 0) {
      const auto row = static_cast<std::size_t>((k + 1) / 5);
      EXPECT_NEAR(path.time[row], (k + 1) * h, 1e-14);
      EXPECT_NEAR(path.q[0][row], y[0], 1e-8);
      EXPECT_NEAR(path.v[0][row], y[1], 1e-7);
    }
  }
  EXPECT_GT(difference(path, run(shipped("slider-crank", {"tau=0.1*sin(2*t)"}))), 1e-3) << "not the sine itself";
}

// Oracle: the error of linear interpolation, h²/8 max|τ̈|: against the sine itself the motion's error falls to a quarter
// at half the distance.
TEST_F(TableInputs, SamplesOfASineConverge) {
  const auto tau = [](double t) { return 0.1 * std::sin(2 * t); };
  const Trajectory expression = run(shipped("slider-crank", {"tau=0.1*sin(2*t)"}));
  const double coarse = difference(run(from_table(300, tau)), expression);
  const double fine = difference(run(from_table(600, tau)), expression);
  EXPECT_GT(fine, 1e-6);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

// A sleigh steered by ẏ = ẋ tan θ ends just before θ = π/2, where steps halve whatever the tolerance: a second run at a hundredth of the
// tolerances takes as many of them and is no better, and the difference of both alone would name less than the error. Truth: rtol 1e-13,
// which differs from 2e-14 by 4e-13.
TEST(NamedError, OfARunWhoseStepsTheToleranceDoesNotSet) {
  const System system(derive_loaded(load_model(make_source("sleigh", R"toml(name = "sleigh"
coordinates = ["x", "y", "th"]
[energy]
kinetic = "1.5962824486900815/2*(x'^2 + y'^2) + 2.8913924540146563/2*th'^2 - 0.07565333474840567*th'*(y'*cos(th) - x'*sin(th))"
[[constraint]]
name = "knife"
pfaffian = "y' - x'*tan(th)"
[initial]
position = {x = 0, y = 0, th = -0.9341198133670723}
velocity = {x = 1.4876477160706354, th = 0.7556447352932001}
)toml"),
                                               {})));
  const auto run = [&](double rtol) {
    return integrate(system.dynamics, system.start(), {.until = 3, .rtol = rtol, .second_run = true});
  };
  const Trajectory path = run(4.265431305055949e-07), truth = run(1e-13);
  ASSERT_EQ(path.verdict.error.method, "cross-check");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(std::abs(path.q[i].back() - truth.q[i].back()), path.verdict.error.q[i]) << i;
    EXPECT_LE(std::abs(path.v[i].back() - truth.v[i].back()), path.verdict.error.v[i]) << i;
  }
}

}  // namespace
}  // namespace dalembert
