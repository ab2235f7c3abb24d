// SPDX-License-Identifier: Apache-2.0
// Exported code of models with contacts: decisions, impacts and steps against the library and closed forms.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
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
#include "systems/many_contacts.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using Impact = int(void*, double, double*, double*, const double*);
using ContactStates = int(void*, double, const double*, const double*, const double*, double*, double*, double*);
using Outputs = void(void*, double, const double*, const double*, const double*, const double*, const double*, double*);
using Closed = int(void*, double, const double*, const double*, const double*, const double*, double*, double*);

constexpr CodeLanguage kAll[] = {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab,
                                 CodeLanguage::kJs};

constexpr const char* kBall = R"toml(name = "ball"
coordinates = ["y"]
[parameters]
m = 1
g = 9.81
e = 0.8
[energy]
kinetic = "m/2*y'^2"
potential = "m*g*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[initial]
position = {y = 1}
velocity = {y = 0}
)toml";

constexpr const char* kLadder = R"toml(name = "ladder"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1
g = 9.81
L = 1
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*L^2/24*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "wall"
holonomic = "x - L/2*cos(theta)"
unilateral = true
[[constraint]]
name = "floor"
holonomic = "y - L/2*sin(theta)"
unilateral = true
[initial]
position = {theta = "60 deg", x = 0.25, y = 0.4330127018922193}
velocity = {theta = 0, x = 0, y = 0}
)toml";

constexpr const char* kRope = R"toml(name = "rope"
coordinates = ["x", "y"]
[parameters]
m = 1
g = 9.81
L = 1
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "m*g*y"
[[point]]
name = "O"
at = [0, 0]
[[point]]
name = "P"
at = ["x", "y"]
[[constraint]]
name = "rope"
distance = {between = ["O", "P"], at_most = "L"}
[initial]
position = {x = 0, y = -1}
velocity = {x = 6, y = 0}
)toml";

constexpr const char* kRod = R"toml(name = "rod"
coordinates = ["y", "theta"]
[parameters]
m = 1
g = 9.81
l = 0.5
e = 1
[energy]
kinetic = "m/2*y'^2 + m*l^2/6*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "A"
holonomic = "y + l*sin(theta)"
unilateral = true
restitution = "e"
[[constraint]]
name = "B"
holonomic = "y - l*sin(theta)"
unilateral = true
restitution = "e"
[initial]
position = {y = 1, theta = 0.3}
velocity = {y = 0, theta = 0.1}
)toml";

// A block that rocks on two corners, held in x by a bilateral row.
constexpr const char* kRock = R"toml(name = "rock"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1
g = 9.81
b = 0.25
h = 0.97
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m/6*theta'^2"
potential = "m*g*y"
[[constraint]]
name = "left"
holonomic = "y - b*sin(theta) - h*cos(theta)"
unilateral = true
[[constraint]]
name = "right"
holonomic = "y + b*sin(theta) - h*cos(theta)"
unilateral = true
[[constraint]]
name = "foot"
holonomic = "x"
[initial]
position = {theta = 0.1, x = 0}
guess = {y = 0.95}
velocity = {theta = 0, x = 0, y = 0}
)toml";

const std::string kManyAtRest = std::string(kManyContacts) + R"toml([initial]
position = {x = 0, y = 0, theta = 0, x3 = 0}
)toml";

double largest_of(const Numbers& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Random states of kManyAtRest at which some contacts are at h = 0, and, of these, some at rest.
class RandomStates {
 public:
  explicit RandomStates(const Equations& equations)
      : dynamics(compile(equations, {.machine_code = false})), start_(initial_state(*equations.model)) {}

  bool next(bool at_rest) {
    std::vector<char> closed(dynamics.contacts()->count());
    for (char& one : closed) one = random_() % 2 == 0 ? 1 : 0;
    state = start_;
    state.t = 10 * (1 + any());
    for (double& x : state.q) x += 0.2 * any();
    for (double& x : state.v) x = any();
    const Numbers v = state.v;
    if (!project(dynamics.with_contacts(closed), state).ok) return false;
    if (at_rest) return largest_of(position_residual(dynamics.with_contacts(closed), state)) < 1e-14;
    // Velocities that the bilateral rows allow.
    Numbers q = state.q;
    state.v = v;
    return project(dynamics, state).ok && difference(q, state.q) < 1e-14;
  }

  const Dynamics dynamics;
  State state;

 private:
  double any() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  State start_;
  std::mt19937 random_{7};
};

// Oracle: the library's decision and solution.
TEST(ContactCode, DecidesAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(kManyAtRest);
  RandomStates states(equations);
  Loaded loaded(equations);
  const auto accelerations = loaded.call<Loaded::Accelerations>("accelerations");
  const auto contact_states = loaded.call<ContactStates>("contact_states");
  const std::size_t count = states.dynamics.contacts()->count();
  int solved = 0, none = 0, closed_ones = 0, lifted = 0;
  for (int round = 0; round < 500; ++round) {
    if (!states.next(true)) continue;
    const State& at = states.state;
    Numbers u(3), work(states.dynamics.layout().work), vdot(6), lambda(9), closed(count), gap(count), rate(count);
    states.dynamics.inputs(at.t, work.data(), u.data());
    const ContactDecision decision = decide_contacts(states.dynamics, at, 1e-12);
    const int status =
        accelerations(loaded.state(), at.t, at.q.data(), at.v.data(), u.data(), vdot.data(), lambda.data());
    ASSERT_EQ(contact_states(loaded.state(), at.t, at.q.data(), at.v.data(), u.data(), closed.data(), gap.data(),
                             rate.data()),
              status);
    EXPECT_LT(difference(gap, gaps_of(states.dynamics, at)), 1e-15);
    if (decision.status != ContactStatus::kOk) {
      EXPECT_EQ(decision.status, ContactStatus::kNone);
      EXPECT_EQ(status, 6);
      EXPECT_TRUE(std::isnan(vdot[0]));
      ++none;
      continue;
    }
    ASSERT_EQ(status, 0) << round;
    const KktSolution expected = solve_kkt(states.dynamics.with_contacts(decision.closed), at);
    // Nothing moves, but for round-off, in which rows that depend on each other contradict each other.
    if (expected.status == KktStatus::kInconsistent)
      EXPECT_LT(largest_of(vdot), 1e-13) << round;  // of forces of 20 N
    else
      EXPECT_LT(difference(vdot, expected.qdd), 1e-11 * (1 + largest_of(vdot))) << round;
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_GE(lambda[static_cast<std::size_t>(states.dynamics.contacts()->contacts[k].row)],
                -1e-10 * largest_of(lambda));
      closed_ones += closed[k] != 0 ? 1 : 0;
      lifted += closed[k] == 0 && gap[k] < 1e-12 ? 1 : 0;
    }
    // Where forces of least norm do not pull they are the library's.
    if (expected.status == KktStatus::kOk && std::ranges::all_of(expected.lambda, [](double x) { return x > -1e-10; }))
      EXPECT_LT(difference(lambda, expected.lambda), 1e-10 * (1 + largest_of(lambda))) << round;
    ++solved;
  }
  EXPECT_GE(solved, 300);
  EXPECT_GE(closed_ones, 500);
  EXPECT_GE(lifted, 300);
  RecordProperty("solved", solved);
  RecordProperty("none", none);
}

// Oracle: the library's impact law, with the coefficients above, until no contact that is at h = 0 closes.
TEST(ContactCode, StrikesAsTheLibraryDoes) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(kManyAtRest);
  RandomStates states(equations);
  Loaded loaded(equations);
  const auto impact = loaded.call<Impact>("impact");
  const Dynamics closed = states.dynamics.with_all_contacts_closed();
  ContactProblem problem(closed);
  const Contacts& contacts = *closed.contacts();
  Numbers work(contacts.work_size()), e(contacts.count());
  contacts.restitution(closed.parameters().data(), work.data(), e.data());
  int impacts = 0, several = 0;
  for (int round = 0; round < 300; ++round) {
    if (!states.next(false)) continue;
    const State& at = states.state;
    Numbers u(3), q = at.q, v = at.v, expected = at.v, inputs(states.dynamics.layout().work);
    states.dynamics.inputs(at.t, inputs.data(), u.data());
    bool decided = true;
    int rounds = 0;
    while (decided) {
      problem.measure(at.t, at.q.data(), expected.data());
      std::vector<std::size_t> struck;
      Numbers coefficient;
      bool closes = false;
      for (std::size_t k = 0; k < contacts.count(); ++k) {
        if (!(problem.gap(k) <= 1e-12)) continue;
        closes = closes || problem.rate(k) < -1e-12;
        if (problem.rate(k) > 1e-12) continue;
        struck.push_back(k);
        coefficient.push_back(e[k]);
      }
      if (!closes) break;
      ++rounds;
      decided =
          rounds < 50 && problem.strike(at.t, at.q.data(), expected.data(), struck, coefficient) == ContactStatus::kOk;
      several += struck.size() > 1 ? 1 : 0;
    }
    // A gap that is below 0 is brought to 0, and the state changes with it.
    const Numbers gaps = gaps_of(states.dynamics, at);
    if (!decided || std::ranges::min(gaps) < -1e-13) continue;
    ASSERT_EQ(impact(loaded.state(), at.t, q.data(), v.data(), u.data()), 0) << round;
    EXPECT_LT(difference(v, expected), 1e-11 * (1 + largest_of(v))) << round;
    EXPECT_LT(difference(q, at.q), 1e-13) << round;
    impacts += rounds > 0 ? 1 : 0;
  }
  EXPECT_GE(impacts, 20);
  EXPECT_GE(several, 10);
}

// What follows from the state of the ball that flies after an impact: when it was, and how fast it was left.
struct Flight {
  double since, speed;
};
Flight flight_of(double t, double y, double v) {
  const double speed = std::sqrt(v * v + 2 * 9.81 * y);
  return {t - (speed - v) / 9.81, speed};
}

// Oracle: the geometric series of issue 25's table: the tenth impact at 3.57889295102044 s, rest at 4.06371276887158 s. Free flight
// is a motion that the method reproduces exactly, with steps of any length.
TEST(ContactCode, ABallBouncesAndComesToRest) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kBall));
  const auto step = loaded.call<Loaded::Step>("step");
  const double first = std::sqrt(2 / 9.81), speed = std::sqrt(2 * 9.81);
  for (const double h : {0.01, 0.603, 3.6}) {
    double y = 1, v = 0, t = 0;
    while (t < 3.58) {
      ASSERT_EQ(step(loaded.state(), t, h, &y, &v), 0);
      t += h;
      if (t < 3.58) continue;
      const Flight flight = flight_of(t, y, v);
      EXPECT_NEAR(flight.since, 3.57889295102044, 4e-13) << h;
      EXPECT_NEAR(flight.speed, speed * std::pow(0.8, 10), 1e-12) << h;
      break;
    }
  }
  double y = 1, v = 0, rested = 0;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_EQ(step(loaded.state(), 1e-3 * k, 1e-3, &y, &v), 0);
    ASSERT_GE(y, -1e-15);
    if (y != 0 || v != 0) rested = 1e-3 * (k + 1);
  }
  EXPECT_EQ(y, 0);
  EXPECT_EQ(v, 0);
  EXPECT_NEAR(rested, first * (1 + 2 * 0.8 / (1 - 0.8)), 1e-3);
  // One step over the whole series.
  y = 1, v = 0;
  ASSERT_EQ(step(loaded.state(), 0, 6, &y, &v), 0);
  EXPECT_EQ(y, 0);
  EXPECT_EQ(v, 0);
  double lambda = 0, vdot = 1;
  ASSERT_EQ(loaded.call<Loaded::Accelerations>("accelerations")(loaded.state(), 6, &y, &v, nullptr, &vdot, &lambda), 0);
  EXPECT_EQ(vdot, 0);
  EXPECT_NEAR(lambda, 9.81, 1e-14);
}

// Oracle: y = 1 − 3t + t² hits the ground at (3 − √5)/2 with −√5, where e = 0.5 gives √5/2; a step of 3 ends above the ground with and
// without it.
TEST(ContactCode, AGapThatClosesAndOpensWithinAStepIsSeen) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kBall, {"g=-2", "e=0.5"}));
  double y = 1, v = -3;
  ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 3, &y, &v), 0);
  const double rest = 3 - (3 - std::sqrt(5)) / 2;
  EXPECT_NEAR(v, std::sqrt(5) / 2 + 2 * rest, 1e-13);
  EXPECT_NEAR(y, std::sqrt(5) / 2 * rest + rest * rest, 1e-13);
}

// Oracle: sin θ = ⅔ sin 60° where the ladder leaves the wall; from then on x' = 0.841412959012267 stays. The error falls with the
// fourth power of the step, also of the step in which it leaves.
TEST(ContactCode, ALadderLeavesItsWall) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kLadder));
  const auto step = loaded.call<Loaded::Step>("step");
  const auto speed = [&](int steps) {
    Numbers q(3), v(3);
    double t = 0;
    loaded.call<void(double*, double*, double*)>("start")(&t, q.data(), v.data());
    for (int k = 0; k < steps; ++k)
      EXPECT_EQ(step(loaded.state(), 0.4 * k / steps, 0.4 / steps, q.data(), v.data()), 0) << k;
    return v[0];
  };
  constexpr double kSpeed = 0.841412959012267;
  const double coarse = std::abs(speed(50) - kSpeed), fine = std::abs(speed(100) - kSpeed);
  EXPECT_LT(coarse, 2e-8);
  EXPECT_NEAR(coarse / fine, 16, 2);
  EXPECT_NEAR(speed(2000), kSpeed, 1e-13);
}

// Oracle: integrate() at 1e-12, which ends its steps at the same instants. Halving the step divides the error by 2⁴ or better.
TEST(ContactCode, StepsEndWhereRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  struct Motion {
    const char* name;
    const char* text;
    double until;
    std::size_t events;
  };
  const std::string moving = std::string(kManyContacts) +
                             "[initial]\nposition = {x = 0.1, y = 0.2, theta = 0.1, x3 = 0.2, y2 = 0.5}\n"
                             "velocity = {x = 0.3, theta = 0.5, y2 = 0.2}\n";
  for (const auto& [name, text, until, events] :
       {Motion{"rope", kRope, 2.5, 3}, Motion{"rod", kRod, 4, 6}, Motion{"rock", kRock, 3, 4},
        Motion{"ladder", kLadder, 0.4, 1}, Motion{"ball", kBall, 3, 6}, Motion{"many", moving.c_str(), 3, 250}}) {
    SCOPED_TRACE(name);
    // What the run itself is off by: 3e-10.
    expect_steps_end_where_the_run_does(text, until, events, {.coarse = 1e-4, .gain = 12, .of_the_run = 3e-10});
  }
}

// Oracle: Moreau's law at once for all contacts that are closed there: with e = 1 the first of three equal balls comes back with a third of its
// speed, and the others share the rest.
TEST(ContactCode, SeveralContactsStrikeAtOnce) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(R"toml(name = "cradle"
coordinates = ["x1", "x2", "x3"]
[parameters]
m = 1
[energy]
kinetic = "m/2*(x1'^2 + x2'^2 + x3'^2)"
[[constraint]]
name = "c12"
holonomic = "x2 - x1 - 1/8"
unilateral = true
restitution = 1
[[constraint]]
name = "c23"
holonomic = "x3 - x2 - 1/8"
unilateral = true
restitution = 1
)toml"));
  Numbers q{-1.125, 0, 0.125}, v{1, 0, 0};
  ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 2, q.data(), v.data()), 0);
  EXPECT_THAT(v, ::testing::Pointwise(::testing::DoubleNear(1e-14), {-1 / 3.0, 2 / 3.0, 2 / 3.0}));
  EXPECT_THAT(q, ::testing::Pointwise(::testing::DoubleNear(1e-14), {-0.125 - 1 / 3.0, 2 / 3.0, 0.125 + 2 / 3.0}));
}

// A method of integration of the caller's holds contacts closed: where the gap is off by the method's error, too.
TEST(ContactCode, ContactsMayBeHeldClosed) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(kBall));
  double y = 1e-9, v = -1e-9, vdot = 0, lambda = 0, closed = 1;
  const auto held = loaded.call<Closed>("accelerations_closed");
  ASSERT_EQ(held(loaded.state(), 0, &y, &v, nullptr, &closed, &vdot, &lambda), 0);
  EXPECT_EQ(vdot, 0);
  EXPECT_NEAR(lambda, 9.81, 1e-14);
  closed = 0;
  ASSERT_EQ(held(loaded.state(), 0, &y, &v, nullptr, &closed, &vdot, &lambda), 0);
  EXPECT_EQ(vdot, -9.81);
  EXPECT_EQ(lambda, 0);
  // Backwards there is no motion: an impact forgets.
  EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, -0.1, &y, &v), 6);
}

// Steps with several impacts; the languages agree with C to round-off.
TEST(ContactCode, EveryLanguageFindsTheInstants) {
  const Equations equations = equations_of_text(kRod);
  Loaded loaded(equations);
  Numbers q{1, 0.3}, v{0, 0.1};
  for (const double t : {0.0, 1.5})
    ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), t, 1.5, q.data(), v.data()), 0);
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython, Exported::python() +
                                  " -B -c 'import rod; m = rod.Model(); q, v = m.step(0, 1.5, [1, 0.3], [0, 0.1]); q, "
                                  "v = m.step(1.5, 1.5, q, v); print(repr(float(q[0])), repr(float(v[1])))'"},
      {CodeLanguage::kJs,
       "node --input-type=module -e 'import {Model} from \"./rod.mjs\"; const m = new Model(); let s = m.step(0, 1.5, "
       "[1, 0.3], [0, 0.1]); s = m.step(1.5, 1.5, s.q, s.v); console.log(s.q[0], s.v[1])'"},
      {CodeLanguage::kMatlab,
       "octave-cli --norc --eval \"m = rod(); s = m.init(); [q, v] = m.step(s, 0, 1.5, [1; 0.3], [0; 0.1]); [q, v] = "
       "m.step(s, 1.5, 1.5, q, v); printf('%.17g %.17g', q(1), v(2))\""}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double there = 0, turns = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf", &there, &turns), 2) << ran.out;
    EXPECT_NEAR(there, q[0], 1e-11) << to_text(language);
    EXPECT_NEAR(turns, v[1], 1e-10) << to_text(language);
  }
}

TEST(ContactCode, SelfTestsAgreeInEveryLanguage) {
  for (const CodeLanguage language : kAll) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations_of_text(kManyAtRest), language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(exported.files().back().text, HasSubstr("contact_states"));
  }
}

TEST(ContactCode, RefusesWhatItDoesNotDecide) {
  const Result<CodeModel> code = make_code_model(
      equations_of_text(std::string(kBall) + "[[force]]\ncoordinate = \"y\"\nvalue = \"-0.1*lambda(ground)\"\n"));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.diagnostics().front().code, "E0536");
  EXPECT_THAT(code.diagnostics().front().message, HasSubstr("depend on multipliers"));
}

// Outputs read gaps and states of contacts as the library's do.
TEST(ContactCode, OutputsReadContacts) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(std::string(kBall) + "[outputs]\nout = \"2*gap(ground) + 3*closed(ground)\"\n"));
  const auto outputs = loaded.call<Outputs>("outputs");
  const double at_rest = 0, high = 0.25, none = 0, force = 9.81;
  double out = 0;
  outputs(loaded.state(), 0, &high, &none, &none, &none, nullptr, &out);
  EXPECT_EQ(out, 0.5);
  outputs(loaded.state(), 0, &at_rest, &none, &none, &force, nullptr, &out);
  EXPECT_EQ(out, 3);
  const Exported& exported = loaded.exported();
  const Ran ran = exported.self_test();
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_THAT(exported.files().back().text, HasSubstr("out"));
}

}  // namespace
}  // namespace dalembert::testing
