// SPDX-License-Identifier: Apache-2.0
// Integrals by panels of Chebyshev points: against closed forms.
#include "dalembert/integrate/quadrature.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

using integration::Quadrature;

// A function with its antiderivative.
struct Integrable {
  std::function<double(double)> f, F;
};

struct Made {
  Quadrature quadrature;
  int evaluations = 0;
};

Made integrate_all(const std::vector<Integrable>& all, double from, double to, double rtol) {
  Made made{Quadrature(all.size())};
  const std::vector<double> least(all.size());
  const bool ok = made.quadrature.integrate(from, to,
                                            [&](double t, double* values) {
                                              ++made.evaluations;
                                              for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i].f(t);
                                              return true;
                                            },
                                            {rtol, least.data()});
  EXPECT_TRUE(ok);
  return made;
}

// The integral to the end, and to 200 times within, has an error below its estimate, which is below the tolerance.
void expect_integrals(const std::vector<Integrable>& all, double from, double to, double rtol) {
  const Made made = integrate_all(all, from, to, rtol);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double size = made.quadrature.size(i), roundoff = 1e-15 * size;
    EXPECT_LE(made.quadrature.error(i), rtol * size + roundoff) << i;
    const double allowed = made.quadrature.error(i) + 4 * roundoff;
    EXPECT_NEAR(made.quadrature.total(i), all[i].F(to) - all[i].F(from), allowed) << i << " rtol " << rtol;
    for (int k = 0; k <= 200; ++k) {
      const double t = from + k / 200.0 * (to - from);
      EXPECT_NEAR(made.quadrature.at(i, t), all[i].F(t) - all[i].F(from), allowed)
          << i << " at " << t << " rtol " << rtol;
    }
    EXPECT_EQ(made.quadrature.at(i, to), made.quadrature.total(i));
    EXPECT_EQ(made.quadrature.at(i, from), 0);
  }
}

const std::vector<Integrable> kSmooth{
    {[](double) { return 3.0; }, [](double t) { return 3 * t; }},
    {[](double t) { return std::pow(t, 7); }, [](double t) { return std::pow(t, 8) / 8; }},
    {[](double t) { return std::exp(-2 * t); }, [](double t) { return -std::exp(-2 * t) / 2; }},
    {[](double t) { return std::cos(9 * t); }, [](double t) { return std::sin(9 * t) / 9; }},
    {[](double t) { return 1 / (1 + 25 * t * t); }, [](double t) { return std::atan(5 * t) / 5; }}};

// Truth: antiderivatives.
TEST(Quadrature, OfSmoothFunctionsIsWithinItsTolerance) {
  for (const double rtol : {1e-5, 1e-9, 1e-12}) {
    expect_integrals(kSmooth, -0.7, 1.3, rtol);
    expect_integrals(kSmooth, 1.3, -0.7, rtol);
  }
  EXPECT_LE(integrate_all({kSmooth[2], kSmooth[3]}, 0, 0.3, 1e-9).evaluations, 17);
}

// |sin 7t| has corners; the second function jumps at 0.3, the third has an infinite slope at 0.
TEST(Quadrature, GoesOnPastCornersAndJumps) {
  const auto of_wave = [](double t) {
    const double half = std::numbers::pi / 7, n = std::floor(t / half);
    return (2 * n + 1 - std::cos(7 * (t - n * half))) / 7;
  };
  const std::vector<Integrable> rough{
      {[](double t) { return std::abs(std::sin(7 * t)); }, of_wave},
      {[](double t) { return t < 0.3 ? 1.0 : -2.0; }, [](double t) { return t < 0.3 ? t : 0.3 - 2 * (t - 0.3); }},
      {[](double t) { return std::sqrt(std::abs(t)); },
       [](double t) { return std::copysign(std::pow(std::abs(t), 1.5) / 1.5, t); }}};
  for (const double rtol : {1e-5, 1e-9, 1e-12}) {
    expect_integrals(rough, 0, 2, rtol);
    expect_integrals(rough, 1.7, -0.4, rtol);
  }
  const Made made = integrate_all({rough[0]}, 0, 0.6, 1e-9);
  EXPECT_LT(made.evaluations, 600);
}

// Noise of the functions ends the halving long before the largest number of panels, and is told as the error.
TEST(Quadrature, EndsWhereFunctionsAreNoise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<> noise(-1e-9, 1e-9);
  const Made made = integrate_all({{[&](double t) { return std::cos(t) + noise(random); }, {}}}, 0, 1, 1e-13);
  EXPECT_LT(made.quadrature.panels(), 40U);
  EXPECT_GT(made.quadrature.error(0), 1e-13);
  EXPECT_LT(made.quadrature.error(0), 1e-9);
  EXPECT_NEAR(made.quadrature.total(0), std::sin(1.0), 1e-9);
  // Noise that is known, of a function that is nothing else, is not resolved at all.
  Quadrature silent(1);
  const double least = 0, size = 1e-9;
  EXPECT_TRUE(silent.integrate(0, 1, [&](double, double* value) { return *value = noise(random), true; },
                               {1e-9, &least, &size}));
  EXPECT_EQ(silent.panels(), 1U);
}

// sin t/t has no value at 0, log t none below.
TEST(Quadrature, KnowsWhereAFunctionHasNoValue) {
  const Made made = integrate_all(
      {{[](double t) { return std::sin(t) / t; }, {}}, {[](double t) { return std::log(t - 0.5); }, {}}}, 0, 1, 1e-9);
  EXPECT_NEAR(made.quadrature.total(0), 0.946083070367183, 2e-9);  // Si(1), Abramowitz & Stegun, table 5.1
  EXPECT_TRUE(std::isnan(made.quadrature.total(1)));
  EXPECT_TRUE(std::isnan(made.quadrature.at(1, 0.9)));
  Quadrature fails(1);
  const double least = 0;
  EXPECT_FALSE(fails.integrate(0, 1, [](double, double*) { return false; }, {1e-9, &least}));
}

// Beyond both ends the integrand counts as constant.
TEST(Quadrature, GoesOnInAStraightLine) {
  const Made made = integrate_all({kSmooth[2]}, 0, 1, 1e-12);
  EXPECT_DOUBLE_EQ(made.quadrature.at(0, -0.1), -0.1);
  EXPECT_DOUBLE_EQ(made.quadrature.at(0, 1.1), made.quadrature.total(0) + (1.1 - 1) * std::exp(-2));
}

}  // namespace
}  // namespace dalembert
