// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "dalembert/base/numeric.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/peak_search.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using integration::PeakSearch;

class PlainOscillator : public HandKernel {
 public:
  PlainOscillator() : HandKernel(1, 0, {}, true) {}
  void terms(const Point& at, Terms& x) const override {
    x.M[0][0] = 1;
    x.G[0] = at.q[0];
  }
};

struct Searched {
  std::vector<Extremes> found;
  int evaluations = 0;
};

// Steps of random length over functions of time, as a run makes them. Unless `seek` says otherwise, all is sought, and the series that share are smooth.
Searched search(const std::vector<std::function<double(double)>>& series, std::size_t sharing, double until,
                double longest, std::mt19937& random, std::vector<PeakSearch::Seek> seek = {}) {
  for (std::size_t i = seek.size(); i < series.size(); ++i) seek.push_back({.smooth = i < sharing});
  PeakSearch peaks(std::move(seek), sharing);
  Searched result;
  const auto values = [&](double t) {
    std::vector<double> all;
    for (const auto& f : series) all.push_back(f(t));
    return all;
  };
  double t = 0;
  peaks.begin(t, values(t));
  while (t < until) {
    const double t1 = std::min(until, t + longest * std::uniform_real_distribution<>(0.2, 1)(random));
    peaks.step(t1, values((t + t1) / 2), values(t1), [&](double theta, std::vector<double>& at) {
      ++result.evaluations;
      at = values(t + theta * (t1 - t));
      return true;
    });
    t = t1;
  }
  result.found = peaks.found();
  return result;
}

// Oracle: the best of a million points, and what their parabola adds: 1e-9 of the range is far above that.
Extremes by_brute_force(const std::function<double(double)>& f, double until) {
  constexpr int kPoints = 200'000;
  Extremes best{f(0), 0, f(0), 0, true};
  for (int k = 1; k <= kPoints; ++k) {
    const double t = until * k / kPoints, value = f(t);
    if (value < best.min) best.min = value, best.t_min = t;
    if (value > best.max) best.max = value, best.t_max = t;
  }
  const double step = until / kPoints;
  for (const double sign : {1.0, -1.0}) {
    double a = (sign > 0 ? best.t_max : best.t_min) - step, b = a + 2 * step;
    for (int k = 0; k < 80; ++k) {
      const double x1 = a + (b - a) / 3, x2 = b - (b - a) / 3;
      (sign * f(x1) < sign * f(x2) ? a : b) = sign * f(x1) < sign * f(x2) ? x1 : x2;
    }
    const double t = std::clamp((a + b) / 2, 0.0, until);
    if (f(t) > best.max) best.max = f(t);
    if (f(t) < best.min) best.min = f(t);
  }
  return best;
}

// Sums of three oscillations with a trend, and their absolute values, in steps of up to a quarter of the shortest period.
TEST(Peaks, OfFunctionsAreThoseOfManyPoints) {
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  for (int round = 0; round < 60; ++round) {
    std::vector<std::function<double(double)>> series;
    for (int k = 0; k < 3; ++k) {
      const double a = uniform(-1, 1), b = uniform(-1, 1), c = uniform(-0.3, 0.3), d = uniform(-0.1, 0.1);
      const double p = uniform(0, 6), r = uniform(0, 6);
      const auto f = [=](double t) {
        return a * std::sin(t + p) + b * std::cos(2.3 * t) + c * std::sin(5 * t + r) + d * t;
      };
      series.push_back(f);
      if (k == 0) series.push_back([=](double t) { return std::abs(f(t)) - 0.2; });
    }
    const double until = 10;
    std::mt19937 steps = random;
    const Searched searched = search(series, 0, until, 0.3, random);
    // The same steps, with what is known of the series: less is looked at.
    const Searched known = search(series, 0, until, 0.3, steps,
                                  {{.smooth = true},
                                   {.min = false, .smooth = true},
                                   {.max = false, .smooth = true},
                                   {.min = false, .max = false}});
    EXPECT_LT(2 * known.evaluations, searched.evaluations);
    EXPECT_FALSE(known.found[3].any);
    for (std::size_t i = 0; i < series.size(); ++i) {
      const Extremes truth = by_brute_force(series[i], until), &found = searched.found[i];
      const double allowed = 1e-9 * (truth.max - truth.min);
      EXPECT_NEAR(found.min, truth.min, allowed) << round << ", series " << i;
      EXPECT_NEAR(found.max, truth.max, allowed) << round << ", series " << i;
      if (i < 2) EXPECT_NEAR(known.found[i].max, truth.max, allowed) << round << ", series " << i;
      if (i == 0 || i == 2) EXPECT_NEAR(known.found[i].min, truth.min, allowed) << round << ", series " << i;
      EXPECT_NEAR(series[i](found.t_max), truth.max, 10 * allowed);
      EXPECT_NEAR(series[i](found.t_min), truth.min, 10 * allowed);
    }
  }
}

// What repeats is looked at no more than its ends are known; noise and jumps do not cost a step hundreds of evaluations.
TEST(Peaks, AreNotLookedForEverywhere) {
  std::mt19937 random(3), noise(5);
  const Searched smooth = search({[](double t) { return std::sin(t); }}, 0, 300, 0.3, random);
  EXPECT_LT(smooth.evaluations, 1'700 * 4);
  EXPECT_NEAR(smooth.found[0].max, 1, 1e-9);
  const auto rough = [&](double t) { return std::sin(t) + 1e-9 * std::uniform_real_distribution<>(-1, 1)(noise); };
  const Searched noisy = search({rough}, 0, 300, 0.3, random);
  EXPECT_LT(noisy.evaluations, 1'700 * 8);
  EXPECT_NEAR(noisy.found[0].max, 1, 3e-9);
  // Round-off beside what is large.
  const auto nothing = [&](double) { return 1e-16 * std::uniform_real_distribution<>(-1, 1)(noise); };
  const Searched beside = search({[](double t) { return std::sin(t); }, nothing}, 2, 300, 0.3, random);
  EXPECT_LT(beside.evaluations, 1'700 * 4);
  const Searched jumps = search({[](double t) { return std::sin(3 * t) > 0 ? 1.0 : -1.0; }}, 0, 300, 0.3, random);
  EXPECT_EQ(jumps.found[0].max, 1);
  EXPECT_EQ(jumps.found[0].min, -1);
  EXPECT_LT(jumps.evaluations, 1'700 * 30);  // each is narrowed down to an instant, as a steep corner is
}

// Corners between slopes of very different size, wherever in a step: what the steep side changes does not hide the other's end.
TEST(Peaks, CornersWithASteepSide) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(4, 16), slope(0.1, 100);
  for (int round = 0; round < 200; ++round) {
    const double at = place(random), fall = slope(random), rise = slope(random);
    const auto f = [=](double t) { return t < at ? fall * (at - t) : rise * (t - at); };
    const Searched result = search({f}, 0, 20, 1, random);
    EXPECT_LE(result.found[0].min, 1e-9 * result.found[0].max) << round;
  }
}

// A corner beside a smooth extreme is no noise, wherever it lies: −(t − a)² + k max(0, t − b). By hand: 0 at a, if that is before b, or
// k²/4 + k (a − b) at a + k/2, if that is behind b.
TEST(Peaks, CornersBesideASmoothExtreme) {
  std::mt19937 random(13);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  for (int round = 0; round < 3000; ++round) {
    const double a = uniform(3, 7), b = a + uniform(-0.3, 0.3), k = std::pow(10, uniform(-4, 0));
    const auto f = [=](double t) { return -(t - a) * (t - a) + k * std::max(0.0, t - b); };
    double truth = a <= b ? 0 : -1;
    if (a + k / 2 >= b) truth = std::max(truth, k * k / 4 + k * (a - b));
    if (truth < 0) truth = f(b);
    const Extremes found = search({f}, 0, 10, 1, random).found[0];
    EXPECT_NEAR(found.max, truth, 1e-9 * (truth - found.min)) << round << ": " << a << ' ' << b << ' ' << k;
  }
}

// Reactions of a structure that begins to move from rest: round-off that the equations multiply exceeds all of their change. Each of 120 series was
// narrowed down to like a corner, by 2,000 evaluations in a step.
TEST(Peaks, RoundOffOfManySeriesBesideARestIsNoCorner) {
  std::vector<std::function<double(double)>> series;
  for (int i = 0; i < 120; ++i)
    series.push_back([i](double t) { return -8000 + 60 * i + 0.5 * t * t + 2e-7 * std::sin(1e9 * t + i); });
  std::mt19937 random(3);
  const Searched searched = search(series, series.size(), 0.1, 0.01, random);
  EXPECT_LT(searched.evaluations, 2000);
  for (int i = 0; i < 120; ++i) {
    EXPECT_NEAR(searched.found[static_cast<std::size_t>(i)].min, -8000 + 60 * i, 1e-6) << i;
    EXPECT_NEAR(searched.found[static_cast<std::size_t>(i)].max, -8000 + 60 * i + 0.005, 1e-6) << i;
  }
}

// Let go beside its pivot: v^2 = -2 g y, so lambda = 3 m g y/L^2, from 0 to -3 m g/L where it hangs. By hand.
TEST(Peaks, DoNotDependOnTheRows) {
  const Dynamics dynamics = make_dynamics<CartesianPendulum>({"x", "y"}, {"rod"});
  for (const Method method : {Method::kDop853, Method::kDopri5, Method::kRadau})
    for (const double every : {0.0, 0.001, 2.0})
      for (const Formulation formulation : {Formulation::kIndex1, Formulation::kReduced}) {
        if (method == Method::kRadau && formulation == Formulation::kReduced) continue;
        IntegrateOptions options{.until = 5, .rtol = 1e-12, .method = method, .formulation = formulation};
        options.output_step = every;
        options.find_peaks = true;
        const Trajectory path = integrate(dynamics, {0, {1, 0}, {0, 0}}, options);
        ASSERT_EQ(path.status, RunStatus::kOk) << path.reason;
        ASSERT_EQ(path.peaks.size(), 2U);
        EXPECT_NEAR(path.peaks[0].min, -3 * 9.81, 1e-9 * 3 * 9.81) << to_text(method) << " " << every;
        EXPECT_NEAR(path.peaks[0].max, 0, 1e-9 * 3 * 9.81);
        EXPECT_NEAR(path.peaks[1].max, 3 * 9.81, 1e-9 * 3 * 9.81);
        EXPECT_GT(path.peaks[0].t_min, 0.5);
        options.find_peaks = false;
        EXPECT_TRUE(integrate(dynamics, {0, {1, 0}, {0, 0}}, options).peaks.empty());
      }
}

// Without multipliers and outputs there is nothing to be looked at.
TEST(Peaks, OfNothingCostNothing) {
  const Dynamics oscillator{std::make_shared<PlainOscillator>(), {}, {}};
  std::int64_t evaluations[2] = {};
  for (const bool peaks : {false, true})
    evaluations[peaks] = integrate(oscillator, {0, {1}, {0}}, {.until = 2, .find_peaks = peaks}).evaluations;
  EXPECT_EQ(evaluations[1], evaluations[0]);
}

// Looking does not change what is looked at.
TEST(Peaks, LeaveTheRunAsItIs) {
  const Dynamics dynamics = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  IntegrateOptions options{.until = 3, .output_step = 0.1};
  const Trajectory without = integrate(dynamics, SliderCrank::start(), options);
  options.find_peaks = true;
  const Trajectory with = integrate(dynamics, SliderCrank::start(), options);
  EXPECT_EQ(without.q, with.q);
  EXPECT_EQ(without.v, with.v);
  EXPECT_EQ(without.lambda, with.lambda);
  EXPECT_EQ(without.steps, with.steps);
}

}  // namespace
}  // namespace dalembert
