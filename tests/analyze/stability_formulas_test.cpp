// SPDX-License-Identifier: Apache-2.0
// Jacobians, characteristic polynomials and conditions of Routh and Hurwitz, against numbers and closed forms.
#include "dalembert/analyze/stability/stability_formulas.h"
#include "dalembert/analyze/stability/linearize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/analyze/stability/stability.h"
#include "dalembert/expr/print.h"
#include "dalembert/expr/visit.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

double number(const System& system, const LinearMotion& motion, const Expr& e) {
  const Equations& eq = system.equations;
  return evaluate(e, [&](SymbolId id) {
    const Symbol& symbol = e.graph().symbol_info(id);
    const auto at = static_cast<std::size_t>(symbol.index);
    if (symbol.kind == SymbolKind::kParameter) return system.dynamics.parameters()[at];
    if (symbol.kind == SymbolKind::kCoordinate) return motion.at.q[at];
    if (symbol.kind == SymbolKind::kVelocity) return motion.at.v[at];
    ADD_FAILURE() << symbol.name << " of " << eq.model->name;
    return 0.0;
  });
}

LinearMotion linearized(const System& system, const State& state) {
  const EquationDerivatives derivatives(system.equations);
  return value_of(linearize({&system.dynamics, &derivatives}, state));
}

// J is the linearisation's A, whose derivatives come another way (tapes), and its eigenvalues are roots of the polynomial.
// Both are rounded: 1e-12 of the size of the terms.
TEST(StabilityFormulas, AreTheLinearisation) {
  struct Case {
    const char* model;
    State state;
  };
  for (const Case& c :
       {Case{"cart-pendulum", {0, {0.4, 0}, {0, 0}}}, Case{"cart-pendulum", {0, {0.4, 0.3}, {0.1, 0.7}}},
        Case{"double-pendulum", {0, {0, M_PI}, {0, 0}}}, Case{"double-pendulum", {0, {0.3, 0.2}, {1, -2}}},
        Case{"mass-spring", {0, {0.1}, {0.2}}}}) {
    const System system = shipped(c.model);
    const LinearMotion motion = linearized(system, c.state);
    const StabilityFormulas formulas = derive_stability(system.equations, motion);
    ASSERT_EQ(formulas.none, "") << c.model;
    std::vector<std::size_t> place;
    for (const std::string& name : formulas.states)
      for (std::size_t k = 0; k < motion.states.size(); ++k)
        if (motion.states[k].name == name) place.push_back(k);
    const std::size_t n = formulas.states.size();
    ASSERT_EQ(place.size(), n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(number(system, motion, formulas.J[i][j]), motion.A(place[i], place[j]),
                    1e-12 * (1 + largest(motion.A)))
            << c.model << " " << formulas.states[i] << " " << formulas.states[j];
    for (const std::complex<double>& s : eigenvalues_of(motion, motion.states.size() - n + formulas.zeros)) {
      // Of a coordinate that nothing depends on.
      if (s == 0.0 && motion.states.size() > n) continue;
      std::complex<double> sum = 1;
      double size = 1;
      for (const Expr& a : formulas.characteristic) {
        sum = sum * s + number(system, motion, a);
        size = size * std::abs(s) + std::abs(number(system, motion, a));
      }
      EXPECT_LE(std::abs(sum), 1e-10 * size) << c.model;
    }
  }
}

// A pendulum with damping c: s² + c/(m L²) s + (g/L) cos theta, with cos 0 = 1 hanging and cos π = −1 upright.
TEST(StabilityFormulas, DampedPendulum) {
  const System system(derive_loaded(load_model(make_source("model", R"toml(
name = "pendulum"
coordinates = ["theta"]
[parameters]
m = 2
L = 0.5
g = 10
c = 0.3
[energy]
kinetic = "m*L^2/2*dot(theta)^2"
potential = "-m*g*L*cos(theta)"
dissipation = "c/2*dot(theta)^2"
)toml"))));
  const StabilityFormulas hanging = derive_stability(system.equations, linearized(system, {0, {0}, {0}})),
                          upright = derive_stability(system.equations, linearized(system, {0, {M_PI}, {0}}));
  EXPECT_EQ(hanging.states, (std::vector<std::string>{"theta", "theta'"}));
  ASSERT_EQ(hanging.conditions.size(), 2U);
  const LinearMotion at = linearized(system, {0, {0}, {0}});
  EXPECT_NEAR(number(system, at, hanging.conditions[0]), 0.3 / 0.5, 1e-14);
  EXPECT_NEAR(number(system, at, hanging.conditions[1]), 20, 1e-13);
  EXPECT_NEAR(number(system, at, upright.conditions[1]), -20, 1e-13);
  EXPECT_FALSE(depends_on_kind(hanging.conditions[1], SymbolKind::kCoordinate));
}

// Two oscillators with a circulatory force b and damping c: (s² + c s + 1)(s² + c s + 2) + b². All conditions positive must
// mean all roots in numbers on the left, and nothing else.
TEST(StabilityFormulas, FourStatesAgreeWithTheirRoots) {
  for (const double b : {0.1, 0.4, 0.6, 1.0, 3.0})
    for (const double c : {-0.2, 0.05, 0.3, 0.9}) {
      const System system(
          derive_loaded(load_model(make_source("model", R"toml(
name = "follower"
coordinates = ["x", "y"]
[parameters]
b = 1
c = 1
[energy]
kinetic = "dot(x)^2/2 + dot(y)^2/2"
potential = "x^2/2 + y^2"
[[force]]
coordinate = "x"
value = "-c*dot(x) + b*y"
[[force]]
coordinate = "y"
value = "-c*dot(y) - b*x"
)toml"),
                                   load_options({"b=" + std::to_string(b), "c=" + std::to_string(c)}))));
      const LinearMotion motion = linearized(system, {0, {0, 0}, {0, 0}});
      const StabilityFormulas formulas = derive_stability(system.equations, motion);
      ASSERT_EQ(formulas.conditions.size(), 4U);
      bool positive = true, left = true;
      for (const Expr& condition : formulas.conditions) positive = positive && number(system, motion, condition) > 0;
      for (const std::complex<double>& s : eigenvalues_of(motion, 0)) left = left && s.real() < 0;
      EXPECT_EQ(positive, left) << b << " " << c;
    }
}

}  // namespace
}  // namespace dalembert
