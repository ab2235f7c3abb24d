// SPDX-License-Identifier: Apache-2.0
// linearize and analyze of motions that are steady but for a turn of the whole system, in coordinates of points (no quaternions), and of what is none.
// The eigenvalues are closed forms: of the conical pendulum, of a circle about a centre and of Lagrange's triangle (Routh, Proc. London Math. Soc. 6, 1875).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;

double distance_to(const nlohmann::json& eigenvalues, std::complex<double> wanted) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& one : eigenvalues)
    least = std::min(least, std::abs(std::complex<double>(one[0].get<double>(), one[1].get<double>()) - wanted));
  return least;
}

nlohmann::json linearized(const Folder& folder, const std::string& model, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"linearize", folder.write("model.toml", model), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome done = run(words);
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, ::testing::Not(HasSubstr("W0309")));
  return done.json();
}

const char* const kConical = R"toml(name = "conical"
coordinates = ["x", "y", "z"]
gravity = [0, 0, "-g"]
parameters = {g = 9.81}
inputs = {F = 0}
[[body]]
name = "b"
mass = 1
position = ["x", "y", "z"]
[[force]]
coordinate = "x"
value = "F"
[[constraint]]
name = "rod"
holonomic = "x^2+y^2+z^2-1"
[outputs]
height = "z"
side = "x"
[initial]
position = {x = 0.6, y = 0}
guess = {z = -0.8}
velocity = {x = 0, y = "0.6*sqrt(9.81/0.8)"}
)toml";

// A pendulum of length 1 that moves in a circle at the angle α, cos α = 0.8: Ω² = g/cos α, and it nods at Ω √(1 + 3 cos² α). A force along x is not
// constant in axes that turn, and x is no function of the states there.
TEST(TurningMotions, ConicalPendulum) {
  const Folder folder;
  auto json = linearized(folder, kConical);
  EXPECT_EQ(json["kind"], "steady motion");
  const double rate = std::sqrt(9.81 / 0.8);
  ASSERT_EQ(json["at"]["turning"].size(), 1U) << json["at"];
  EXPECT_NEAR(json["at"]["turning"][0]["rate"].get<double>(), rate, 1e-12);
  EXPECT_EQ(json["at"]["turning"][0]["planes"].dump(), R"([["x","y"]])");
  ASSERT_EQ(json["eigenvalues"].size(), 3U);
  EXPECT_LT(distance_to(json["eigenvalues"], {0, rate * std::sqrt(1 + 3 * 0.64)}), 1e-12);
  EXPECT_EQ(json["zero"]["count"], 1);
  EXPECT_EQ(json["family"].size(), 1U);
  EXPECT_TRUE(json["B"][0][0].is_null()) << json["B"];
  EXPECT_EQ(json["outputs"], nlohmann::json({"height"}));
  EXPECT_THAT(run({"linearize", folder.write("model.toml", kConical)}).err, HasSubstr("W0336"));
  const Outcome gains = run({"linearize", folder.write("model.toml", kConical), "--lqr", "Q=1; R=1"});
  EXPECT_NE(gains.status, 0);
  EXPECT_THAT(gains.err, HasSubstr("no gains are constant"));
  EXPECT_EQ(linearized(folder, kConical, {"--settle"})["kind"], "steady motion");
}

// Along a parameter: Ω is given, and g/cos α follows.
TEST(TurningMotions, AreFollowed) {
  const Folder folder;
  auto json = linearized(folder, kConical, {"--vary", "g=9.81:12.81:1"});
  ASSERT_EQ(json["vary"]["values"].size(), 4U) << json["vary"];
  for (const auto& one : json["vary"]["eigenvalues"]) EXPECT_EQ(one.size(), 3U);
}

// analyze finds them from its own starts, and the equilibria that hang and stand.
TEST(TurningMotions, AreFoundByAnalyze) {
  const Folder folder;
  auto found = run({"analyze", folder.write("model.toml", kConical), "--json"}).json()["equilibria"];
  EXPECT_EQ(std::ranges::count_if(found, [](const auto& one) { return one["kind"] == "equilibrium"; }), 2);
  EXPECT_GE(std::ranges::count_if(found, [](const auto& one) { return one["kind"] == "steady motion"; }), 1);
  for (const auto& one : found) {
    if (one["kind"] != "steady motion") continue;
    const double x = one["q"]["x"], y = one["q"]["y"], z = one["q"]["z"], vx = one["v"]["x'"], vy = one["v"]["y'"];
    EXPECT_NEAR((vx * vx + vy * vy) * -z, 9.81 * (x * x + y * y), 1e-8 * (1 + vx * vx + vy * vy));
  }
}

// A circle in the field 1/r: what is beside it comes back after one turn, n = 1. In the field of a spring it does so after half a turn.
TEST(TurningMotions, CirclesAboutACentre) {
  const Folder folder;
  for (const auto& [potential, nods] : {std::pair("-1/sqrt(x^2+y^2)", 1.0), std::pair("(x^2+y^2)/2", 2.0)}) {
    auto json = linearized(folder, fmt::format(R"toml(name = "circle"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2+y'^2)/2"
potential = "{}"
[initial]
position = {{x = 1, y = 0}}
velocity = {{x = 0, y = 1}}
)toml",
                                               potential));
    EXPECT_EQ(json["kind"], "steady motion");
    EXPECT_LT(distance_to(json["eigenvalues"], {0, nods}), 1e-12) << json["eigenvalues"];
    EXPECT_EQ(json["zero"]["count"], 1);
  }
}

// Two masses that a spring joins, both at the same speed: only their place changes. A charge that circles in a magnetic field: nothing depends on x or y.
TEST(TurningMotions, DriftAndGyration) {
  const Folder folder;
  auto drift = linearized(folder, R"toml(name = "drift"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2+2*y'^2)/2"
potential = "(y-x-1)^2/2"
[initial]
position = {x = 0, y = 1}
velocity = {x = 3, y = 3}
)toml");
  EXPECT_EQ(drift["kind"], "steady motion");
  EXPECT_LT(distance_to(drift["eigenvalues"], {0, std::sqrt(1.5)}), 1e-12) << drift["eigenvalues"];
  EXPECT_NEAR(drift["at"]["turning"][0]["rate"].get<double>(), 3, 1e-12);
  for (const char* const name : {"x", "y"})
    EXPECT_NEAR(drift["at"]["turning"][0]["shifts"][name].get<double>(), 1, 1e-12);
  auto charge = linearized(folder, R"toml(name = "charge"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2+y'^2)/2"
[[force]]
coordinate = "x"
value = "2*y'"
[[force]]
coordinate = "y"
value = "-2*x'"
[initial]
velocity = {x = 0, y = 1}
)toml");
  EXPECT_EQ(charge["kind"], "steady motion");
  EXPECT_NEAR(charge["at"]["turning"][0]["rate"].get<double>(), -2, 1e-12);
}

// Lagrange's triangle of side 1 with the masses 1 − 2 m, m and m turns at the rate 1; λ⁴ + λ² + (27/4) Σ m_i m_j = 0: on the axis where one mass
// dominates, 27 Σ m_i m_j < 1.
TEST(TurningMotions, LagrangesTriangle) {
  const Folder folder;
  for (const double m : {1.0 / 3, 0.01}) {
    const double first = 1 - 2 * m, h = std::sqrt(3.0) / 2, c = first * h, sum = 2 * first * m + m * m;
    const auto pair = [](int i, int j) { return fmt::format("m{0}*m{1}/sqrt((x{0}-x{1})^2+(y{0}-y{1})^2)", i, j); };
    auto json = linearized(folder, fmt::format(R"toml(name = "triangle"
coordinates = ["x1", "y1", "x2", "y2", "x3", "y3"]
parameters = {{m1 = {0:.17g}, m2 = {1:.17g}, m3 = {1:.17g}}}
[energy]
kinetic = "(m1*(x1'^2+y1'^2)+m2*(x2'^2+y2'^2)+m3*(x3'^2+y3'^2))/2"
potential = "-{2}-{3}-{4}"
[initial]
position = {{x1 = {5:.17g}, y1 = 0, x2 = {6:.17g}, y2 = 0.5, x3 = {6:.17g}, y3 = -0.5}}
velocity = {{x1 = 0, y1 = {5:.17g}, x2 = -0.5, y2 = {6:.17g}, x3 = 0.5, y3 = {6:.17g}}}
)toml",
                                               first, m, pair(1, 2), pair(1, 3), pair(2, 3), h - c, -c));
    EXPECT_EQ(json["kind"], "steady motion");
    EXPECT_NEAR(json["at"]["turning"][0]["rate"].get<double>(), 1, 1e-10) << json["at"];
    const std::complex<double> root = std::sqrt(std::complex<double>(1 - 27 * sum));
    for (const double sign : {1.0, -1.0})
      EXPECT_LT(distance_to(json["eigenvalues"], std::sqrt((-1.0 + sign * root) / 2.0)), 1e-8) << json["eigenvalues"];
    EXPECT_EQ(json["stability"] == "unstable", m > 0.1) << json["stability"];
  }
}

// A free body that spins about a principal axis is steady in every sense; in angles its turns are not among those that are looked for, so that nothing is
// denied. A pendulum beside its equilibrium is surely no steady motion.
TEST(TurningMotions, NothingIsDeniedThatWasNotDecided) {
  const Folder folder;
  const std::string body = R"toml(name = "body"
coordinates = ["a", "b", "c"]
[[frame]]
name = "b"
rotate = [["x", "a"], ["y", "b"], ["z", "c"]]
[[body]]
name = "b"
mass = 1
inertia = [0.3, 0.4, 0.5]
frame = "b"
[initial]
velocity = {c = 1}
)toml";
  const Outcome free = run({"linearize", folder.write("model.toml", body)});
  EXPECT_THAT(free.out + free.err, ::testing::Not(HasSubstr("neither")));
  EXPECT_THAT(free.err, HasSubstr("no equilibrium, and no steady motion that was looked for"));
  EXPECT_THAT(free.out, HasSubstr("not decided: this is no equilibrium, and no steady motion that was looked for"));
  for (const char* const start : {"x = 0.3", "x = -0.4"}) {
    const Outcome moves = run({"linearize", folder.write("model.toml", fmt::format(R"toml(name = "pendulum"
coordinates = ["x", "y"]
gravity = [0, "-9.81"]
[[body]]
name = "b"
mass = 1
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = "x^2+y^2-1"
[initial]
position = {{{}}}
velocity = {{x = 1}}
)toml",
                                                                                   start))});
    EXPECT_THAT(moves.err, HasSubstr("neither an equilibrium nor a steady motion"));
    EXPECT_THAT(moves.out, HasSubstr("no verdict"));
  }
}

// r θ'² of a bead on a rod is below round-off of 1 at r = −894 and θ' = 5e-10, and x' y of a row at 1e-6 and 1e-10: these are no steady motions. Where
// Newton's method creeps, 4 x³ = 0, the equilibrium is at 0.
TEST(TurningMotions, RoundOffMakesNone) {
  const Folder folder;
  const std::string bead = R"toml(name = "bead"
coordinates = ["r", "th", "z"]
[energy]
kinetic = "(r'^2+r^2*th'^2+th'^2+z'^2)/2"
potential = "z^2/2"
dissipation = "(r'^2+z'^2)/2"
)toml";
  const std::string row = R"toml(name = "row"
coordinates = ["x", "y", "z"]
force = [{coordinate = "z", value = "-z"}, {coordinate = "x", value = "-x'"}, {coordinate = "y", value = "-y'"}]
[energy]
kinetic = "(x'^2+y'^2+z'^2)/2"
[[constraint]]
name = "c"
pfaffian = "z'-y*x'"
)toml";
  for (const std::string& model : {bead, row}) {
    auto found = run({"analyze", folder.write("model.toml", model), "--json"}).json()["equilibria"];
    EXPECT_GE(found.size(), 1U);
    for (const auto& one : found)
      for (const auto& [name, v] : one["v"].items()) EXPECT_TRUE(v == 0 || std::abs(v.get<double>()) > 1e-3) << one;
  }
  auto found = run({"analyze", folder.write("model.toml", R"toml(name = "quartic"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^4/4"
[initial]
position = {x = 1}
)toml"),
                    "--json"})
                   .json()["equilibria"];
  ASSERT_EQ(found.size(), 1U) << found;
  EXPECT_EQ(found[0]["q"]["x"], 0);
}

}  // namespace
}  // namespace dalembert::testing
