// SPDX-License-Identifier: Apache-2.0
// Velocity rows that follow from others, all of them or in part: what is linearised must not depend on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dalembert/analyze/stability/linearize.h"
#include "dalembert/analyze/stability/stability.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A disc that rolls on the plane, at an attitude and with rates; `rows` are its constraints.
std::string rolling_disc(const std::vector<double>& state, const std::string& rows) {
  return fmt::format(R"(
name = "disc"
coordinates = ["x", "y", "z", "psi", "th", "ph"]
gravity = ["0", "0", "-9.81"]
[parameters]
m = 2
r = 0.3
[[frame]]
name = "w"
origin = ["x", "y", "z"]
rotate = [["z", "psi"], ["x", "th"], ["y", "ph"]]
[[point]]
name = "C"
rim = {{frame = "w", axis = [0, 1, 0], radius = "r"}}
[[body]]
name = "d"
frame = "w"
mass = "m"
inertia = ["m*r^2/4", "m*r^2/2", "m*r^2/4"]
{}
[initial]
position = {{x = 0, y = 0, psi = {}, th = {}, ph = {}}}
velocity = {{psi = {}, th = {}, ph = {}}}
guess = {{z = 0.3}}
)",
                     rows, state[0], state[1], state[2], state[3], state[4], state[5]);
}

std::string pfaffian(const std::vector<std::string>& rows) {
  std::string list;
  for (const std::string& row : rows) list += fmt::format("\"{}\", ", row);
  return "[[constraint]]\nname = \"ground\"\nholonomic = \"z - r*cos(th)\"\n[[constraint]]\nname = \"roll\"\npfaffian "
         "= [" +
         list + "]\n";
}

std::vector<std::complex<double>> spectrum(const std::vector<double>& state, const std::string& rows) {
  const System disc = loaded(rolling_disc(state, rows));
  const EquationDerivatives derivatives(disc.equations);
  // The same states whatever the rows: away from equilibria eigenvalues depend on them.
  const std::vector<bool> angles{false, false, false, true, true, true};
  const Result<LinearMotion> motion =
      linearize({&disc.dynamics, &derivatives}, disc.start(), {.prefer_position = angles, .prefer_velocity = angles});
  EXPECT_TRUE(motion.ok()) << render(motion.diagnostics());
  return motion ? eigenvalues_of(*motion, 0) : std::vector<std::complex<double>>{};
}

// By independent rows the disc has the states x, y, three angles and three rates. Its motion is the same with the rate of the holonomic row
// beside them (as the third row of no_slip, or by formulas), with that rate and 1e-8 of another row, which leaves round-off of 1e-8 where the
// other rows are taken away, and with a row of which only 1e-3 is independent: multipliers are good to 1e-16/1e-3² = 1e-10 there. 1e-8 of the
// largest eigenvalue is far above both.
TEST(RedundantVelocityRows, ADiscRollsTheSameAtAllAttitudes) {
  const std::string x = "x' - r*(cos(psi)*ph' + cos(psi)*sin(th)*psi' + sin(psi)*cos(th)*th')",
                    y = "y' - r*(sin(psi)*ph' + sin(psi)*sin(th)*psi' - cos(psi)*cos(th)*th')",
                    z = "z' + r*sin(th)*th'";
  const std::string rim =
      "[[constraint]]\nname = \"ground\"\nholonomic = \"C.z\"\n[[constraint]]\nname = \"roll\"\n"
      "no_slip = {point = \"C\"}\nframe = \"w\"\n";
  const std::vector<std::string> others{rim, pfaffian({z, x, y}), pfaffian({x, y, z + " + 1e-8*(" + x + ")"}),
                                        pfaffian({z + " + 1e-3*(" + x + ")", y})};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int trial = 0; trial < 12; ++trial) {
    const std::vector<double> state{3 * any(random), any(random), 3 * any(random),
                                    any(random),     any(random), 6 * any(random)};
    const std::vector<std::complex<double>> expected = spectrum(state, pfaffian({x, y}));
    ASSERT_EQ(expected.size(), 8U);
    double size = 0;
    for (const std::complex<double>& value : expected) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < others.size(); ++k) {
      std::vector<std::complex<double>> found = spectrum(state, others[k]);
      ASSERT_EQ(found.size(), expected.size()) << "rows " << k << ", trial " << trial;
      for (const std::complex<double>& value : expected) {
        const auto nearest =
            std::ranges::min_element(found, {}, [&](const auto& one) { return std::abs(one - value); });
        EXPECT_LE(std::abs(*nearest - value), 1e-8 * size) << "rows " << k << ", trial " << trial;
        found.erase(nearest);
      }
    }
  }
}

}  // namespace
}  // namespace dalembert
