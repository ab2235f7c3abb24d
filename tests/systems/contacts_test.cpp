// SPDX-License-Identifier: Apache-2.0
// Contacts (theory §8): instants and states in closed form, impulses, what the verdict says, and starts. Shipped models:
// contact_models_test.cpp.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

constexpr double kWeight = 9.81;

System contact_system(const std::string& text) {
  return System(derive_loaded(load_model(make_source("contacts", text), {})));
}

std::vector<RunEvent> events_of(const Trajectory& path, RunEventKind kind, const std::string& name = {}) {
  std::vector<RunEvent> all;
  for (const RunEvent& e : path.events)
    if (e.kind == kind && (name.empty() || e.name == name)) all.push_back(e);
  return all;
}

double impulse_of(const Trajectory& path, const RunEvent& event, const std::string& row) {
  for (const auto& [r, impulse] : event.impact->impulses)
    if (path.names.rows[static_cast<std::size_t>(r)] == row) return impulse;
  return 0;
}

std::string ball(double e) {
  return fmt::format(R"toml(name = "ball"
coordinates = [{{name = "y", unit = "m"}}]
[parameters]
g = "9.81 m/s^2"
m = "2 kg"
e = {}
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[initial]
position = {{y = "1 m"}}
velocity = {{y = 0}}
)toml",
                     e);
}

// A ball that rolls off a ball leaves it at cos θ = 10/17 cos θ₀, in the model with the bilateral, nonholonomic row of rolling.
TEST(Contacts, ARollingBallLeavesARoundTop) {
  const System system = contact_system(R"toml(name = "top"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "phi", unit = "rad"}]
[parameters]
m = "3 kg"
g = "9.81 m/s^2"
R = "0.9 m"
r = "0.1 m"
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*r^2/5*phi'^2"
potential = "m*g*y"
[[point]]
name = "O"
at = [0, 0]
[[point]]
name = "C"
at = ["x", "y"]
[[constraint]]
name = "top"
distance = {between = ["O", "C"], at_least = "R + r"}
[[constraint]]
name = "rolling"
pfaffian = "(x'*y - y'*x)/(R + r) + r*phi'"
[initial]
position = {x = 0.1, phi = 0}
guess = {y = 0.99}
velocity = {x = 0, phi = 0}
)toml");
  State start = system.start();
  start.q[1] = std::sqrt(1 - 0.01);
  const Trajectory path = integrate(system.dynamics, start, {.until = 1.2, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<RunEvent> releases = events_of(path, RunEventKind::kRelease, "top");
  ASSERT_EQ(releases.size(), 1U);
  std::size_t row = 0;
  while (path.time[row] < releases[0].t) ++row;
  EXPECT_NEAR(path.q[1][row], 10.0 / 17 * start.q[1], 1e-10);
}

// A rod on a pin strikes a stop at the distance d from the pin: with e = 0 it stops, and the pin feels m ω L (1/2 − L/(3d)), nothing at the
// centre of percussion d = 2L/3.
TEST(Contacts, ThePinOfARodFeelsNoImpactAtTheCentreOfPercussion) {
  for (const double d : {0.4, 2.0 / 3, 1.0}) {
    const System system = contact_system(fmt::format(R"toml(name = "rod"
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}, {{name = "theta", unit = "rad"}}]
[parameters]
m = "3 kg"
L = "1 m"
d = "{} m"
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*L^2/24*theta'^2"
[[constraint]]
name = "pin"
holonomic = ["x - L/2*cos(theta)", "y - L/2*sin(theta)"]
[[constraint]]
name = "stop"
holonomic = "y + (d - L/2)*sin(theta)"
unilateral = true
[initial]
position = {{theta = 0.5}}
guess = {{x = 0.4, y = 0.2}}
velocity = {{theta = -2}}
)toml",
                                                     d));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1, .rtol = 1e-12});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    const std::vector<RunEvent> impacts = events_of(path, RunEventKind::kImpact);
    ASSERT_EQ(impacts.size(), 1U);
    EXPECT_NEAR(impacts[0].t, 0.25, 1e-12);
    EXPECT_NEAR(impulse_of(path, impacts[0], "stop"), 3 * 2 / (3 * d), 1e-11);
    EXPECT_NEAR(impulse_of(path, impacts[0], "pin[2]"), 3 * 2 * (0.5 - 1 / (3 * d)), 1e-11);
    EXPECT_NEAR(path.v[2].back(), 0, 1e-12);
  }
}

// Each flight under a constant force takes one step, which ends where the gap is 0: 12 evaluations, and those of the impact. Each of 5,000 flights
// lasts 2 √(2h/g). The round-off of the method's coefficients is the same in each flight and changes the speed by 1.2e-14 of itself.
TEST(Contacts, AFlightAlongAParabolaTakesOneStep) {
  const System system = contact_system(ball(1));
  const double first = std::sqrt(2 / kWeight);
  const Trajectory path = integrate(system.dynamics, system.start(),
                                    {.until = 10000 * first, .output_step = 1000 * first, .second_run = false});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<RunEvent> impacts = events_of(path, RunEventKind::kImpact, "ground");
  ASSERT_EQ(impacts.size(), 5000U);
  for (std::size_t k = 0; k < impacts.size(); ++k) {
    const auto flights = static_cast<double>(2 * k + 1);
    EXPECT_NEAR(impacts[k].t / (flights * first), 1, 1e-14 * flights) << k;
    EXPECT_NEAR(impacts[k].impact->rate_after, kWeight * first, 1e-13 * flights) << k;
  }
  EXPECT_LT(path.verdict.max_penetration, 1e-12);
  EXPECT_LT(path.evaluations, 15 * 5000);
}

// If the force changes within a flight, the flight does not end at the expected instant. The run has the same instants as a second run that does not
// aim at impacts, because its model also has an event.
TEST(Contacts, AForceThatChangesWithinAFlightIsFollowed) {
  std::string changing = ball(1);
  const std::string constant = "m*g*y\"";
  changing.replace(changing.find(constant), constant.size(), "m*g*y*(1 + 2*exp(-((t - t0)/s)^2))\"");
  changing.replace(changing.find("e = 1"), 5, "e = 1\nt0 = \"5.2 s\"\ns = \"0.03 s\"");
  std::vector<std::vector<RunEvent>> of;
  for (const std::string& more : {"", "[[event]]\nname = \"high\"\nwhen = \"y - 100*u\"\n"}) {
    std::string text = changing;
    if (!more.empty()) text.replace(text.find("e = 1"), 5, "e = 1\nu = \"1 m\"");
    const System system = contact_system(text + more);
    const Trajectory path =
        integrate(system.dynamics, system.start(), {.until = 9, .rtol = 1e-12, .atol = 1e-14, .second_run = false});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    of.push_back(events_of(path, RunEventKind::kImpact, "ground"));
  }
  ASSERT_EQ(of[0].size(), of[1].size());
  ASSERT_GT(of[0].size(), 9U);
  for (std::size_t k = 0; k < of[0].size(); ++k) EXPECT_NEAR(of[0][k].t, of[1][k].t, 1e-10) << k;
  // The force has changed the flights.
  EXPECT_GT(std::abs(of[0].back().t - (2.0 * static_cast<double>(of[0].size()) - 1) * std::sqrt(2 / kWeight)), 1e-3);
}

// A uniform rod above a smooth floor, e = 1, falls flat and tilted: its energy is kept over 1,000 impacts.
TEST(Contacts, ElasticImpactsKeepTheEnergy) {
  for (const double tilt : {0.0, 0.3}) {
    const System system = contact_system(fmt::format(R"toml(name = "rod"
coordinates = [{{name = "y", unit = "m"}}, {{name = "theta", unit = "rad"}}]
[parameters]
m = "1 kg"
g = "9.81 m/s^2"
l = "0.5 m"
[energy]
kinetic = "m/2*y'^2 + m*l^2/6*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "A"
holonomic = "y + l*sin(theta)"
unilateral = true
restitution = 1
[[constraint]]
name = "B"
holonomic = "y - l*sin(theta)"
unilateral = true
restitution = 1
[initial]
position = {{y = "1 m", theta = {}}}
velocity = {{y = 0, theta = 0}}
)toml",
                                                     tilt));
    const Trajectory path = integrate(system.dynamics, system.start(),
                                      {.until = tilt == 0 ? 460.0 : 370.0, .rtol = 1e-12, .method = Method::kDopri5});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_GT(path.verdict.impacts, 900);
    EXPECT_LT(path.verdict.energy_drift, 1e-12);
    EXPECT_LT(std::abs(path.verdict.impact_loss) / path.total[0], 1e-12);
    EXPECT_NEAR(path.total.back() / path.total.front(), 1, 1e-12);
  }
}

// Two balls on strings that touch and swing alongside do not press each other: λ is 0, and its round-off opens nothing.
TEST(Contacts, WhatTouchesWithoutPressingStaysClosed) {
  const System system = contact_system(R"toml(name = "parallel-balls"
gravity = ["0", "-g"]
coordinates = [{name="x1",unit="m"},{name="y1",unit="m"},{name="x2",unit="m"},{name="y2",unit="m"}]
[parameters]
g = "9.81 m/s^2"
m = "0.1 kg"
L = "0.2 m"
r = "15 mm"
[[point]]
for = "i in 1..2"
name = "O{i}"
at = ["({i} - 1)*2*r", "0"]
[[point]]
for = "i in 1..2"
name = "C{i}"
at = ["x{i}", "y{i}"]
[[body]]
for = "i in 1..2"
name = "ball{i}"
mass = "m"
position = ["x{i}", "y{i}"]
[[constraint]]
for = "i in 1..2"
name = "string{i}"
distance = {between = ["O{i}", "C{i}"], value = "L"}
[[constraint]]
name = "touch"
distance = {between = ["C1", "C2"], at_least = "2*r"}
[initial]
position = {x1 = "0 m", x2 = "2*r"}
velocity = {x1 = "0.5 m/s", x2 = "0.5 m/s"}
guess = {y1 = "-L", y2 = "-L"}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 2, .rtol = 1e-10});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_LT(path.steps, 200);
  EXPECT_EQ(path.contact[0].back(), 1);
  EXPECT_EQ(path.verdict.impacts, 0);
  for (std::size_t row = 0; row < path.size(); ++row) {
    EXPECT_NEAR(path.lambda[2][row], 0, 1e-13);
    EXPECT_NEAR(path.q[2][row] - path.q[0][row], 0.03, 1e-14);
  }
  EXPECT_LT(path.verdict.energy_drift, 1e-8);
}

// A plate at y = A sin ωt carries a mass until A ω² sin ωt = g.
TEST(Contacts, AMovingGroundThrowsWhatItCarries) {
  const System system = contact_system(R"toml(name = "plate"
coordinates = [{name = "y", unit = "m"}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
A = "0.2 m"
w = "10 rad/s"
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[[constraint]]
name = "plate"
holonomic = "y - A*sin(w*t)"
unilateral = true
[initial]
position = {y = 0}
velocity = {y = "A*w"}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.3, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<RunEvent> releases = events_of(path, RunEventKind::kRelease);
  ASSERT_EQ(releases.size(), 1U);
  EXPECT_NEAR(releases[0].t, std::asin(kWeight / 20) / 10, 1e-11);
  EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
}

// A force that just balances the weight leaves λ = 0 = ḧ at the start: its rate decides whether the mass leaves the ground.
TEST(Contacts, WhereForceAndAccelerationVanishTheNextDerivativeDecides) {
  for (const double rate : {1.0, -1.0}) {
    const System system = contact_system(fmt::format(R"toml(name = "lift"
coordinates = [{{name = "y", unit = "m"}}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
[energy]
kinetic = "m*y'^2/2"
potential = "m*g*y"
[[force]]
coordinate = "y"
value = "m*g*(1 + ({})*t)"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
[initial]
position = {{y = 0}}
velocity = {{y = 0}}
)toml",
                                                     rate));
    const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.5, .rtol = 1e-12});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    // Where the force grows, y = g t³/6.
    EXPECT_NEAR(path.q[0].back(), rate > 0 ? kWeight * 0.125 / 6 : 0, 1e-11);
    EXPECT_EQ(path.contact[0].back(), rate > 0 ? 0 : 1);
  }
}

// A beam on three supports: its rows depend on each other. The motion is unique, the least-norm forces are given.
TEST(Contacts, RedundantSupportsCarryTheLeastNorm) {
  const System system = contact_system(R"toml(name = "beam"
coordinates = [{name = "y", unit = "m"}, {name = "theta", unit = "rad"}]
[parameters]
m = "3 kg"
I = "0.25 kg*m^2"
b = "0.5 m"
g = "9.81 m/s^2"
[energy]
kinetic = "m/2*y'^2 + I/2*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "support"
holonomic = ["y - b*sin(theta)", "y", "y + b*sin(theta)"]
unilateral = true
[initial]
position = {y = 0, theta = 0}
velocity = {y = 0, theta = 0}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.5});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(path.contact[k].back(), 1);
    EXPECT_NEAR(path.lambda[k].back(), kWeight, 1e-9);
  }
  EXPECT_EQ(path.q[0].back(), 0);
  EXPECT_TRUE(path.verdict.holds);
}

// Three rough disks fall into a box without bouncing and come to rest. Frictions whose normal force is round-off stick, and the round-off of their
// reserves and of the reserves' rates must not change modes. At rest the floor carries the weight.
TEST(Contacts, RoughDisksComeToRestInABox) {
  constexpr double kX[] = {0.11537456976449606, 0.3905509847590646, 0.22981740348367766},
                   kY[] = {0.17542301210811698, 0.15765207077218266, 0.41348473194366214};
  std::string text = "name = \"heap\"\ngravity = [\"0\", \"-9.81\"]\ncoordinates = [", bodies, rows, start;
  const auto touch = [&](const std::string& name, const std::string& gap, const std::string& speed) {
    rows += fmt::format(R"toml([[constraint]]
name = "{0}"
holonomic = "{1}"
unilateral = true
[[friction]]
name = "rub_{0}"
normal = "lambda({0})"
velocity = "{2}"
coefficient = 0.4
)toml",
                        name, gap, speed);
  };
  for (int k = 0; k < 3; ++k) {
    text += fmt::format("{0}\"x{1}\", \"y{1}\", \"p{1}\"", k > 0 ? ", " : "", k);
    start += fmt::format("{0}x{1} = {2}, y{1} = {3}", k > 0 ? ", " : "", k, kX[k], kY[k]);
    bodies += fmt::format(R"toml([[frame]]
name = "f{0}"
origin = ["x{0}", "y{0}"]
rotate = "p{0}"
[[body]]
name = "d{0}"
mass = 1
inertia = 0.005
frame = "f{0}"
)toml",
                          k);
    touch(fmt::format("floor{}", k), fmt::format("y{} - 0.1", k), fmt::format("x{0}' + 0.1*p{0}'", k));
    touch(fmt::format("left{}", k), fmt::format("x{} - 0.1", k), fmt::format("y{0}' - 0.1*p{0}'", k));
    touch(fmt::format("right{}", k), fmt::format("0.55 - x{}", k), fmt::format("y{0}' + 0.1*p{0}'", k));
    for (int j = 0; j < k; ++j) {
      const std::string d = fmt::format("sqrt((x{0}-x{1})^2+(y{0}-y{1})^2)", k, j);
      touch(fmt::format("pair{}_{}", k, j), d + " - 0.2",
            fmt::format("(-(x{0}'-x{1}')*(y{0}-y{1}) + (y{0}'-y{1}')*(x{0}-x{1}))/{2} - 0.1*(p{0}'+p{1}')", k, j, d));
    }
  }
  const System system = contact_system(text + "]\n" + bodies + rows + "[initial]\nposition = {" + start + "}\n");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1.5, .second_run = false});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  EXPECT_LT(path.evaluations, 10000);
  double carried = 0;
  for (std::size_t r = 0; r < path.lambda.size(); ++r)
    if (path.names.rows[r].starts_with("floor")) carried += path.lambda[r].back();
  for (const std::vector<double>& v : path.v) EXPECT_NEAR(v.back(), 0, 1e-9);
  // Frictions at the walls carry the rest of the weight.
  for (std::size_t j = 0; j < path.friction.size(); ++j)
    if (const std::string& name = path.names.frictions[j];
        name.starts_with("rub_left") || name.starts_with("rub_right"))
      carried += path.friction[j].back();
  EXPECT_NEAR(carried, 3 * kWeight, 1e-6);
}

// Three rough disks between two lines, one of them on a rope: two of them throw each other back in turn while the third slides less and less.
// Frictions that stop within the tolerance count as at rest, so the contacts come to rest. Two methods of integration agree on the final state.
TEST(Contacts, BouncesOfSeveralContactsInTurnEnd) {
  constexpr double kRadius[] = {0.0873708172659235, 0.053620101464775936, 0.1180681774330557};
  std::string bodies, lines;
  for (int k = 0; k < 3; ++k) {
    const double r = kRadius[k];
    bodies += fmt::format(R"toml([[frame]]
name = "f{0}"
origin = ["x{0}", "y{0}"]
rotate = "p{0}"
[[point]]
name = "C{0}"
at = ["x{0}", "y{0}"]
[[body]]
name = "d{0}"
mass = {1}
inertia = {2}
frame = "f{0}"
)toml",
                          k, 10 * r, 5 * r * r * r);
    const auto add = [&](const char* line, const char* normal, double e, double mu) {
      lines += fmt::format(R"toml([[constraint]]
name = "{0}_{1}"
contact = {{point = "C{1}", above = "{0}", normal = {2}, radius = {3}}}
frame = "f{1}"
restitution = {4}
friction = {5}
)toml",
                           line, k, normal, r, e, mu);
    };
    add("ground", "[0.17610647700918658, 0.9843711234871799]", 0.0612305819602979, 0.746609253289698);
    add("wall", "[-0.9947629274399022, 0.10220918838928265]", 0.2970511533265707, 0.739198166161906);
    for (int j = 0; j < k; ++j)
      lines += fmt::format(R"toml([[constraint]]
name = "pair{0}_{1}"
restitution = 0.2567674607811964
distance = {{between = ["C{0}", "C{1}"], at_least = {2}}}
)toml",
                           k, j, r + kRadius[j]);
  }
  const System system = contact_system(R"toml(name = "disks"
gravity = [0.0, -9.81]
coordinates = ["x0", "y0", "p0", "x1", "y1", "p1", "x2", "y2", "p2"]
[[point]]
name = "ground"
at = [0.3, -0.1]
[[point]]
name = "wall"
at = [1.3, 0.3]
[[point]]
name = "H"
at = [0.1, 0.9]
)toml" + bodies + lines + R"toml([[constraint]]
name = "rope"
distance = {between = ["H", "C0"], at_most = 0.6758111248664456}
restitution = 0.2
[initial]
position = {x0 = -0.03195290944533466, y0 = 0.4623658310272236, x1 = 0.2501166514562283, y1 = 0.48979412725771587, x2 = 0.5505761901529802, y2 = 0.5879482041177526}
velocity = {x0 = -0.8739176566993274, y0 = 0.6429685827542264, p0 = -0.9727428566946585, x1 = 1.2375084935576952, y1 = -0.0674036471586903, p1 = -2.465189299300345, x2 = 1.4324563276742635, y2 = -0.8766183011597541, p2 = 7.650000347872275}
)toml");
  std::vector<Trajectory> paths;
  for (const Method method : {Method::kDop853, Method::kDopri5}) {
    const Trajectory& path =
        paths.emplace_back(integrate(system.dynamics, system.start(), {.until = 1.5, .rtol = 1e-10, .method = method}));
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_LT(path.verdict.impacts, 500);
    EXPECT_LT(path.verdict.power_balance_error, 1e-9);
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(paths[0].q[i].back(), paths[1].q[i].back(), 1e-8) << i;
}

// Balls on a floor that do not touch each other cost what each of them costs, and each keeps its own instants.
TEST(Contacts, ManyBallsEachKeepTheirOwnInstants) {
  const System system = contact_system(R"toml(name = "balls"
[structure]
N = 30
[[coordinates]]
name = "y{i}"
for = "i in 1..N"
unit = "m"
[parameters]
g = "9.81 m/s^2"
m = "1 kg"
[energy]
kinetic = "m*sum(i in 1..N, y{i}'^2)/2"
potential = "m*sum(i in 1..N, g*y{i})"
[[constraint]]
name = "ground{i}"
for = "i in 1..N"
holonomic = "y{i}"
unilateral = true
restitution = 0.5
)toml");
  State start = system.start();
  for (std::size_t i = 0; i < 30; ++i) start.q[i] = 0.5 + 0.01 * static_cast<double>(i);
  const Trajectory path = integrate(system.dynamics, start, {.until = 3});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (std::size_t i = 0; i < 30; ++i) {
    const std::string name = fmt::format("ground{}", i + 1);
    const double first = std::sqrt(2 * start.q[i] / kWeight);
    const std::vector<RunEvent> impacts = events_of(path, RunEventKind::kImpact, name),
                                rests = events_of(path, RunEventKind::kRest, name);
    ASSERT_GT(impacts.size(), 2U) << name;
    EXPECT_NEAR(impacts[0].t, first, 1e-12);
    EXPECT_NEAR(impacts[2].t, 2.5 * first, 1e-12);
    ASSERT_EQ(rests.size(), 1U) << name;
    EXPECT_NEAR(rests[0].t, 3 * first, 1e-10);
  }
}

// A ball that falls and slides: at an impact its contact point sticks where μ (1 + e) v suffices for the 2/7 of its speed that a solid
// sphere needs, else it slides on, with μ times the normal impulse.
TEST(Contacts, AnObliqueImpactSticksOrSlides) {
  for (const double mu : {0.05, 0.2}) {
    const System system = contact_system(fmt::format(R"toml(name = "oblique"
coordinates = [{{name = "x", unit = "m"}}, {{name = "y", unit = "m"}}, {{name = "phi", unit = "rad"}}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
r = "0.1 m"
mu = {}
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*r^2/5*phi'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y - r"
unilateral = true
restitution = 0.5
[[friction]]
name = "rub"
normal = "lambda(ground)"
velocity = "x' + r*phi'"
coefficient = "mu"
)toml",
                                                     mu));
    State start = system.start();
    start.q = {0, 1.1, 0};
    start.v = {3, 0, 0};
    const Trajectory path = integrate(system.dynamics, start, {.until = 0.6, .rtol = 1e-11});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    const std::vector<RunEvent> impacts = events_of(path, RunEventKind::kImpact);
    ASSERT_EQ(impacts.size(), 1U);
    const double falls = std::sqrt(2 * kWeight), sticks = 2.0 / 7 * 3 * 2, slides = mu * 1.5 * falls * 2;
    EXPECT_EQ(slides < sticks, mu == 0.05);
    const double wanted = std::min(sticks, slides);
    ASSERT_EQ(impacts[0].impact->impulses.size(), 2U);
    EXPECT_NEAR(impacts[0].impact->impulses[1].second, wanted, 1e-11);
    EXPECT_EQ(impacts[0].impact->impulses[1].first, 1);  // the friction's impulse follows those of the rows
    EXPECT_NEAR(path.v[0].back(), 3 - wanted / 2, 1e-11);
    EXPECT_NEAR(path.v[2].back(), -wanted / 2 / (0.4 * 0.1), 1e-10);
    EXPECT_EQ(path.friction[0].back(), 0);  // it flies
    EXPECT_TRUE(path.verdict.holds) << to_text(path.verdict);
  }
}

// A block on a rough plank that tilts: it slides where tan α = μ_s, and its friction ends where the plank throws it off.
TEST(Contacts, AFrictionActsWhileItsContactIsClosed) {
  const System system = contact_system(R"toml(name = "plate"
coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
[parameters]
m = "2 kg"
g = "9.81 m/s^2"
A = "0.2 m"
w = "10 rad/s"
mu = 0.3
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[constraint]]
name = "plate"
holonomic = "y - A*sin(w*t)"
unilateral = true
[[friction]]
name = "rub"
normal = "lambda(plate)"
velocity = "x'"
coefficient = "mu"
[initial]
position = {x = 0, y = 0}
velocity = {x = "2 m/s", y = "A*w"}
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 0.2, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const double leaves = std::asin(kWeight / 20) / 10;
  const std::vector<RunEvent> releases = events_of(path, RunEventKind::kRelease);
  ASSERT_EQ(releases.size(), 1U);
  EXPECT_NEAR(releases[0].t, leaves, 1e-11);
  // x' falls by μ ∫ (g − A ω² sin ωt) dt until then, and not at all beyond.
  EXPECT_NEAR(path.v[0].back(), 2 - 0.3 * (kWeight * leaves - 2 * (1 - std::cos(10 * leaves))), 1e-11);
}

// A start below the ground is moved onto it where it is a guess, and refused where it is held.
TEST(Contacts, AStartBelowTheGroundIsMovedOrRefused) {
  const System system = contact_system(ball(0));
  State below = system.start();
  below.q[0] = -0.2;
  const Assembly moved = assemble(system.dynamics, below);
  ASSERT_TRUE(moved.ok());
  EXPECT_NEAR(moved.state.q[0], 0, 1e-15);
  const Assembly held = assemble(system.dynamics, below, {.hold_position = {true}});
  EXPECT_EQ(held.status, AssemblyStatus::kNoPosition);
  EXPECT_THAT(explain_failure(system.dynamics, held).notes, testing::Contains(HasSubstr("one-sided")));
  EXPECT_FALSE(check_consistency(system.dynamics, below).ok());
  const Trajectory path = integrate(system.dynamics, below, {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("violates the one-sided constraint `ground`"));
}

// A start on the ground with a speed into it begins with an impact.
TEST(Contacts, AStartIntoTheGroundBeginsWithAnImpact) {
  const System system = contact_system(ball(0.5));
  State start = system.start();
  start.q[0] = 0;
  start.v[0] = -4;
  const Trajectory path = integrate(system.dynamics, start, {.until = 0.1});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::vector<RunEvent> impacts = events_of(path, RunEventKind::kImpact);
  ASSERT_EQ(impacts.size(), 1U);
  EXPECT_EQ(impacts[0].t, 0);
  EXPECT_NEAR(path.v[0].back(), 2 - kWeight * 0.1, 1e-12);
}

// A drive that presses a mass into the ground has no motion, and says so.
TEST(Contacts, ADriveIntoTheGroundEndsTheRun) {
  const System system = contact_system(R"toml(name = "press"
coordinates = [{name = "y", unit = "m"}]
[parameters]
m = "2 kg"
[energy]
kinetic = "m*y'^2/2"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
[prescribed]
y = "0.1 - t"
)toml");
  const Trajectory path = integrate(system.dynamics, system.start(), {.until = 1});
  EXPECT_EQ(path.status, RunStatus::kFailed);
  EXPECT_THAT(path.reason, HasSubstr("no motion keeps the contact `ground`"));
  EXPECT_NEAR(path.time.back(), 0.1, 1e-9);
}

TEST(Contacts, WhatCannotFollowThemIsRefused) {
  const System system = contact_system(ball(0.5));
  EXPECT_THAT(integrate(system.dynamics, system.start(), {.until = -1}).reason, HasSubstr("backwards"));
  EXPECT_THAT(integrate(system.dynamics, system.start(), {.until = 1, .formulation = Formulation::kReduced}).reason,
              HasSubstr("cannot follow contacts"));
}

// decide_contacts() says at a state which contacts are closed.
TEST(Contacts, TheStatesAtAPoint) {
  const System system = contact_system(ball(0.5));
  State at = system.start();
  EXPECT_EQ(decide_contacts(system.dynamics, at).closed, std::vector<char>{0});
  at.q[0] = 0;
  EXPECT_EQ(decide_contacts(system.dynamics, at).closed, std::vector<char>{1});
  at.v[0] = -1;
  EXPECT_EQ(decide_contacts(system.dynamics, at).closing, std::vector<int>{0});
  at.v[0] = 1;
  EXPECT_EQ(decide_contacts(system.dynamics, at).closed, std::vector<char>{0});
}

}  // namespace
}  // namespace dalembert
