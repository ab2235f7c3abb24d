// SPDX-License-Identifier: Apache-2.0
// Kernels of equations whose velocities are not the rates of the coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/compile/tape_kernel.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "oracles/kinematic_kernels.h"

namespace dalembert {
namespace {

// oracles::QuaternionTop written as expressions: q = (r, e), v = (ṙ, ω).
Equations quaternion_top(const oracles::Top& top) {
  auto model = std::make_shared<Model>("quaternion top");
  Equations eq;
  for (const char* name : {"x", "y", "z", "e0", "e1", "e2", "e3"}) {
    const Coordinate c = model->coordinate(name);
    eq.q.push_back(c.q);
    eq.qd.push_back(c.qd);
    eq.qdd.push_back(c.qdd);
  }
  const Expr e0 = eq.q[3], e1 = eq.q[4], e2 = eq.q[5], e3 = eq.q[6], zero = model->constant(0);
  const std::vector<Expr> third{2 * (e1 * e3 + e0 * e2), 2 * (e2 * e3 - e0 * e1),
                                e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3};
  const std::vector<Expr> first{e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3, 2 * (e1 * e2 + e0 * e3),
                                2 * (e1 * e3 - e0 * e2)};
  const std::vector<Expr> second{2 * (e1 * e2 - e0 * e3), e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3,
                                 2 * (e2 * e3 + e0 * e1)};
  for (std::size_t i = 0; i < 3; ++i) eq.h.push_back(eq.q[i] - top.s * third[i]);
  model->holonomic("tip", eq.h);
  model->output("rate", eq.qd[4]);
  model->output("second rate", eq.qdd[0]);
  eq.graph = model->graph;
  eq.t = model->t;
  const std::vector<std::string> names{"vx", "vy", "vz", "wx", "wy", "wz"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    eq.v.push_back(eq.graph->add_symbol({names[i], SymbolKind::kQuasiVelocity, static_cast<int>(i), {}}));
    eq.vdot.push_back(eq.graph->add_symbol({names[i], SymbolKind::kQuasiAcceleration, static_cast<int>(i), {}}));
  }
  const Expr wx = eq.v[3], wy = eq.v[4], wz = eq.v[5];
  eq.N.rows = 7, eq.N.cols = 6;
  for (int i = 0; i < 3; ++i) add_entry(eq.N, i, i, model->constant(1));
  const Expr E[4][3] = {{-e1, -e2, -e3}, {e0, -e3, e2}, {e3, e0, -e1}, {-e2, e1, e0}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) add_entry(eq.N, 3 + i, 3 + j, E[i][j] / 2);
  eq.n0.assign(7, zero);
  eq.quaternions = {3};
  eq.M.rows = eq.M.cols = 6;
  const double inertia[6] = {top.m, top.m, top.m, top.A, top.A, top.C};
  eq.T = zero;
  for (int i = 0; i < 6; ++i) {
    add_entry(eq.M, i, i, zero + inertia[i]);
    eq.T = eq.T + inertia[i] / 2 * eq.v[static_cast<std::size_t>(i)] * eq.v[static_cast<std::size_t>(i)];
  }
  eq.V = top.m * top.g * eq.q[2];
  eq.L = eq.T - eq.V;
  eq.E = eq.T + eq.V;
  eq.dLdt = eq.power = zero;
  eq.conservative = true;
  eq.B = {zero, zero, zero, (top.C - top.A) * wy * wz, (top.A - top.C) * wx * wz, zero};
  eq.G = {zero, zero, zero + top.m * top.g, zero, zero, zero};
  eq.F.assign(6, zero);
  eq.W.rows = 3, eq.W.cols = 6;
  for (std::size_t i = 0; i < 3; ++i) {
    const int row = static_cast<int>(i);
    eq.rows.push_back(model->rows()[i]->name);
    eq.lambda.push_back(model->rows()[i]->lambda);
    eq.holonomic.push_back(row);
    add_entry(eq.W, row, row, model->constant(1));
    add_entry(eq.W, row, 3, top.s * second[i]);
    add_entry(eq.W, row, 4, -top.s * first[i]);
    eq.a.push_back(zero);
    eq.gamma.push_back(-top.s * (wx * wz * first[i] + wy * wz * second[i] - (wx * wx + wy * wy) * third[i]));
  }
  eq.model = model;
  return eq;
}

class Velocities : public ::testing::Test {
 protected:
  oracles::Top top;
  Dynamics made = compile(quaternion_top(top));
  Dynamics hand = oracles::make_dynamics<oracles::QuaternionTop>({"x", "y", "z", "e0", "e1", "e2", "e3"},
                                                                 {"tip[1]", "tip[2]", "tip[3]"}, top);

  // Near the manifold, of unit norm.
  State state() {
    std::uniform_real_distribution<double> any(-1, 1);
    State at{0, std::vector<double>(7), std::vector<double>(6)};
    double norm = 0;
    for (std::size_t i = 3; i < 7; ++i) norm += (at.q[i] = any(random_)) * at.q[i];
    for (std::size_t i = 3; i < 7; ++i) at.q[i] /= std::sqrt(norm);
    const auto axis = oracles::QuaternionTop::axis(at.q.data() + 3);
    for (std::size_t i = 0; i < 3; ++i) at.q[i] = top.s * axis[i] + 1e-3 * any(random_);
    for (double& v : at.v) v = any(random_);
    return at;
  }
  std::vector<double> call(const Dynamics& dynamics, KernelFunction function, const State& at) {
    std::vector<double> work(dynamics.layout().work), out(output_size(dynamics.layout(), function));
    dynamics.kernel().call(function,
                           {.t = at.t,
                            .q = at.q.data(),
                            .v = at.v.data(),
                            .p = dynamics.parameters().data(),
                            .prepared = dynamics.prepared(),
                            .work = work.data()},
                           out.data());
    return out;
  }

 private:
  std::mt19937 random_{7};
};

TEST_F(Velocities, LayoutIsThatOfTheHandWrittenKernel) {
  const Layout &a = made.layout(), &b = hand.layout();
  EXPECT_EQ(a.nq, b.nq);
  EXPECT_EQ(a.nv, b.nv);
  EXPECT_FALSE(a.v_is_qdot);
  EXPECT_EQ(a.quaternions, b.quaternions);
  EXPECT_TRUE(made.kernel().solves_kkt());
  EXPECT_EQ(made.names().velocity(3), "wx");
}

// Truth: the kernel written by hand. N is written in the same order; sizes of h are sums of the same terms.
TEST_F(Velocities, PositionsAndKinematicsAreThoseWrittenByHand) {
  for (int k = 0; k < 20; ++k) {
    const State at = state();
    for (const KernelFunction function : {KernelFunction::kPosition, KernelFunction::kKinematics}) {
      const std::vector<double> a = call(made, function, at), b = call(hand, function, at);
      const std::size_t h = function == KernelFunction::kPosition ? 3 : a.size();
      for (std::size_t i = 0; i < h; ++i) EXPECT_NEAR(a[i], b[i], 1e-14);
      // |∂h/∂q_j q_j| of one coordinate at a time, where by hand it is |∂h/∂q_j| |q_j| of each product.
      for (std::size_t i = h; i < a.size(); ++i) {
        EXPECT_LE(a[i], b[i] * (1 + 1e-14));
        EXPECT_GT(a[i], 0);
      }
    }
  }
}

// Truth: the rank-revealing solver on the kernel written by hand.
TEST_F(Velocities, TheKernelSolvesAsTheRankRevealingSolver) {
  for (int k = 0; k < 20; ++k) {
    const State at = state();
    const KktSolution a = solve_kkt(made, at), b = solve_kkt(hand, at);
    ASSERT_EQ(a.qdd.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a.qdd[i], b.qdd[i], 1e-10 * (1 + std::abs(b.qdd[i])));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.lambda[i], b.lambda[i], 1e-10 * (1 + std::abs(b.lambda[i])));
  }
}

// Truth: the constraints themselves. By the kernel's own steps, and by the dense solver of the one written by hand.
TEST_F(Velocities, ProjectionEndsOnTheManifold) {
  for (const Dynamics* dynamics : {&made, &hand}) {
    State at = state();
    const Projection done = project(*dynamics, at);
    EXPECT_TRUE(done.ok);
    EXPECT_GT(done.position_roundoff_before, 1e6);
    EXPECT_LT(done.position_roundoff, 2);
    const auto axis = oracles::QuaternionTop::axis(at.q.data() + 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(at.q[i], top.s * axis[i], 1e-15);
  }
}

// Truth: ė₁ = (e₀ω₁ − e₃ω₂ + e₂ω₃)/2, and v̇₁ is ẍ.
TEST_F(Velocities, OutputsMayContainRatesOfCoordinates) {
  const State at = state();
  const KktSolution solved = solve_kkt(made, at);
  std::vector<double> work(made.layout().work), out(2);
  made.kernel().call(KernelFunction::kOutputs,
                     {.q = at.q.data(),
                      .v = at.v.data(),
                      .qdd = solved.qdd.data(),
                      .lambda = solved.lambda.data(),
                      .p = made.parameters().data(),
                      .prepared = made.prepared(),
                      .work = work.data()},
                     out.data());
  EXPECT_NEAR(out[0], (at.q[3] * at.v[3] - at.q[6] * at.v[4] + at.q[5] * at.v[5]) / 2, 1e-15);
  EXPECT_NEAR(out[1], solved.qdd[0], 1e-15 * std::abs(solved.qdd[0]));
}

}  // namespace
}  // namespace dalembert
