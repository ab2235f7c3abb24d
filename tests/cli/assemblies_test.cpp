// SPDX-License-Identifier: Apache-2.0
// Which other assemblies `assemble` lists, and what it says of the list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "cli/process.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A platform on three legs of given lengths. Its corners are 17.04, 16.54 and 20.84 apart.
constexpr const char* kPlatform = R"toml(name = "3-RPR"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "phi", unit = "rad"}]
[parameters]
L1 = "14.98 m"
L2 = "15.38 m"
L3 = "12 m"
d = "17.04 m"
cx = "13.236373239436617 m"
cy = "16.09670846683651 m"
[energy]
kinetic = "(1 kg)*x'^2 + (1 kg)*y'^2 + (1 kg*m^2)*phi'^2"
[[constraint]]
name = "leg"
holonomic = [
  "x^2 + y^2 - L1^2",
  "(x + d*cos(phi) - 15.91 m)^2 + (y + d*sin(phi))^2 - L2^2",
  "(x + cx*cos(phi) - cy*sin(phi))^2 + (y + cx*sin(phi) + cy*cos(phi) - 10 m)^2 - L3^2",
]
[initial]
guess = {x = 15, y = -3, phi = 2}
)toml";

// Truth: the sextic of this platform (differences of the rows are linear in x and y) has six real roots; these poses are
// those of its roots by numpy.
TEST(Assemblies, SixOfAPlatformOnThreeLegs) {
  constexpr std::array<std::array<double, 3>, 6> kPoses{
      {{14.673943655735032, -3.0126031249259357, 2.132904365129088},
       {-8.726595331862917, 12.17566975217003, -0.9869742378454444},
       {14.920133247154643, -1.337917743046109, 1.0020385399022478},
       {-5.495660815453058, -13.935498276038953, -0.04733136936691991},
       {-14.896128100172707, 1.582961661962461, 0.24530953099163008},
       {-13.419939013974382, -6.656247956710172, 0.5856727832585525}}};
  const Folder folder;
  const std::string path = folder.write("platform.toml", kPlatform);
  const auto json = run({"assemble", path, "--json"}).json();
  ASSERT_EQ(json["alternatives"].size(), 5u);
  for (const auto& pose : kPoses) {
    double nearest = 1;
    const auto look = [&](const auto& q) {
      nearest =
          std::min(nearest, std::max({std::abs(q["x"].template get<double>() - pose[0]),
                                      std::abs(q["y"].template get<double>() - pose[1]),
                                      std::abs(std::remainder(q["phi"].template get<double>() - pose[2], 2 * M_PI))}));
    };
    look(json["q"]);
    for (const auto& other : json["alternatives"]) look(other["q"]);
    EXPECT_LT(nearest, 1e-8) << pose[0] << ", " << pose[1] << ", " << pose[2];
  }
  const auto& search = json["alternatives_search"];
  EXPECT_TRUE(search["searched"].get<bool>());
  EXPECT_TRUE(search["covered"].get<bool>());
  ASSERT_EQ(search["met"].size(), 6u);
  int met = search["led_nowhere"].get<int>() + search["singular"].get<int>();
  for (const auto& times : search["met"]) {
    EXPECT_GE(times.get<int>(), 20);
    met += times.get<int>();
  }
  EXPECT_EQ(met, search["starts"].get<int>());
  EXPECT_TRUE(search["complete"].get<bool>());
  EXPECT_THAT(run({"assemble", path}).out, HasSubstr("there are no more assemblies"));
  // (1 − p)ᴺ = 1 %
  EXPECT_NEAR(std::pow(1 - search["missing_below"].get<double>(), search["starts"].get<int>()), 0.01, 1e-12);
}

// Truth: cos 2a = c has four solutions within a turn, each with two of sin b = s.
TEST(Assemblies, AreCountedModuloWholeTurns) {
  const Folder folder;
  const std::string path = folder.write("angles.toml", R"toml(name = "angles"
coordinates = [{name = "a", unit = "rad"}, {name = "b", unit = "rad"}]
[energy]
kinetic = "(1 kg*m^2)*(a'^2 + b'^2)"
[[constraint]]
name = "row"
holonomic = ["cos(2*a) - 0.3", "sin(b) - 0.4*cos(a)"]
[initial]
guess = {a = 13, b = 0.3}
)toml");
  const auto json = run({"assemble", path, "--json"}).json();
  EXPECT_EQ(json["alternatives"].size(), 7u);
  EXPECT_THAT(run({"assemble", path}).out, HasSubstr("searched      "));
}

// Truth: (u − 1)(u − 2)(u + 1) has three zeros; bounds say nothing of u where it grows without end, so the list may be
// incomplete and is not called complete.
TEST(Assemblies, WhatIsNotDecidedMayBeIncomplete) {
  const Folder folder;
  const std::string path = folder.write("cubic.toml", R"toml(name = "cubic"
coordinates = ["u"]
[energy]
kinetic = "u'^2"
[[constraint]]
name = "row"
holonomic = "(u - 1)*(u - 2)*(u + 1)"
[initial]
guess = {u = 1}
)toml");
  const auto json = run({"assemble", path, "--json"}).json();
  EXPECT_EQ(json["alternatives"].size(), 2u);
  EXPECT_FALSE(json["alternatives_search"]["complete"].get<bool>());
  EXPECT_THAT(run({"assemble", path}).out, HasSubstr("may be missing"));
}

// Truth: a point on a circle is free to move.
TEST(Assemblies, NoListIsNotAnEmptyOne) {
  const Folder folder;
  const std::string path = folder.write("free.toml", R"toml(name = "free"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2 + y'^2"
[[constraint]]
name = "circle"
holonomic = "x^2 + y^2 - 1"
[initial]
guess = {x = 1}
)toml");
  const auto json = run({"assemble", path, "--json"}).json();
  EXPECT_FALSE(json["alternatives_search"]["searched"].get<bool>());
  EXPECT_THAT(json["alternatives_search"]["because"].get<std::string>(), HasSubstr("leave a freedom of position"));
  EXPECT_TRUE(json["alternatives_search"]["missing_below"].is_null());
  EXPECT_THAT(run({"assemble", path}).out, Not(HasSubstr("searched")));
}

}  // namespace
}  // namespace dalembert::testing
