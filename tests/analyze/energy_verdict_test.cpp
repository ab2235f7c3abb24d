// SPDX-License-Identifier: Apache-2.0
// Verdicts by the energy where eigenvalues on the axis decide nothing. Truth: Lagrange and Dirichlet's theorem, La Salle's principle, and for what must not be
// decided motions that leave.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dalembert/analyze/stability/stability.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using enum StabilityVerdict;

struct Forced {
  std::string potential;
  std::vector<std::string> forces;  // on x, y
  StabilityVerdict verdict;
  std::string dissipation = "0";
};

Stability judged_at_rest(const std::string& model, std::size_t n) {
  const System system = loaded(model);
  const EquationDerivatives derivatives(system.equations);
  const SteadySystem steady{&system.dynamics, &derivatives};
  const std::vector<double> zero(n);
  const Result<LinearMotion> motion = linearize(steady, {0, zero, zero});
  EXPECT_TRUE(motion.ok()) << render(motion.diagnostics());
  return motion ? judge_stability(steady, system.equations, *motion) : Stability{};
}

void expect_verdicts(const std::vector<Forced>& all) {
  for (const Forced& one : all) {
    const bool two = one.forces.size() > 1;
    std::string text = fmt::format(
        "coordinates = [{}]\nparameters = {{k = 4, c = 0.5, none = 0, lost = -0.5}}\n[energy]\nkinetic = \"{}\"\n"
        "potential = \"{}\"\ndissipation = \"{}\"\n",
        two ? "\"x\", \"y\"" : "\"x\"", two ? "(x'^2 + y'^2)/2" : "x'^2/2", one.potential, one.dissipation);
    for (std::size_t i = 0; i < one.forces.size(); ++i)
      text += fmt::format("[[force]]\ncoordinate = \"{}\"\nvalue = \"{}\"\n", i == 0 ? "x" : "y", one.forces[i]);
    EXPECT_EQ(judged_at_rest(text, two ? 2 : 1).verdict, one.verdict)
        << one.potential << ": " << fmt::format("{}", fmt::join(one.forces, ", ")) << "; " << one.dissipation;
  }
}

TEST(EnergyVerdict, OfOneFreedom) {
  expect_verdicts({
      {"k*x^2/2", {"-c*abs(x')*x'"}, kAsymptoticallyStable},
      {"k*x^2/2", {"-c*x'^3"}, kAsymptoticallyStable},
      {"k*x^2/2", {"-lost*x'^3"}, kUnstable},
      {"k*x^2/2", {"-none*x'^3"}, kStable},
      {"k*x^2/2", {"-c*sinh(x')*x'^2"}, kAsymptoticallyStable},
      {"k*x^2/2", {"-c*x'^3*(1 - x'^2)"}, kAsymptoticallyStable},
      {"k*x^2/2", {"-c*x'^3*(x - 1)"}, kUnstable},
      {"k*x^2/2", {"-c*x'*x^2"}, kStable},
      {"k*x^2/2", {"-c*x'*max(x', 0)"}, kStable},
      {"k*x^2/2", {"-c*x'^2"}, kMarginal},
      {"k*x^2/2", {"c*x'*x^2"}, kMarginal},
      {"k*x^2/2", {"-c*x'^3*sin(t)"}, kNone},
      {"k*x^2/2", {"-c*x'^3*x"}, kMarginal},
      {"0", {"-k*x - c*x'^3"}, kAsymptoticallyStable},
      {"0", {"-k*x"}, kStable},
      {"0", {"-k*x*(1 + t)"}, kNone},
      {"k*abs(x)", {"-c*x'"}, kStable},
      {"k*abs(x)^3 + k*x^2", {"-c*x'^3"}, kStable},
      {"k*x^4", {"0"}, kStable},
      {"k*x^4", {"-c*x'"}, kAsymptoticallyStable},
      {"k*x^4", {"-lost*x'^3"}, kUnstable},
      {"k*x^4*(1 - x)", {"-c*abs(x')*x'"}, kAsymptoticallyStable},
      {"-k*x^4", {"-c*x'"}, kMarginal},
      {"k*x^3", {"-c*x'"}, kMarginal},
      {"k*x^2*(x - 0.1)^2*x^2", {"-c*x'"}, kAsymptoticallyStable},
  });
}

// A damper between two coordinates takes from all motions but those in which they move alike.
TEST(EnergyVerdict, OfTwoFreedoms) {
  const std::string cubic = "-c*(x' - y')^3", back = "c*(x' - y')^3", other = "-c*(y' - x')^3";
  expect_verdicts({
      {"k*(x^2 + y^2)/2", {cubic, back}, kStable},
      {"k*(x^2 + 2*y^2)/2", {cubic, back}, kAsymptoticallyStable},
      {"k*(x^2 + 2*y^2)/2", {cubic, other}, kAsymptoticallyStable},
      {"k*(x^2 + 2*y^2)/2", {back, cubic}, kUnstable},
      {"k*(x^2 + 2*y^2)/2", {cubic, cubic}, kMarginal},
      {"k*(x^2 + y^2)/2", {"-c*x'", "0"}, kStable},
      {"k*(x^2 + y^2)/2", {"0", "0"}, kStable, "c/2*(x' + y')^2"},
      {"k*(x^2 + y^2 + x*y)/2", {"-c*x'^3", "0"}, kAsymptoticallyStable},
      {"k*(x^2 + y^2)/2", {"-c*x'^3 + y'", "-x'"}, kAsymptoticallyStable},
      {"0", {"-k*x + c*y", "-k*y + c*x"}, kStable},
      {"0", {"-k*x + c*y", "-k*y - c*x - x'"}, kUnstable},
      {"k*(x^4 + y^4)", {"0", "0"}, kStable},
      {"k*(x^2 + y^2)^2", {"-c*x'^3", "-c*y'"}, kAsymptoticallyStable},
      {"k*(x^2 + y^2)^2", {"-c*x'^3", "0"}, kStable},
      {"k*((x - y)^2 + y^4)", {"0", "0"}, kStable},
      {"k*(x - y)^4 - cos(y)", {"0", "0"}, kStable},
      {"k*(x - y)^4", {"-c*x'", "-c*y'"}, kMarginal},
      {"-k*(x - y)^4 + y^2", {"0", "0"}, kMarginal},
      {"k*(x^4 - y^4)", {"-c*x'", "-c*y'"}, kMarginal},
      {"k*(abs(x) + y^2)", {"-c*x'", "-c*y'"}, kStable},
  });
}

// Where families of equilibria cross, each is one, but between them the motion leaves: V = −x² y².
TEST(EnergyVerdict, FamiliesThatCrossAreNotOne) {
  const std::string damped[2] = {"-c*x'", "-c*y'"};
  expect_verdicts({
      {"-x^2*y^2", {damped[0], damped[1]}, kMarginal},
      {"x^2*(y - x)^2", {damped[0], damped[1]}, kMarginal},
      {"k*x^2", {damped[0], damped[1]}, kStable},
      {"k*(x + y)^2", {damped[0], damped[1]}, kStable},
      {"0", {damped[0], damped[1]}, kStable},
  });
}

// What is nearly flat is no family: x'' = x⁷ − c x' leaves, in whatever units, and the neighbour x = 0.01 of x² (x − 0.01) is another equilibrium.
TEST(EnergyVerdict, WhatIsFlatIsNoFamily) {
  for (const char* force :
       {"x^7 - c*x'", "x^11 - c*x'", "1e-8*x^3 - c*x'", "x^2*(x - 0.01) - c*x'", "x^2*(x + 0.006) - c*x'"}) {
    const Stability stability = judged_at_rest(
        fmt::format("coordinates = [\"x\"]\nparameters = {{c = 1}}\n[energy]\nkinetic = \"x'^2/2\"\n[[force]]\n"
                    "coordinate = \"x\"\nvalue = \"{}\"\n",
                    force),
        1);
    EXPECT_EQ(stability.verdict, kMarginal) << force;
    EXPECT_TRUE(stability.family.empty()) << force;
  }
}

// A linear system has no terms of higher order: what gyroscopic forces hold on a hill is stable.
TEST(EnergyVerdict, LinearSystemsAreDecided) {
  const auto judged = [](const std::string& turning) {
    return judged_at_rest("coordinates = [\"x\", \"y\"]\n[energy]\nlagrangian = \"(x'^2 + y'^2)/2 + " + turning +
                              "/2*(x*y' - y*x') + (x^2 + y^2)/2\"\n",
                          2)
        .verdict;
  };
  EXPECT_EQ(judged("3"), kStable);
  EXPECT_EQ(judged("1.9"), kUnstable);
}

// Steady motions by their momenta. A mass on a straight line that turns freely, with a spring from r = 1: it turns steadily at r = k/(k − w²). The conical
// pendulum, and Kepler's circle; with an attraction r⁻⁴ the circle is left (the eigenvalue is real), and with r⁻³, on the limit, nothing is said.
TEST(EnergyVerdict, SteadyMotionsByTheirMomenta) {
  const auto judged = [](const std::string& kinetic, const std::string& potential, double r, double w) {
    const System system = loaded("coordinates = [\"r\", \"a\"]\n[energy]\nkinetic = \"" + kinetic +
                                 "\"\npotential = \"" + potential + "\"\n");
    const EquationDerivatives derivatives(system.equations);
    const SteadySystem steady{&system.dynamics, &derivatives};
    const Result<LinearMotion> motion = linearize(steady, {0, {r, 0}, {0, w}});
    EXPECT_TRUE(motion.ok()) << render(motion.diagnostics());
    EXPECT_EQ(motion->kind, MotionKind::kSteadyMotion);
    return judge_stability(steady, system.equations, *motion).verdict;
  };
  const std::string polar = "(r'^2 + r^2*a'^2)/2";
  EXPECT_EQ(judged(polar, "2*(r - 1)^2", 4.0 / 3, 1), kStable);
  EXPECT_EQ(judged(polar, "-1/r", 1, 1), kStable);
  EXPECT_EQ(judged(polar, "-1/r^3/3", 1, 1), kUnstable);
  EXPECT_EQ(judged(polar, "-1/r^2/2", 1, 1), kMarginal);
  EXPECT_EQ(judged("(r'^2 + sin(r)^2*a'^2)/2", "-9.81*cos(r)", std::acos(9.81 / 16), 4), kStable);
}

}  // namespace
}  // namespace dalembert
