// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/passed_points.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace dalembert::integration {
namespace {

using Function = std::function<double(double)>;

// A state of three functions and their derivatives, as a run passes it at these times.
class Passed {
 public:
  Passed(std::vector<Function> values, std::vector<Function> slopes)
      : values_(std::move(values)), slopes_(std::move(slopes)), points_(values_.size()) {}
  void pass(double t) {
    std::vector<double> y, slope;
    for (const Function& f : values_) y.push_back(f(t));
    for (const Function& f : slopes_) slope.push_back(f(t));
    points_.add(t, y.data(), slope.data());
  }
  struct Found {
    bool known = false;
    double error = 0, difference = 0;  // the largest ones
  };
  Found at(double t) {
    std::vector<double> y(padded(values_.size())), difference(y.size());
    Found found{points_.interpolate(t, y.data(), difference.data())};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      found.error = std::max(found.error, std::abs(y[i] - values_[i](t)));
      found.difference = std::max(found.difference, std::abs(difference[i]));
    }
    return found;
  }
  const PassedPoints& points() const { return points_; }

 private:
  std::vector<Function> values_, slopes_;
  PassedPoints points_;
};

Passed powers(int n) {
  return {{[=](double t) { return std::pow(t, n); }, [](double) { return 2; }, [](double t) { return 3 * t; }},
          {[=](double t) { return n * std::pow(t, n - 1); }, [](double) { return 0; }, [](double) { return 3; }}};
}
Passed waves() {
  return {{[](double t) { return std::sin(t); }, [](double t) { return std::cos(t); }},
          {[](double t) { return std::cos(t); }, [](double t) { return -std::sin(t); }}};
}

// Truth: a polynomial of degree 2P − 1 is determined by P points with slopes; with one point fewer, one of degree 2P − 3. Times are uneven and go either way.
TEST(PassedPoints, FindPolynomialsExactly) {
  for (const double direction : {1.0, -1.0}) {
    Passed thirteen = powers(13), fifteen = powers(15), sixteen = powers(16);
    for (const double t : {-1.0, -0.8, -0.5, -0.35, 0.1, 0.3, 0.7, 1.0})
      for (Passed* one : {&thirteen, &fifteen, &sixteen}) one->pass(direction * t);
    for (const double t : {-0.95, -0.6, 0.0, 0.15, 0.5, 0.9}) {
      EXPECT_LT(thirteen.at(direction * t).error, 1e-13);
      EXPECT_LT(thirteen.at(direction * t).difference, 1e-13);
      EXPECT_LT(fifteen.at(direction * t).error, 1e-13);
      EXPECT_GT(fifteen.at(direction * t).difference, 1e-9);
      EXPECT_GT(sixteen.at(direction * t).error, 1e-9);
    }
    EXPECT_LT(fifteen.at(direction * 0.3).error, 1e-13);  // a point itself
  }
}

// Truth: sin and cos. About the middle of many points the error is smallest; everywhere it is below the difference.
TEST(PassedPoints, AreMoreExactThanTheySay) {
  Passed wave = waves();
  EXPECT_FALSE(wave.at(0).known);
  std::vector<double> times;
  for (double t = 0, h = 0.3; times.size() < PassedPoints::kKept; t += h *= times.size() % 3 == 0 ? 0.7 : 1.2)
    times.push_back(t);
  for (std::size_t i = 0; i < times.size(); ++i) {
    wave.pass(times[i]);
    EXPECT_EQ(wave.at((times[0] + times[i]) / 2).known, i + 1 >= PassedPoints::kFewest);
  }
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    for (const double part : {0.2, 0.5, 0.8}) {
      const auto found = wave.at(times[i] + part * (times[i + 1] - times[i]));
      EXPECT_LE(found.error, 0.1 * found.difference + 3e-15) << i;
      if (i > 3 && i + 5 < times.size()) EXPECT_LT(found.error, 1e-14) << i;
    }
}

TEST(PassedPoints, ForgetTheFirstOnes) {
  Passed wave = waves();
  for (int i = 0; i <= static_cast<int>(PassedPoints::kKept) + 2; ++i) wave.pass(0.25 * i);
  EXPECT_EQ(wave.points().count(), PassedPoints::kKept);
  EXPECT_EQ(wave.points().state_at(0.5), nullptr);
  ASSERT_NE(wave.points().state_at(0.75), nullptr);
  EXPECT_EQ(wave.points().state_at(0.75)[0], std::sin(0.75));
  EXPECT_EQ(wave.points().slope_at(0.75)[0], std::cos(0.75));
  EXPECT_LT(wave.at(0.9).error, 1e-9);
  EXPECT_LT(wave.at(4.4).error, 1e-9);
}

}  // namespace
}  // namespace dalembert::integration
