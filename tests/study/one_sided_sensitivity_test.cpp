// SPDX-License-Identifier: Apache-2.0
// Derivatives of runs whose changes are at one instant, and of starts that are at a limit: against closed forms and differences of runs to one side.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/study/system_at.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const IntegrateOptions kTwoSeconds{.until = 2, .rtol = 1e-12, .atol = 1e-14};

BuiltModel sided_model(const std::string& text, const std::vector<std::string>& set = {}) {
  Result<Model> loaded = load_model(make_source("sided", text), load_options(set));
  return value_of(build_model(std::make_shared<const Model>(value_of(std::move(loaded))), {}, {.machine_code = false}));
}

Trajectory sided_run(const BuiltModel& system, const std::vector<std::string>& names) {
  IntegrateOptions options = kTwoSeconds;
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  const Diagnostics problems = find_tangents(system, options);
  EXPECT_TRUE(problems.empty()) << render(problems);
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

double sided_end(const Trajectory& run, const std::string& name) {
  const auto series = run.series(name);
  EXPECT_FALSE(series.empty()) << name;
  return series.empty() ? NAN : series.back();
}

// A mass of 2 kg from rest, under a force of 3 N that a switch at T = 1 s changes; there x = 0.75 m, where `more` is.
std::string pushed(const std::string& force, const std::string& more = "") {
  return fmt::format(R"toml(coordinates = [{{name = "x", unit = "m"}}]
parameters = {{m = "2 kg", F = "3 N", T = "1 s", T2 = "1 s", xs = "0.75 m"}}
[energy]
kinetic = "m*x'^2/2"
[[force]]
coordinate = "x"
value = "{}"
[outputs]
W = "integral(x'^2)"
[initial]
position = {{x = 0}}
velocity = {{x = 0}}
{})toml",
                     force, more);
}

const std::string kQuarter = "F*if(t < T, 1, 0.25)";

// The event only notes an instant, so x(2 s) = F T²/(2 m) + F T/m (2 − T) + F (2 − T)²/(8 m), and it passes x_s where F t²/(2 m) = x_s.
TEST(OneSidedSensitivity, OfANotedEventAtASwitchIsThatOfTheSwitch) {
  const Trajectory run = sided_run(sided_model(pushed(kQuarter, "[[event]]\nname = \"mark\"\nwhen = \"x - xs\"\n")),
                                   {"F", "m", "x", "xs", "T"});
  EXPECT_NEAR(sided_end(run, "sens/F/q/x"), 0.8125, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/m/q/x"), -0.8125 * 1.5, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/x/q/x"), 1, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/xs/q/x"), 0, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/T/q/x"), 1.125, 1e-9);
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_THAT(run.events[0].sensitivity,
              ElementsAre(testing::DoubleNear(-1. / 6, 1e-8), testing::DoubleNear(0.25, 1e-8),
                          testing::DoubleNear(-1 / 1.5, 1e-8), testing::DoubleNear(1 / 1.5, 1e-8),
                          testing::DoubleNear(0, 1e-8)));
}

// Each switch moves by its own parameter; where forces add, their order does not matter.
TEST(OneSidedSensitivity, OfTwoSwitchesAtOneInstantIsThatOfEach) {
  const std::string sum = kQuarter + " + 2*F*if(t < T2, 1, 0.5)", product = kQuarter + "*if(t < T2, 1, 3)";
  const Trajectory run = sided_run(sided_model(pushed(sum)), {"T", "T2", "F"});
  EXPECT_NEAR(sided_end(run, "sens/T/q/x"), 1.125, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/T2/q/x"), 1.5, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/F/q/x"), 2.5625, 1e-9);
  EXPECT_THAT(run.verdict.warnings, IsEmpty());
  // Of a product the first switch finds the second factor 1 or 3.
  const Trajectory other = sided_run(sided_model(pushed(product)), {"T", "F"});
  EXPECT_NEAR(sided_end(other, "sens/T/q/x"), 1.125, 1e-9);
  ASSERT_EQ(other.verdict.warnings.size(), 1U);
  EXPECT_THAT(other.verdict.warnings[0], HasSubstr("derivatives by `T` are those of one side: at t = 1 s"));
  const auto end = [&](const std::string& at) {
    return sided_end(sided_run(sided_model(pushed(product), {at}), {}), "q/x");
  };
  EXPECT_NEAR((end("T=1") - end("T=0.99999")) / 1e-5, 1.125, 1e-4);
  EXPECT_NEAR((end("T=1.00001") - end("T=1")) / 1e-5, 3.375, 1e-4);
}

// What the motion changes at the instant of the switch: a force of its own, a jump of the state, an impact, the end of the run. Derivatives are those of runs in which the
// switch is first: it is for F − ε, x − ε, m + ε, x_s + ε, T − ε.
TEST(OneSidedSensitivity, OfAChangeAtASwitchIsOfOneSide) {
  const std::string
      jump = "[[event]]\nname = \"mark\"\nwhen = \"x - xs\"\ndirection = \"up\"\nset = {\"x'\" = \"-x'/2\"}\n",
      wall =
          "[[constraint]]\nname = \"wall\"\nholonomic = \"xs - x\"\nunilateral = true\n"
          "restitution = 0.5\n",
      end = "[[event]]\nname = \"mark\"\nwhen = \"x - xs\"\nstop = true\n";
  const std::vector<std::string> models{pushed(kQuarter, jump), pushed(kQuarter, wall), pushed(kQuarter, end),
                                        pushed(kQuarter + "*if(x < xs, 1, 3)")};
  for (const std::string& text : models) {
    const Trajectory run = sided_run(sided_model(text), {"F", "m", "x", "xs", "T"});
    ASSERT_EQ(run.verdict.warnings.size(), 1U) << text;
    // The other side is followed where a condition changes alone.
    EXPECT_THAT(run.verdict.warnings[0],
                HasSubstr(fmt::format("`F`, `m`, `x`, `xs` and `T` {} those of one side: at t = 1 s",
                                      text == models.back() ? "are" : "may be")));
    const auto differs = [&](const std::string& name, double value, double by) {
      const Trajectory here = sided_run(sided_model(text), {}),
                       there = sided_run(sided_model(text, {fmt::format("{}={}", name, value + by)}), {});
      for (const std::string at : {"q/x", "v/x", "output/W"}) {
        EXPECT_NEAR(sided_end(run, "sens/" + name + "/" + at), (sided_end(there, at) - sided_end(here, at)) / by, 5e-4)
            << text << name << " " << at;
      }
    };
    differs("F", 3, -1e-6);
    differs("m", 2, 1e-6);
    differs("x", 0, -1e-6);
    differs("xs", 0.75, 1e-6);
    differs("T", 1, -1e-6);
  }
}

// A kink of a force changes no slope where it is passed, and forces that add commute: at the instant of the switch, or within the error from it, there is one
// derivative. x_s + δ: F t²/(2 m) = x_s passes the spring's end beside T, and then x_s moves the spring alone.
TEST(OneSidedSensitivity, OfAKinkOrASumAtASwitchIsOne) {
  const std::vector<std::string> names{"F", "m", "x", "xs", "T"};
  const std::string kink = kQuarter + " - max(x - xs, 0*xs)*T2/T2*8*F/xs/3", sum = kQuarter + " + F*if(x < xs, 1, 3)",
                    product = kQuarter + "*if(x < xs, 1, 3)";
  for (const auto& [text, two_sided] : {std::pair(kink, true), std::pair(sum, true), std::pair(product, false)}) {
    // With two forces the mass is at x_s at T if it starts there less 1.5 m.
    const double start = text == sum ? -0.75 : 0;
    const std::string at = fmt::format("x={}", start);
    std::string model = pushed(text);
    model.replace(model.find("{x = 0}"), 7, fmt::format("{{x = {}}}", start));
    for (const std::string& switched : {"T=1", "T=0.9999999999999", "T=1.0000000000001"}) {
      const Trajectory run = sided_run(sided_model(model, {switched}), names);
      EXPECT_EQ(run.verdict.warnings.empty(), two_sided) << text << switched;
      if (!two_sided) continue;
      for (const auto& [name, value] : {std::pair("F", 3.0), std::pair("m", 2.0), std::pair("xs", 0.75)})
        for (const double by : {1e-5, -1e-5}) {
          const Trajectory there = sided_run(sided_model(model, {fmt::format("{}={}", name, value + by)}), {});
          EXPECT_NEAR(sided_end(run, fmt::format("sens/{}/q/x", name)),
                      (sided_end(there, "q/x") - sided_end(run, "q/x")) / by, 1e-4)
              << text << name << by << switched;
        }
    }
  }
}

// Two masses fall from 5 m, each for 1 s.
const std::string kFalling = R"toml(coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.5}
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*(x + y)"
[outputs]
X = "x"
W = "integral(x*y)"
[initial]
position = {x = 5, y = 5}
velocity = {x = 0, y = 0}
)toml";

std::string event_down(const std::string& of, const std::string& what) {
  return fmt::format("[[event]]\nname = \"down_{0}\"\nwhen = \"{0}\"\ndirection = \"down\"\n{1}\n", of, what);
}

std::string bounce(const std::string& of) {
  return event_down(of, fmt::format("set = {{\"{0}'\" = \"-e*{0}'\"}}", of));
}

std::string ground(const std::string& of, const std::string& restitution = "e", const std::string& gap = "") {
  return fmt::format(
      "[[constraint]]\nname = \"of_{0}\"\nholonomic = \"{2}\"\nunilateral = true\nrestitution = \"{1}\"\n", of,
      restitution, gap.empty() ? of : gap);
}

Trajectory falling_run(const std::string& text, const std::vector<std::string>& names,
                       const std::vector<std::string>& set = {}) {
  const BuiltModel system = sided_model(text, set);
  IntegrateOptions options{.until = 1.5, .rtol = 1e-12, .atol = 1e-14};
  for (const std::string& name : names) options.tangents.push_back({.name = name});
  EXPECT_TRUE(find_tangents(system, options).empty());
  return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
}

// Starts x at 5 m + `by`.
Trajectory falling_from(const std::string& text, double by) {
  std::string other = text;
  other.replace(other.find("{x = 5,"), 7, fmt::format("{{x = {:.17g},", 5 + by));
  return falling_run(other, {});
}

// Both strike together: x = e g t₁ (t − t₁) − g (t − t₁)²/2 with t₁ = √(2 h/g), so ∂x/∂e = g t₁ (t − t₁) = 5 m. Each height moves the impact of its own mass alone,
// ∂x/∂h = e g t₁' (t − t₁) − e g t₁ t₁' + g (t − t₁) t₁' = 0.25 with t₁' = 0.1, and the other mass by nothing.
TEST(OneSidedSensitivity, OfJumpsAtOneInstantThatCommuteIsThatOfEach) {
  for (const std::string& both :
       {bounce("x") + bounce("y"), bounce("y") + bounce("x"), ground("x") + ground("y"), ground("x") + bounce("y")}) {
    const Trajectory run = falling_run(kFalling + both, {"e", "m", "x", "y"});
    EXPECT_THAT(run.verdict.warnings, IsEmpty()) << both;
    for (const std::string of : {"x", "y"}) {
      EXPECT_NEAR(sided_end(run, "sens/e/q/" + of), 5, 1e-8) << both;
      EXPECT_NEAR(sided_end(run, "sens/m/q/" + of), 0, 1e-8) << both;
      EXPECT_NEAR(sided_end(run, "sens/x/q/" + of), of == "x" ? 0.25 : 0, 1e-8) << both;
      EXPECT_NEAR(sided_end(run, "sens/y/q/" + of), of == "y" ? 0.25 : 0, 1e-8) << both;
    }
    ASSERT_EQ(run.events.size(), 2U) << both;
    for (const RunEvent& one : run.events) {
      const double of_x = one.name.ends_with("x") ? 0.1 : 0;
      EXPECT_THAT(one.sensitivity, ElementsAre(testing::DoubleNear(0, 1e-9), testing::DoubleNear(0, 1e-9),
                                               testing::DoubleNear(of_x, 1e-9), testing::DoubleNear(0.1 - of_x, 1e-9)))
          << both;
    }
    // ∂/∂h ∫x y dt by runs beside this one.
    const double by_run = (sided_end(falling_from(kFalling + both, 1e-4), "output/W") -
                           sided_end(falling_from(kFalling + both, -1e-4), "output/W")) /
                          2e-4;
    EXPECT_NEAR(sided_end(run, "sens/x/output/W"), by_run, 1e-5) << both;
    IntegrateOptions options{.until = 1.5, .rtol = 1e-12, .atol = 1e-14};
    const BuiltModel system = sided_model(kFalling + both);
    EXPECT_TRUE(find_gradients(system, {"W", "X"}, options).empty());
    const Trajectory back =
        integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
    EXPECT_THAT(back.verdict.warnings, IsEmpty()) << both;
    ASSERT_EQ(back.gradients.size(), 2U) << both;
    for (const Gradient& gradient : back.gradients)
      for (const Gradient::By& by : gradient.by)
        if (by.name == "e" || by.name == "x" || by.name == "y")
          EXPECT_NEAR(by.value, sided_end(run, "sens/" + by.name + "/output/" + gradient.output), 1e-8)
              << both << by.name;
  }
}

// With a spring between the masses, one that stays on its floor, or with a drag that reads on which way each of them goes, between the jumps the forces are others, and the
// derivatives are still one: as runs on both sides say.
TEST(OneSidedSensitivity, OfJumpsAtOneInstantIsThatOfRunsOnBothSides) {
  const std::string spring =
                        "[[force]]\ncoordinate = \"x\"\nvalue = \"-m*(x - y)*20/t1^2\"\n"
                        "[[force]]\ncoordinate = \"y\"\nvalue = \"m*(x - y)*20/t1^2\"\n",
                    drag =
                        "[[force]]\ncoordinate = \"x\"\nvalue = \"-m*x'*abs(x')/l\"\n"
                        "[[force]]\ncoordinate = \"y\"\nvalue = \"-m*y'*abs(y')/l\"\n";
  std::string falling = kFalling;
  falling.replace(falling.find("e = 0.5"), 7, "e = 0.5, t1 = \"1 s\", l = \"8 m\"");
  for (const std::string& more : {ground("x") + ground("y") + spring, bounce("x") + bounce("y") + spring,
                                  ground("x") + ground("y", "0"), ground("x") + bounce("y") + drag}) {
    const Trajectory run = falling_run(falling + more, {"x"});
    EXPECT_THAT(run.verdict.warnings, IsEmpty()) << more;
    for (const std::string of : {"q/x", "q/y", "v/x", "v/y", "output/W"})
      for (const double by : {1e-5, -1e-5})
        EXPECT_NEAR(sided_end(run, "sens/x/" + of),
                    (sided_end(falling_from(falling + more, by), of) - sided_end(run, of)) / by, 2e-4)
            << more << of << by;
  }
}

// Three masses on springs, one strikes, one stays on its floor, one is put elsewhere by an event; and two pendulums that strike a wall each. By the place of each floor, as runs on
// both sides say; and by the adjoint.
TEST(OneSidedSensitivity, OfJumpsOfSeveralKindsIsThatOfRunsOnBothSides) {
  const std::string
      three = R"toml(coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "z", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.5, hx = "0 m", hy = "0 m", hz = "0 m"}
[energy]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "m*g*(x + y + z) + m*((x - y)^2 + (y - z)^2)*3/(1 s^2)"
[outputs]
X = "x"
Y = "y + z"
W = "integral(x*y*z)"
[[constraint]]
name = "of_x"
holonomic = "x - hx"
unilateral = true
restitution = "e"
[[constraint]]
name = "of_y"
holonomic = "y - hy"
unilateral = true
restitution = 0
[[event]]
name = "of_z"
when = "z - hz"
direction = "down"
set = {"z" = "z + 1 m", "z'" = "2 m/s"}
[initial]
position = {x = 5, y = 5, z = 5}
velocity = {x = 0, y = 0, z = 0}
)toml",
      pendulums =
          R"toml(coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}, {name = "u", unit = "m"}, {name = "w", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.5, hx = "0 m", hy = "0 m", hz = "1 m"}
[energy]
kinetic = "m*(x'^2 + y'^2 + u'^2 + w'^2)/2"
potential = "m*g*(y + w)"
[outputs]
X = "x"
Y = "u*w"
W = "integral(x*u)"
[[constraint]]
name = "rods"
holonomic = ["x^2 + y^2 - hz^2", "u^2 + w^2 - hz^2"]
[[constraint]]
name = "wall_x"
holonomic = "x - hx"
unilateral = true
restitution = "e"
[[constraint]]
name = "wall_u"
holonomic = "u - hy"
unilateral = true
restitution = "e"
[initial]
position = {x = 0.8, u = 0.8}
guess = {y = -0.6, w = -0.6}
velocity = {x = 0, u = 0}
)toml";
  const std::vector<std::string> names{"hx", "hy", "hz", "e"};
  for (const std::string& text : {three, pendulums}) {
    const double until = text == three ? 1.3 : 0.9;
    const auto run_at = [&](const std::vector<std::string>& by, const std::vector<std::string>& set) {
      const BuiltModel system = sided_model(text, set);
      IntegrateOptions options{.until = until, .rtol = 1e-11, .atol = 1e-13};
      for (const std::string& name : by) options.tangents.push_back({.name = name});
      EXPECT_TRUE(find_tangents(system, options).empty());
      return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
    };
    const Trajectory run = run_at(names, {});
    EXPECT_THAT(run.verdict.warnings, IsEmpty());
    EXPECT_EQ(run.final_state().t, until);
    for (const std::string& name : names)
      for (const double by : {1e-5, -1e-5}) {
        const double value = (name == "e" ? 0.5 : name == "hz" && text == pendulums ? 1 : 0) + by;
        const Trajectory there = run_at({}, {fmt::format("{}={:.17g}{}", name, value, name == "e" ? "" : " m")});
        // An event that leads to the instant of an impact does not end the run.
        EXPECT_EQ(there.final_state().t, until) << name << by;
        for (const std::string of : {"output/X", "output/Y", "output/W"})
          EXPECT_NEAR(sided_end(run, "sens/" + name + "/" + of), (sided_end(there, of) - sided_end(run, of)) / by, 2e-3)
              << name << by << of;
      }
    const BuiltModel system = sided_model(text);
    IntegrateOptions options{.until = until, .rtol = 1e-11, .atol = 1e-13};
    EXPECT_TRUE(find_gradients(system, {"X", "W"}, options).empty());
    const Trajectory back =
        integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
    EXPECT_THAT(back.verdict.warnings, IsEmpty());
    for (const Gradient& gradient : back.gradients)
      for (const Gradient::By& by : gradient.by)
        if (std::ranges::find(names, by.name) != names.end())
          EXPECT_NEAR(by.value, sided_end(run, "sens/" + by.name + "/output/" + gradient.output), 1e-6)
              << by.name << gradient.output;
  }
}

// A damper between the masses, an event that sets both, a rod on both floors, or the same quantity set twice: which is first matters, and runs on the two sides differ.
TEST(OneSidedSensitivity, OfJumpsWhoseOrderMattersIsUnknown) {
  const std::string damper =
      "[[force]]\ncoordinate = \"x\"\nvalue = \"-m*(x' - y')*4/t1\"\n"
      "[[force]]\ncoordinate = \"y\"\nvalue = \"m*(x' - y')*4/t1\"\n";
  std::string falling = kFalling;
  falling.replace(falling.find("e = 0.5"), 7, "e = 0.5, t1 = \"1 s\"");
  const std::string rod = ground("x", "e", "x + y/4 - 1.25 m") + ground("y", "e", "y + x/4 - 1.25 m");
  const std::string kOrder =
      "both let the state jump: beside this run they do so one after the other, and their order matters";
  for (const auto& [more, differs] :
       {std::pair(ground("x") + ground("y") + damper, true), std::pair(bounce("x") + bounce("y") + damper, true),
        std::pair(event_down("x", "set = {\"x'\" = \"-e*x'\", \"y'\" = \"-e*y'\"}") + bounce("y"), false),
        std::pair(event_down("x", "set = {\"x'\" = \"5 m/s\"}") + event_down("y", "set = {\"x'\" = \"5 m/s\"}"), false),
        std::pair(rod, true)}) {
    const Trajectory run = falling_run(falling + more, {"x", "y"});
    EXPECT_TRUE(std::isnan(sided_end(run, "sens/x/q/y"))) << more;
    EXPECT_THAT(run.verdict.warnings, ElementsAre(HasSubstr(kOrder))) << more;
    ASSERT_EQ(run.events.size(), 2U) << more;
    EXPECT_THAT(run.verdict.warnings,
                ElementsAre(HasSubstr(fmt::format("unknown from t = {:.6g} s on", run.events.front().t))))
        << more;
    const auto side = [&](double by) {
      return (sided_end(falling_from(falling + more, by), "q/y") - sided_end(run, "q/y")) / by;
    };
    if (differs) EXPECT_GT(std::abs(side(1e-5) - side(-1e-5)), 0.01) << more;
  }
}

// An event that ends the run does so alone: of two the first one, on either side another.
TEST(OneSidedSensitivity, SaysWhichEventsEndTheRun) {
  const auto why = [&](const std::string& more) {
    const std::vector<std::string> warnings = falling_run(kFalling + more, {"x"}).verdict.warnings;
    EXPECT_EQ(warnings.size(), 1U) << more;
    return warnings.empty() ? std::string() : warnings.front();
  };
  EXPECT_THAT(
      why(event_down("x", "stop = true") + event_down("y", "stop = true")),
      HasSubstr("`x` and `y` pass 0 at one instant, as far as the run can tell, and both end the run: beside this run "
                "the first one alone ends it"));
  for (const std::string& more :
       {event_down("x", "stop = true") + bounce("y"), bounce("x") + event_down("y", "stop = true")})
    EXPECT_THAT(why(more),
                HasSubstr("and one of them ends the run: beside this run it may do so before the others, or after "
                          "them"));
}

// Two events of one function set one quantity by two formulas, equal at e = 1/2 alone.
TEST(OneSidedSensitivity, SaysThatEventsContradictBesideTheRun) {
  const std::string both =
      event_down("x", "set = {\"x'\" = \"-e*x'\"}") +
      "[[event]]\nname = \"other\"\nwhen = \"x\"\ndirection = \"down\"\nset = {\"x'\" = \"-x'/2\"}\n";
  EXPECT_NEAR(sided_end(falling_run(kFalling + both, {"x"}), "sens/x/q/x"), 0.25, 1e-8);
  EXPECT_THAT(falling_run(kFalling + both, {"e"}).verdict.warnings,
              ElementsAre(HasSubstr("from t = 1 s on: beside this run two events set `x'` at t = 1")));
  // Formulas that are equal everywhere, and displaced only up to round-off.
  std::string equal = both;
  equal.replace(equal.find("-x'/2"), 5, "-x'*(e^2 + e)/(1 + e)");
  EXPECT_NEAR(sided_end(falling_run(kFalling + equal, {"e"}), "sens/e/q/x"), 5, 1e-8);
}

// What is only noted at the instant of a jump moves by itself.
TEST(OneSidedSensitivity, OfANotedEventAtAJumpIsItsOwn) {
  const std::string mark = "[[event]]\nname = \"mark\"\nwhen = \"y\"\n";
  for (const std::string& both : {bounce("x") + mark, mark + bounce("x")}) {
    const Trajectory noted = falling_run(kFalling + both, {"x", "y"});
    EXPECT_NEAR(sided_end(noted, "sens/x/q/x"), 0.25, 1e-8) << both;
    ASSERT_EQ(noted.events.size(), 2U);
    for (const RunEvent& one : noted.events)
      EXPECT_THAT(one.sensitivity, one.name == "mark"
                                       ? ElementsAre(testing::DoubleNear(0, 1e-9), testing::DoubleNear(0.1, 1e-9))
                                       : ElementsAre(testing::DoubleNear(0.1, 1e-9), testing::DoubleNear(0, 1e-9)))
          << both;
  }
}

// By the adjoint as well.
TEST(OneSidedSensitivity, OfTheAdjointIsTheSame) {
  const BuiltModel system = sided_model(pushed(kQuarter + "*if(x < xs, 1, 3)"));
  const Trajectory forward = sided_run(system, {"F", "m", "xs", "T", "T2", "x", "x'"});
  IntegrateOptions options = kTwoSeconds;
  EXPECT_TRUE(find_gradients(system, {"W"}, options).empty());
  const Trajectory run = integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
  ASSERT_EQ(run.gradients.size(), 1U);
  EXPECT_EQ(run.gradients[0].by.size(), 7U);
  for (const Gradient::By& by : run.gradients[0].by)
    EXPECT_NEAR(by.value, sided_end(forward, "sens/" + by.name + "/output/W"), 1e-9) << by.name;
  ASSERT_EQ(run.verdict.warnings.size(), 1U);
  EXPECT_THAT(run.verdict.warnings[0], HasSubstr("are those of one side: at t = 1 s"));
}

std::vector<std::string> warnings_by(const std::string& text, const std::vector<std::string>& names) {
  return sided_run(sided_model(text), names).verdict.warnings;
}

// A friction that sticks at its limit: a little more force, and it slides, x = F t²/(2 m) − …
TEST(OneSidedSensitivity, SaysThatAFrictionIsAtItsLimit) {
  const auto rub = [](const std::string& mu) {
    return pushed("F",
                  "[[friction]]\nname = \"rub\"\nvelocity = \"x'\"\nnormal = \"20 N\"\ncoefficient = \"" + mu + "\"\n");
  };
  EXPECT_THAT(warnings_by(rub("0.15"), {"F", "m"}),
              ElementsAre("derivatives by `F` are those of one side: at the start the state of rub is at its limit, "
                          "and on the other side of that a run goes on differently"));
  EXPECT_THAT(warnings_by(rub("0.2"), {"F", "m"}), IsEmpty());
  EXPECT_THAT(warnings_by(rub("0.1"), {"F", "m"}), IsEmpty());
}

// What is pushed while it sticks stops within a time of the order of its speed, so at any later time dx/dx'(0) = dx'/dx'(0) = 0; at its limit that holds on one side, and on
// the other one nothing stops it: x = x'(0) t.
TEST(OneSidedSensitivity, OfAFrictionThatSticksIsNoneByTheSpeedOfTheStart) {
  const auto rub = [](const std::string& mu) {
    return pushed("F",
                  "[[friction]]\nname = \"rub\"\nvelocity = \"x'\"\nnormal = \"20 N\"\ncoefficient = \"" + mu + "\"\n");
  };
  for (const std::string mu : {"0.15", "0.2"}) {
    const Trajectory run = sided_run(sided_model(rub(mu)), {"x'", "x"});
    EXPECT_NEAR(sided_end(run, "sens/x'/q/x"), 0, 1e-12);
    EXPECT_NEAR(sided_end(run, "sens/x'/v/x"), 0, 1e-12);
    EXPECT_NEAR(sided_end(run, "sens/x/q/x"), 1, 1e-12);
    IntegrateOptions options = kTwoSeconds;
    std::string with_place = rub(mu);
    with_place.insert(with_place.find("W ="), "at = \"x\"\n");
    const BuiltModel system = sided_model(with_place);
    EXPECT_TRUE(find_gradients(system, {"at"}, options).empty());
    const Trajectory back =
        integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
    ASSERT_EQ(back.gradients.size(), 1U);
    for (const Gradient::By& by : back.gradients[0].by)
      if (by.name == "x'" || by.name == "x") EXPECT_NEAR(by.value, by.name == "x" ? 1 : 0, 1e-12) << by.name;
    const auto end = [&](const std::string& speed) {
      std::string text = rub(mu);
      text.replace(text.find("velocity = {x = 0}"), 18, "velocity = {x = " + speed + "}");
      return sided_end(sided_run(sided_model(text), {}), "q/x");
    };
    EXPECT_NEAR(end("-1e-5") / -1e-5, 0, 1e-5);
    EXPECT_NEAR(end("1e-5") / 1e-5, mu == "0.15" ? 2 : 0, 1e-4);
    if (mu == "0.2") {
      EXPECT_THAT(run.verdict.warnings,
                  ElementsAre("derivatives by `x'` are those of starts at which the friction `rub` sticks, as it does "
                              "at this one: beside it a run begins with a slide"));
      continue;
    }
    EXPECT_THAT(run.verdict.warnings,
                ElementsAre("derivatives by `x'` are those of one side: at the start the state of rub is at its limit, "
                            "and on the other side of that a run goes on differently"));
  }
  // Pushed the other way, the other limit of the same friction.
  EXPECT_THAT(warnings_by(pushed("-F",
                                 "[[friction]]\nname = \"rub\"\nvelocity = \"x'\"\nnormal = \"20 N\"\n"
                                 "coefficient = \"0.15\"\n"),
                          {"F"}),
              ElementsAre(HasSubstr("at the start the state of rub is at its limit")));
}

// 3 N are more than the 2 N of sliding and less than the 4 N of sticking: what sticks stays, dx/dx'(0) = 0, and what is given any speed slides on, x = t²/4 + x'(0) t.
TEST(OneSidedSensitivity, SaysThatAStartBesideOneThatSticksSlides) {
  std::string text = pushed("F",
                            "[[friction]]\nname = \"rub\"\nvelocity = \"x'\"\nnormal = \"20 N\"\n"
                            "coefficient = 0.1\nstatic = 0.2\n");
  const std::vector<std::string> names{"x'", "x", "F"};
  const Trajectory run = sided_run(sided_model(text), names);
  for (const std::string& name : names) EXPECT_EQ(sided_end(run, "sens/" + name + "/q/x"), name == "x" ? 1 : 0);
  EXPECT_THAT(run.verdict.warnings, ElementsAre(HasSubstr("derivatives by `x'` are those of starts at which")));
  text.replace(text.find("velocity = {x = 0}"), 18, "velocity = {x = 1e-9}");
  const Trajectory beside = sided_run(sided_model(text), names);
  EXPECT_NEAR(sided_end(beside, "q/x"), 1, 1e-8);
  EXPECT_THAT(beside.verdict.warnings, IsEmpty());
}

// In a plane, under a force along x: a speed across it slides as well. The second mass slides already.
TEST(OneSidedSensitivity, SaysThatAStartBesideOneThatSticksInAPlaneSlides) {
  const std::string text = R"toml(coordinates = ["x", "y", "z", "u"]
[energy]
kinetic = "x'^2 + y'^2 + z'^2 + u'^2"
[[force]]
coordinate = "x"
value = 3
[[friction]]
name = "rub"
velocity = ["x'", "y'"]
normal = 20
coefficient = 0.2
[[friction]]
name = "brake"
velocity = "z'"
normal = 20
coefficient = 0.2
[[friction]]
name = "pads"
velocity = "u'"
normal = 20
coefficient = 0.2
[initial]
position = {x = 0, y = 0, z = 0, u = 0}
velocity = {x = 0, y = 0, z = 20, u = 0}
)toml";
  EXPECT_THAT(warnings_by(text, {"x'", "y'", "z'", "x"}),
              ElementsAre("derivatives by `x'` and `y'` are those of starts at which the friction `rub` sticks, as it "
                          "does at this one: beside it a run begins with a slide"));
  EXPECT_THAT(warnings_by(text, {"x'", "u'"}),
              ElementsAre("derivatives by `x'` and `u'` are those of starts at which the frictions `rub` and `pads` "
                          "stick, as they do at this one: beside it a run begins with a slide"));
}

// A belt that carries the mass along: it sticks to the belt at any speed of that, x = v_b t.
TEST(OneSidedSensitivity, OfABeltIsThatOfItsSpeed) {
  std::string text = pushed("0*F",
                            "[[friction]]\nname = \"belt\"\nvelocity = \"x' - T*1 m/s^2\"\nnormal = \"20 N\"\n"
                            "coefficient = \"0.15\"\n");
  text.replace(text.find("velocity = {x = 0}"), 18, "velocity = {x = 1}");
  const Trajectory run = sided_run(sided_model(text), {"T", "x'"});
  EXPECT_NEAR(sided_end(run, "sens/T/q/x"), 2, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/T/v/x"), 1, 1e-9);
  EXPECT_NEAR(sided_end(run, "sens/x'/v/x"), 0, 1e-9);
}

// At rest where the force is 2 F on the right and 5 F on the left: with x' = ε > 0 x = ε t + F t²/m. With x' = −ε the mass comes back after 2 ε m/(5 F), with
// x' = ε; so dx/dx' = t (2·2/5 − 1).
TEST(OneSidedSensitivity, SaysThatTheSpeedOfAStartAtRestChoosesAForce) {
  const std::string chosen = "F*if(x < 0*xs, 5, 2)";
  const Trajectory run = sided_run(sided_model(pushed(chosen)), {"x'", "F", "m"});
  EXPECT_NEAR(sided_end(run, "sens/x'/q/x"), 2, 1e-9);
  EXPECT_THAT(run.verdict.warnings, ElementsAre(HasSubstr("derivatives by `x'` are those of one side: at the start")));
  const auto end = [&](const std::string& speed) {
    std::string text = pushed(chosen);
    text.replace(text.find("velocity = {x = 0}"), 18, "velocity = {x = " + speed + "}");
    return sided_end(sided_run(sided_model(text), {}), "q/x") - 6;
  };
  EXPECT_NEAR(end("1e-5") / 1e-5, 2, 1e-4);
  EXPECT_NEAR(end("-1e-5") / -1e-5, 2 * (4. / 5 - 1), 1e-4);
  EXPECT_THAT(warnings_by(pushed("F*if(x < 0*xs, 2, 2)"), {"x'", "x"}), IsEmpty());
}

// A spring of F/x_s with slack, at its end, at rest: the motion leaves into the spring at once, or stays. Where it leaves there is one derivative: cos ωt by x and sin(ωt)/ω by
// x'. Where it stays it flies or swings, by the side.
TEST(OneSidedSensitivity, OfAKinkAtAStartAtRestIsOneUnlessTheMotionStays) {
  const double w = std::sqrt(3 / 0.75 / 2);
  for (const std::string force : {"F - F/xs*max(x, 0*x)", "F*t/T - F/xs*max(x, 0*x)"}) {
    const Trajectory run = sided_run(sided_model(pushed(force)), {"x", "x'", "F"});
    EXPECT_NEAR(sided_end(run, "sens/x/q/x"), std::cos(w * 2), 1e-8);
    EXPECT_NEAR(sided_end(run, "sens/x'/q/x"), std::sin(w * 2) / w, 1e-8);
    EXPECT_THAT(run.verdict.warnings, IsEmpty());
  }
  EXPECT_THAT(
      warnings_by(pushed("-F/xs*max(x, 0*x)"), {"x", "x'", "F"}),
      ElementsAre(HasSubstr("derivatives by `x` and `x'` are those of one side: the run begins at rest where")));
  EXPECT_THAT(warnings_by(pushed("-F/xs*abs(x)"), {"x", "x'", "F"}),
              ElementsAre(HasSubstr("derivatives by `x` and `x'` are those of no side: the run begins at rest where")));
}

// The normal force is a root that no start to the left has: whether the friction is at its limit beside the start is not known.
TEST(OneSidedSensitivity, SaysWhatCannotBeEvaluatedBesideTheStart) {
  const std::vector<std::string> warnings =
      warnings_by(pushed("F",
                         "[[friction]]\nname = \"rub\"\nvelocity = \"x'\"\nnormal = \"20 N*(1 + sqrt(x/xs))\"\n"
                         "coefficient = \"0.15\"\n"),
                  {"x", "F"});
  EXPECT_THAT(warnings,
              testing::Contains("derivatives by `x` may be those of one side: at the start the state of rub is "
                                "at its limit, and beside the start that cannot be evaluated"));
}

// 1/x is infinite where the run begins, and of either sign beside it. The other condition is judged all the same.
TEST(OneSidedSensitivity, SaysWhichConditionCannotBeEvaluatedAtTheStart) {
  const Trajectory run =
      sided_run(sided_model(pushed("F*if(1/x > 3/xs, 1, 2) + F*if(x' < 0*xs/T, 5, 2)")), {"x", "x'"});
  EXPECT_THAT(run.verdict.warnings, testing::Contains(testing::AllOf(
                                        HasSubstr("derivatives by `x` and `x'` may be those of one side: at the start"),
                                        HasSubstr("whether that is at its limit is not known"))));
  EXPECT_THAT(run.verdict.warnings,
              testing::Contains(HasSubstr("on its other side a run begins with other accelerations")));
  EXPECT_THAT(warnings_by(pushed("F*if(1/(x + xs) > 3/xs, 1, 2)"), {"x", "x'"}), IsEmpty());
}

// A contact whose force is 0 opens on one side; and a start that leaves a closed contact bounces first.
TEST(OneSidedSensitivity, SaysThatAContactIsAtItsLimit) {
  const std::string wall = "[[constraint]]\nname = \"wall\"\nholonomic = \"x\"\nunilateral = true\nrestitution = 0.5\n";
  EXPECT_THAT(
      warnings_by(pushed("F - 3 N", wall), {"F", "m"}),
      ElementsAre("derivatives by `F` are those of one side: at the start the force of the contact wall is at its "
                  "limit, and on the other side of that a run goes on differently"));
  EXPECT_THAT(warnings_by(pushed("-F", wall), {"F", "m"}), IsEmpty());
  const std::vector<std::string> touching = warnings_by(pushed("-F", wall), {"F", "x'"});
  ASSERT_EQ(touching.size(), 1U);
  EXPECT_THAT(touching[0], HasSubstr("derivatives by `x'` are those of starts that stay on the contact `wall`"));
}

// An event at x = 0, where the motion to the right begins: from −ε it happens at once, if it counts upwards and sets something.
TEST(OneSidedSensitivity, SaysThatAnEventIsAtItsLimit) {
  const auto event = [](const std::string& rest) {
    return pushed("F", "[[event]]\nname = \"mark\"\nwhen = \"x\"\n" + rest);
  };
  const std::string sets = "set = {\"x'\" = \"x'/2 + 1\"}\n";
  EXPECT_THAT(warnings_by(event(sets), {"x", "x'", "F"}),
              ElementsAre("derivatives by `x` and `x'` are those of one side: at the start the event `mark` is at its "
                          "limit, and on the other side of that a run goes on differently"));
  EXPECT_THAT(warnings_by(event(""), {"x", "x'", "F"}), IsEmpty());
  const auto moving = [&](const std::string& rest) {
    std::string text = event(rest);
    text.replace(text.find("velocity = {x = 0}"), 18, "velocity = {x = 1}");
    return warnings_by(text, {"x", "x'", "F"});
  };
  EXPECT_THAT(moving("direction = \"down\"\n" + sets), IsEmpty());
  EXPECT_THAT(moving("direction = \"up\"\n" + sets),
              ElementsAre(HasSubstr("derivatives by `x` are those of one side")));
  EXPECT_THAT(moving("direction = \"up\"\nwhere = \"x' > 2\"\n" + sets), IsEmpty());
}

}  // namespace
}  // namespace dalembert
