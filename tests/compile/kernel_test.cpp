// SPDX-License-Identifier: Apache-2.0
#include "dalembert/compile/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "compile/reference_systems.h"
#include "dalembert/compile/tape_kernel.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using testing::SliderCrank;

// A random state of the slider-crank, on no manifold: the formulas hold everywhere.
struct Sample {
  std::array<double, 3> q{}, v{}, qdd{};
  std::array<double, 2> lambda{}, u{};
  std::vector<double> work;

  Sample(unsigned seed, const Dynamics& dynamics) : work(dynamics.layout().work, std::nan("")), dynamics_(dynamics) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-3, 3);
    for (double& value : q) value = any(random);
    for (double& value : v) value = any(random);
    for (double& value : qdd) value = any(random);
    for (double& value : lambda) value = any(random);
    for (double& value : u) value = any(random);
  }
  std::vector<double> call(KernelFunction function) {
    std::vector<double> out(output_size(dynamics_.layout(), function), std::nan(""));
    dynamics_.kernel().call(function,
                            {.t = 0.3,
                             .q = q.data(),
                             .v = v.data(),
                             .qdd = qdd.data(),
                             .lambda = lambda.data(),
                             .u = u.data(),
                             .p = dynamics_.parameters().data(),
                             .prepared = dynamics_.prepared(),
                             .work = work.data()},
                            out.data());
    return out;
  }

 private:
  const Dynamics& dynamics_;
};

using Matrix3 = std::array<std::array<double, 3>, 3>;

// Spreads the entries that a kernel wrote and moves on after them.
Matrix3 spread(const Pattern& pattern, std::vector<double>::const_iterator& from) {
  Matrix3 dense{};
  for (std::size_t k = 0; k < pattern.row.size(); ++k)
    dense[static_cast<std::size_t>(pattern.row[k])][static_cast<std::size_t>(pattern.col[k])] = *from++;
  return dense;
}

// The closed forms of the slider-crank (de Jalón and Bayo, Springer 1994, ch. 2; theory §10).
struct ClosedForm {
  static constexpr double g = 9.81, L1 = 0.15, L2 = 0.35, m1 = 0.36, m2 = 0.84, m3 = 1.2, I1 = 0.0027, I2 = 0.0343;
  Matrix3 M{}, W{};
  std::array<double, 3> B{}, G{}, F{};
  std::array<double, 2> h{}, gamma{};
  double T = 0, V = 0;

  ClosedForm(const Sample& s) {
    const auto [theta, phi, x] = s.q;
    const auto [thetad, phid, xd] = s.v;
    M[0] = {I1 + (m1 + 4 * m2) * L1 * L1, -2 * m2 * L1 * L2 * std::cos(theta - phi), 0};
    M[1] = {M[0][1], I2 + m2 * L2 * L2, 0};
    M[2] = {0, 0, m3};
    B = {-2 * m2 * L1 * L2 * phid * phid * std::sin(theta - phi),
         2 * m2 * L1 * L2 * thetad * thetad * std::sin(theta - phi), 0};
    G = {(m1 + 2 * m2) * g * L1 * std::cos(theta), -m2 * g * L2 * std::cos(phi), 0};
    F = {s.u[0], 0, s.u[1]};
    h = {2 * L1 * std::cos(theta) - 2 * L2 * std::cos(phi) - x, 2 * L1 * std::sin(theta) - 2 * L2 * std::sin(phi)};
    W[0] = {-2 * L1 * std::sin(theta), 2 * L2 * std::sin(phi), -1};
    W[1] = {2 * L1 * std::cos(theta), -2 * L2 * std::cos(phi), 0};
    gamma = {-2 * L1 * std::cos(theta) * thetad * thetad + 2 * L2 * std::cos(phi) * phid * phid,
             -2 * L1 * std::sin(theta) * thetad * thetad + 2 * L2 * std::sin(phi) * phid * phid};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) T += s.v[i] * M[i][j] * s.v[j] / 2;
    V = g * (m1 * L1 * std::sin(theta) + m2 * (2 * L1 * std::sin(theta) - L2 * std::sin(phi)));
  }
};

constexpr double kTolerance = 1e-12;  // numbers of up to 50 and a few dozen roundings: 50 · 30 ε is 3e-13

template <class A, class B>
void expect_near(const A& computed, const B& expected) {
  for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_NEAR(computed[i], expected[i], kTolerance) << i;
}
void expect_near(const Matrix3& computed, const Matrix3& expected) {
  for (std::size_t i = 0; i < 3; ++i) expect_near(computed[i], expected[i]);
}

class SliderCrankKernel : public ::testing::TestWithParam<unsigned> {
 protected:
  SliderCrank system_;
  Dynamics dynamics_ = compile(system_.equations());
  Sample sample_{GetParam(), dynamics_};
  ClosedForm expected_{sample_};
};

// Oracle of all of these: the closed forms above, at random states.
TEST_P(SliderCrankKernel, Terms) {
  const std::vector<double> out = sample_.call(KernelFunction::kTerms);
  auto at = out.begin();
  expect_near(spread(dynamics_.layout().M, at), expected_.M);
  for (const auto& vector : {expected_.B, expected_.G, expected_.F}) {
    expect_near(at, vector);
    at += 3;
  }
  expect_near(spread(dynamics_.layout().W, at), expected_.W);
  expect_near(at, std::array<double, 2>{0, 0});
  expect_near(at + 2, expected_.gamma);
  EXPECT_EQ(at + 4, out.end());
}

TEST_P(SliderCrankKernel, Rates) {
  const std::vector<double> out = sample_.call(KernelFunction::kRates);
  auto at = out.begin();
  expect_near(spread(dynamics_.layout().M, at), expected_.M);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(*at++, expected_.F[i] - expected_.B[i] - expected_.G[i], kTolerance);
  expect_near(spread(dynamics_.layout().W, at), expected_.W);
  expect_near(at, expected_.gamma);
  EXPECT_EQ(at + 2, out.end());
}

TEST_P(SliderCrankKernel, PositionVelocityMass) {
  expect_near(sample_.call(KernelFunction::kPosition), expected_.h);
  const std::vector<double> velocity = sample_.call(KernelFunction::kVelocity);
  auto at = velocity.begin();
  expect_near(spread(dynamics_.layout().W, at), expected_.W);
  expect_near(at, std::array<double, 2>{0, 0});
  const std::vector<double> mass = sample_.call(KernelFunction::kMass);
  at = mass.begin();
  expect_near(spread(dynamics_.layout().M, at), expected_.M);
}

TEST_P(SliderCrankKernel, EnergyAndOutputs) {
  const double power = sample_.u[0] * sample_.v[0] + sample_.u[1] * sample_.v[2];
  expect_near(sample_.call(KernelFunction::kEnergy),
              std::array<double, 5>{expected_.T, expected_.V, expected_.T + expected_.V, 0, power});
  expect_near(sample_.call(KernelFunction::kOutputs),
              std::array<double, 2>{std::hypot(sample_.lambda[0], sample_.lambda[1]), sample_.qdd[2]});
}

INSTANTIATE_TEST_SUITE_P(RandomStates, SliderCrankKernel, ::testing::Range(0u, 20u));

// Oracle: the definitions in dynamics/kernel.h, and the units of theory §1: λ of a length constraint is a force.
TEST(Compile, LayoutAndNames) {
  const SliderCrank system;
  const Dynamics dynamics = compile(system.equations());
  const Layout& layout = dynamics.layout();
  EXPECT_EQ(layout.nv, 3);
  EXPECT_EQ(layout.m, 2);
  EXPECT_THAT(layout.holonomic, ElementsAre(0, 1));
  EXPECT_EQ(layout.M.nonzeros(), 5);  // both halves; x is coupled with nothing
  EXPECT_EQ(layout.W.nonzeros(), 5);
  EXPECT_TRUE(layout.conservative);  // the inputs tau and f are 0
  EXPECT_EQ(layout.conserved, 0);
  const Names& names = dynamics.names();
  EXPECT_EQ(names.model, "slider-crank");
  EXPECT_THAT(names.coordinates, ElementsAre("theta", "phi", "x"));
  EXPECT_EQ(names.coordinate_units[2], "m");
  EXPECT_THAT(names.rows, ElementsAre("pin[1]", "pin[2]"));
  EXPECT_THAT(names.row_units, ElementsAre("m", "m"));
  EXPECT_THAT(names.lambda_units, ElementsAre("N", "N"));
  EXPECT_THAT(names.parameters, ElementsAre("g", "L1", "L2", "m1", "m2", "m3", "I1", "I2"));
  EXPECT_THAT(names.inputs, ElementsAre("tau", "f"));
  EXPECT_THAT(names.outputs, ElementsAre("pin_force", "slider_acceleration"));
  EXPECT_THAT(names.output_units, ElementsAre("N", "m/s^2"));
  EXPECT_DOUBLE_EQ(dynamics.parameters()[1], 0.15);
}

// Oracle: u(t) written out. The second input is a table, which Dynamics reads over the kernel's 0.
TEST(Compile, InputsAreExpressionsAndTables) {
  SliderCrank system;
  system.model->set_input("tau", sin(2 * system.model->t) * system.m1);
  system.model->inputs[1].value = {};
  system.model->inputs[1].time = {0, 1};
  system.model->inputs[1].sample = {10, 20};
  const Dynamics dynamics = compile(system.equations());
  std::vector<double> work(dynamics.layout().work), u(2, std::nan(""));
  dynamics.kernel().call(
      KernelFunction::kInputs,
      {.t = 0.25, .p = dynamics.parameters().data(), .prepared = dynamics.prepared(), .work = work.data()}, u.data());
  EXPECT_DOUBLE_EQ(u[0], std::sin(0.5) * 0.36);
  EXPECT_EQ(u[1], 0);
  dynamics.inputs(0.25, work.data(), u.data());
  EXPECT_DOUBLE_EQ(u[1], 12.5);
}

// A force free pendulum on a cart keeps its energy and the momentum of the cart: T + V, and p = (m+M)ẋ + M L θ̇ cos θ.
TEST(Compile, ConservedQuantities) {
  auto model = std::make_shared<Model>("cart-pendulum");
  const Coordinate x = model->coordinate("x", "m"), theta = model->coordinate("theta", "rad");
  const Expr m = model->parameter("m", 2, "kg"), M = model->parameter("M", 0.5, "kg"),
             L = model->parameter("L", 1.5, "m"), g = model->parameter("g", 9.81, "m/s^2"), zero = model->constant(0);
  model->gravity({zero, -g});
  model->body("cart", m, {x, zero});
  model->body("bob", M, {x + L * sin(theta), L * cos(theta)});
  const Result<Equations> equations = derive(model);
  ASSERT_TRUE(equations) << render(equations.diagnostics());
  const Dynamics dynamics = compile(*equations);
  ASSERT_THAT(dynamics.names().conserved, ElementsAre("p[x]"));
  EXPECT_TRUE(dynamics.layout().conservative);
  const std::array<double, 2> q{0.3, 0.9}, v{1.1, -2.0};
  std::vector<double> work(dynamics.layout().work), out(6);
  dynamics.kernel().call(KernelFunction::kEnergy,
                         {.q = q.data(),
                          .v = v.data(),
                          .p = dynamics.parameters().data(),
                          .prepared = dynamics.prepared(),
                          .work = work.data()},
                         out.data());
  EXPECT_NEAR(out[0], 2.5 / 2 * 1.21 + 0.5 * 1.5 * 1.1 * -2.0 * std::cos(0.9) + 0.5 * 2.25 * 4 / 2, kTolerance);
  EXPECT_NEAR(out[1], 0.5 * 9.81 * 1.5 * std::cos(0.9), kTolerance);
  EXPECT_NEAR(out[2], out[0] + out[1], kTolerance);
  EXPECT_NEAR(out[5], 2.5 * 1.1 + 0.5 * 1.5 * -2.0 * std::cos(0.9), kTolerance);
}

// What a table-driven kernel needs of scratch memory covers every function, and each function's tape writes what it
// should.
TEST(Compile, WorkCoversEveryTape) {
  const SliderCrank system;
  const TapeKernel kernel(system.equations());
  for (int i = 0; i <= static_cast<int>(KernelFunction::kPower); ++i) {
    const auto function = static_cast<KernelFunction>(i);
    EXPECT_LE(kernel.tape(function).registers, kernel.layout().work);
    EXPECT_EQ(kernel.tape(function).outputs, output_size(kernel.layout(), function));
  }
  EXPECT_LT(kernel.layout().work, 40u);
}

// Held values stand over guesses; what is neither is 0.
TEST(Compile, InitialState) {
  SliderCrank system;
  Initial& initial = system.model->initial;
  initial.t = 0.5;
  initial.position = {{0, 1.0, {}}};
  initial.position_guess = {{0, 7.0, {}}, {2, 0.8, {}}};
  initial.velocity = {{0, 4.0, {}}};
  const State start = initial_state(*system.model);
  EXPECT_EQ(start.t, 0.5);
  EXPECT_THAT(start.q, ElementsAre(1.0, 0.0, 0.8));
  EXPECT_THAT(start.v, ElementsAre(4.0, 0.0, 0.0));
  const AssembleOptions held = held_values(*system.model);
  EXPECT_THAT(held.hold_position, ElementsAre(true, false, false));
  EXPECT_THAT(held.hold_velocity, ElementsAre(true, false, false));
}

}  // namespace
}  // namespace dalembert
