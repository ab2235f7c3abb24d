// SPDX-License-Identifier: Apache-2.0
// Exported code of models whose outputs and events read the impulses of the last impacts: steps keep them as runs of the library do.
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "codegen/steps_and_runs.h"
#include "dalembert/codegen/code_model.h"
#include "dalembert/dynamics/contacts.h"

namespace dalembert::testing {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;
using StepKeeping = int(void*, double, double, double*, double*, double*);
using StepEventsKeeping = int(void*, double, double, double*, double*, double*, double*, double*);
using ImpactKeeping = int(void*, double, double*, double*, double*, const double*);

// A point on a spring bounces between a ground and a wall. One event reads an impulse in its condition, another one in what it sets.
std::string between_walls(const std::string& more) {
  return R"toml(name = "between_walls"
coordinates = ["x", "y"]
[parameters]
m = 2
e = 0.8
[energy]
kinetic = "m/2*(x'^2 + y'^2)"
potential = "9.81*m*y + 20*x^2"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = "e"
[[constraint]]
name = "wall"
holonomic = "0.3 - x"
unilateral = true
restitution = 0.9
[[event]]
name = "high"
when = "y'"
direction = "down"
where = "impulse(ground) > 9"
[[event]]
name = "kick"
when = "x"
direction = "up"
where = "impulse(wall) > 0"
set = {"x'" = "x'*(1 - 0.03*impulse(wall))"}
[outputs]
last = "impulse(ground) + 10*impulse(wall)"
[initial]
position = {x = -0.5, y = 1}
velocity = {x = 0, y = 0}
)toml" + more;
}

// A ball strikes a rough ground and spins the more.
constexpr const char* kSpins = R"toml(name = "spins"
coordinates = ["x", "y", "theta"]
[parameters]
r = 0.1
[energy]
kinetic = "(x'^2 + y'^2)/2 + r^2*theta'^2/5"
potential = "9.81*y"
[[constraint]]
name = "ground"
holonomic = "y"
unilateral = true
restitution = 0.7
[[friction]]
name = "rub"
normal = "lambda(ground)"
velocity = "x' + r*theta'"
coefficient = 0.1
[[event]]
name = "high"
when = "y'"
direction = "down"
where = "impulse(ground) > 4"
[outputs]
last = "3*impulse(ground)"
[initial]
position = {x = 0, y = 1, theta = 0}
velocity = {x = 3, y = 0, theta = 0}
)toml";

// Oracle: the run at 1e-12: the impulse of the last impact of each contact, how often each event happened, the output.
void expect_the_impulses_of_the_run(const std::string& text, double until, double tolerance) {
  const Equations equations = equations_of_text(text);
  const Dynamics dynamics = compile(equations);
  const Assembly start = assemble_start(equations, dynamics);
  ASSERT_TRUE(start.ok());
  const Trajectory path = integrate(dynamics, start.state, {.until = until, .rtol = 1e-12});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  const std::size_t contacts = dynamics.contacts()->count(), events = equations.model->events.size();
  Numbers expected(contacts), expected_counts(events);
  for (const RunEvent& event : path.events) {
    for (std::size_t k = 0; k < events; ++k)
      if (event.name == equations.model->events[k].name) ++expected_counts[k];
    if (event.kind != RunEventKind::kImpact) continue;
    for (const auto& [row, impulse] : event.impact->impulses)
      if (const int k = static_cast<std::size_t>(row) < dynamics.contacts()->of_row.size()
                            ? dynamics.contacts()->of_row[static_cast<std::size_t>(row)]
                            : -1;
          k >= 0)
        expected[static_cast<std::size_t>(k)] = impulse;
  }
  for (const double impulse : expected) EXPECT_GT(impulse, 0.1);
  for (const double count : expected_counts) EXPECT_GT(count, 0);

  Loaded loaded(equations);
  const auto step = loaded.call<StepEventsKeeping>("step_events");
  Numbers q = start.state.q, v = start.state.v, impulse(contacts), happened(events), counts(events);
  constexpr int kSteps = 3000;
  for (int k = 0; k < kSteps; ++k) {
    double reached = 0;
    ASSERT_EQ(step(loaded.state(), k * until / kSteps, until / kSteps, q.data(), v.data(), impulse.data(), &reached,
                   happened.data()),
              0);
    for (std::size_t i = 0; i < events; ++i) counts[i] += happened[i];
  }
  EXPECT_LT(difference(impulse, expected), tolerance);
  EXPECT_EQ(counts, expected_counts);
  EXPECT_LT(difference(q, path.state(path.size() - 1).q), tolerance);
}

TEST(ImpulseCode, StepsKeepTheImpulsesOfRuns) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_the_impulses_of_the_run(between_walls(""), 2.9, 1e-8);
}

TEST(ImpulseCode, StepsKeepThemWithFriction) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  expect_the_impulses_of_the_run(kSpins, 2, 1e-10);
}

// Oracle: m (1 + e) v at h = 0; a contact that is not struck keeps its impulse.
TEST(ImpulseCode, AnImpactGivesItsImpulse) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(equations_of_text(between_walls("")));
  Numbers q{0, 0}, v{0, -3}, impulse{1, 7};
  ASSERT_EQ(loaded.call<ImpactKeeping>("impact")(loaded.state(), 0, q.data(), v.data(), impulse.data(), nullptr), 0);
  EXPECT_NEAR(v[1], 2.4, 1e-14);
  EXPECT_NEAR(impulse[0], 2 * 1.8 * 3, 1e-14);
  EXPECT_EQ(impulse[1], 7);
  using Outputs = void(void*, double, const double*, const double*, const double*, const double*, const double*,
                       const double*, double*);
  double last = 0;
  const Numbers none(2);
  loaded.call<Outputs>("outputs")(loaded.state(), 0, q.data(), v.data(), none.data(), none.data(), impulse.data(),
                                  nullptr, &last);
  EXPECT_NEAR(last, 10.8 + 70, 1e-13);
}

// A step that is not taken leaves the impulses as they were, as it does q and v.
TEST(ImpulseCode, AStepThatIsNotTakenLeavesThem) {
  if (!Exported::can_run(CodeLanguage::kC)) GTEST_SKIP() << "no cc";
  Loaded loaded(
      equations_of_text(between_walls("[[event]]\nname = \"hard\"\nwhen = \"y - 0.1\"\ndirection = \"up\"\nwhere = "
                                      "\"impulse(ground) > 5\"\nstop = true\n")));
  Numbers q{0, 0.2}, v{0, -3}, impulse{1, 7}, happened(3);
  EXPECT_EQ(loaded.call<StepKeeping>("step")(loaded.state(), 0, 0.4, q.data(), v.data(), impulse.data()), 9);
  EXPECT_THAT(q, ::testing::ElementsAre(0, 0.2));
  EXPECT_THAT(impulse, ::testing::ElementsAre(1, 7));
  double reached = 0;
  ASSERT_EQ(loaded.call<StepEventsKeeping>("step_events")(loaded.state(), 0, 0.4, q.data(), v.data(), impulse.data(),
                                                          &reached, happened.data()),
            0);
  EXPECT_NEAR(q[1], 0.1, 1e-14);
  EXPECT_NEAR(impulse[0], 2 * 1.8 * std::sqrt(9 + 2 * 9.81 * 0.2), 1e-12);
}

// A step of a model without events; the languages agree with C to round-off.
TEST(ImpulseCode, EveryLanguageKeepsThem) {
  std::string text = kSpins;
  text.erase(text.find("[[event]]"), text.find("[outputs]") - text.find("[[event]]"));
  const Equations equations = equations_of_text(text);
  Loaded loaded(equations);
  Numbers q{0, 1, 0}, v{3, 0, 0}, impulse{0};
  ASSERT_EQ(loaded.call<StepKeeping>("step")(loaded.state(), 0, 0.9, q.data(), v.data(), impulse.data()), 0);
  EXPECT_NEAR(impulse[0], 1.7 * std::sqrt(2 * 9.81), 1e-12);
  const std::vector<std::pair<CodeLanguage, std::string>> programs{
      {CodeLanguage::kPython,
       Exported::python() +
           " -B -c 'import spins; m = spins.Model(); q, v, p = m.step(0, 0.9, [0, 1, 0], [3, 0, 0], [0]); "
           "a = m.accelerations(0.9, q, v); print(repr(float(p[0])), repr(float(m.outputs(0.9, q, v, *a, p)[0])))'"},
      {CodeLanguage::kJs,
       "node --input-type=module -e 'import {Model} from \"./spins.mjs\"; const m = new Model(); const s = m.step(0, "
       "0.9, "
       "[0, 1, 0], [3, 0, 0], [0]), a = m.accelerations(0.9, s.q, s.v); console.log(s.impulse[0], "
       "m.outputs(0.9, s.q, s.v, a.vdot, a.lambda, a.friction, s.impulse)[0])'"},
      {CodeLanguage::kMatlab,
       "octave-cli --norc --eval \"m = spins(); s = m.init(); [q, v, p] = m.step(s, 0, 0.9, [0; 1; 0], [3; 0; 0], 0); "
       "[a, l, f] = m.accelerations(s, 0.9, q, v); printf('%.17g %.17g', p, m.outputs(s, 0.9, q, v, a, l, f, p))\""}};
  for (const auto& [language, program] : programs) {
    if (!Exported::can_run(language)) continue;
    const Exported exported(equations, language);
    const Ran ran = shell("cd " + exported.folder() + " && " + program);
    double there = 0, output = 0;
    ASSERT_EQ(std::sscanf(ran.out.c_str(), "%lf %lf", &there, &output), 2) << ran.out;
    EXPECT_NEAR(there, impulse[0], 1e-13) << to_text(language);
    EXPECT_NEAR(output, 3 * impulse[0], 1e-12) << to_text(language);
  }
}

// One model in each language: with friction where code is compiled.
TEST(ImpulseCode, SelfTestsAgreeInEveryLanguage) {
  for (const CodeLanguage language :
       {CodeLanguage::kC, CodeLanguage::kCpp, CodeLanguage::kPython, CodeLanguage::kMatlab, CodeLanguage::kJs}) {
    if (!Exported::can_run(language)) continue;
    const bool compiled = language == CodeLanguage::kC || language == CodeLanguage::kCpp;
    const Exported exported(equations_of_text(compiled ? kSpins : between_walls("")), language);
    const Ran ran = exported.self_test();
    EXPECT_EQ(ran.status, 0) << to_text(language) << "\n" << ran.out;
    EXPECT_THAT(exported.files().back().text, HasSubstr("outputs"));
  }
}

}  // namespace
}  // namespace dalembert::testing
