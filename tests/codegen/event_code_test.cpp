// SPDX-License-Identifier: Apache-2.0
// Exported code of models with events: steps end where these happen, as runs of the library do.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/code_model.h"

namespace dalembert::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using StepEvents = int(void*, double, double, double*, double*, double*, double*);
using EventStates = int(void*, double, const double*, const double*, const double*, double*, double*, double*);
using Apply = int(void*, double, double*, double*, const double*, const double*);

// y'' = -g; what happens is added.
std::string falling(const std::string& events) {
  return R"toml(name = "falling"
coordinates = ["y"]
[parameters]
g = 9.81
e = 0.8
[energy]
kinetic = "y'^2/2"
potential = "g*y"
[initial]
position = {y = 1}
velocity = {y = 0}
)toml" + events;
}

const std::string kBounce = R"toml([[event]]
name = "bounce"
when = "y"
direction = "down"
set = {"y'" = "-e*y'"}
)toml";

// x'' = -x.
std::string swinging(const std::string& events) {
  return R"toml(name = "swinging"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
position = {x = 1}
velocity = {x = 0}
)toml" + events;
}

// A point that bounces, rubs and is pushed on.
const std::string kRubs = R"toml(name = "rubs"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "floor"
holonomic = "y"
unilateral = true
restitution = 0.5
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x'"
coefficient = 0.3
[[event]]
name = "again"
when = "x' - 2"
direction = "down"
set = {"x'" = "x' + 1"}
[[event]]
name = "strikes"
when = "gap(floor)"
direction = "down"
[initial]
position = {x = 0, y = 0.2}
velocity = {x = 4, y = 0}
)toml";

// Oracle: as for the ball of contact_code_test.cpp; free flight is a motion that the method reproduces exactly, with steps of any length.
TEST(EventCode, ABallBouncesByAnEvent) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(falling(kBounce)));
  const auto step = loaded.call<StepEvents>("step_events");
  for (const double h : {0.01, 0.603, 3.6}) {
    double y = 1, v = 0, t = 0, reached = 0, happened = 0, count = 0;
    while (t < 3.58) {
      ASSERT_EQ(step(loaded.state(), t, h, &y, &v, &reached, &happened), 0);
      count += happened;
      t += h;
      EXPECT_EQ(reached, t);
    }
    EXPECT_EQ(count, 10) << h;
    const double speed = std::sqrt(v * v + 2 * 9.81 * y);
    EXPECT_NEAR(t - (speed - v) / 9.81, 3.57889295102044, 4e-13) << h;
    EXPECT_NEAR(speed, std::sqrt(2 * 9.81) * std::pow(0.8, 10), 1e-12) << h;
  }
  // The series ends at 4.06 s: nothing says what comes then.
  double y = 1, v = 0;
  EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 5, &y, &v), 8);
  EXPECT_THAT((Numbers{y, v}), ElementsAre(1, 0));
}

// Oracle: y = 1 - t^2 is 0 at t = 1 to the last bit, where a step ends: what happens there happens once, also where the next step begins.
TEST(EventCode, WhatHappensWhereAStepEndsHappensOnce) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  for (const char* set : {"set = {\"y'\" = \"-e*y'\"}", ""}) {
    Loaded loaded(equations_of_text(
        falling(fmt::format("[[event]]\nname = \"bounce\"\nwhen = \"y\"\ndirection = \"down\"\n{}\n", set)), {"g=2"}));
    const auto step = loaded.call<StepEvents>("step_events");
    double y = 1, v = 0, reached = 0, happened = 0;
    for (int k = 0; k < 8; ++k) {
      ASSERT_EQ(step(loaded.state(), 0.25 * k, 0.25, &y, &v, &reached, &happened), 0);
      EXPECT_EQ(happened, k == 3 ? 1 : 0) << k;
    }
    EXPECT_NEAR(v, *set != 0 ? 1.6 - 2 : -4, 1e-14);
  }
}

// Oracle: y = 0 at √(2/g) with -√(2 g).
TEST(EventCode, AnEventEndsTheMotion) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(falling("[[event]]\nname = \"lands\"\nwhen = \"y\"\nstop = true\n")));
  double y = 1, v = 0, reached = 0, happened = 0;
  EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0, 0.4, &y, &v), 0);
  const Numbers before{y, v};
  EXPECT_EQ(loaded.call<Loaded::Step>("step")(loaded.state(), 0.4, 0.4, &y, &v), 9);
  EXPECT_THAT((Numbers{y, v}), ElementsAre(before[0], before[1]));
  ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0.4, 0.4, &y, &v, &reached, &happened), 0);
  EXPECT_NEAR(reached, std::sqrt(2 / 9.81), 1e-15);
  EXPECT_NEAR(y, 0, 1e-15);
  EXPECT_NEAR(v, -std::sqrt(2 * 9.81), 1e-14);
  EXPECT_EQ(happened, 1);
}

// Oracle: x = cos t passes 0 at π/2 + k π; upwards at 3π/2, 7π/2, 11π/2, where sin t = -1.
TEST(EventCode, DirectionsAndConditionsDecideWhatCounts) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(swinging(R"toml([[event]]
name = "any"
when = "x"
[[event]]
name = "up"
when = "x"
direction = "up"
[[event]]
name = "late"
when = "x"
where = "t > 5"
[[event]]
name = "never"
when = "x"
where = "x' > 2"
[[event]]
for = "k in 1..2"
name = "at{k}"
when = "t - {k}"
)toml")));
  const auto step = loaded.call<StepEvents>("step_events");
  Numbers happened(6), all(6);
  double x = 1, v = 0, reached = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(step(loaded.state(), 0.1 * k, 0.1, &x, &v, &reached, happened.data()), 0);
    for (std::size_t i = 0; i < 6; ++i) all[i] += happened[i];
  }
  EXPECT_THAT(all, ElementsAre(6, 3, 4, 0, 1, 1));
  EXPECT_THAT(loaded.exported().text(0), HasSubstr("swinging_event_at2 = 5"));
}

// Truth: x = t, so the functions rise through 0 at 0.3, 0.2 and 0.1 after each half second, and jump down over 0 at each half second.
TEST(EventCode, FunctionsThatJumpPassInBothDirections) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(R"toml(coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[event]]
name = "up"
when = "mod(x, 0.5) - 0.3"
direction = "up"
[[event]]
name = "any"
when = "mod(x, 0.5) - 0.2"
[[event]]
name = "down"
when = "mod(x, 0.5) - 0.1"
direction = "down"
[initial]
velocity = {x = 1}
)toml"));
  Numbers happened(3), all(3);
  double x = 0, v = 1, reached = 0;
  for (int k = 0; k < 29; ++k) {
    ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0.1 * k, 0.1, &x, &v, &reached, happened.data()),
              0);
    for (std::size_t i = 0; i < 3; ++i) all[i] += happened[i];
  }
  EXPECT_THAT(all, ElementsAre(6, 11, 5));
}

// Oracle: y = 1 - 3 t + t² passes 0 at (3 ± √5)/2 within one step, at whose ends it is 1: both passages are found.
TEST(EventCode, AFunctionThatComesBackWithinAStepIsSeen) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const Equations equations = equations_of_text(
      falling("[[event]]\nname = \"passes\"\nwhen = \"y\"\n[[event]]\nname = \"rises\"\nwhen = \"y\"\ndirection = "
              "\"up\"\nset = {\"y'\" = \"3*y'\", y = \"y + y'\"}\n"),
      {"g=-2"});
  Loaded loaded(equations);
  double y = 1, v = -3, reached = 0;
  Numbers happened(2);
  ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0, 3, &y, &v, &reached, happened.data()), 0);
  EXPECT_THAT(happened, ElementsAre(2, 1));
  const double rest = 3 - (3 + std::sqrt(5)) / 2, speed = 3 * std::sqrt(5);
  EXPECT_NEAR(v, speed + 2 * rest, 1e-13);
  EXPECT_NEAR(y, std::sqrt(5) + speed * rest + rest * rest, 1e-13);
}

// Two alike bounce at the same instants, always.
TEST(EventCode, EventsOfOneInstantHappenTogether) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const std::string two = R"toml(name = "two"
coordinates = ["y", "z"]
[energy]
kinetic = "(y'^2 + z'^2)/2"
potential = "9.81*(y + z)"
[[event]]
name = "y"
when = "y"
direction = "down"
set = {"y'" = "-y'"}
[[event]]
name = "z"
when = "z"
direction = "down"
set = {"z'" = "-z'"}
[initial]
position = {y = 1, z = 1}
velocity = {y = 0, z = 0}
)toml";
  Loaded loaded(equations_of_text(two));
  Numbers q{1, 1}, v{0, 0}, happened(2), all(2);
  double reached = 0;
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0.3 * k, 0.3, q.data(), v.data(), &reached,
                                                     happened.data()),
              0);
    ASSERT_GT(std::min(q[0], q[1]), -1e-13);
    for (std::size_t i = 0; i < 2; ++i) all[i] += happened[i];
  }
  EXPECT_THAT(all, ElementsAre(33, 33));  // at (2 k - 1) √(2/g)
  EXPECT_EQ(q[0], q[1]);
}

// Two events that set one velocity to two values; the same value twice contradicts nothing; a value that is none; velocities that a row
// contradicts; what leads back to its event at once.
TEST(EventCode, WhatContradictsIsAStatus) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const auto status = [](const std::string& text) {
    Loaded loaded(equations_of_text(text));
    Numbers q{1, 1}, v{0, 0};
    const int found = loaded.call<Loaded::Step>("step")(loaded.state(), 0, 0.6, q.data(), v.data());
    if (found != 0) EXPECT_THAT((Numbers{q[0], v[0]}), ElementsAre(1, 0));
    return found;
  };
  const auto with = [&](const std::string& value) {
    return falling(kBounce +
                   fmt::format("[[event]]\nname = \"other\"\nwhen = \"2*y\"\nset = {{\"y'\" = \"{}\"}}\n", value));
  };
  EXPECT_EQ(status(with("7")), 10);
  EXPECT_EQ(status(with("-e*y'")), 0);
  EXPECT_EQ(status(with("sqrt(y')")), 3);
  EXPECT_EQ(status(falling("[[event]]\nname = \"again\"\nwhen = \"y' + 2\"\nset = {\"y'\" = \"-2 + 1e-17*y\"}\n")), 0);
  EXPECT_EQ(status(falling("[[event]]\nname = \"again\"\nwhen = \"y' + 2\"\nset = {\"y'\" = \"y' + 1e-9\"}\n")), 8);
  EXPECT_EQ(status(R"toml(name = "tied"
coordinates = ["y", "z"]
[energy]
kinetic = "(y'^2 + z'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "tie"
holonomic = "y - z"
[[event]]
name = "tears"
when = "y - 0.9"
set = {"y'" = 1, "z'" = 2}
)toml"),
            11);
}

// Oracle: integrate() at 1e-12, whose steps end at the same instants; halving the step divides the error by 2⁴ or better. The models: positions and
// velocities set on constraints; friction; contacts and events; events that read forces; inputs.
TEST(EventCode, StepsEndWhereRunsDo) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const std::string belt = R"toml(name = "belt"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2/2 + 10*y"
[[constraint]]
name = "floor"
holonomic = "y"
[[friction]]
name = "rub"
normal = "lambda(floor)"
velocity = "x' - 1"
coefficient = 0.3
static = 0.5
[[event]]
name = "kick"
when = "x - 4"
set = {"x'" = "-1"}
[[event]]
name = "force"
when = "friction(rub) + 2"
[initial]
position = {x = 0, y = 0}
velocity = {x = 1, y = 0}
)toml";
  const std::string pendulum = R"toml(name = "pendulum"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[inputs]
push = "2*sin(3*t)"
[[force]]
coordinate = "x"
value = "push"
[[constraint]]
name = "rod"
holonomic = "sqrt(x^2 + y^2) - 1"
[[event]]
name = "turns"
when = "lambda(rod) + 12"
direction = "down"
set = {"x'" = "x' + push/20*y"}
[[event]]
name = "lowest"
when = "x"
[initial]
position = {x = 0.6, y = -0.8}
velocity = {x = 0, y = 0}
)toml";
  const std::string ball = R"toml(name = "ball"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.7
[[event]]
name = "wall"
when = "abs(x) - 1"
direction = "up"
set = {"x'" = "-x'", x = "0.9*x"}
[[event]]
name = "strikes"
when = "gap(ground)"
direction = "down"
set = {"x'" = "1.01*x'"}
[initial]
position = {x = 0, y = 1}
velocity = {x = 1.5, y = 0}
)toml";
  struct Motion {
    std::string text;
    double until;
    std::size_t events;
  };
  for (const auto& [text, until, events] :
       {Motion{shipped_text("rimless-wheel"), 3, 3}, Motion{shipped_text("compass-gait"), 3, 3}, Motion{belt, 20, 6},
        Motion{kRubs, 3, 6}, Motion{pendulum, 6, 4}, Motion{ball, 2.5, 6}}) {
    SCOPED_TRACE(text.substr(0, 60));
    expect_steps_end_where_the_run_does(text, until, events, {.coarse = 1e-4, .gain = 12, .of_the_run = 3e-10});
  }
}

// Oracle: the library's events, and its assembly with what is set held: the wheel's foot is at rest, and its hub moves with l θ'.
TEST(EventCode, WhatEventsAreMayBeAsked) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(shipped_text("rimless-wheel")));
  const double alpha = std::numbers::pi / 8;
  Numbers q{0.3, std::cos(0.1), 0.1}, v{1.2 * std::cos(0.1), -1.2 * std::sin(0.1), 1.2}, chosen{1};
  double value = 0, rate = 0, holds = 0;
  ASSERT_EQ(
      loaded.call<EventStates>("event_states")(loaded.state(), 0, q.data(), v.data(), nullptr, &value, &rate, &holds),
      0);
  EXPECT_DOUBLE_EQ(value, 0.1 - alpha);
  EXPECT_DOUBLE_EQ(rate, 1.2);
  EXPECT_EQ(holds, 1);
  ASSERT_EQ(loaded.call<Apply>("apply_events")(loaded.state(), 0, q.data(), v.data(), nullptr, chosen.data()), 0);
  const double left = 1.2 * std::cos(2 * alpha);
  EXPECT_EQ(q[2], -alpha);
  EXPECT_EQ(v[2], left);
  EXPECT_NEAR(q[1], std::cos(alpha), 1e-15);
  EXPECT_NEAR(v[0], left * std::cos(alpha), 1e-15);
  EXPECT_NEAR(v[1], left * std::sin(alpha), 1e-15);
}

// Oracle: closed forms, as in systems/contact_changes_test.cpp; the method reproduces them exactly. Contacts push where events set the state, and do not pull; what is set into one is an impact.
TEST(EventCode, ContactsPushWhereEventsSetTheState) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  const double g = 9.81, later = 0.05, speed = std::sqrt(9 - g * 0.275);
  const auto fall = [&](double y, double v) { return y + v * later - g / 2 * later * later; };
  const auto climb = [&](double x, double v) { return x + v * later - g / 4 * later * later; };
  struct Case {
    std::string gap, set;
    double x, y;  // 0.05 s after it
  };
  for (const auto& [gap, set, x, y] :
       {Case{"y", "\"y'\" = \"2\"", 0.325, fall(0, 2)}, Case{"y", "y = \"0.3\"", 0.325, fall(0.3, 0)},
        Case{"y", "\"y'\" = \"-1\"", 0.325, fall(0, 0.5)}, Case{"y", "\"x'\" = \"2\"", 0.375, 0},
        Case{"y - x", "\"x'\" = \"-2\"", 0.275 - 2 * later, fall(0.275, speed)},
        Case{"y - x", "\"x'\" = \"5\"", climb(0.275, 5), climb(0.275, 5)},
        Case{"y - x", "x = \"0.1\"", 0.1 + speed * later, fall(0.275, speed)},
        Case{"y - x", "x = \"0.5\"", climb(0.5, speed), climb(0.5, speed)}}) {
    Loaded loaded(equations_of_text(fmt::format(R"toml(name = "kicked"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{{name = "b", mass = 2, position = ["x", "y"]}}]
constraint = [{{name = "ground", holonomic = "{}", unilateral = true, restitution = 0.5}}]
initial = {{position = {{x = 0, y = 0}}, velocity = {{x = 1, y = 0}}}}
event = [{{name = "kick", when = "x - 0.275", direction = "up", set = {{{}}}}}]
)toml",
                                                gap, set)));
    const bool slope = gap != "y";
    Numbers q{0, 0}, v{slope ? 3. : 1, slope ? 3. : 0};
    double reached = 0, happened = 0;
    const double until = (slope ? 2 * (3 - speed) / g : 0.275) + later;
    ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0, until, q.data(), v.data(), &reached, &happened),
              0)
        << gap << set;
    EXPECT_EQ(happened, 1) << gap << set;
    EXPECT_NEAR(q[0], x, 1e-12) << gap << set;
    EXPECT_NEAR(q[1], y, 1e-12) << gap << set;
  }
}

// The languages agree with C to round-off.
// In a corner of two planes y' = −1 presses on both, and no x' helps: the impact follows from the velocity that was set, and leaves straight upwards.
TEST(EventCode, WhereNoContactCanGiveWayAnImpactFollows) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(R"toml(name = "corner"
coordinates = ["x", "y"]
gravity = ["0", "-9.81"]
body = [{name = "b", mass = 2, position = ["x", "y"]}]
constraint = [{name = "left", holonomic = "y + x/2", unilateral = true, restitution = 0.5},
  {name = "right", holonomic = "y - x/2", unilateral = true, restitution = 0.5}]
initial = {position = {x = 0, y = 0}, velocity = {x = 0, y = 0}}
event = [{name = "kick", when = "t - 0.1", direction = "up", set = {"y'" = "-1"}}]
)toml"));
  Numbers q{0, 0}, v{0, 0};
  double reached = 0, happened = 0;
  ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0, 0.15, q.data(), v.data(), &reached, &happened),
            0);
  EXPECT_NEAR(q[0], 0, 1e-12);
  EXPECT_NEAR(q[1], 0.5 * 0.05 - 9.81 / 2 * 0.05 * 0.05, 1e-12);
}

TEST(EventCode, EveryLanguageFindsTheInstants) {
  const Equations equations = equations_of_text(shipped_text("rimless-wheel"));
  Loaded loaded(equations);
  Numbers q(3), v(3), happened(1);
  double t = 0, reached = 0;
  loaded.call<void(double*, double*, double*)>("start")(&t, q.data(), v.data());
  double count = 0;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(loaded.call<StepEvents>("step_events")(loaded.state(), 0.05 * k, 0.05, q.data(), v.data(), &reached,
                                                     happened.data()),
              0);
    count += happened[0];
  }
  EXPECT_EQ(count, 3);
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython, Exported::python() +
                                  R"py( -B -c '
import rimless_wheel as w
m = w.Model(); t, q, v = m.start(); n = 0
for k in range(60):
  q, v, reached, happened = m.step_events(0.05*k, 0.05, q, v); n += happened[0]
print(repr(float(v[2])), int(n), w.EVENTS[0])')py"},
      {CodeLanguage::kJs, R"js(node --input-type=module -e '
import {Model, EVENTS} from "./rimless_wheel.mjs";
const m = new Model(); let s = m.start(), n = 0;
for (let k = 0; k < 60; ++k) { s = m.step_events(0.05*k, 0.05, s.q, s.v); n += s.happened[0]; }
console.log(s.v[2], n, EVENTS[0])')js"},
      {CodeLanguage::kMatlab,
       R"m(octave-cli --norc --eval "m = rimless_wheel(); s = m.init(); [t, q, v] = m.start(); n = 0;
for k = 0:59, [q, v, reached, happened, status] = m.step_events(s, 0.05*k, 0.05, q, v); n = n + happened(1); end
printf('%.17g %d %s', v(3), n, m.names.event{1})")m"}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double turns = 0, events = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf heel", &turns, &events), 2) << ran.out;
    EXPECT_NEAR(turns, v[2], 1e-11) << to_text(language);
    EXPECT_EQ(events, count) << to_text(language);
  }
}

TEST(EventCode, SelfTestsAgreeInEveryLanguage) {
  const Equations equations = equations_of_text(kRubs);
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(exported.files().back().text, HasSubstr("event_states"));
  }
}

// Events that end the motion are told by name.
TEST(EventCode, TheEndIsNamed) {
  if (!Exported::can_run(CodeLanguage::kPython)) GTEST_SKIP() << "no NumPy";
  const Exported exported(equations_of_text(falling("[[event]]\nname = \"lands\"\nwhen = \"y\"\nstop = true\n")),
                          CodeLanguage::kPython);
  const Ran ran = shell("cd " + exported.folder() + " && " + Exported::python() +
                        " -B -c 'import falling; falling.Model().step(0, 1, [1], [0])'");
  EXPECT_THAT(ran.out, HasSubstr("Unsolved: step: an event ends the motion: step_events comes to it"));
}

}  // namespace
}  // namespace dalembert::testing
