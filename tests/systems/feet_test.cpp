// SPDX-License-Identifier: Apache-2.0
// A body on more feet than needed, with friction at each: it stands while some forces can hold it, and breaks loose with all feet at once
// (docs/decisions/0080-roomiest-forces.md). Closed forms, and Coulomb's law in every row.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

constexpr double kBodyMass = 10, kDown = 9.81, kSole = 0.5, kAboutVertical = 1.7;
using FootPlaces = std::vector<std::pair<double, double>>;

// A body whose middle is 0.5 m above feet at these places. `force`: what pulls at its middle, as it is stated.
std::string body_on_feet(const FootPlaces& places, const std::string& force) {
  std::string text = fmt::format(R"toml(name = "body on feet"
coordinates = [{{name="x", unit="m"}}, {{name="y", unit="m"}}, {{name="z", unit="m"}}, "e0", "e1", "e2", "e3"]
gravity = [0, 0, -{}]
[parameters]
mu = {}
[[frame]]
name = "body"
origin = ["x", "y", "z"]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "body"
mass = "{} kg"
inertia = ["0.9 kg*m^2", "1.3 kg*m^2", "{} kg*m^2"]
frame = "body"
[[point]]
name = "O"
at = [0, 0, 0]
[[point]]
name = "C"
frame = "body"
at = [0, 0, 0]
{})toml",
                                 kDown, kSole, kBodyMass, kAboutVertical, force);
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format(R"toml([[point]]
name = "P{0}"
frame = "body"
at = ["{1} m", "{2} m", "-0.5 m"]
[[constraint]]
name = "foot{0}"
contact = {{point = "P{0}", above = "O", normal = [0, 0, 1]}}
friction = "mu"
)toml",
                        i, places[i].first, places[i].second);
  return text;
}

FootPlaces polygon_of_feet(int count, double longer = 1) {
  FootPlaces places;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * M_PI * (i + 0.5) / count;
    places.emplace_back(longer * std::cos(angle), std::sin(angle));
  }
  return places;
}

Trajectory run_on_feet(const std::string& text, std::vector<double> q, std::vector<double> v,
                       const IntegrateOptions& options) {
  const System system = loaded(text);
  return integrate(system.dynamics, State{0, std::move(q), std::move(v)}, options);
}

// Standing still until the pull, or the torque, reaches what all feet together hold; each foot presses and keeps to its limit throughout.
void expect_coulomb(const Trajectory& path, std::size_t feet) {
  for (std::size_t row = 0; row < path.size(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < feet; ++i) {
      const double N = path.lambda[i][row], f = std::hypot(path.friction[2 * i][row], path.friction[2 * i + 1][row]);
      EXPECT_GE(N, -1e-9) << i << " at " << path.time[row];
      EXPECT_LE(f, kSole * N + 1e-8) << i << " at " << path.time[row];
      sum += N;
    }
    EXPECT_NEAR(sum, kBodyMass * kDown, 1e-9) << path.time[row];
  }
}

const std::vector<double> kStandingOnFeet{0, 0, 0.5, 1, 0, 0, 0}, kStillOnFeet{0, 0, 0, 0, 0, 0};

class Feet : public testing::TestWithParam<int> {};

TEST_P(Feet, HoldAPullUntilAllAreAtTheirLimits) {
  const auto feet = static_cast<std::size_t>(GetParam());
  const double rate = 60, loose = kSole * kBodyMass * kDown / rate, end = 0.85;
  FootPlaces places = polygon_of_feet(GetParam(), 1.5);
  for (auto& [x, y] : places) x -= 0.2, y += 0.1;  // the middle is not that of the feet
  const Trajectory path = run_on_feet(body_on_feet(places, "[[force]]\nat = \"C\"\nvector = [\"60 N/s*t\", 0, 0]\n"),
                                      kStandingOnFeet, kStillOnFeet, {.until = end});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  expect_coulomb(path, feet);
  std::set<std::string> slide;
  for (const RunEvent& event : path.events) {
    if (event.kind != RunEventKind::kSlip) continue;
    slide.insert(event.name);
    EXPECT_NEAR(event.t, loose, 1e-10) << event.name;
  }
  EXPECT_EQ(slide.size(), feet);
  const double since = end - loose;
  EXPECT_NEAR(path.q[0].back(), rate / kBodyMass * std::pow(since, 3) / 6, 1e-9);
  EXPECT_NEAR(path.q[1].back(), 0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Count, Feet, testing::Values(3, 4, 5, 6));

// With more friction at rest it starts with an acceleration. The body does not turn: its round-off of a rotation is no motion whose digits could be lost.
TEST(ThreeFeet, StartWithAnAccelerationAndDoNotTurn) {
  const double rate = 60, loose = 0.6 * kBodyMass * kDown / rate, end = 1, since = end - loose;
  const FootPlaces places{{0.4, 0.45}, {-1.1, -0.05}, {0.4, -0.55}};
  std::string text = body_on_feet(places, "[[force]]\nat = \"C\"\nvector = [\"60 N/s*t\", 0, 0]\n");
  const std::string own = "friction = \"mu\"\n";
  for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own)) text.erase(at, own.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format(R"toml([[friction]]
name = "sole{0}"
normal = "lambda(foot{0})"
velocity = ["dot(x + (e0^2 + e1^2 - e2^2 - e3^2)*({1} m) + 2*(e1*e2 - e0*e3)*({2} m) - 2*(e1*e3 + e0*e2)*(0.5 m))",
            "dot(y + 2*(e1*e2 + e0*e3)*({1} m) + (e0^2 - e1^2 + e2^2 - e3^2)*({2} m) - 2*(e2*e3 - e0*e1)*(0.5 m))"]
coefficient = "mu"
static = 0.6
)toml",
                        i, places[i].first, places[i].second);
  const Trajectory path = run_on_feet(text, kStandingOnFeet, kStillOnFeet, {.until = end});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  const double first = (0.6 - kSole) * kDown;
  EXPECT_NEAR(path.q[0].back(), first * since * since / 2 + rate / kBodyMass * std::pow(since, 3) / 6, 1e-12);
}

// All feet at the distance √2 hold the torque μ m g √2; then the body turns about its middle.
TEST(FourFeet, HoldATorqueUntilAllAreAtTheirLimits) {
  const double rate = 90, loose = kSole * kBodyMass * kDown * std::sqrt(2) / rate, end = 1;
  const Trajectory path = run_on_feet(body_on_feet({{1, 1}, {-1, 1}, {-1, -1}, {1, -1}},
                                                   "[[force]]\nbody = \"body\"\ntorque = [0, 0, \"90 N*m/s*t\"]\n"),
                                      kStandingOnFeet, kStillOnFeet, {.until = end});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  expect_coulomb(path, 4);
  EXPECT_NEAR(path.events.back().t, loose, 1e-10);
  const double angle = rate / kAboutVertical * std::pow(end - loose, 3) / 6;
  EXPECT_NEAR(path.q[6].back(), std::sin(angle / 2), 1e-7);
}

// It falls 0.1 m while it moves with 1 m/s; the impact of all feet takes μ √(2 g h) of that, and friction the rest.
TEST(FourFeet, LandAndSlideToRest) {
  const double fall = std::sqrt(2 * 0.1 / kDown), left = 1 - kSole * kDown * fall, stop = left / (kSole * kDown);
  const Trajectory path = run_on_feet(body_on_feet({{1, 0.6}, {-1, 0.6}, {-1, -0.6}, {1, -0.6}}, ""),
                                      {0, 0, 0.6, 1, 0, 0, 0}, {1, 0, 0, 0, 0, 0}, {.until = 1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  EXPECT_NEAR(path.q[0].back(), fall + left * stop / 2, 1e-9);
  EXPECT_NEAR(path.q[2].back(), 0.5, 1e-14);
  EXPECT_NEAR(path.v[0].back(), 0, 1e-30);
}

// On a slope below the angle of friction it rests, above it slides with g (sin α − μ cos α).
TEST(FourFeet, RestOnASlopeOrSlideDown) {
  for (const double angle : {0.4, 0.8}) {
    std::string text = body_on_feet({{0.8, 0.5}, {-1.2, 0.5}, {-1.2, -0.7}, {0.8, -0.7}}, "");
    const std::string level = fmt::format("[0, 0, -{}]", kDown);
    text.replace(text.find(level), level.size(),
                 fmt::format("[{:.17g}, 0, {:.17g}]", kDown * std::sin(angle), -kDown * std::cos(angle)));
    const Trajectory path = run_on_feet(text, kStandingOnFeet, kStillOnFeet, {.until = 1});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    const double a = std::max(0.0, kDown * (std::sin(angle) - kSole * std::cos(angle)));
    EXPECT_NEAR(path.q[0].back(), a / 2, 1e-9) << angle;
    if (a == 0) EXPECT_EQ(path.q[0].back(), 0);
  }
}

}  // namespace
}  // namespace dalembert
