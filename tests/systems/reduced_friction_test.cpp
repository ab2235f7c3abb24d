// SPDX-License-Identifier: Apache-2.0
// Equations without multipliers where forces depend on multipliers: the formulas of derive/reduce.h, with the forces of
// frictions as symbols, against the solve of the whole system.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "dalembert/derive/reduce.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/expr/visit.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

// A block on an incline whose friction is a force that is linear in the multiplier; another force pulls it off the plane
// by a part of what the plane bears, so that λ is in its own equation as well.
constexpr const char* kForceOfMultiplier = R"toml(
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
holonomic = "n - 0.1*s^2"
[[force]]
coordinate = "s"
value = "-mu*lambda(plane)"
[[force]]
coordinate = "n"
value = "mu*lambda(plane)/4"
)toml";

Equations equations_named(const std::string& name) {
  return name == "force" ? derive_loaded(load_model(make_source("incline", kForceOfMultiplier), {}))
                         : derive_shipped(name);
}

class ReducedFriction : public ::testing::TestWithParam<std::string> {};

// Oracle: the KKT system at the same state, whose q̈ is S v̇ + Ṡ v + ṡ₀, and whose λ and f the formulas read.
TEST_P(ReducedFriction, FormulasAreThoseOfTheWholeSystem) {
  const System system{equations_named(GetParam())};
  const Equations& eq = system.equations;
  const Reduced r = value_of(reduce(eq));
  ASSERT_FALSE(r.vdot.empty());
  ASSERT_FALSE(r.lambda.empty());
  EXPECT_FALSE(r.closed);
  std::mt19937 random(23);
  std::uniform_real_distribution<double> any(-0.2, 0.2);
  Workspace workspace(system.dynamics);  // inputs are constant in these models
  int compared = 0;
  for (int k = 0; k < 12; ++k) {
    State state = system.start();
    for (double& q : state.q) q += any(random);
    for (double& v : state.v) v += 5 * any(random);
    Assembly assembly = assemble(system.dynamics, state);
    if (!assembly.ok() || !project(system.dynamics, assembly.state).ok) continue;
    state = assembly.state;
    const KktSolution expected = solve_kkt(system.dynamics, state);
    if (expected.status != KktStatus::kOk) continue;
    std::vector<double> v(r.velocities.size());
    const auto value = [&](SymbolId id) {
      const Symbol& symbol = r.graph->symbol_info(id);
      const auto at = static_cast<std::size_t>(symbol.index);
      switch (symbol.kind) {
        case SymbolKind::kCoordinate:
          return state.q.at(at);
        case SymbolKind::kVelocity:
          return state.v.at(at);
        case SymbolKind::kParameter:
          return system.dynamics.parameters()[at];
        case SymbolKind::kInput:
          return workspace.u.at(at);
        case SymbolKind::kMultiplier:
          return at < expected.lambda.size() ? expected.lambda[at] : expected.friction.at(at - expected.lambda.size());
        case SymbolKind::kTime:
          return state.t;
        default:
          break;
      }
      for (std::size_t i = 0; i < v.size(); ++i)
        if (r.velocities[i].v.symbol() == id) return v[i];
      ADD_FAILURE() << symbol.name;
      return std::nan("");
    };
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = evaluate(r.velocities[i].definition, value);
    const std::vector<double> vdot = evaluate(r.vdot, value), lambda = evaluate(r.lambda, value),
                              b = evaluate(r.b, value), M = evaluate(r.M.value, value);
    double size = 1;
    for (const std::vector<double>* x : {&expected.qdd, &expected.lambda})
      for (const double entry : *x) size = std::max(size, std::abs(entry));
    for (int i = 0; i < eq.nv(); ++i) {
      double qdd = evaluate(r.s0dot[static_cast<std::size_t>(i)], value);
      for (int j = 0; j < r.nv(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (const Expr s = r.S.find(i, j)) qdd += evaluate(s, value) * vdot[at];
        if (const Expr s = r.Sdot.find(i, j)) qdd += evaluate(s, value) * v[at];
      }
      EXPECT_NEAR(qdd, expected.qdd[static_cast<std::size_t>(i)], 1e-11 * size) << "coordinate " << i;
    }
    for (std::size_t j = 0; j < lambda.size(); ++j) EXPECT_NEAR(lambda[j], expected.lambda[j], 1e-11 * size);
    std::vector<double> left = b;
    for (std::size_t e = 0; e < M.size(); ++e)
      left[static_cast<std::size_t>(r.M.row[e])] += M[e] * vdot[static_cast<std::size_t>(r.M.col[e])];
    for (const double x : left) EXPECT_NEAR(x, 0, 1e-11 * size);
    ++compared;
  }
  EXPECT_GT(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(Shipped, ReducedFriction,
                         ::testing::Values("force", "block-on-belt", "block-on-incline", "ladder",
                                           "rod-on-corner-friction", "rod-on-rough-plane"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

// Oracle: the run with multipliers, through the same 4 changes of what the belt's friction does.
TEST(ReducedFriction, SticksAndSlidesAtTheSameInstants) {
  const System belt{derive_shipped("block-on-belt")};
  IntegrateOptions options{.until = 15, .rtol = 1e-11, .atol = 1e-13};
  const Trajectory full = integrate(belt.dynamics, belt.start(), options);
  options.formulation = Formulation::kReduced;
  const Trajectory reduced = integrate(belt.dynamics, belt.start(), options);
  ASSERT_EQ(reduced.status, RunStatus::kOk) << reduced.reason;
  EXPECT_TRUE(reduced.verdict.holds) << to_text(reduced.verdict);
  ASSERT_GE(full.events.size(), 4u);
  ASSERT_EQ(full.events.size(), reduced.events.size());
  for (std::size_t i = 0; i < full.events.size(); ++i) {
    EXPECT_EQ(full.events[i].name, reduced.events[i].name);
    EXPECT_NEAR(full.events[i].t, reduced.events[i].t, 1e-9);
  }
  EXPECT_EQ(reduced.friction.size(), 1u);
}

// What sticks does not creep: no motion at all.
TEST(ReducedFriction, ABlockStaysWhereItIs) {
  const System block{derive_shipped("block-on-incline")};
  const Trajectory path =
      integrate(block.dynamics, block.start(), {.until = 1e4, .formulation = Formulation::kReduced});
  ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
  for (const auto& series : path.v)
    for (const double v : series) ASSERT_EQ(v, 0);
}

}  // namespace
}  // namespace dalembert
