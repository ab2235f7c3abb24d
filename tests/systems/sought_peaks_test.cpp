// SPDX-License-Identifier: Apache-2.0
// Extremes that a run is asked for (IntegrateOptions::peaks_of), against closed forms and a run that finds all.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "oracles/damped_oscillator.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

const std::string kOutputsWithCorners = R"toml([outputs]
position = "x"
speed = "abs(x')"
beyond = "max(x, -2*x)"
cut = "min(x, 0.2 m)"
early = "if(t < 0.5 s, x, 0 m)"
root = "sqrt(1 - cos(x/(1 m)))"
fold = "acos(cos(x/(1 m)))"
sum = "x + sqrt(1 - cos(x/(1 m)))*(1 m)"
wave = "cos(x/(1 m))"
)toml";

// |x'| is largest first where tan ωt = 2ω/c, and x smallest half a period after the start.
TEST(SoughtPeaks, AreThoseThatAllHave) {
  const System system(derive_loaded(load_model(make_source("corners", kDamped + kOutputsWithCorners), {})));
  const Dynamics& dynamics = system.dynamics;
  EXPECT_THAT(dynamics.layout().output_bends,
              testing::ElementsAre(Bends::kNowhere, Bends::kUpward, Bends::kUpward, Bends::kAnywhere, Bends::kAnywhere,
                                   Bends::kUpward, Bends::kAnywhere, Bends::kAnywhere, Bends::kNowhere));
  const Damped exact;
  const double t = std::atan(2 * exact.w / exact.c) / exact.w, fastest = std::abs(exact.v(t));
  IntegrateOptions options{.until = 10, .rtol = 1e-10, .atol = 1e-12, .find_peaks = true};
  const Trajectory all = integrate(dynamics, {0, {1}, {0}}, options);
  options.peaks_of = {{.output = 1, .min = false}, {.output = 3}};
  const Trajectory some = integrate(dynamics, {0, {1}, {0}}, options);
  ASSERT_EQ(all.status, RunStatus::kOk);
  ASSERT_EQ(some.peaks.size(), 9U);
  EXPECT_LT(some.evaluations, all.evaluations);
  EXPECT_NEAR(all.peaks[1].max, fastest, 1e-9);
  EXPECT_NEAR(some.peaks[1].max, fastest, 1e-9);
  EXPECT_NEAR(some.peaks[1].t_max, t, 1e-4);
  EXPECT_GE(some.peaks[1].min, 0);
  EXPECT_NEAR(some.peaks[3].max, 0.2, 1e-15);
  EXPECT_NEAR(some.peaks[3].min, all.peaks[0].min, 1e-9);
  EXPECT_NEAR(all.peaks[0].min, exact.x(std::numbers::pi / exact.w), 1e-9);
  EXPECT_FALSE(some.peaks[0].any || some.peaks[2].any || some.peaks[4].any);
}

// √(1 − cos x) and acos(cos x) have a corner where x passes 0, wherever in a step that is.
TEST(SoughtPeaks, CornersOfRootsAreMet) {
  const System system(derive_loaded(load_model(make_source("corners", kDamped + kOutputsWithCorners), {})));
  for (int k = 0; k < 60; ++k) {
    IntegrateOptions options{.until = 1.2, .rtol = 1e-6 * std::pow(0.85, k), .find_peaks = true};
    options.peaks_of = {{.output = 5, .max = false}, {.output = 6, .max = false}};
    const Trajectory run = integrate(system.dynamics, {0, {1}, {0}}, options);
    EXPECT_LT(run.peaks[5].min, 1e-6) << options.rtol;
    EXPECT_LT(run.peaks[6].min, 1e-6) << options.rtol;
  }
}

}  // namespace
}  // namespace dalembert
