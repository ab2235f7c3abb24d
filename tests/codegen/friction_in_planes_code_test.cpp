// SPDX-License-Identifier: Apache-2.0
// Exported code of models with friction in a plane: directions, impacts and steps against the library and closed forms.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/integrate/integrate.h"
#include "systems/ball_on_table.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

constexpr double kFall = 9.81;

// A point bound to an incline, or lying on it. `more`: constraints and forces.
std::string sliding_point(const std::string& more, const std::string& velocity = "{x = 0, y = 2, z = 0}") {
  return R"toml(name = "block"
coordinates = ["x", "y", "z"]
[parameters]
g = 9.81
alpha = "20 deg"
mu = 0.5
mu_s = 0.6
c = 3
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "g*(z*cos(alpha) - x*sin(alpha))"
[[friction]]
name = "rough"
normal = "lambda(floor)"
velocity = ["x'", "y'"]
coefficient = "mu"
static = "mu_s"
[initial]
position = {x = 0, y = 0, z = 0}
velocity = )toml" +
         velocity + "\n[[constraint]]\nname = \"floor\"\nholonomic = \"z\"\n" + more;
}

const std::string kLies = "unilateral = true\nrestitution = 0.5\n";
// A horizontal force whose size and direction change with time.
const std::string kPull = "[[force]]\ncoordinate = \"x\"\nvalue = \"c*t\"\n[[force]]\ncoordinate = \"y\"\nvalue = 2\n";

// A plate on three feet, above a floor, with a push and a lift. It touches down and slides, turns and stands.
const std::string kPlate = R"toml(name = "plate"
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
a = 0.2
push = 0
turn = 0
[[frame]]
name = "plate"
origin = ["x", "y", "z"]
quaternion = ["e0", "e1", "e2", "e3"]
[[body]]
name = "plate"
mass = 2
inertia = ["2*a^2/4", "2*a^2/4", "2*a^2/2"]
frame = "plate"
[[point]]
name = "O"
at = [0, 0, 0]
[[point]]
name = "C"
frame = "plate"
at = ["a/2", 0, "-0.04"]
[[force]]
at = "C"
vector = ["push", "turn", 0]
[[point]]
for = "k in 0..2"
name = "P{k}"
frame = "plate"
at = ["a*cos(2*pi*k/3)", "a*sin(2*pi*k/3)", "-0.05"]
[[constraint]]
for = "k in 0..2"
name = "foot{k}"
contact = {point = "P{k}", above = "O", normal = [0, 0, 1]}
frame = "plate"
friction = 0.3
restitution = 0.2
[initial]
position = {z = 0.05}
velocity = {x = 1, "plate.omega.z" = 6}
)toml";

const std::string kRoughBall = ball_on_table("friction = \"mu\"\n");

// The closed form of a point that slides across an incline: systems/friction_in_space_test.cpp.
void expect_turns_downhill_and_stops(const std::string& kind) {
  const double angle = 20 * std::numbers::pi / 180, g = kFall * std::sin(angle), k = 0.5 / std::tan(angle), v = 2;
  const double stop = v * k / (g * (k * k - 1)), x = v * v / (4 * g * (k * k - 1)),
               y = 2 * v * v * k / (g * (4 * k * k - 1));
  Loaded loaded(equations_of_text(sliding_point(kind)));
  const auto step = loaded.call<Loaded::Step>("step");
  // Also where a step ends a little before or after the stop, so that the next one begins with hardly any speed.
  for (const double until : {2.0, 2 * stop}) {
    const auto error = [&](int steps) {
      Numbers q(3), speed{0, v, 0};
      for (int i = 0; i < steps; ++i)
        EXPECT_EQ(step(loaded.state(), i * until / steps, until / steps, q.data(), speed.data()), 0) << i;
      EXPECT_EQ(speed, Numbers(3));
      return std::max({std::abs(q[0] - x), std::abs(q[1] - y), std::abs(q[2])});
    };
    const double coarse = error(50), fine = error(400);
    EXPECT_LT(coarse, 1e-5);
    EXPECT_LT(fine, 2e-9);  // 8⁴ = 4096
  }
}

TEST(FrictionInPlanesCode, AcrossAnInclineTheSlidingTurnsDownhillAndStops) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_turns_downhill_and_stops(kLies);
}

// The point breaks loose when the size of the force reaches μ_s N, and slides along the force at first. Oracle: integrate(), and the closed form
// √((μ_s g)² − 4)/c of the instant.
void expect_breaks_loose_along_the_force(const std::string& kind) {
  const double begin = std::sqrt(std::pow(0.6 * kFall, 2) - 4) / 3;
  const std::string text = sliding_point(kind + kPull, "{x = 0, y = 0, z = 0}");
  const Equations equations = equations_of_text(text, {"alpha=0"});
  const Dynamics dynamics = compile(equations);
  const Trajectory path = integrate(dynamics, initial_state(*equations.model), {.until = begin + 0.5, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  Loaded loaded(equations);
  const auto step = loaded.call<Loaded::Step>("step");
  Numbers q(3), v(3);
  ASSERT_EQ(step(loaded.state(), 0, begin - 1e-9, q.data(), v.data()), 0);
  EXPECT_EQ(v, Numbers(3));
  const auto error = [&](int steps) {
    const double h = 0.5 / steps;
    Numbers q_there = q, v_there = v;
    EXPECT_EQ(step(loaded.state(), begin - 1e-9, h + 1e-9, q_there.data(), v_there.data()), 0);
    for (int i = 1; i < steps; ++i)
      EXPECT_EQ(step(loaded.state(), begin + i * h, h, q_there.data(), v_there.data()), 0) << i;
    const State end = path.state(path.size() - 1);
    return std::max(difference(q_there, end.q), difference(v_there, end.v));
  };
  EXPECT_LT(error(100), 1e-5);
  EXPECT_LT(error(1000), 1e-8);
}

TEST(FrictionInPlanesCode, WhatSticksBreaksLooseAlongTheForceThatHeldIt) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_breaks_loose_along_the_force(kLies);
}

// With equal coefficients the point breaks loose without acceleration and keeps its direction until parts of a step can follow its turns. So the motion
// begins with an error of first order in h, at most the speed μ g h/64 up to which the direction is kept. Oracle: integrate().
void expect_finds_its_direction(const std::string& kind) {
  const Equations equations =
      equations_of_text(sliding_point(kind + kPull, "{x = 0, y = 0, z = 0}"), {"alpha=0", "mu_s=0.5"});
  const Trajectory path = integrate(compile(equations), initial_state(*equations.model), {.until = 2.5, .rtol = 1e-11});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const State end = path.state(path.size() - 1);
  Loaded loaded(equations);
  const auto step = loaded.call<Loaded::Step>("step");
  for (const int steps : {125, 1000}) {
    const double h = 2.5 / steps;
    Numbers q(3), v(3);
    for (int i = 0; i < steps; ++i) ASSERT_EQ(step(loaded.state(), i * h, h, q.data(), v.data()), 0) << i;
    EXPECT_LT(std::max(difference(q, end.q), difference(v, end.v)), 0.5 * kFall * h / 64) << steps;
  }
}

TEST(FrictionInPlanesCode, WhatBreaksLooseWithoutAccelerationFindsItsDirection) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_finds_its_direction(kLies);
}

// Coriolis' ball: it slides along a parabola until 2 v_s/(7 μ g), and then rolls straight on. The error of the steps comes from the attitude, which
// turns by 0.09 rad in each step; angular velocities are along the axes of the ball. At an impact the tangential impulse is μ Λ_n against the
// sliding, or the impulse that stops the sliding if that is smaller.
TEST(FrictionInPlanesCode, ABallSlidesRollsAndIsStruck) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kRoughBall));
  const auto step = loaded.call<Loaded::Step>("step");
  Numbers q = kStruckPosition, v = kStruckVelocity;
  const double stop = 2 * 2 / (7 * 0.2 * kFall), a = 0.2 * kFall;
  for (int i = 0; i < 500; ++i) ASSERT_EQ(step(loaded.state(), 0.002 * i, 0.002, q.data(), v.data()), 0) << i;
  EXPECT_NEAR(v[0], 1 - 0.8 * a * stop, 3e-8);
  EXPECT_NEAR(v[1], -0.6 * a * stop, 3e-8);
  EXPECT_NEAR(q[0], 1 - 0.8 * a * stop * (1 - stop / 2), 3e-8);
  EXPECT_NEAR(q[1], -0.6 * a * stop * (1 - stop / 2), 3e-8);
  for (const double mu : {0.1, 0.9}) {
    static_cast<double*>(loaded.state())[2] = mu;
    loaded.call<void(void*)>("prepare")(loaded.state());
    const auto impact = loaded.call<int(void*, double, double*, double*, const double*)>("impact");
    q = kStruckPosition, v = kStruckVelocity, v[2] = -1;
    ASSERT_EQ(impact(loaded.state(), 0, q.data(), v.data(), nullptr), 0);
    const double change = std::min(mu * 1.8, 2.0 / 7 * 2);
    EXPECT_NEAR(v[0], 1 - 0.8 * change, 1e-14) << mu;
    EXPECT_NEAR(v[1], -0.6 * change, 1e-14) << mu;
    EXPECT_NEAR(v[2], 0.8, 1e-15);
  }
}

// Oracle: the library's decision, at states of a plate with some of its feet on the floor: at rest or moving, and pushed so that it sticks, slides, or
// slides on some feet and sticks on others.
void expect_decides_as_the_library_does(int rounds) {
  const Equations equations = equations_of_text(kPlate);
  const Dynamics any_push = compile(equations, {.machine_code = false});
  Loaded loaded(equations);
  const auto accelerations = loaded.call<Loaded::AccelerationsWithFriction>("accelerations");
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  int solved = 0, stuck = 0, from_rest = 0, several = 0;
  for (int round = 0; round < rounds; ++round) {
    // Of 6 N of friction.
    const double most = round % 5 == 1 ? 4 : 12, push = most * any(random), turn = most * any(random);
    const Dynamics dynamics = any_push.with_parameters({0.2, push, turn});
    static_cast<double*>(loaded.state())[1] = push;
    static_cast<double*>(loaded.state())[2] = turn;
    loaded.call<void(void*)>("prepare")(loaded.state());
    std::vector<char> closed(3, 1);
    if (round % 3 == 2)
      for (char& one : closed) one = random() % 2 == 0 ? 1 : 0;
    State at{0, {0, 0, 0.05, 1, 0, 0, 0}, Numbers(6)};
    at.q[6] = 0.3 * any(random);
    if (round % 3 == 2) at.q[4] = 0.1 * any(random), at.q[5] = 0.1 * any(random);
    if (round % 2 == 0)
      for (double& x : at.v) x = any(random);
    const Dynamics some = dynamics.with_contacts(closed);
    if (!project(some, at).ok || difference(position_residual(some, at), Numbers(3)) > 1e-14) continue;
    Numbers vdot(6), lambda(3), friction(6);
    const ContactDecision decision = decide_contacts(dynamics, at, 1e-12);
    const int status = accelerations(loaded.state(), 0, at.q.data(), at.v.data(), nullptr, vdot.data(), lambda.data(),
                                     friction.data());
    if (decision.status != ContactStatus::kOk) {
      EXPECT_NE(status, 0) << round;
      continue;
    }
    ASSERT_EQ(status, 0) << round;
    const KktSolution expected = solve_kkt(dynamics.with_contacts(decision.closed), at);
    ASSERT_EQ(expected.status, KktStatus::kOk) << round;
    double size = 1;
    for (const Numbers* list : {&expected.qdd, &expected.lambda})
      for (const double x : *list) size = std::max(size, std::abs(x));
    // Both accept directions of sliding to 1e-9, where forces of feet that hardly slide are less certain.
    EXPECT_LT(difference(vdot, expected.qdd), 1e-8 * size) << round;
    EXPECT_LT(difference(lambda, expected.lambda), 1e-7 * size) << round;
    ++solved;
    const FrictionMode& mode = expected.friction_answer.solutions.front().mode;
    int begin = 0;
    for (std::size_t j = 0; j < 6; j += 2) {
      if (decision.closed[j / 2] == 0) continue;
      stuck += mode[j].direction == 0 ? 1 : 0;
      begin += round % 2 == 1 && mode[j].direction != 0 ? 1 : 0;
    }
    from_rest += begin > 0 ? 1 : 0;
    several += begin > 1 ? 1 : 0;
  }
  EXPECT_GE(solved, rounds * 2 / 3);
  EXPECT_GE(stuck, rounds / 15);
  EXPECT_GE(from_rest, rounds / 15);
  EXPECT_GE(several, rounds / 15);
}

TEST(FrictionInPlanesCode, DecidesAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_decides_as_the_library_does(45);
}

// A model and a motion of it; the suite is slow (tests/CMakeLists.txt).
struct PlaneMotion {
  std::string name, text;
  double until = 0;
  std::size_t events = 0;
  StepErrors allowed;
};
class MotionsInPlanes : public ::testing::TestWithParam<PlaneMotion> {};

// Oracle: integrate() at 1e-12. Turns of the sliding are followed in parts of a step; halving the step divides the error by 2⁴, unless the rule for
// rest shifts an instant.
TEST_P(MotionsInPlanes, StepsEndWhereRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const PlaneMotion& motion = GetParam();
  expect_steps_end_where_the_run_does(motion.text, motion.until, motion.events, motion.allowed);
}

TEST_P(MotionsInPlanes, SelfTestsAgreeInEveryLanguage) {
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations_of_text(GetParam().text), language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, MotionsInPlanes,
    ::testing::Values(
        PlaneMotion{"ball",
                    kRoughBall + "[initial]\nposition = {z = 0.03}\nvelocity = {x = 1, z = 1.5, \"ball.omega.x\" = 60, "
                                 "\"ball.omega.y\" = -30, \"ball.omega.z\" = 5}\n",
                    1.2,
                    4,
                    {.coarse = 1e-5, .gain = 10, .of_the_run = 1e-8}},
        PlaneMotion{"plate", kPlate, 0.9, 1, {.coarse = 1e-6, .gain = 10, .of_the_run = 1e-8}},
        PlaneMotion{"point",
                    sliding_point("", "{x = 0.3, y = 2, z = 0}"),
                    2,
                    1,
                    {.coarse = 1e-8, .gain = 10, .of_the_run = 1e-9}}),
    [](const auto& chosen) { return chosen.param.name; });

class PointInPlane : public ::testing::TestWithParam<std::string> {};

TEST_P(PointInPlane, DoesAsClosedFormsAndRunsSay) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_turns_downhill_and_stops(GetParam());
  expect_breaks_loose_along_the_force(GetParam());
  expect_finds_its_direction(GetParam());
}

// Oracle: C. A step in which the point comes to rest.
TEST_P(PointInPlane, EveryLanguageFindsTheInstants) {
  const Equations equations = equations_of_text(sliding_point(GetParam(), "{x = 0, y = 0.1, z = 0}"));
  Loaded loaded(equations);
  Numbers q(3), v{0, 0.1, 0};
  ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 0.1, q.data(), v.data()), 0);
  EXPECT_EQ(v, Numbers(3));
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython, Exported::python() +
                                  " -B -c 'import block; q, v = block.Model().step(0, 0.1, [0, 0, 0], [0, 0.1, 0]); "
                                  "print(repr(float(q[0])), repr(float(q[1])))'"},
      {CodeLanguage::kJs,
       "node --input-type=module -e 'import {Model} from \"./block.mjs\"; const s = new Model().step(0, 0.1, [0, 0, "
       "0], "
       "[0, 0.1, 0]); console.log(s.q[0], s.q[1])'"},
      {CodeLanguage::kMatlab,
       "octave-cli --norc --eval \"m = block(); s = m.init(); [q, v] = m.step(s, 0, 0.1, [0; 0; 0], [0; 0.1; 0]); "
       "printf('%.17g %.17g', q(1), q(2))\""}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double x = 0, y = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf", &x, &y), 2) << ran.out;
    EXPECT_NEAR(x, q[0], 1e-15) << to_text(language);
    EXPECT_NEAR(y, q[1], 1e-15) << to_text(language);
  }
}

// Bound to the incline; tests above have it lie there.
INSTANTIATE_TEST_SUITE_P(Bound, PointInPlane, ::testing::Values(""));

class PlateInPlane : public ::testing::TestWithParam<int> {};

TEST_P(PlateInPlane, DecidesAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_decides_as_the_library_does(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Rounds, PlateInPlane, ::testing::Values(500));

}  // namespace
}  // namespace dalembert::testing
