// SPDX-License-Identifier: Apache-2.0
// Gains and sampled systems of motions that are far apart, against closed forms and references in many digits.
#include "dalembert/analyze/control/riccati.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "dalembert/analyze/stability/matrix.h"

namespace dalembert {
namespace {

Matrix rows(std::size_t n, std::size_t m, std::initializer_list<double> entries) {
  Matrix made(n, m);
  std::copy(entries.begin(), entries.end(), made.entries.begin());
  return made;
}

Matrix unit(std::size_t n) {
  Matrix made(n, n);
  for (std::size_t i = 0; i < n; ++i) made(i, i) = 1;
  return made;
}

void expect_near(const Matrix& found, std::initializer_list<double> truth, double relative) {
  ASSERT_EQ(found.entries.size(), truth.size());
  for (std::size_t k = 0; k < truth.size(); ++k)
    EXPECT_NEAR(found.entries[k], truth.begin()[k], relative * std::abs(truth.begin()[k])) << k;
}

// m x'' = −k x − c x' + f under ∫ x² + x'² + f²: the equations of X give K₁² + 2 k K₁ = 1 and K₂² + 2 c K₂ = 1 + 2 m K₁.
TEST(Riccati, GainsOfOneMassOfAnySize) {
  for (const double m : {1e-12, 1e-3, 1.0, 1e9})
    for (const double k : {1e-6, 40.0, 1e9})
      for (const double c : {0.0, 1e-9, 10.0}) {
        SCOPED_TRACE(testing::Message() << "m " << m << " k " << k << " c " << c);
        const auto found =
            solve_continuous_riccati(rows(2, 2, {0, 1, -k / m, -c / m}), rows(2, 1, {0, 1 / m}), {unit(2), unit(1)});
        ASSERT_TRUE(found);
        const double K1 = 1 / (k + std::sqrt(k * k + 1)), of_2 = 1 + 2 * m * K1;
        expect_near(found->K, {K1, of_2 / (c + std::sqrt(c * c + of_2))}, 1e-9);
        EXPECT_LT(found->error, 1e-9);
      }
}

// Truth: eigenvectors of the Hamiltonian matrix in 60 digits (mpmath). A light mass on a heavy one, both stiff; two of 1 ng on springs.
TEST(Riccati, GainsOfTwoMassesThatAreFarApart) {
  const auto apart = solve_continuous_riccati(rows(4, 4, {0, 0, 1, 0, 0, 0, 0, 1, -2e8, 1e8, 0, 0, 1e11, -1e11, 0, 0}),
                                              rows(4, 1, {0, 0, 1, 0}), {unit(4), unit(1)});
  ASSERT_TRUE(apart);
  expect_near(apart->K, {2.412498414399836, -2.412498404399836, 2.413503020259074, -0.9975845844553728}, 1e-9);
  const auto light =
      solve_continuous_riccati(rows(4, 4, {0, 0, 1, 0, 0, 0, 0, 1, -2e12, 1e12, -1e3, 1e3, 1e12, -1e12, 1e3, -1e3}),
                               rows(4, 1, {0, 0, 1e12, 0}), {unit(4), unit(1)});
  ASSERT_TRUE(light);
  expect_near(light->K, {9.0876624409169285e5, -9.0876551204088528e5, 1.0000009081800445, 0.41421376720025505}, 1e-9);
}

// ż = u, and a state beside it that nothing moves and that stays as it is: no feedback makes it stable.
TEST(Riccati, NoGainsWhereNothingMovesWhatDoesNotComeToRest) {
  EXPECT_FALSE(solve_continuous_riccati(Matrix(2, 2), rows(2, 1, {1, 0}), {unit(2), unit(1)}));
  EXPECT_FALSE(solve_discrete_riccati(Matrix(2, 2), rows(2, 1, {1, 0}), {unit(2), unit(1)}));
}

// ż = −a z + u: Φ = e^{−aT}, Γ = (1 − Φ)/a, and the integrals of Φ², ΦΓ, Γ² and of the noise, from a T of 1e-4 to 3000, where e^{aT} is infinite.
TEST(Sampled, IntegralsOfADampedStateInClosedForm) {
  for (const double a : {1e-3, 1.0, 480.0, 3e4}) {
    const double T = 0.1, p = std::exp(-a * T), g = -std::expm1(-a * T) / a, half = -std::expm1(-2 * a * T) / (2 * a);
    const SampledSystem found = sample_system(rows(1, 1, {-a}), unit(1), {unit(1), unit(1)}, T);
    SCOPED_TRACE(a);
    EXPECT_NEAR(found.A(0, 0), p, 1e-15);
    expect_near(found.change, {-a * g}, 1e-13);
    expect_near(found.B, {g}, 1e-13);
    expect_near(found.cost.Q, {half}, 1e-13);
    expect_near(found.cost.N, {a * g * g / (2 * a)}, 1e-13);
    if (a >= 1) expect_near(found.cost.R, {T + (T - 2 * g + half) / (a * a)}, 1e-12);
    expect_near(sampled_noise(rows(1, 1, {-a}), unit(1), T), {half}, 1e-13);
  }
}

// x'' = −ω² x + f/m: cos ωT and sin ωT. Round-off of ωT is 1e-16 ωT.
TEST(Sampled, UndampedOscillatorsKeepTheirPhase) {
  for (const double w : {1.0, 4472.1359549995796, 447213.59549995796, 1e6}) {
    const double T = 1e-3, m = 1e-3;
    const SampledSystem found =
        sample_system(rows(2, 2, {0, 1, -w * w, 0}), rows(2, 1, {0, 1 / m}), {Matrix(2, 2), unit(1)}, T);
    const double c = std::cos(w * T), s = std::sin(w * T), near = 1e-14 + 2e-15 * w * T;
    EXPECT_NEAR(found.A(0, 0), c, near);
    EXPECT_NEAR(found.A(0, 1), s / w, near / w);
    EXPECT_NEAR(found.A(1, 0), -s * w, near * w);
    EXPECT_NEAR(found.A(1, 1), c, near);
    EXPECT_NEAR(found.B(0, 0), (1 - c) / (m * w * w), near / (m * w * w));
    EXPECT_NEAR(found.B(1, 0), s / (m * w), near / (m * w));
  }
}

Matrix damped(double c) { return rows(4, 4, {0, 0, 1, 0, 0, 0, 0, 1, -100, 100, -c, 0, 100, -100, 0, 0}); }

// A mass with a strong damper, and one on a spring that is moved. Truth: the integrals by exponentials in 200 digits (mpmath), Riccati's equation by scipy.
TEST(Sampled, GainsWithAModeThatDiesOutWithinASample) {
  const Matrix B = rows(4, 1, {0, 0, 0, 1});
  const SampledSystem sampled = sample_system(damped(480), B, {unit(4), unit(1)}, 0.1);
  const auto K = solve_discrete_riccati(sampled.change, sampled.B, sampled.cost);
  ASSERT_TRUE(K);
  expect_near(K->K, {5.24043004917133, -3.87936975491141, 0.01062359802989, 0.67989289938774}, 1e-9);
  const SampledSystem slow = sample_system(damped(800), B, {unit(4), unit(1)}, 0.5);
  const auto L = solve_filter_riccati(transposed(slow.change), rows(4, 1, {1, 0, 0, 0}),
                                      {sampled_noise(damped(800), B * transposed(B), 0.5), rows(1, 1, {1e-3 / 0.5})});
  ASSERT_TRUE(L);
  expect_near(L->K, {2.25538217062253e-02, 1.94230954509850e-02, -1.45670622535972e-05, -2.41097497010260}, 1e-9);
}

}  // namespace
}  // namespace dalembert
