// SPDX-License-Identifier: Apache-2.0
// Derivatives of accelerations, multipliers and forces of frictions in a given mode (integrate/implicit_derivatives.h) against differences of the solver of this
// mode, in every mode of a few systems: frictions that press on each other, in planes, with forces that depend on multipliers, in parts.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dalembert/dynamics/derivative_along.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/exact_derivatives.h"
#include "systems/shipped_model.h"

namespace dalembert {
namespace {

using integration::ExactDerivatives;
using Part = RunDerivatives::Part;

// A point mass on a surface with friction in its plane, which a force that depends on the multiplier pushes, and rails beside it that the multiplier presses.
constexpr const char* kOnASurface = R"toml(name = "on_a_surface"
coordinates = ["x", "y", "z"]
parameters = {m = 1.3, a = 0.4, mu = 0.3, b = 0.2, c = 0.15, s = 0.1}
energy = {kinetic = "m/2*(x'^2 + y'^2 + z'^2) + x*x'*y'/9", potential = "9.81*m*z + x^2"}
constraint = [{name = "surface", holonomic = "z - a*x*y - sin(x)/4"}]
[[force]]
coordinate = "y"
value = "-s*lambda(surface)*cos(x) - y'"
[[friction]]
name = "ground"
normal = "lambda(surface)*(1 + x^2/8)"
velocity = ["x' + y*z'", "y' - s"]
coefficient = "mu*(1 + b*y^2)"
viscous = "c*(1 + x^2)"
[[friction]]
name = "rail"
normal = "s*lambda(surface) + b*x"
velocity = "x' - 0.3*y' + 0.2"
coefficient = "mu + b/(1 + y'^2)"
)toml";

// Two of them beside each other, which nothing couples.
constexpr const char* kBlocks = R"toml(name = "blocks"
coordinates = ["x", "y"]
parameters = {m = 1.3, k = 2.0, mu = 0.3, c = 0.15}
energy = {kinetic = "m/2*x'^2 + y'^2", potential = "k*x^2 + sin(y)"}
[[friction]]
name = "first"
normal = "m*(2 + cos(x))"
velocity = "x'"
coefficient = "mu"
viscous = "c*x"
[[friction]]
name = "second"
normal = "k + y^2"
velocity = "y' - 1"
coefficient = "mu/(1 + y'^2)"
)toml";

class InAMode {
 public:
  explicit InAMode(const char* text)
      : system_(derive_loaded(load_model(make_source("friction", text), {}))), workspace_(system_.dynamics) {
    for (int i = 0; i < system_.dynamics.layout().parameters; ++i) parameters_.push_back(i);
    functions_ = compile_derivatives(system_.equations, parameters_, {.machine_code = false});
  }
  FrictionSystem& friction() { return *workspace_.friction; }
  int frictions() const { return system_.dynamics.layout().frictions; }

  // All derivatives at a point against differences of order 4 of the solver.
  void compare(const std::vector<double>& y) {
    ASSERT_NE(functions_, nullptr);
    const Layout& layout = system_.dynamics.layout();
    const std::size_t n = y.size(), rows = static_cast<std::size_t>(layout.nv + layout.multipliers());
    ExactDerivatives exact(*functions_, system_.dynamics, workspace_);
    exact.use_parameters();
    exact.set_point(0, 0, y.data());
    ASSERT_TRUE(exact.find_slopes(1));
    ASSERT_TRUE(exact.knows_forces());
    for (std::size_t k = 0; k < n + parameters_.size(); ++k) {
      std::vector<double> direction(static_cast<std::size_t>(exact.columns().end)), found(rows);
      direction[k < n ? k : static_cast<std::size_t>(exact.columns().p) + k - n] = 1;
      const ExactDerivatives::Parameters moved{k < n ? 0 : k - n, k < n ? 0 : k - n + 1};
      exact.multiply(Part::kAccelerations, 0, moved, direction.data(), found.data());
      std::vector<double> beside(rows);
      for (const double h : {1e-3, -1e-3, 2e-3, -2e-3}) {
        const std::vector<double> at = solve_beside(y, k, h);
        for (std::size_t i = 0; i < rows; ++i)
          beside[i] += at[i] * (std::abs(h) < 1.5e-3 ? 8 : -1) * (h > 0 ? 1 : -1) / 12e-3;
      }
      for (std::size_t i = 0; i < rows; ++i)
        EXPECT_NEAR(found[i], beside[i], 1e-8 * (1 + std::abs(beside[i]))) << "row " << i << " by " << k;
    }
  }

 private:
  std::vector<double> solve_beside(std::vector<double> y, std::size_t k, double h) {
    Dynamics dynamics = system_.dynamics;
    std::vector<double> values(dynamics.parameters().begin(), dynamics.parameters().end());
    (k < y.size() ? y[k] : values[k - y.size()]) += h;
    dynamics.set_parameters(0, values);
    const Layout& layout = dynamics.layout();
    std::vector<double> out(static_cast<std::size_t>(layout.nv + layout.multipliers()));
    const KktStatus status =
        solve_kkt(dynamics, 0, y.data(), y.data() + layout.nq, workspace_, out.data(), out.data() + layout.nv);
    EXPECT_EQ(status, KktStatus::kOk);
    return out;
  }

  System system_;
  Workspace workspace_;
  std::vector<int> parameters_;
  std::shared_ptr<const RunDerivatives> functions_;
};

// Every combination of sticking and sliding, with either sign of the rail's normal force.
TEST(ImplicitDerivatives, OfEveryModeOfAPointOnASurface) {
  InAMode system(kOnASurface);
  FrictionSystem& friction = system.friction();
  friction.held = true;
  for (const int ground : {0, 1})
    for (const int rail : {-1, 0, 1})
      for (const int load : {-1, 1}) {
        if (ground == 0 && rail == 0) continue;  // two rows for the two velocities that are left, and a third
        SCOPED_TRACE(testing::Message() << "ground " << ground << ", rail " << rail << ", load " << load);
        friction.mode[0] = {ground, 1, 0.6};
        friction.mode[1] = {ground, 1, 0.8};
        friction.mode[2] = {rail, load, 0};
        for (const int j : {0}) friction.keep_along(j, 0);
        system.compare({0.4, 0.7, 0.3, 0.5, -0.4, 0.2});
      }
}

// A friction in a plane that keeps its direction, and one that passes over from it to that of its speed.
TEST(ImplicitDerivatives, WhereSlidingInAPlaneBegins) {
  InAMode system(kOnASurface);
  FrictionSystem& friction = system.friction();
  friction.held = true;
  friction.mode[0] = {1, 1, 0.6};
  friction.mode[1] = {1, 1, 0.8};
  friction.mode[2] = {1, 1, 0};
  friction.keep_along(0, 10);
  system.compare({0.4, 0.7, 0.3, 0.5, -0.4, 0.2});
  for (const double begin : {0.3, 0.9}) {
    friction.keep_along(0, 0);
    friction.begin_along(0, begin);
    system.compare({0.4, 0.7, 0.3, 0.5, 0.4, 0.2});
    system.compare({0.4, 0.7, 0.3, -0.5, -0.4, 0.2});  // against the direction in which it began
  }
}

TEST(ImplicitDerivatives, OfPartsThatNothingCouples) {
  InAMode system(kBlocks);
  FrictionSystem& friction = system.friction();
  ASSERT_EQ(friction.parts(), 2U);
  friction.held = true;
  for (const int first : {-1, 0, 1})
    for (const int second : {-1, 0, 1}) {
      SCOPED_TRACE(testing::Message() << first << ' ' << second);
      friction.mode[0] = {first, 1, 0};
      friction.mode[1] = {second, 1, 0};
      system.compare({0.4, 0.7, first == 0 ? 0 : 0.5, second == 0 ? 1 : -0.4});
    }
}

}  // namespace
}  // namespace dalembert
