// SPDX-License-Identifier: Apache-2.0
#include "oracles/hand_kernels.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert::oracles {
namespace {

using Vector = std::vector<double>;

// Truth: the definitions (theory §2) applied to the kernel's own T, V and h by central differences with step 1e-5;
// their error is about 1e-10 (truncation) + 1e-16/1e-5 (round-off) of the terms' size, second differences 1e-6.
void check(const HandKernel& kernel, double t, const Vector& q, const Vector& v) {
  const int n = kernel.layout().nv, m = kernel.layout().m;
  const int m_h = static_cast<int>(kernel.layout().holonomic.size());
  const Vector u(8, 0.3);
  const auto terms = [&](double time, const Vector& x, const Vector& y) {
    Terms out;
    kernel.terms({time, x.data(), y.data(), u.data(), nullptr}, out);
    return out;
  };
  const auto moved = [](Vector x, std::size_t i, double s) {
    x[i] += s;
    return x;
  };
  const auto along = [](Vector x, const Vector& y, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += s * y[i];
    return x;
  };
  const double s = 1e-5;
  const Terms at = terms(t, q, v);

  // W and a are the derivatives of h.
  Vector up(8), down(8);
  for (int i = 0; i < n; ++i) {
    kernel.h(t, moved(q, i, s).data(), up.data());
    kernel.h(t, moved(q, i, -s).data(), down.data());
    for (int k = 0; k < m_h; ++k) EXPECT_NEAR(at.W[kernel.layout().holonomic[k]][i], (up[k] - down[k]) / (2 * s), 1e-8);
  }
  kernel.h(t + s, q.data(), up.data());
  kernel.h(t - s, q.data(), down.data());
  for (int k = 0; k < m_h; ++k) EXPECT_NEAR(at.a[kernel.layout().holonomic[k]], (up[k] - down[k]) / (2 * s), 1e-8);

  // γ is the rate of Wq̇ + a along the motion with q̈ = 0.
  const Terms ahead = terms(t + s, along(q, v, s), v), behind = terms(t - s, along(q, v, -s), v);
  for (int r = 0; r < m; ++r) {
    double rate = (ahead.a[r] - behind.a[r]) / (2 * s);
    for (int i = 0; i < n; ++i) rate += (ahead.W[r][i] - behind.W[r][i]) / (2 * s) * v[i];
    EXPECT_NEAR(at.gamma[r], rate, 1e-7 * (1 + std::abs(rate))) << "row " << r;
  }

  // B = Ṁq̇ − ∂T/∂q, G = ∂V/∂q.
  for (int i = 0; i < n; ++i) {
    double B = 0;
    for (int j = 0; j < n; ++j) B += (ahead.M[i][j] - behind.M[i][j]) / (2 * s) * v[j];
    const Terms right = terms(t, moved(q, i, s), v), left = terms(t, moved(q, i, -s), v);
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) B -= v[j] * (right.M[j][k] - left.M[j][k]) * v[k] / 2 / (2 * s);
    EXPECT_NEAR(at.B[i], B, 1e-7 * (1 + std::abs(B))) << "coordinate " << i;
    const double G =
        (kernel.potential(t, moved(q, i, s).data()) - kernel.potential(t, moved(q, i, -s).data())) / (2 * s);
    EXPECT_NEAR(at.G[i], G, 1e-6 * (1 + std::abs(G))) << "coordinate " << i;
  }
}

TEST(HandKernels, AreTheirOwnDerivatives) {
  check(CartesianPendulum(1.3, 0.7, 9.81, 2), 0, {0.4, -0.8}, {1.2, 0.3});
  check(SliderCrank(true), 0, {0.7, 2.5, 0.6}, {3, -2, 1.5});
  check(ChaplyginSleigh(), 0, {0.1, 0.2, 0.7}, {1, -0.5, 1.1});
  check(RotatingRod(), 0.8, {0.6, 0.7}, {0.3, -0.4});
  check(NonholonomicParticle(), 0, {0.3, 0.4, 0.5}, {1.1, 0.8, 0.2});
  check(KnifeEdge(), 0, {0.1, 0.2, 0.6}, {1, 2, 3});
  check(MasslessRodPendulum(), 0, {0.3, -0.9, 0.4}, {1, 0.5, 2});
  check(ContradictoryPendulum(0.7), 0.4, {0.6, -0.8}, {1, 0.5});
  check(DrivenOscillator(), 0.4, {0.6}, {1});
  check(Andrews(), 0, {-0.06, 0.1, 0.45, 0.22, 0.48, -0.22, 1.23}, {5, -4, 3, 2, -1, 2.5, 3.5});
}

}  // namespace
}  // namespace dalembert::oracles
