// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using testing::HasSubstr;

// Truth: docs/command-line.md, Series and files.
TEST(Trajectory, NamesItsSeries) {
  const Dynamics dynamics = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  const Trajectory path = integrate(dynamics, SliderCrank::start(), {.until = 0.1, .output_step = 0.05});
  ASSERT_EQ(path.size(), 3u);
  std::vector<std::string> names;
  for (const auto& column : path.columns()) {
    names.push_back(column.name);
    EXPECT_EQ(column.values.size(), 3u) << column.name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"time", "q/theta", "q/phi", "q/x", "v/theta", "v/phi", "v/x", "a/theta", "a/phi",
                                      "a/x", "lambda/pin[1]", "lambda/pin[2]", "energy/total", "energy/kinetic",
                                      "energy/potential", "residual/pin[1]", "residual/pin[2]"}));
  EXPECT_EQ(path.columns()[4].unit, "m/s");
  EXPECT_EQ(path.series("theta").data(), path.q[0].data());
  EXPECT_EQ(path.series("theta'").data(), path.v[0].data());
  EXPECT_EQ(path.series("dot(theta)").data(), path.v[0].data());
  EXPECT_EQ(path.series("theta''").data(), path.a[0].data());
  EXPECT_EQ(path.series("pin[2]").data(), path.lambda[1].data());
  EXPECT_EQ(path.series("lambda.pin[2]").data(), path.lambda[1].data());
  EXPECT_EQ(path.series("residual/pin[1]").data(), path.residual[0].data());
  EXPECT_EQ(path.series("total").data(), path.total.data());
  EXPECT_EQ(path.series("t").data(), path.time.data());
  EXPECT_TRUE(path.series("nothing").empty());
  EXPECT_EQ(path.state(0).q, SliderCrank::start().q);
}

// The rate of a velocity in m/s is in m/s^2, not in m/s/s; of one in m^2/s it is in m^2/s^2.
TEST(Trajectory, RatesOfRatesHaveUnitsOfOneStroke) {
  Trajectory path;
  path.names.coordinates = {"x"};
  path.names.coordinate_units = {"m"};
  path.names.velocities = {"x'", "L", "top.omega.x", "k"};
  path.names.velocity_units = {"m/s", "m^2/s", "1/s", ""};
  path.a.assign(4, {});
  std::vector<std::string> units;
  for (const auto& column : path.columns())
    if (column.name.starts_with("vdot/")) units.push_back(column.unit);
  EXPECT_EQ(units, (std::vector<std::string>{"m/s^2", "m^2/s^2", "1/s^2", ""}));
}

// Truth: the short name counts where it is unique; a coordinate and an output of one name are not.
TEST(Trajectory, AmbiguousShortNamesMeanNothing) {
  const std::vector<std::string> names{"time", "q/x", "output/x", "lambda/pin.x", "output/reach"};
  EXPECT_FALSE(find_series(names, "x"));
  EXPECT_EQ(find_series(names, "output/x"), 2u);
  EXPECT_EQ(find_series(names, "pin.x"), 3u);
  EXPECT_EQ(find_series(names, "lambda.pin.x"), 3u);
  EXPECT_EQ(find_series(names, "reach"), 4u);
}

// A prescribed coordinate and the actuation that holds it have one name, which means the coordinate, as its derivatives' names do.
TEST(Trajectory, ThePrescribedCoordinateIsMeantAndNotItsActuation) {
  const std::vector<std::string> names{"time", "q/theta", "v/theta", "F/theta", "F/pump", "q/y", "F/y", "output/y"};
  EXPECT_EQ(find_series(names, "theta"), 1u);
  EXPECT_EQ(find_series(names, "theta'"), 2u);
  EXPECT_EQ(find_series(names, "F/theta"), 3u);
  EXPECT_EQ(find_series(names, "pump"), 4u);
  EXPECT_FALSE(find_series(names, "y")) << "an output has the name too";
}

TEST(Verdict, SpeaksToPeople) {
  Verdict verdict;
  verdict.rows = 2;
  verdict.min_rank = 1;
  verdict.holds = true;
  verdict.conservative = true;
  verdict.energy_drift = 1.5e-10;
  verdict.drift_limit = 1e-7;
  verdict.conserved = {{"energy", 1.5e-10}, {"p[phi]", 2e-12}};
  verdict.warnings = {"lambda of `a` is not unique"};
  const std::string text = to_text(verdict);
  EXPECT_THAT(text, HasSubstr("verdict: holds"));
  EXPECT_THAT(text, HasSubstr("energy drift            1.5e-10  (limit 1e-07)"));
  EXPECT_THAT(text, HasSubstr("1 of 2"));
  EXPECT_THAT(text, HasSubstr("p[phi] drift"));
  EXPECT_THAT(text, HasSubstr("warning: lambda of `a`"));
}

}  // namespace
}  // namespace dalembert
