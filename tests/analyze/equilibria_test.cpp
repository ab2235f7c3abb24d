// SPDX-License-Identifier: Apache-2.0
// Equilibria, steady motions, integrability and redundancy of systems where they are known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "dalembert/analyze/constraints.h"
#include "dalembert/analyze/stability/equilibria.h"
#include "dalembert/expr/print.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

std::vector<Equilibrium> equilibria(const System& system) {
  const EquationDerivatives derivatives(system.equations);
  return find_equilibria({&system.dynamics, &derivatives}, system.equations, system.start());
}

std::map<StabilityVerdict, int> verdicts(const std::vector<Equilibrium>& found) {
  std::map<StabilityVerdict, int> count;
  for (const Equilibrium& equilibrium : found) ++count[equilibrium.stability.verdict];
  return count;
}

// Each rod hangs or stands: 2ⁿ equilibria, of which the one with all rods down is stable.
TEST(Equilibria, OfADoublePendulum) {
  const auto found = equilibria(shipped("double-pendulum"));
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(verdicts(found)[StabilityVerdict::kStable], 1);
  EXPECT_EQ(verdicts(found)[StabilityVerdict::kUnstable], 3);
  for (const Equilibrium& equilibrium : found) {
    EXPECT_EQ(equilibrium.motion.kind, MotionKind::kEquilibrium);
    for (const double q : equilibrium.motion.at.q) EXPECT_NEAR(std::sin(q), 0, 1e-12);
  }
}

// Hanging and standing, whatever the coordinates; the cart may be anywhere.
TEST(Equilibria, OfPendulaInConstraintForm) {
  for (const char* name : {"cartesian-pendulum", "point-pendulum-3d", "cart-pendulum", "polar-pendulum"}) {
    const auto found = equilibria(shipped(name));
    ASSERT_EQ(found.size(), 2U) << name;
    EXPECT_EQ(verdicts(found)[StabilityVerdict::kStable], 1) << name;
    EXPECT_EQ(verdicts(found)[StabilityVerdict::kUnstable], 1) << name;
  }
}

// A top on a joint by a quaternion: hanging and standing are a family each, turned about the vertical by any angle, e and −e
// alike. m g L/(I + m L²) is the square of the rate; turned and turning about the axis, 0 is an eigenvalue twice.
TEST(Equilibria, OfATopByAQuaternionAreTwoFamilies) {
  auto found = equilibria(shipped("heavy-top"));
  std::erase_if(found, [](const Equilibrium& one) { return one.motion.kind != MotionKind::kEquilibrium; });
  ASSERT_EQ(found.size(), 2U);
  const double rate = std::sqrt(15 * 9.81 / (0.234375 + 15));
  for (const Equilibrium& equilibrium : found) {
    const bool stands = equilibrium.motion.at.q[2] > 0;
    EXPECT_EQ(equilibrium.stability.verdict, stands ? StabilityVerdict::kUnstable : StabilityVerdict::kMarginal);
    EXPECT_EQ(equilibrium.stability.zeros, 2U);
    EXPECT_EQ(equilibrium.stability.family.size(), 1U);
    for (const Mode& mode : equilibrium.stability.modes) {
      const double expected = mode.eigenvalue == 0.0 ? 0 : rate;
      EXPECT_NEAR(std::abs(mode.eigenvalue), expected, 1e-12);
      EXPECT_NEAR(stands ? mode.eigenvalue.imag() : mode.eigenvalue.real(), 0, 1e-12);
    }
  }
}

// A top precesses steadily at p where A p² cos θ − C n p + P = 0, with A = I + m L², P = m g L, n its whole rate about the axis and θ the angle
// of that from the vertical (Goldstein, 3rd ed., 5.7), and nods about that at κ² = (A² p⁴ − 2 A P p² cos θ + P²)/(A² p²)
// (tests/systems/linearisation_minimal_test.cpp). By a quaternion neither the attitude nor the angular velocity is constant then: turned
// about the vertical and about its axis the top counts as the same.
TEST(Equilibria, ATopByAQuaternionPrecesses) {
  const System top = shipped("heavy-top", {"top.omega.y=20 rad/s"});
  const double m = top.parameter("m"), L = top.parameter("L"), P = m * top.parameter("g") * L;
  const double A = top.parameter("I") + m * L * L, C = top.parameter("J");
  int precessions = 0;
  for (const Equilibrium& found : equilibria(top)) {
    const MotionPoint& at = found.motion.at;
    if (found.motion.kind != MotionKind::kSteadyMotion || found.motion.turning.empty()) continue;
    const double e0 = at.q[3], e1 = at.q[4], e2 = at.q[5], e3 = at.q[6], up = 2 * (e2 * e3 + e0 * e1), n = at.v[4];
    ASSERT_EQ(found.motion.turning.size(), 2U);
    // About its axis first, then about the vertical: ω_y = φ' + ψ' cos θ.
    const double p = found.motion.turning[1];
    if (std::abs(up) > 1 - 1e-9) continue;  // upright or hanging: any spin
    EXPECT_NEAR(n, found.motion.turning[0] + p * up, 1e-9 * (std::abs(n) + std::abs(p)));
    EXPECT_NEAR(A * p * p * up - C * n * p + P, 0, 1e-9 * (A * p * p + std::abs(C * n * p) + P));
    const double kappa = std::sqrt(A * A * std::pow(p, 4) - 2 * A * P * p * p * up + P * P) / (A * std::abs(p));
    // q and v have 12 freedoms, less three rows twice, less what turns; steady in two directions of speed.
    ASSERT_EQ(found.motion.states.size(), 4U);
    EXPECT_EQ(found.stability.zeros, 2U);
    EXPECT_EQ(found.stability.unexplained, 0U);
    EXPECT_EQ(found.stability.family.size(), 2U);
    EXPECT_EQ(found.stability.verdict, StabilityVerdict::kMarginal);
    for (const Mode& mode : found.stability.modes) {
      if (mode.eigenvalue == 0.0) continue;
      EXPECT_NEAR(std::abs(mode.eigenvalue.imag()), kappa, 1e-7 * kappa);
      EXPECT_NEAR(mode.eigenvalue.real(), 0, 1e-7 * kappa);
    }
    ++precessions;
  }
  EXPECT_GE(precessions, 1);
}

// Potential and mass by hand: theta'' = (omega² cos theta − g/R) sin theta of a bead on a hoop that turns at omega. Below
// omega² = g/R only theta = 0 is stable; above, cos theta = g/(R omega²) is, twice (a pitchfork), and 0 is not.
TEST(Equilibria, BeadOnATurningHoopForks) {
  const std::string bead = R"toml(
name = "bead"
coordinates = [{name = "theta", unit = "rad"}]
[parameters]
omega = "OMEGA rad/s"
R = "1 m"
g = "9 m/s^2"
m = "1 kg"
[energy]
kinetic = "m*R^2/2*(dot(theta)^2 + omega^2*sin(theta)^2)"
potential = "-m*g*R*cos(theta)"
)toml";
  const auto with = [&](const std::string& omega) {
    std::string text = bead;
    text.replace(text.find("OMEGA"), 5, omega);
    return equilibria(loaded(text));
  };
  EXPECT_EQ(with("2").size(), 2U);
  const auto fast = with("6");
  ASSERT_EQ(fast.size(), 4U);
  int leaning = 0;
  for (const Equilibrium& equilibrium : fast) {
    const double theta = equilibrium.motion.at.q[0];
    if (std::abs(std::sin(theta)) < 1e-6) {
      EXPECT_EQ(equilibrium.stability.verdict, StabilityVerdict::kUnstable) << theta;
      continue;
    }
    ++leaning;
    EXPECT_NEAR(std::cos(theta), 9.0 / 36, 1e-12);
    EXPECT_EQ(equilibrium.stability.verdict, StabilityVerdict::kStable);
  }
  EXPECT_EQ(leaning, 2);
}

// A pendulum by x and y hangs or stands, and nothing else, with the rate sqrt(g/L): whatever its mass, its length and gravity, of a droplet of
// 1e-12 kg and of a moon's orbit alike. Where y = 0 no derivative shows the weight.
TEST(Equilibria, OfAPendulumDoNotDependOnUnits) {
  const std::string text = R"toml(
name = "pendulum"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
gravity = ["0", "-g"]
[parameters]
g = "G m/s^2"
m = "MASS kg"
L = "LENGTH m"
[[body]]
name = "bob"
mass = "m"
position = ["x", "y"]
[[constraint]]
name = "rod"
holonomic = "(x^2 + y^2 - L^2)/L"
[initial]
position = {x = "L"}
guess = {y = "L/5"}
)toml";
  struct Case {
    const char *g, *m, *L;
  };
  for (const Case& one : {Case{"1", "1", "1"},
                          {"1e-8", "1", "1"},
                          {"1e-12", "1", "1"},
                          {"1e-20", "1", "1"},
                          {"9.8", "1e-12", "1e-3"},
                          {"1", "1e-20", "1"},
                          {"1", "1e20", "1"},
                          {"1", "1", "1e12"}}) {
    std::string with = text;
    with.replace(with.find("G m"), 1, one.g);
    with.replace(with.find("MASS"), 4, one.m);
    with.replace(with.find("LENGTH"), 6, one.L);
    const auto found = equilibria(loaded(with));
    ASSERT_EQ(found.size(), 2U) << one.g << " " << one.m << " " << one.L;
    const double rate = std::sqrt(std::stod(one.g) / std::stod(one.L));
    for (const Equilibrium& equilibrium : found) {
      const bool stands = equilibrium.motion.at.q[1] > 0;
      EXPECT_NEAR(equilibrium.motion.at.q[0] / std::stod(one.L), 0, 1e-12);
      EXPECT_EQ(equilibrium.stability.verdict, stands ? StabilityVerdict::kUnstable : StabilityVerdict::kStable);
      EXPECT_NEAR(std::abs(equilibrium.stability.modes[0].eigenvalue) / rate, 1, 1e-9);
    }
  }
}

// Two shafts joined by sin b = (sin a)/2, on which nothing acts: each position is an equilibrium, and both eigenvalues are 0. Round-off in the
// multiplier was a stiffness of 1e-34, and its position stable or unstable.
TEST(Equilibria, WithoutForcesAreAFamily) {
  const std::string text = R"toml(
name = "two shafts"
coordinates = [{name = "a", unit = "rad"}, {name = "b", unit = "rad"}, {name = "c", unit = "rad"}]
[parameters]
J = "0.01 kg*m^2"
[energy]
kinetic = "J/2*(a'^2 + b'^2 + c'^2)"
[[constraint]]
name = "first"
holonomic = "tan(b) - tan(a)/cos(pi/6)"
[[constraint]]
name = "second"
holonomic = "tan(c) - tan(b)*cos(pi/6)"
[initial]
position = {a = "20 deg"}
guess = {b = "20 deg", c = "20 deg"}
)toml";
  const auto found = equilibria(loaded(text));
  ASSERT_FALSE(found.empty());
  for (const Equilibrium& equilibrium : found) {
    EXPECT_EQ(equilibrium.stability.verdict, StabilityVerdict::kMarginal);
    EXPECT_EQ(equilibrium.stability.zeros, 2U);
  }
}

// Two equal bars that close on themselves are one pendulum: W has rank 1 of 2 at every position, and where it hangs or stands its second row
// is 0 but for round-off. ω² = m g l/(2 m l²/3). That row counted, no freedom was left, and standing was asymptotically stable.
TEST(Equilibria, ARowThatIsRoundOffSaysNothing) {
  const std::string text = R"toml(
name = "two equal bars folded onto each other"
coordinates = [{name = "t1", unit = "rad"}, {name = "t2", unit = "rad"}]
gravity = ["0", "-g"]
[parameters]
g = "9.81 m/s^2"
m = "0.1 kg"
l = "0.2 m"
[[body]]
name = "first"
mass = "m"
inertia = "m*l^2/12"
position = ["l/2*cos(t1)", "l/2*sin(t1)"]
angle = "t1"
[[body]]
name = "second"
mass = "m"
inertia = "m*l^2/12"
position = ["l*cos(t1) + l/2*cos(t2)", "l*sin(t1) + l/2*sin(t2)"]
angle = "t2"
[[constraint]]
name = "close"
holonomic = ["l*cos(t1) + l*cos(t2)", "l*sin(t1) + l*sin(t2)"]
[initial]
guess = {t1 = "-90 deg", t2 = "90 deg"}
)toml";
  const auto found = equilibria(loaded(text));
  ASSERT_EQ(found.size(), 2U);
  for (const Equilibrium& equilibrium : found) {
    const bool stands = equilibrium.motion.at.q[0] > 0;
    EXPECT_NEAR(std::abs(equilibrium.motion.at.q[0]), std::numbers::pi / 2, 1e-7);
    EXPECT_EQ(equilibrium.stability.verdict, stands ? StabilityVerdict::kUnstable : StabilityVerdict::kStable);
    ASSERT_EQ(equilibrium.stability.modes.size(), 2U);
    EXPECT_NEAR(std::abs(equilibrium.stability.modes[0].eigenvalue), std::sqrt(1.5 * 9.81 / 0.2), 1e-6);
  }
}

// A joint on two rods of fixed length cannot move: "asymptotically stable" said that motions die out, where there are none.
TEST(Equilibria, WhatCannotMoveIsStable) {
  const auto found = equilibria(loaded(R"toml(
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "10*y"
[[constraint]]
name = "rods"
holonomic = ["(x + 1)^2 + y^2 - 2", "(x - 1)^2 + y^2 - 2"]
[initial]
guess = {x = 0, y = -1}
)toml"));
  ASSERT_EQ(found.size(), 2U);
  for (const Equilibrium& equilibrium : found) {
    EXPECT_EQ(equilibrium.stability.verdict, StabilityVerdict::kStable);
    EXPECT_EQ(equilibrium.stability.because, std::vector<std::string>{"the constraints leave no motion here"});
  }
}

// Where solutions coincide, Newton's method ends beside them, and second derivatives there are round-off: y = 0.3 of (y - 0.3)³ was "stable" or
// "unstable" by the side from which it was found. x² y² is 0 along both axes. None of these is decided by eigenvalues.
TEST(Equilibria, WhereDerivativesVanishRoundOffDecidesNothing) {
  for (const char* potential :
       {"x^2 + (y - 0.3)^3", "x^2 - (y - 0.3)^3", "(x - 0.1)^2*(y - 0.3)^2", "-((x - 0.1)^2 + (y - 0.2)^2)^2"})
    for (const char* y : {"1", "0.7", "-1"}) {
      const auto found = equilibria(loaded(
          fmt::format("coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '{}'\n[initial]\n"
                      "position = {{x = 0.4, y = {}}}\n",
                      potential, y)));
      for (const Equilibrium& equilibrium : found)
        EXPECT_EQ(equilibrium.stability.verdict, StabilityVerdict::kMarginal) << potential << " from " << y;
    }
  // With a simple solution beside them, that one is decided.
  const auto simple =
      equilibria(loaded("coordinates = ['y']\n[energy]\nkinetic = \"y'^2/2\"\npotential = "
                        "'(y - 0.3)^2*(y + 0.5)'\n[initial]\nposition = {y = 1}\n"));
  EXPECT_EQ(verdicts(simple)[StabilityVerdict::kStable], 1);
  EXPECT_EQ(verdicts(simple)[StabilityVerdict::kUnstable], 1);
}

// A damper that takes a spring's force, c (x' − y') = k₂ y, moves at the start where y ≠ 0, but rests where the spring y is slack: x = F/k₁,
// y = 0, alone. The same with a drift in x: s' + s/2 = x rests where s = 2x, and 2 (x − 1) + s = 0 gives x = 0.5. The search held the
// velocities of the start and found nothing.
TEST(Equilibria, RestWhereADriftIsZero) {
  const auto zener = equilibria(loaded(R"toml(
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "2 kg"
k1 = "80 N/m"
k2 = "200 N/m"
c = "15 N*s/m"
F = "10 N"
[energy]
kinetic = "m*x'^2/2"
potential = "k1*x^2/2 + k2*y^2/2 - F*x"
dissipation = "c*(x' - y')^2/2"
[[constraint]]
name = "node"
pfaffian = "c*(x' - y') - k2*y"
[initial]
position = {x = "0 m", y = "0.1 m"}
)toml"));
  ASSERT_EQ(zener.size(), 1U);
  EXPECT_EQ(zener[0].motion.kind, MotionKind::kEquilibrium);
  EXPECT_NEAR(zener[0].motion.at.q[0], 0.125, 1e-14);
  EXPECT_EQ(zener[0].motion.at.q[1], 0);
  EXPECT_EQ(zener[0].stability.verdict, StabilityVerdict::kAsymptoticallyStable);
  const auto drifts = equilibria(loaded(R"toml(
coordinates = ["x", "s"]
[energy]
kinetic = "(x'^2 + s'^2)/2"
potential = "(x - 1)^2 + x*s + s^2"
dissipation = "0.1*x'^2"
[[constraint]]
name = "c"
pfaffian = "s' + 0.5*s - x"
[initial]
position = {x = 0.3, s = 0.1}
)toml"));
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].motion.kind, MotionKind::kEquilibrium);
  EXPECT_NEAR(drifts[0].motion.at.q[0], 0.5, 1e-14);
  EXPECT_NEAR(drifts[0].motion.at.q[1], 1, 1e-14);
}

// Equilibria of (x'² + y'²)/2 and a potential.
std::vector<Equilibrium> in_potential(const std::string& potential) {
  return equilibria(loaded(
      fmt::format("coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '{}'\n", potential)));
}

// x = 0 of 12 x³ − 8 x y = 0, 2 y = 4 x², three solutions at once, was listed three times: Newton's method ends up to 1e-5 from such a point.
// Where p solutions coincide, forces below 1e-10 of their slopes leave them undetermined to some 1e-4, and where round-off makes forces 0, to
// 1e-5, the cube root of round-off.
TEST(Equilibria, WhereSolutionsCoincideAreOne) {
  struct Case {
    const char* potential;
    double x, y, near;
  };
  for (const Case& one : {Case{"(y - x^2)*(y - 3*x^2)", 0, 0, 1e-7},
                          {"(y - 0.2 - (x - 0.3)^2)*(y - 0.2 - 3*(x - 0.3)^2)", 0.3, 0.2, 1e-7},
                          {"(y - x^2)^2 + (x - 1)^4", 1, 1, 2e-4},
                          {"x^4 + 1000*(y - x)^2", 0, 0, 1e-3},
                          {"x^4 - 1.2*x^3 + 0.54*x^2 - 0.108*x + 0.0081 + y^2", 0.3, 0, 1e-5}}) {
    const auto found = in_potential(one.potential);
    ASSERT_EQ(found.size(), 1U) << one.potential;
    EXPECT_NEAR(found[0].motion.at.q[0], one.x, one.near) << one.potential;
    EXPECT_NEAR(found[0].motion.at.q[1], one.y, one.near) << one.potential;
  }
}

// A spring of 1 N/m beside one of 1e9 N/m: wherever the soft one pulls by less than 1e-10 of what the stiff one would, as by 0.2 N at x = 0.2, the search stopped and
// said that there is an equilibrium.
TEST(Equilibria, WhatIsSoftBesideSomethingStiffIsSolvedFor) {
  for (const char* potential : {"x^2/2 + 1e9*(x - y)^2/2", "x^2/2 + 1e8*(x - y)^2/2"}) {
    const auto found = in_potential(potential);
    ASSERT_EQ(found.size(), 1U) << potential;
    EXPECT_NEAR(found[0].motion.at.q[0], 0, 1e-6) << potential;
  }
}

// Solutions that are near to each other stay two where each is determined: hollows, 2e-5 and 2e-4 apart, and threefold solutions, 0.01 apart.
TEST(Equilibria, NearToEachOtherStayTwo) {
  struct Case {
    const char* potential;
    double first, second;
  };
  for (const Case& one : {Case{"(x^2 - 1e-10)^2 + y^2", -1e-5, 1e-5},
                          {"(x^2 - 1e-8)^2 + (y - x^2)^2", -1e-4, 1e-4},
                          {"((x - 0.3)*(x - 0.31))^4 + y^2", 0.3, 0.31}}) {
    const auto found = in_potential(one.potential);
    for (const double x : {one.first, one.second})
      EXPECT_EQ(std::ranges::count_if(found,
                                      [&](const Equilibrium& e) {
                                        return std::abs(e.motion.at.q[0] - x) < 0.1 * (one.second - one.first);
                                      }),
                1)
          << one.potential << " at " << x;
  }
}

// The sleigh's steady motions (theory §7) are the family of straight ones, stable forwards and unstable backwards.
TEST(Equilibria, SleighRunsStraight) {
  const auto found = equilibria(shipped("chaplygin-sleigh"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].motion.kind, MotionKind::kEquilibrium);
  EXPECT_EQ(verdicts(found)[StabilityVerdict::kStable], 1);
  EXPECT_EQ(verdicts(found)[StabilityVerdict::kUnstable], 1);
  for (const Equilibrium& equilibrium : found) {
    EXPECT_EQ(equilibrium.stability.family.size(), 2U);
    const MotionPoint& at = equilibrium.motion.at;
    const double u = at.v[0] * std::cos(at.q[2]) + at.v[1] * std::sin(at.q[2]);
    if (equilibrium.stability.verdict == StabilityVerdict::kStable) {
      EXPECT_GT(u, 0);
    }
    if (equilibrium.stability.verdict == StabilityVerdict::kUnstable) {
      EXPECT_LT(u, 0);
    }
  }
}

Integrability integrability(const System& system) { return find_integrability(system.equations, system.dynamics); }

// Growth vectors in the literature: a blade (2, 3), the rolling sphere (3, 5), a car-like trailer (2, 3, 4) (Bloch; Neimark &
// Fufaev). Linkages have constraints of position alone.
TEST(Integrability, GrowthVectors) {
  const std::map<std::string, std::vector<int>> growth{
      {"chaplygin-sleigh", {2, 3}}, {"chaplygin-sleigh-contact", {2, 3}},
      {"rolling-sphere", {3, 5}},   {"four-bar", {1}},
      {"slider-crank", {1}},        {"point-pendulum-3d", {2}}};
  for (const auto& [name, expected] : growth) {
    const Integrability found = integrability(shipped(name));
    EXPECT_EQ(found.growth, expected) << name;
    EXPECT_EQ(found.kind, expected.size() > 1 ? "nonholonomic" : "holonomic") << name;
    EXPECT_TRUE(found.exact) << name;
  }
  // A blade that pulls a blade on a rod of length 1.
  const Integrability trailer = integrability(loaded(R"toml(
name = "trailer"
coordinates = ["x", "y", "theta", "phi"]
[energy]
kinetic = "dot(x)^2/2 + dot(y)^2/2 + dot(theta)^2/2 + dot(phi)^2/2"
[[constraint]]
name = "front"
pfaffian = "dot(x)*sin(theta) - dot(y)*cos(theta)"
[[constraint]]
name = "rear"
pfaffian = "dot(x)*sin(phi) - dot(y)*cos(phi) + dot(phi)"
)toml"));
  EXPECT_EQ(trailer.growth, (std::vector<int>{2, 3, 4}));
}

// x ẋ + y ẏ = 0 is (x² + y²)/2 = const; ż − y ẇ = 0 is none; together one of two. The same with a time in it:
// ẋ − cos t = 0 is x − sin t.
TEST(Integrability, ConstraintsOfPositionInDisguise) {
  const auto with = [](const std::string& rows) {
    return loaded(R"toml(
name = "particle"
coordinates = ["x", "y", "z", "w"]
[energy]
kinetic = "dot(x)^2/2 + dot(y)^2/2 + dot(z)^2/2 + dot(w)^2/2"
[[constraint]]
name = "c"
pfaffian = )toml" +
                  rows);
  };
  const System circle = with("\"x*dot(x) + y*dot(y)\"");
  const Integrability of_circle = integrability(circle);
  EXPECT_EQ(of_circle.kind, "holonomic");
  EXPECT_EQ(of_circle.integrable, 1);
  ASSERT_EQ(of_circle.first_integrals.size(), 1U);
  EXPECT_EQ(to_text(of_circle.first_integrals[0].function), "1/2*x^2 + 1/2*y^2");
  const Integrability mixed = integrability(with("[\"x*dot(x) + y*dot(y)\", \"dot(z) - y*dot(w)\"]"));
  EXPECT_EQ(mixed.kind, "mixed");
  EXPECT_EQ(mixed.integrable, 1);
  EXPECT_EQ(mixed.growth, (std::vector<int>{2, 3}));
  const Integrability timed = integrability(with("\"dot(x) - cos(t)\""));
  EXPECT_EQ(timed.kind, "holonomic");
  ASSERT_EQ(timed.first_integrals.size(), 1U);
}

// A row said twice, and once more with a factor.
TEST(Redundancy, SaysWhichRowsFollowAndHow) {
  const System system = loaded(R"toml(
name = "twice"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "dot(x)^2/2 + dot(y)^2/2 + dot(z)^2/2"
[[constraint]]
name = "a"
holonomic = "x + y"
[[constraint]]
name = "b"
holonomic = "y - z"
[[constraint]]
name = "c"
holonomic = "2*x + 5*y - 3*z"
)toml");
  const ConstraintRank found = find_rank(system.dynamics, system.start());
  EXPECT_EQ(found.rank, 2);
  ASSERT_EQ(found.redundant.size(), 1U);
  EXPECT_EQ(found.redundant[0].row, 2);
  EXPECT_EQ(found.redundant[0].combination, (std::vector<std::pair<int, double>>{{0, 2}, {1, 3}}));
  EXPECT_TRUE(found.redundant[0].consistent);
  ASSERT_EQ(found.free_motions.size(), 1U);
  EXPECT_NEAR(found.free_motions[0][0], -found.free_motions[0][1], 1e-15);
}

}  // namespace
}  // namespace dalembert
