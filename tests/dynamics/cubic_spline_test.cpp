// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/cubic_spline.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

CubicSpline sampled(const std::vector<double>& time, const std::function<double(double)>& f) {
  std::vector<double> value;
  for (const double t : time) value.push_back(f(t));
  return {time, value};
}

std::vector<double> even(double from, double to, int pieces) {
  std::vector<double> time;
  for (int i = 0; i <= pieces; ++i) time.push_back(from + (to - from) * i / pieces);
  return time;
}

struct Errors {
  double value = 0, rate = 0, second = 0;
};
// Of 0.3 sin 2t on [from, to].
Errors errors(const CubicSpline& spline, double from, double to) {
  Errors e;
  for (int i = 0; i <= 20000; ++i) {
    const double t = from + (to - from) * i / 20000;
    const auto s = spline.evaluate(t);
    e.value = std::max(e.value, std::abs(s[0] - 0.3 * std::sin(2 * t)));
    e.rate = std::max(e.rate, std::abs(s[1] - 0.6 * std::cos(2 * t)));
    e.second = std::max(e.second, std::abs(s[2] + 1.2 * std::sin(2 * t)));
  }
  return e;
}

// Truth: a not-a-knot spline is unique (de Boor, ch. IV), and the polynomial itself is one: cubics through four samples
// or more, parabolas through three, lines through two. Round-off: slopes are differences of values over the least
// spacing h = 0.1, second derivatives of slopes; a system whose rows are dominated by their diagonal adds a small
// factor (20 here) to that.
TEST(CubicSpline, ReproducesPolynomials) {
  struct Case {
    std::vector<double> time;
    double a, b, c, d;
  };
  for (const Case& k : {Case{{-1, -0.7, 0, 0.1, 1.3, 2}, 1, -2, 3, -0.5}, Case{{0, 1, 2, 2.5}, 0.3, 1, -1, 2},
                        Case{{0, 0.4, 1.5}, 2, -1, 3, 0}, Case{{-3, 4}, 1, 2, 0, 0}}) {
    const CubicSpline spline = sampled(k.time, [&](double t) { return k.a + t * (k.b + t * (k.c + t * k.d)); });
    for (const double t : even(spline.begin(), spline.end(), 97)) {
      const double size = 60, round = 20 * kEps * size;
      const auto s = spline.evaluate(t);
      EXPECT_NEAR(s[0], k.a + t * (k.b + t * (k.c + t * k.d)), round);
      EXPECT_NEAR(s[1], k.b + t * (2 * k.c + t * 3 * k.d), round / 0.1);
      EXPECT_NEAR(s[2], 2 * k.c + t * 6 * k.d, round / 0.01);
    }
    EXPECT_TRUE(spline.corners().empty());
  }
}

// Truth: Hall & Meyer's bounds with F = 0.3·2⁴, away from the ends (whose influence falls by 0.27 a sample: the 20
// samples before take 4e-12 off it); and their orders: halving h divides the errors by 16, 8 and 4, up to terms of
// order h² of that (2 % here).
TEST(CubicSpline, ErrorsHaveTheirOrders) {
  const double F = 0.3 * 16;
  Errors before;
  for (const int pieces : {100, 200}) {
    const double h = 5.0 / pieces;
    const Errors e = errors(sampled(even(-1, 4, pieces), [](double t) { return 0.3 * std::sin(2 * t); }), 0, 3);
    EXPECT_LT(e.value, 5.0 / 384 * std::pow(h, 4) * F);
    EXPECT_LT(e.rate, 1.0 / 24 * std::pow(h, 3) * F);
    EXPECT_LT(e.second, 3.0 / 8 * h * h * F);
    if (before.value > 0) {
      EXPECT_NEAR(before.value / e.value, 16, 0.32);
      EXPECT_NEAR(before.rate / e.rate, 8, 0.16);
      EXPECT_NEAR(before.second / e.second, 4, 0.08);
    }
    before = e;
  }
}

// Truth: the definition: value, rate and second derivative are continuous at the samples, the third one at the second
// and the last but one; the samples are met exactly.
TEST(CubicSpline, IsSmoothAtItsSamples) {
  const std::vector<double> time{0, 0.3, 1, 1.1, 2, 3.5, 4}, value{1, -2, 0, 0.4, 5, 5, -1};
  const CubicSpline spline(time, value);
  for (std::size_t k = 0; k < time.size(); ++k) {
    EXPECT_NEAR(spline.evaluate(time[k])[0], value[k], 8 * kEps);
    if (k == 0 || k + 1 == time.size()) continue;
    const double before = std::nextafter(time[k], 0);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(spline.evaluate(before)[i], spline.evaluate(time[k])[i], 1e-11) << k;
  }
  const auto corners = spline.corners();
  ASSERT_EQ(corners.size(), 3u);
  EXPECT_EQ(corners.front().time, 1);
  EXPECT_EQ(corners.back().time, 2);
}

// Truth: cubic_spline.h: nothing outside, but for the last digits of the time of an end.
TEST(CubicSpline, HasNoValuesOutside) {
  const CubicSpline spline = sampled({1, 2, 3, 4}, [](double t) { return t; });
  for (const double t : {0.999999, 4.000001, -5.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(spline.contains(t));
    for (const double x : spline.evaluate(t)) EXPECT_TRUE(std::isnan(x));
  }
  EXPECT_NEAR(spline.evaluate(std::nextafter(4.0, 5.0))[0], 4, 1e-15);
}

// Truth: values at many points of an interval lie within its bounds, and come near to both of them: between neighbours
// of a grid of g points a value changes by (rate/2)(width/g) at most beyond the larger one.
TEST(CubicSpline, BoundsHoldAndAreTight) {
  const std::vector<double> time{0, 0.3, 1, 1.1, 2, 3.5, 4}, value{1, -2, 0, 0.4, 5, 5, -1};
  const CubicSpline spline(time, value);
  for (const auto& [from, to] : {std::pair{0.0, 4.0}, {0.1, 0.2}, {0.25, 1.05}, {1.5, 3.6}, {3.9, 4.0}, {0.3, 1.0}}) {
    const auto bounds = spline.bounds({from, to});
    const double third = 4000;  // above |third derivative| of this spline
    for (std::size_t i = 0; i < 3; ++i) {
      double low = 1e9, high = -1e9;
      constexpr int kGrid = 20000;
      for (int k = 0; k <= kGrid; ++k) {
        const double x = spline.evaluate(from + (to - from) * k / kGrid)[i];
        low = std::min(low, x);
        high = std::max(high, x);
      }
      EXPECT_LE(bounds[i].low, low);
      EXPECT_GE(bounds[i].high, high);
      const auto next = i < 2 ? bounds[i + 1] : Bounds{-third, third};
      const double between = std::max(std::abs(next.low), std::abs(next.high)) * (to - from) / kGrid + 1e-12;
      EXPECT_NEAR(bounds[i].low, low, between);
      EXPECT_NEAR(bounds[i].high, high, between);
    }
  }
  EXPECT_EQ(spline.bounds({3, 5})[0].high, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace dalembert
