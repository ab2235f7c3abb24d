// SPDX-License-Identifier: Apache-2.0
// Derivatives of runs whose changes are at one instant, and of starts that are at a limit: against closed forms and differences of runs to one side.
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
    EXPECT_THAT(run.verdict.warnings[0], HasSubstr("`F`, `m`, `x`, `xs` and `T` are those of one side: at t = 1 s"));
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

// Two masses fall from 5 m, each for 1 s, and strike together: x = e g t₁ (t − t₁) − g (t − t₁)²/2 with t₁ = √(2 h/g), so ∂x/∂e = g t₁ (t − t₁) = 5 m. Each height moves the impact of
// its own mass alone, which joint jumps do not have; what is only noted at that instant moves by itself.
TEST(OneSidedSensitivity, OfJumpsAtOneInstantIsOfThoseThatMoveAlike) {
  const std::string falling = R"toml(coordinates = [{name = "x", unit = "m"}, {name = "y", unit = "m"}]
parameters = {m = "1 kg", g = "10 m/s^2", e = 0.5}
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*(x + y)"
[initial]
position = {x = 5, y = 5}
velocity = {x = 0, y = 0}
)toml";
  const auto event = [](const std::string& of) {
    return fmt::format(
        "[[event]]\nname = \"down_{0}\"\nwhen = \"{0}\"\ndirection = \"down\"\nset = {{\"{0}'\" = \"-e*{0}'\"}}\n", of);
  };
  const auto ground = [](const std::string& of) {
    return fmt::format(
        "[[constraint]]\nname = \"of_{0}\"\nholonomic = \"{0}\"\nunilateral = true\nrestitution = \"e\"\n", of);
  };
  const auto run_of = [&](const std::string& text, const std::vector<std::string>& names) {
    const BuiltModel system = sided_model(text);
    IntegrateOptions options{.until = 1.5, .rtol = 1e-12, .atol = 1e-14};
    for (const std::string& name : names) options.tangents.push_back({.name = name});
    EXPECT_TRUE(find_tangents(system, options).empty());
    return integrate(system.dynamics, assemble_start(system.equations, system.dynamics).state, options);
  };
  for (const std::string& both :
       {event("x") + event("y"), event("y") + event("x"), ground("x") + ground("y"), ground("x") + event("y")}) {
    const Trajectory alike = run_of(falling + both, {"e", "m"});
    EXPECT_THAT(alike.verdict.warnings, IsEmpty()) << both;
    for (const std::string of : {"x", "y"}) {
      EXPECT_NEAR(sided_end(alike, "sens/e/q/" + of), 5, 1e-8) << both;
      EXPECT_NEAR(sided_end(alike, "sens/m/q/" + of), 0, 1e-8) << both;
    }
    const Trajectory apart = run_of(falling + both, {"x"});
    EXPECT_TRUE(std::isnan(sided_end(apart, "sens/x/q/y"))) << both;
    EXPECT_THAT(apart.verdict.warnings, ElementsAre(HasSubstr("both let the state jump: beside this run they do so one "
                                                              "after the other")));
  }
  // ∂x/∂h = e g t₁' (t − t₁) − e g t₁ t₁' + g (t − t₁) t₁' = 0.25 with t₁' = 0.1.
  const std::string mark = "[[event]]\nname = \"mark\"\nwhen = \"y\"\n";
  for (const std::string& both : {event("x") + mark, mark + event("x")}) {
    const Trajectory noted = run_of(falling + both, {"x", "y"});
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
      EXPECT_THAT(run.verdict.warnings, IsEmpty());
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
