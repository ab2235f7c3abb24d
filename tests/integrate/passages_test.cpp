// SPDX-License-Identifier: Apache-2.0
// Runs that pass singular positions of W, and come near to them, on a slider-crank with equal bars.
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;

/// A crank of 2 L1, a rod of 2 L1 (1 + longer) that carries m2 in its middle, a slider m3; gravity g. Where the bars are equal
/// the second row of W vanishes with cos θ: there rod and crank may stay together (φ = θ), or the slider move on (φ = π − θ).
class EqualSlider : public HandKernel {
 public:
  static constexpr double L1 = 0.15, m1 = 0.36, m2 = 0.84, m3 = 1.2, I1 = 0.02, I2 = 0.05;
  const double g, L2;

  explicit EqualSlider(double gravity, double longer = 0)
      : HandKernel(3, 2, {0, 1}, true), g(gravity), L2(L1 * (1 + longer)) {}

  /// On φ = θ.
  static State together(double theta, double thetad) { return {0, {theta, theta, 0}, {thetad, thetad, 0}}; }
  /// On φ = π − θ, or beside it where the rod is longer.
  static State apart(double theta, double thetad, double longer = 0) {
    const double k = 1 / (1 + longer), s = k * std::sin(theta), R = L1 * (1 + longer);
    const double phi = std::cos(theta) > 0 ? M_PI - std::asin(s) : std::asin(s);
    const double phid = k * std::cos(theta) * thetad / std::cos(phi);
    return {0,
            {theta, phi, 2 * L1 * std::cos(theta) - 2 * R * std::cos(phi)},
            {thetad, phid, -2 * L1 * std::sin(theta) * thetad + 2 * R * std::sin(phi) * phid}};
  }

  void terms(const Point& at, Terms& out) const override { slider_crank_terms(*this, at, out); }
  void h(double, const double* q, double* out) const override { slider_crank_h(*this, q, out); }
  double potential(double, const double* q) const override { return slider_crank_potential(*this, q); }
};

Dynamics equal_slider(double g, double longer = 0) {
  return make_dynamics<EqualSlider>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"}, g, longer);
}

/// How many odd multiples of π/2 lie between two angles.
int uprights_between(double a, double b) {
  const auto below = [](double x) { return static_cast<int>(std::floor(x / M_PI - 0.5)); };
  return std::abs(below(b) - below(a));
}

// Truth: without weight both bars turn evenly, θ = θ₀ + ω t, and are upright when θ is an odd multiple of π/2. The steps of
// such a motion grow without bound, so that the row that vanishes comes back with its sign: two or more times in a step.
TEST(Passages, EvenNumbersOfThemWithinAStepAreTold) {
  for (const Method method : {Method::kDop853, Method::kDopri5})
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced})
      for (const double tolerance : {1e-6, 1e-9, 1e-12})
        for (const double theta : {2.507, -2.886, 0.3, 1.5, -1.7}) {
          const double omega = theta > 0 ? 3.2 : -5.9;
          const Trajectory path = integrate(
              equal_slider(0), EqualSlider::together(theta, omega),
              {.until = 4, .rtol = tolerance, .atol = tolerance, .method = method, .formulation = formulation});
          const std::string which =
              fmt::format("{} {} {} {}", to_text(method), formulation == Formulation::kReduced, tolerance, theta);
          ASSERT_EQ(path.status, RunStatus::kOk) << which << ": " << path.reason;
          const int passed = uprights_between(theta, theta + 4 * omega);
          ASSERT_EQ(path.events.size(), static_cast<std::size_t>(passed)) << which;
          for (const RunEvent& event : path.events) {
            EXPECT_EQ(event.name, "singular position: rank 1 of 2");
            // Beside a place that is known to 10 tolerances of its rows, which fall as θ comes there.
            EXPECT_NEAR(std::cos(theta + omega * event.t), 0, 1e-6 + 100 * tolerance) << which << ", t = " << event.t;
          }
        }
}

// Truth: energy; between the least and the largest speed the crank turns on, and what it passes follows from its angles. Near
// an upright position round-off in velocities is more than these tolerances allow, whether it lies ahead or behind.
TEST(Passages, RoundOffBesideThemEndsNoRun) {
  for (const Method method : {Method::kDop853, Method::kDopri5})
    for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced})
      for (int k = 0; k < 24; ++k) {
        const double theta = -3 + 0.25 * k, omega = 7 + 0.3 * k;
        const Trajectory path =
            integrate(equal_slider(9.81), EqualSlider::apart(theta, omega),
                      {.until = 2, .rtol = 1e-12, .atol = 1e-12, .method = method, .formulation = formulation});
        const std::string which = fmt::format("{} {} {}", to_text(method), formulation == Formulation::kReduced, k);
        ASSERT_EQ(path.status, RunStatus::kOk) << which << ": " << path.reason;
        EXPECT_EQ(path.events.size(), static_cast<std::size_t>(uprights_between(theta, path.q[0].back()))) << which;
        EXPECT_GT(path.q[0].back() - theta, 5);
        EXPECT_LE(path.verdict.energy_drift, 1e-8) << which;
      }
}

// Truth: bars that differ are never parallel to the guide both at once. Beside an upright position the rod swings over in
// less than a thousandth of a turn, and round-off is as large as where there is one.
TEST(Passages, RoundOffWhereTheMotionOnlyComesNearEndsNoRun) {
  for (const Method method : {Method::kDop853, Method::kDopri5})
    for (const double longer : {1e-4, 3e-4, 1e-3, 3e-3})
      for (int k = 0; k < 10; ++k) {
        const double theta = -1.2 + 0.2 * k, omega = 5 + 0.4 * k;
        const Trajectory path = integrate(equal_slider(9.81, longer), EqualSlider::apart(theta, omega, longer),
                                          {.until = 1, .rtol = 1e-12, .atol = 1e-12, .method = method});
        const std::string which = fmt::format("{} {} {}", to_text(method), longer, k);
        ASSERT_EQ(path.status, RunStatus::kOk) << which << ": " << path.reason;
        EXPECT_TRUE(path.events.empty()) << which;
        EXPECT_LE(path.verdict.energy_drift, 1e-8) << which;
      }
}

// Truth: about θ = −π/2 bars that stay together swing like a pendulum of inertia J and weight moment k, which passes there at
// odd quarters of its period 2π √(J/k)/M(1, cos(A/2)), M the arithmetic-geometric mean. At coarse tolerances a step may
// hold one passage and most of the way back.
TEST(Passages, ThereAndBackIsToldEachTime) {
  using S = EqualSlider;
  for (const double amplitude : {0.06, 0.1, 0.2, 0.5, 1.0}) {
    const double J = S::I1 + S::I2 + (S::m1 + S::m2) * S::L1 * S::L1, k = (S::m1 + S::m2) * 9.81 * S::L1;
    double a = 1, b = std::cos(amplitude / 2);
    for (int i = 0; i < 8; ++i) {
      const double mean = (a + b) / 2;
      b = std::sqrt(a * b);
      a = mean;
    }
    const double period = 2 * M_PI * std::sqrt(J / k) / a, until = 4.1 * period;
    for (const double tolerance : {1e-4, 1e-6, 1e-9, 1e-12})
      for (const Method method : {Method::kDop853, Method::kDopri5})
        for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
          const Trajectory path = integrate(equal_slider(9.81), S::together(-M_PI / 2 + amplitude, 0),
                                            {.until = until,
                                             .rtol = tolerance,
                                             .atol = tolerance * amplitude,
                                             .method = method,
                                             .formulation = formulation});
          const std::string which =
              fmt::format("{} {} {} {}", to_text(method), formulation == Formulation::kReduced, tolerance, amplitude);
          ASSERT_EQ(path.status, RunStatus::kOk) << which << ": " << path.reason;
          ASSERT_EQ(path.events.size(), 8u) << which;
          for (std::size_t n = 0; n < 8; ++n)
            EXPECT_NEAR(path.events[n].t, (2 * static_cast<double>(n) + 1) * period / 4, 1e-6 + 100 * tolerance)
                << which;
        }
  }
}

}  // namespace
}  // namespace dalembert
