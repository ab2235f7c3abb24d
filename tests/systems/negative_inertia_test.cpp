// SPDX-License-Identifier: Apache-2.0
// Negative inertias of systems with friction: accelerations do not exist, as without friction. Oracles: the same system without friction, whose solver factors M on
// the motions that the rows allow, and closed forms.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <eigen3/Eigen/Dense>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/kkt_solver.h"
#include "dalembert/integrate/integrate.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using testing::HasSubstr;

// Two or three coordinates; `friction` acts on the last one.
const std::string kSlides = R"toml([[friction]]
name = "slide"
normal = 5
velocity = "y'"
coefficient = 0.3
)toml";

System inertia_system(const std::string& text, bool friction) {
  return System(derive_loaded(load_model(make_source("inertia", text + (friction ? kSlides : "")), {})));
}

Trajectory inertia_run(const System& system, double until, Method method = Method::kDop853) {
  IntegrateOptions options{.until = until};
  options.method = method;
  return integrate(system.dynamics, system.guess, options);
}

// x has the mass −1 kg, y slides or stands still. The run does not start, whether y has friction or not.
TEST(NegativeInertia, EndsARunAtItsStart) {
  for (const std::string speed : {"2", "0"})
    for (const bool friction : {false, true}) {
      const System system =
          inertia_system("coordinates = [\"x\", \"y\"]\n[initial]\nvelocity = {y = " + speed + R"toml(}
[energy]
kinetic = "-x'^2/2 + y'^2/2"
[[force]]
coordinate = "x"
value = 1.5
)toml",
                         friction);
      EXPECT_EQ(solve_kkt(system.dynamics, system.guess).status, KktStatus::kSingular);
      for (const Method method : {Method::kDop853, Method::kRadau}) {
        const Trajectory path = inertia_run(system, 3, method);
        EXPECT_EQ(path.status, RunStatus::kFailed);
        EXPECT_FALSE(path.verdict.holds);
        EXPECT_THAT(path.reason, HasSubstr("no accelerations exist at t = 0 s: `M[x,x] = -1` is negative"));
      }
    }
}

// The mass of x is 1 − y, and x is at rest without forces: only where y passes 1 m, at 1/2 s, are there no accelerations any more.
TEST(NegativeInertia, EndsARunWhereItBegins) {
  for (const bool friction : {false, true}) {
    const System system = inertia_system(R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "(1 - y)*x'^2/2 + y'^2/2"
[initial]
velocity = {y = 2}
)toml",
                                         friction);
    const Trajectory path = inertia_run(system, 1);
    EXPECT_NE(path.status, RunStatus::kOk) << friction;
    EXPECT_FALSE(path.verdict.holds);
    EXPECT_THAT(path.reason, HasSubstr("mass matrix is singular on the motions that the constraints allow"));
    EXPECT_THAT(path.reason, testing::Not(HasSubstr("friction")));
    EXPECT_LE(path.final_state().q[1], 1 + 1e-6);
  }
}

// A ball strikes the floor while a negative mass is free beside it; and one that only the floor holds, which a contact might leave.
TEST(NegativeInertia, HasNoImpacts) {
  const System beside = inertia_system(R"toml(coordinates = ["h", "x", "y"]
[energy]
kinetic = "h'^2/2 - x'^2/2 + y'^2/2"
potential = "10*h"
[[constraint]]
name = "floor"
holonomic = "h"
unilateral = true
[initial]
position = {h = 1}
velocity = {y = 2}
)toml",
                                       true);
  EXPECT_THAT(inertia_run(beside, 1).reason, HasSubstr("`M[x,x] = -1` is negative"));
  for (const bool friction : {false, true}) {
    const System held = inertia_system(R"toml(coordinates = ["h", "y"]
[energy]
kinetic = "-h'^2/2 + y'^2/2"
potential = "10*h"
[[constraint]]
name = "floor"
holonomic = "h"
unilateral = true
[initial]
velocity = {y = 2}
)toml",
                                       friction);
    const Trajectory path = inertia_run(held, 1);
    EXPECT_NE(path.status, RunStatus::kOk) << friction;
    EXPECT_FALSE(path.verdict.holds);
  }
}

// A bar ties −1 kg to 3 kg: the motion has 2 kg, and the pair slides on y with v = 2 − μN t/2 until it stands still.
TEST(NegativeInertia, MayBePartOfAPositiveOne) {
  const System system = inertia_system(R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "-x'^2/2 + 3*y'^2/2"
[[constraint]]
name = "bar"
holonomic = "x - y"
[initial]
velocity = {x = 2, y = 2}
)toml",
                                       true);
  const Trajectory path = inertia_run(system, 4);
  EXPECT_TRUE(path.verdict.holds) << path.reason;
  EXPECT_NEAR(path.final_state().q[1], 2 * 2 / (2 * 0.75), 1e-9);
}

// A slider without mass stands still by its friction between two springs: it has no inertia, and needs none.
TEST(NegativeInertia, IsNotAMissingOneThatFrictionHolds) {
  const System system = inertia_system(R"toml(coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2"
potential = "(x - y)^2/2"
[initial]
position = {x = 1}
)toml",
                                       true);
  const Trajectory path = inertia_run(system, 1);
  EXPECT_TRUE(path.verdict.holds) << path.reason;
  EXPECT_NEAR(path.final_state().q[0], std::cos(1.0), 1e-9);
}

// Random M and one random row, in SI and other units: friction finds no accelerations just where the dense solver without friction finds none.
TEST(NegativeInertia, IsThatOfTheSolverWithoutFriction) {
  System system = inertia_system(R"toml(coordinates = ["x", "z", "y"]
[parameters]
a = 1
b = 1
c = 1
d = 0
e = 0
f = 0
u = 1
v = 1
w = 1
[energy]
kinetic = "a*x'^2/2 + b*z'^2/2 + c*y'^2/2 + d*x'*z' + e*x'*y' + f*z'*y'"
[[constraint]]
name = "row"
pfaffian = "u*x' + v*z' + w*y'"
)toml",
                                 true);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int singular = 0;
  for (int i = 0; i < 400; ++i) {
    const double unit = std::pow(10.0, (i % 5 - 2) * 2);
    const double a = (1 + normal(random)) * unit * unit, b = 1 + normal(random), c = 1 + normal(random);
    const double d = normal(random) * unit, e = normal(random) * unit, f = normal(random);
    const double W[] = {normal(random) * unit, normal(random), normal(random)};
    const double M[] = {a, d, e, d, b, f, e, f, c};
    system.dynamics.set_parameters(0, std::vector<double>{a, b, c, d, e, f, W[0], W[1], W[2]});
    KktSolver dense(3, 1, {.rank_revealing_only = true});
    const KktStatus status = dense.factor(M, W);
    singular += status == KktStatus::kSingular ? 1 : 0;
    EXPECT_EQ(solve_kkt(system.dynamics, {0, {0, 0, 0}, {1, -1, 0}}).status, status) << i;
  }
  EXPECT_GT(singular, 100);
  EXPECT_LT(singular, 300);
}

// A form is negative in some direction although each coordinate alone, or each pivot beside its entry, has the right sign. Oracle: eigenvalues of M on the motions
// that the bar allows.
TEST(NegativeInertia, OfCoupledCoordinatesIsFound) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> entry(-2, 2);
  int found = 0;
  for (int k = 0; k < 80; ++k) {
    Eigen::Matrix3d M;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) M(i, j) = M(j, i) = entry(random) + (i == j ? 1 : 0);
    const bool has_bar = k % 2 == 1;
    const Eigen::RowVector3d W(entry(random), entry(random), entry(random));
    Eigen::MatrixXd free = Eigen::Matrix3d::Identity();
    if (has_bar) free = Eigen::FullPivLU<Eigen::MatrixXd>(W).kernel();
    const double least = (free.transpose() * M * free).selfadjointView<Eigen::Lower>().eigenvalues().minCoeff();
    if (std::abs(least) < 0.01) continue;
    std::string text = fmt::format(R"toml(coordinates = ["x", "y", "z"]
[energy]
kinetic = "({})/2*x'^2 + ({})/2*y'^2 + ({})/2*z'^2 + ({})*x'*y' + ({})*x'*z' + ({})*y'*z'"
)toml",
                                   M(0, 0), M(1, 1), M(2, 2), M(0, 1), M(0, 2), M(1, 2));
    if (has_bar)
      text +=
          fmt::format("[[constraint]]\nname = \"bar\"\nholonomic = \"({})*x + ({})*y + ({})*z\"\n", W(0), W(1), W(2));
    const System system = inertia_system(text, false);
    EXPECT_EQ(inertia_run(system, 0.01).verdict.holds, least > 0) << text;
    found += least < 0 ? 1 : 0;
  }
  EXPECT_GT(found, 20);
  EXPECT_LT(found, 75);
}

// A sliding block without mass: nothing balances the friction, and it does not stick, as it slides. Beside it another block slides as it should.
TEST(NegativeInertia, OfASlidingBlockThatHasNone) {
  for (const bool beside : {false, true}) {
    const Trajectory path = inertia_run(inertia_system(R"toml(coordinates = ["x", "y"]
[parameters]
m = 0
[energy]
kinetic = "x'^2/2 + m*y'^2/2"
[initial]
velocity = {y = 2}
)toml" + std::string(beside ? "[[friction]]\nname = 'rub'\nnormal = 3\nvelocity = \"x'\"\ncoefficient = 0.1\n" : ""),
                                                       true),
                                        1);
    EXPECT_EQ(path.status, RunStatus::kFailed);
    EXPECT_EQ(path.reason,
              "no accelerations exist at t = 0 s: `y` has no inertia, and neither the constraints nor a friction that "
              "slides determine it");
  }
}

}  // namespace
}  // namespace dalembert
