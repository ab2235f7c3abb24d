// SPDX-License-Identifier: Apache-2.0
// Exported code of models with friction, and with other forces that depend on multipliers. Self-tests of the shipped ones:
// self_tests_test.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "codegen/loaded.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/compile/compile.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;
constexpr double pi = std::numbers::pi;

// Three blocks in a row on one floor, coupled by springs, and six: with more than 5,000 modes at rest.
std::string blocks(int count) {
  std::string text = "name = \"blocks\"\n", kinetic, potential;
  std::string coordinates, rest;
  for (int i = 1; i <= count; ++i) {
    coordinates += fmt::format("{}\"x{}\", \"y{}\"", i == 1 ? "" : ", ", i, i);
    kinetic += fmt::format("{}m/2*(1 + {}/10)*(x{}'^2 + y{}'^2)", i == 1 ? "" : " + ", i, i, i);
    potential += fmt::format("{}m*g*(1 + {}/10)*y{}", i == 1 ? "" : " + ", i, i);
    if (i > 1) potential += fmt::format(" + k/2*(x{} - x{})^2", i, i - 1);
    rest += fmt::format(
        "[[constraint]]\nname = \"floor{0}\"\nholonomic = \"y{0}\"\n[[friction]]\nname = \"f{0}\"\nnormal = "
        "\"lambda(floor{0})\"\nvelocity = \"x{0}'\"\ncoefficient = 0.3\nstatic = 0.4\n",
        i);
  }
  return text + "coordinates = [" + coordinates + "]\n[parameters]\nm = 1\ng = 10\nk = 7\n[energy]\nkinetic = \"" +
         kinetic + "\"\npotential = \"" + potential + "\"\n" + rest;
}

struct Found {
  int solved = 0, stuck = 0, none = 0, several = 0, negative = 0;
};

// The exported accelerations against solve_kkt() at states around the start, at rest (every other one) and moving.
Found compare(const Equations& equations, double spread, int rounds) {
  const Dynamics dynamics = compile(equations, {.machine_code = false});
  Loaded loaded(equations);
  const Layout& layout = dynamics.layout();
  const auto accelerations = loaded.call<Loaded::AccelerationsWithFriction>("accelerations");
  const State start = initial_state(*equations.model);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-spread, spread);
  Numbers u(as_size(layout.inputs) + 1), work(layout.work), vdot(as_size(layout.nv)), lambda(as_size(layout.m)),
      friction(as_size(layout.frictions));
  Found found;
  for (int round = 0; round < rounds; ++round) {
    Numbers q = start.q, v = start.v;
    for (double& x : q) x += any(random);
    for (double& x : v) x = round % 2 == 0 ? x : x + any(random);
    dynamics.inputs(0.2, work.data(), u.data());
    const KktSolution expected = solve_kkt(dynamics, {0.2, q, v});
    const int status =
        accelerations(loaded.state(), 0.2, q.data(), v.data(), u.data(), vdot.data(), lambda.data(), friction.data());
    const auto& solutions = expected.friction_answer.solutions;
    if (expected.status == KktStatus::kParadox) {
      EXPECT_EQ(status, solutions.empty() ? 6 : 7) << round;
      EXPECT_TRUE(std::isnan(vdot[0]));
      ++(solutions.empty() ? found.none : found.several);
      continue;
    }
    if (expected.status == KktStatus::kSingular) {
      EXPECT_EQ(status, 1) << round;
      ++found.negative;
      continue;
    }
    EXPECT_EQ(status, 0) << round;
    EXPECT_EQ(expected.status, KktStatus::kOk) << round;
    Numbers got = vdot, wanted = expected.qdd;
    for (const Numbers* x : {&lambda, &friction}) got.insert(got.end(), x->begin(), x->end());
    for (const Numbers* x : {&expected.lambda, &expected.friction}) wanted.insert(wanted.end(), x->begin(), x->end());
    double largest = 0;
    for (const double x : wanted) largest = std::max(largest, std::abs(x));
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-13 * largest) << round << " " << i;
    ++found.solved;
    for (const FrictionState& state : solutions.front().mode) found.stuck += state.direction == 0 ? 1 : 0;
  }
  return found;
}

// Oracle: the library's decision and solution.
TEST(FrictionCode, FindsTheModeThatTheLibraryFinds) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  struct Shipped {
    const char* name;
    std::vector<std::string> set;
  };
  for (const Shipped& model : {Shipped{"block-on-belt", {}}, Shipped{"block-on-incline", {}}, Shipped{"ladder", {}},
                               Shipped{"rod-on-corner-friction", {"mu_s=3"}}}) {
    SCOPED_TRACE(model.name);
    const Found found = compare(equations_of_text(shipped_text(model.name), model.set), 0.2, 60);
    EXPECT_GE(found.solved, 50);
    EXPECT_GE(found.stuck, 10);
  }
  const Found three = compare(equations_of_text(blocks(3)), 0.6, 60);
  EXPECT_EQ(three.solved, 60);
  EXPECT_GE(three.stuck, 30);
  // By the least index rule.
  const Found six = compare(equations_of_text(blocks(6)), 0.6, 20);
  EXPECT_EQ(six.solved, 20);
  EXPECT_GE(six.stuck, 20);
}

// Oracle: the library, and by hand: along the bar y = z, which sticks or slides, the inertia is 2 + 2 a, however M is otherwise (det M = 1 - a²).
TEST(FrictionCode, RefusesANegativeInertia) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const std::string text = R"toml(name = "coupled"
coordinates = ["x", "h", "y", "z"]
[energy]
kinetic = "(x'^2 + h'^2 + y'^2 + z'^2)/2 + A*y'*z'"
potential = "10*h"
[[constraint]]
name = "floor"
holonomic = "h"
[[constraint]]
name = "bar"
holonomic = "y - z"
[[force]]
coordinate = "x"
value = "3"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = 0.3
static = 0.4
[[friction]]
name = "guide"
normal = "2"
velocity = "y' + z'"
coefficient = 0.3
)toml";
  const auto with = [&](const std::string& a) {
    std::string of = text;
    return of.replace(of.find('A'), 1, a);
  };
  const Found found = compare(equations_of_text(with("3*x")), 0.6, 100);
  EXPECT_GE(found.negative, 10);
  EXPECT_GE(found.solved, 60);
  EXPECT_EQ(found.negative + found.solved, 100);
  // Below -1 the inertia along the bar is negative, above 1 only that across it.
  EXPECT_EQ(compare(equations_of_text(with("1.5")), 0.6, 4).solved, 4);
  EXPECT_EQ(compare(equations_of_text(with("(-1.5)")), 0.6, 4).negative, 4);
}

// Oracle: theory §8, of a rod that slides with x' = 2 and whose normal force has no consistent sign, or two, between 50.64 and
// 73.05 degrees; and the library's answers.
TEST(FrictionCode, SaysWherePainlevesParadoxesAre) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(shipped_text("rod-on-rough-plane"));
  Loaded loaded(equations);
  const auto accelerations = loaded.call<Loaded::AccelerationsWithFriction>("accelerations");
  int paradoxes = 0;
  for (int degrees = 5; degrees < 90; degrees += 2) {
    for (const double omega : {0.0, 6.0}) {
      const double theta = degrees * pi / 180;
      const Numbers q{0, std::sin(theta), theta}, v{2 + omega * std::sin(theta), omega * std::cos(theta), omega};
      Numbers vdot(3), lambda(1), friction(1);
      const int status =
          accelerations(loaded.state(), 0, q.data(), v.data(), nullptr, vdot.data(), lambda.data(), friction.data());
      const bool paradox = degrees > 50 && degrees <= 73;
      // Above, where the rod turns fast, N < 0: the end is held on the plane, and pulls.
      EXPECT_EQ(status == 6 || status == 7, paradox) << degrees << " " << omega << " " << status;
      paradoxes += status == 6 || status == 7 ? 1 : 0;
    }
  }
  EXPECT_EQ(paradoxes, 2 * 12);
  const Found found = compare(equations, 0.9, 100);
  EXPECT_GE(found.solved, 20);
  EXPECT_GE(found.none + found.several, 5);
}

// Oracle: statics, tan α <= μ. Not by one bit, in 10⁵ steps.
TEST(FrictionCode, ABlockDoesNotCreep) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(shipped_text("block-on-incline"), {"alpha=21.8 deg"}));  // tan 21.8° = 0.39997
  const auto step = loaded.call<Loaded::Step>("step");
  Numbers q{0.3, 0}, v{0, 0};
  for (int k = 0; k < 100'000; ++k) ASSERT_EQ(step(loaded.state(), 1e-3 * k, 1e-3, q.data(), v.data()), 0) << k;
  EXPECT_EQ(q, (Numbers{0.3, 0}));
  EXPECT_EQ(v, (Numbers{0, 0}));
}

// Oracle: s = v₀ t − (μ g cos α − g sin α) t²/2 until it comes to rest, and stays: a motion that the method reproduces exactly.
TEST(FrictionCode, ABlockComesToRest) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const double alpha = 15 * pi / 180, braking = 9.81 * (0.4 * std::cos(alpha) - std::sin(alpha)), speed = 1.3;
  Loaded loaded(equations_of_text(shipped_text("block-on-incline"), {"alpha=15 deg"}));
  Numbers q{0, 0}, v{speed, 0};
  for (int k = 0; k < 30; ++k)
    ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0.1 * k, 0.1, &q[0], &v[0]), 0);
  EXPECT_GT(3, speed / braking);
  EXPECT_NEAR(q[0], speed * speed / (2 * braking), 1e-14);
  EXPECT_EQ(v[0], 0);
}

// The time at which the belt carries the block past x = 2, to which the motion since is linear.
Numbers passages(Loaded& loaded, double h, double until) {
  Numbers q{5, 0}, v{3, 0}, times;
  const int steps = static_cast<int>(std::lround(until / h));
  for (int k = 0; k < steps; ++k) {
    const double before = q[0];
    EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), k * h, h, q.data(), v.data()), 0) << k;
    if (before < 2 && q[0] >= 2 && v[0] == 3) times.push_back((k + 1) * h - (q[0] - 2) / 3);
  }
  return times;
}

// Oracle: theory §8, period 6.44051343341778. The instants at which it sticks and breaks away are found within steps: the error of
// a period falls with the fourth power of the step.
TEST(FrictionCode, TheBeltHasItsPeriod) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  constexpr double kPeriod = 6.44051343341778;
  Loaded loaded(equations_of_text(shipped_text("block-on-belt")));
  const auto error = [&](double h) {
    const Numbers times = passages(loaded, h, 21);
    EXPECT_EQ(times.size(), 3u);
    return times.size() < 3 ? 1 : std::abs((times[2] - times[0]) / 2 - kPeriod);
  };
  const double coarse = error(0.05), fine = error(0.025);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_GT(coarse / fine, 12);
  EXPECT_LT(coarse / fine, 21);
  EXPECT_LT(error(1e-3), 1e-11);
}

// Oracle: integrate() at 1e-11, which ends its steps at the same instants. Halving the step divides the error by 2⁴, also where
// frictions change on the way: three blocks that slide to and fro turn round twelve times.
TEST(FrictionCode, StepsEndWhereRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  struct Motion {
    const char* name;
    Equations equations;
    double until;
    std::size_t events;
  };
  const auto shipped = [](const char* name, const std::vector<std::string>& set = {}) {
    return equations_of_text(shipped_text(name), set);
  };
  const Motion motions[] = {
      {"ladder", shipped("ladder"), 0.4, 0},
      {"corner", shipped("rod-on-corner-friction"), 0.4, 0},
      {"rough plane", shipped("rod-on-rough-plane", {"mu=0.5"}), 0.5, 0},
      {"blocks", equations_of_text(blocks(3) + "[initial]\nvelocity = {x1 = 6, x2 = -9, x3 = 4}\n"), 3, 12}};
  for (const auto& [name, equations, until, events] : motions) {
    SCOPED_TRACE(name);
    const Dynamics dynamics = compile(equations);
    const Assembly start = assemble_start(equations, dynamics);
    ASSERT_TRUE(start.ok());
    const Trajectory path = integrate(dynamics, start.state, {.until = until, .rtol = 1e-11, .atol = 1e-13});
    ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
    EXPECT_GE(path.events.size(), events);
    const State end = path.state(path.size() - 1);
    Loaded loaded(equations);
    const auto step = loaded.call<Loaded::Step>("step");
    const auto error = [&](int steps) {
      Numbers q = start.state.q, v = start.state.v;
      for (int k = 0; k < steps; ++k)
        EXPECT_EQ(step(loaded.state(), k * end.t / steps, end.t / steps, q.data(), v.data()), 0) << k;
      double largest = 0;
      for (std::size_t i = 0; i < q.size(); ++i)
        largest = std::max({largest, std::abs(q[i] - end.q[i]), std::abs(v[i] - end.v[i])});
      return largest;
    };
    // What the run itself is off by.
    constexpr double kOfTheRun = 1e-10;
    const double coarse = error(500), fine = error(1000);
    EXPECT_LT(coarse, 1e-5);
    EXPECT_LT(fine, std::max(coarse / 12, kOfTheRun));
  }
}

// Oracle: x − 3 = 3 sin s − 2 cos s before the block sticks at s = 0, then x' = 3: 0.15 before and 0.05 after that. RK4 with
// steps of 0.1 is off by 1e-6; the languages agree to round-off.
TEST(FrictionCode, EveryLanguageFindsTheInstant) {
  const Equations equations = equations_of_text(shipped_text("block-on-belt"));
  const double s = -0.15, x = 3 + 3 * std::sin(s) - 2 * std::cos(s), rate = 3 * std::cos(s) + 2 * std::sin(s);
  const std::string q = fmt::format("[{}, 0]", x), v = fmt::format("[{}, 0]", rate);
  Loaded loaded(equations);
  Numbers end{x, 0}, velocity{rate, 0};
  for (const double t : {0.0, 0.1})
    ASSERT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), t, 0.1, end.data(), velocity.data()), 0);
  EXPECT_NEAR(end[0], 1 + 3 * 0.05, 1e-6);
  EXPECT_EQ(velocity[0], 3);
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython,
       Exported::python() + " -B -c 'import block_on_belt as b; m = b.Model(); q, v = m.step(0, 0.1, " + q + ", " + v +
           "); q, v = m.step(0.1, 0.1, q, v); print(repr(float(q[0])), repr(float(v[0])))'"},
      {CodeLanguage::kJs,
       "node --input-type=module -e 'import {Model} from \"./block_on_belt.mjs\"; const m = new Model(); let s = "
       "m.step(0, "
       "0.1, " +
           q + ", " + v + "); s = m.step(0.1, 0.1, s.q, s.v); console.log(s.q[0], s.v[0])'"},
      {CodeLanguage::kMatlab,
       "octave-cli --norc --eval \"m = block_on_belt(); s = m.init(); [q, v] = m.step(s, 0, 0.1, " + q + "', " + v +
           "'); [q, v] = m.step(s, 0.1, 0.1, q, v); printf('%.17g %.17g', q(1), v(1))\""}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double there = 0, speed = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf", &there, &speed), 2) << ran.out;
    EXPECT_NEAR(there, end[0], 1e-13) << to_text(language);
    EXPECT_NEAR(speed, 3, 1e-14) << to_text(language);
  }
}

// Oracle: the acceleration of theory §8 with the sign of the friction given, g (sin α − μ cos α); and the self-test.
TEST(FrictionCode, ForcesMayDependOnMultipliers) {
  const std::string text = R"toml(name = "loaded"
coordinates = ["s", "n"]
[parameters]
g = 9.81
m = 2
alpha = "25 deg"
mu = 0.4
[energy]
kinetic = "m/2*(s'^2 + n'^2)"
potential = "m*g*(n*cos(alpha) - s*sin(alpha))"
[[constraint]]
name = "plane"
holonomic = "n"
[[force]]
coordinate = "s"
value = "-mu*lambda(plane)"
[initial]
velocity = {s = 1}
)toml";
  const Equations equations = equations_of_text(text);
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = exported.self_test("-O1");
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(exported.files().back().text, HasSubstr("load_terms"));
  }
  if (!Exported::can_run(CodeLanguage::kC)) return;
  Loaded loaded(equations);
  const Numbers q{0, 0}, v{1, 0};
  Numbers vdot(2), lambda(1);
  ASSERT_EQ(loaded.call<Loaded::Accelerations>("accelerations")(loaded.state(), 0, q.data(), v.data(), nullptr,
                                                                vdot.data(), lambda.data()),
            0);
  const double alpha = 25 * pi / 180;
  EXPECT_NEAR(vdot[0], 9.81 * (std::sin(alpha) - 0.4 * std::cos(alpha)), 1e-14);
  EXPECT_NEAR(lambda[0], 2 * 9.81 * std::cos(alpha), 1e-13);
}

// A normal force that is no multiplier, without a constraint; the self-test, and oracle: F − μ N of a mass that slides.
TEST(FrictionCode, NormalForcesMayBeGiven) {
  const Equations equations = equations_of_text(R"toml(name = "clamped"
coordinates = ["x"]
[parameters]
m = 2
N = 5
[energy]
kinetic = "m/2*x'^2"
[inputs]
push = "3*sin(t)"
[[force]]
coordinate = "x"
value = "push"
[[friction]]
name = "clamp"
normal = "N"
velocity = "x'"
coefficient = 0.2
[initial]
velocity = {x = 0.5}
)toml");
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = exported.self_test("-O1");
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
  }
  if (!Exported::can_run(CodeLanguage::kC)) return;
  Loaded loaded(equations);
  Numbers q{0}, v{0.5}, u{3}, vdot(1), lambda(1), friction(1);
  ASSERT_EQ(loaded.call<Loaded::AccelerationsWithFriction>("accelerations")(loaded.state(), 0, &q[0], &v[0], &u[0],
                                                                            &vdot[0], &lambda[0], &friction[0]),
            0);
  EXPECT_NEAR(vdot[0], (3 - 0.2 * 5) / 2, 1e-15);
  EXPECT_NEAR(friction[0], 1, 1e-15);
}

TEST(FrictionCode, RefusesWhatIsTooLarge) {
  const Result<CodeModel> code = make_code_model(equations_of_text(blocks(41)));  // 82 velocities, 41 rows
  ASSERT_FALSE(code);
  EXPECT_EQ(code.diagnostics().front().code, "E0532");
  EXPECT_THAT(code.diagnostics().front().message, HasSubstr("depend on multipliers"));
  EXPECT_TRUE(make_code_model(equations_of_text(blocks(40))));
}

}  // namespace
}  // namespace dalembert::testing
