// SPDX-License-Identifier: Apache-2.0
// Exported code of models whose contacts have friction: decisions, impacts and steps against the library and closed forms.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/codegen/texts.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::testing {
namespace {

using Numbers = std::vector<double>;

// A ball that is thrown on a rough ground.
constexpr const char* kThrown = R"toml(name = "thrown"
coordinates = ["x", "y", "phi"]
[parameters]
m = 1
g = 9.81
r = 0.1
mu = 0.05
e = 0.5
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*r^2/5*phi'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y - r"
unilateral = true
restitution = "e"
[[friction]]
name = "rub"
normal = "lambda(ground)"
velocity = "x' + r*phi'"
coefficient = "mu"
[initial]
position = {x = 0, y = 1, phi = 0}
velocity = {x = 3, y = 0, phi = 0}
)toml";

// A block on two feet that slide and stick, beside a wall that is rough as well, with forces that lift and turn it.
constexpr const char* kBlock = R"toml(name = "block"
coordinates = ["x", "y", "theta"]
[parameters]
b = 0.5
h = 0.4
mu = 0.3
[inputs]
push = "6*sin(5*t)"
lift = "9*cos(7*t)"
turn = "1.5*sin(3*t)"
[energy]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/12"
potential = "9.81*y"
[[force]]
coordinate = "x"
value = "push"
[[force]]
coordinate = "y"
value = "lift"
[[force]]
coordinate = "theta"
value = "turn"
[[constraint]]
name = "left"
holonomic = "y - b*sin(theta) - h*cos(theta)"
unilateral = true
restitution = 0.3
[[constraint]]
name = "right"
holonomic = "y + b*sin(theta) - h*cos(theta)"
unilateral = true
restitution = 0.3
[[constraint]]
name = "wall"
holonomic = "x - b*cos(theta) + h*sin(theta) + 0.6"
unilateral = true
[[friction]]
name = "left_foot"
normal = "lambda(left)"
velocity = "x' + theta'*(b*sin(theta) + h*cos(theta))"
coefficient = "mu"
static = 0.4
[[friction]]
name = "right_foot"
normal = "lambda(right)"
velocity = "x' + theta'*(-b*sin(theta) + h*cos(theta))"
coefficient = "mu"
[[friction]]
name = "side"
normal = "lambda(wall)"
velocity = "y' - theta'*0.5*cos(theta)"
coefficient = 0.2
[initial]
position = {x = 0.2, y = 0.8, theta = 0.2}
velocity = {x = -0.5, y = 0, theta = 0.3}
)toml";

// A ladder that slips down between a rough floor and a rough wall, and leaves the wall.
constexpr const char* kRoughLadder = R"toml(name = "ladder"
coordinates = ["x", "y", "theta"]
[energy]
kinetic = "(x'^2 + y'^2)/2 + theta'^2/24"
potential = "9.81*y"
[[constraint]]
name = "wall"
holonomic = "x - cos(theta)/2"
unilateral = true
[[constraint]]
name = "floor"
holonomic = "y - sin(theta)/2"
unilateral = true
[[friction]]
name = "foot"
normal = "lambda(floor)"
velocity = "x' - sin(theta)*theta'/2"
coefficient = 0.1
[[friction]]
name = "top"
normal = "lambda(wall)"
velocity = "y' + cos(theta)*theta'/2"
coefficient = 0.1
[initial]
position = {theta = "60 deg", x = 0.25, y = 0.4330127018922193}
velocity = {theta = 0, x = 0, y = 0}
)toml";

// Oracle: the library's decision and solution, at states with some contacts at rest whose feet slide, or do not.
TEST(ContactFrictionCode, DecidesAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(kBlock);
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Loaded loaded(equations);
  const auto accelerations = loaded.call<Loaded::AccelerationsWithFriction>("accelerations");
  const State start = initial_state(*equations.model);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  int solved = 0, paradoxes = 0, closed_ones = 0, stuck = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<char> closed(3);
    for (char& one : closed) one = random() % 2 == 0 ? 1 : 0;
    State at = start;
    at.t = 3 * (1 + any(random));
    for (double& x : at.q) x += 0.2 * any(random);
    for (double& x : at.v) x = round % 2 == 0 ? 0 : any(random);
    const Dynamics some = dynamics.with_contacts(closed);
    if (!project(some, at).ok || difference(position_residual(some, at), Numbers(3)) > 1e-14) continue;
    Numbers u(3), work(dynamics.layout().work), vdot(3), lambda(3), friction(3);
    dynamics.inputs(at.t, work.data(), u.data());
    const ContactDecision decision = decide_contacts(dynamics, at, 1e-12);
    const int status = accelerations(loaded.state(), at.t, at.q.data(), at.v.data(), u.data(), vdot.data(),
                                     lambda.data(), friction.data());
    if (decision.status == ContactStatus::kParadox) {
      EXPECT_EQ(status, decision.answer.solutions.empty() ? 6 : 7) << round;
      ++paradoxes;
      continue;
    }
    ASSERT_EQ(decision.status, ContactStatus::kOk);
    ASSERT_EQ(status, 0) << round;
    const KktSolution expected = solve_kkt(dynamics.with_contacts(decision.closed), at);
    ASSERT_EQ(expected.status, KktStatus::kOk) << round;
    double size = 1;
    for (const double x : expected.qdd) size = std::max(size, std::abs(x));
    EXPECT_LT(difference(vdot, expected.qdd), 1e-12 * size) << round;
    EXPECT_LT(difference(lambda, expected.lambda), 1e-11 * size) << round;
    EXPECT_LT(difference(friction, expected.friction), 1e-11 * size) << round;
    ++solved;
    for (std::size_t k = 0; k < 3; ++k) {
      closed_ones += decision.closed[k];
      stuck += decision.closed[k] != 0 && expected.friction_answer.solutions.front().mode[k].direction == 0 ? 1 : 0;
    }
  }
  EXPECT_GE(solved, 250);
  EXPECT_GE(closed_ones, 100);
  EXPECT_GE(stuck, 30);
  RecordProperty("paradoxes", paradoxes);
}

// Oracle: the library. A negative inertia is none of the friction's business, nor of the contact's, which may open.
TEST(ContactFrictionCode, RefusesANegativeInertia) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const std::string_view kinetic : {"m/2*(x'^2 + y'^2) + (1 - x)*phi'^2", "m/2*(x'^2 + (1 - x)*y'^2) + phi'^2"}) {
    SCOPED_TRACE(kinetic);
    std::string text = kThrown;
    const std::string_view plain = "m/2*(x'^2 + y'^2) + m*r^2/5*phi'^2";
    text.replace(text.find(plain), plain.size(), kinetic);
    const Equations equations = equations_of_text(text);
    const Dynamics dynamics = compile(equations, {.machine_code = false});
    Loaded loaded(equations);
    const auto accelerations = loaded.call<Loaded::AccelerationsWithFriction>("accelerations");
    for (const double x : {0.5, 2.0})
      for (const double y : {0.1, 0.3}) {
        const State at{0, {x, y, 0}, {1, 0, 0}};
        Numbers u(2), vdot(3), lambda(1), friction(1);
        const bool negative = x > 1;
        // Where nothing rests there is nothing to decide.
        EXPECT_EQ(decide_contacts(dynamics, at, 1e-12).status,
                  negative && y == 0.1 ? ContactStatus::kSingular : ContactStatus::kOk);
        EXPECT_EQ(accelerations(loaded.state(), 0, at.q.data(), at.v.data(), u.data(), vdot.data(), lambda.data(),
                                friction.data()),
                  negative ? 1 : 0)
            << x << " " << y;
      }
  }
}

// Oracle: a sphere that is thrown with v without spin rolls in the end with 5/7 v, whatever it does on the way; its second flight begins
// with x' = v − μ (1 + e) √(2 g h), as long as it slips.
TEST(ContactFrictionCode, AThrownBallRollsInTheEnd) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kThrown));
  const auto step = loaded.call<Loaded::Step>("step");
  Numbers q{0, 1, 0}, v{3, 0, 0};
  ASSERT_EQ(step(loaded.state(), 0, 0.5, q.data(), v.data()), 0);
  const double speed = std::sqrt(2 * 9.81 * 0.9);
  EXPECT_NEAR(v[0], 3 - 0.05 * 1.5 * speed, 1e-13);
  EXPECT_NEAR(v[2], -5 / (2 * 0.1) * 0.05 * 1.5 * speed, 1e-11);  // r μ J = 2/5 m r² φ'
  for (int k = 1; k < 8; ++k) ASSERT_EQ(step(loaded.state(), 0.5 * k, 0.5, q.data(), v.data()), 0) << k;
  EXPECT_NEAR(v[0], 15.0 / 7, 1e-12);
  EXPECT_NEAR(v[2], -150.0 / 7, 1e-11);
  EXPECT_EQ(q[1], 0.1);
  EXPECT_EQ(v[1], 0);
}

// Oracle: integrate() at 1e-12, which ends its steps at the same instants. Halving the step divides the error by 2⁴ or better.
TEST(ContactFrictionCode, StepsEndWhereRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  struct Motion {
    const char* name;
    const char* text;
    double until;
    std::size_t events;
  };
  // A start from where several modes of the frictions are consistent for one set of contacts, of which contacts rule some out.
  std::string wedged = kBlock;
  wedged.replace(
      wedged.find("[initial]"), wedged.npos,
      "[initial]\nposition = {x = 0.21105828779135866, y = 0.6601642756512038, theta = -0.2834006028693866}\n"
      "velocity = {x = -0.5566166674539299, y = -0.12422481269885588, theta = -0.016751034472597404}\n");
  for (const auto& [name, text, until, events] :
       {Motion{"thrown", kThrown, 2, 10}, Motion{"block", kBlock, 1.2, 30}, Motion{"wedged", wedged.c_str(), 0.8, 30},
        Motion{"ladder", kRoughLadder, 0.45, 3}}) {
    SCOPED_TRACE(name);
    // What the run itself is off by, with where a sequence of impacts counts as rest: 2e-9.
    expect_steps_end_where_the_run_does(text, until, events, {.coarse = 1e-5, .gain = 10, .of_the_run = 2e-9});
  }
}

// Oracle: the run, which sums the series of its blows. At both corners nothing slides, so that the block stands, and does not slide on.
TEST(ContactFrictionCode, ABlockThatRocksEverLessStands) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(shipped_text("rocking-block"));
  const Dynamics dynamics = compile(equations);
  const Trajectory path = integrate(dynamics, assemble_start(equations, dynamics).state, {.until = 8, .rtol = 1e-12});
  ASSERT_EQ(path.events.back().kind, RunEventKind::kRest);
  Loaded loaded(equations);
  Numbers q(3), v(3);
  double t = 0, rests = 0;
  loaded.call<void(double*, double*, double*)>("start")(&t, q.data(), v.data());
  for (int k = 0; k < 8000; ++k) {
    ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 1e-3 * k, 1e-3, q.data(), v.data()), 0) << k;
    if (std::abs(v[2]) > 1e-12) rests = 1e-3 * (k + 1);
  }
  EXPECT_NEAR(rests, path.events.back().t, 1e-3);
  EXPECT_NEAR(v[0], 0, 1e-12);
  EXPECT_NEAR(q[2], 0, 1e-15);
}

TEST(ContactFrictionCode, SelfTestsAgreeInEveryLanguage) {
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations_of_text(kRoughLadder), language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
  }
}

// Oracle: C. A step with two impacts, the second of which lets it roll.
TEST(ContactFrictionCode, EveryLanguageFindsTheInstants) {
  const Equations equations = equations_of_text(kThrown);
  Loaded loaded(equations);
  Numbers q{0, 1, 0}, v{3, 0, 0};
  ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 1, q.data(), v.data()), 0);
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython, Exported::python() +
                                  " -B -c 'import thrown; q, v = thrown.Model().step(0, 1, [0, 1, 0], [3, 0, 0]); "
                                  "print(repr(float(q[0])), repr(float(v[2])))'"},
      {CodeLanguage::kJs,
       "node --input-type=module -e 'import {Model} from \"./thrown.mjs\"; const s = new Model().step(0, 1, [0, 1, 0], "
       "[3, 0, 0]); console.log(s.q[0], s.v[2])'"},
      {CodeLanguage::kMatlab,
       "octave-cli --norc --eval \"m = thrown(); s = m.init(); [q, v] = m.step(s, 0, 1, [0; 1; 0], [3; 0; 0]); "
       "printf('%.17g %.17g', q(1), v(3))\""}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double there = 0, turns = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf", &there, &turns), 2) << ran.out;
    EXPECT_NEAR(there, q[0], 1e-13) << to_text(language);
    EXPECT_NEAR(turns, v[2], 1e-11) << to_text(language);
  }
}

}  // namespace
}  // namespace dalembert::testing
