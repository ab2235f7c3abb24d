// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/turned_axes.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/symmetries.h"

namespace dalembert {
namespace {

constexpr double kSame = 1e-9;            // relative difference up to which two values are the same
constexpr double kAngles[] = {0.7, 2.3};  // turns at which they are compared, where the fastest turn has the rate 1

// The rates with the fastest one 1, times an angle.
std::vector<double> turn_of(const std::vector<double>& rates, double angle) {
  double most = 0;
  for (const double rate : rates) most = std::max(most, std::abs(rate));
  std::vector<double> turn = rates;
  for (double& rate : turn) rate *= most > 0 ? angle / most : 0;
  return turn;
}

// A point beside `at`. Neither constraints nor equations of motion hold there: formulas are compared, not motions.
MotionPoint beside(const MotionPoint& at) {
  MotionPoint point = at;
  std::minstd_rand random(18'34);
  const auto next = [&] { return 0.02 * (static_cast<double>(random() - 1) / 2147483646.0 - 0.5); };
  for (auto* entries : {&point.q, &point.v, &point.vdot, &point.lambda})
    for (double& x : *entries) x += next() * std::max(1.0, std::abs(x));
  return point;
}

}  // namespace

std::vector<bool> inputs_that_stay(const SteadySystem& system, const MotionPoint& at,
                                   const std::vector<double>& rates) {
  const DerivativeRows& row = system.derivatives->rows();
  const DerivativeColumns& column = system.derivatives->columns();
  const std::size_t inputs = column.t - column.u;
  std::vector<bool> stay(inputs);
  if (inputs == 0) return stay;
  const Matrix here = Slopes(*system.derivatives, *system.dynamics, at).all;
  for (const double angle : kAngles) {
    const std::vector<double> turn = turn_of(rates, angle);
    const Matrix there = Slopes(*system.derivatives, *system.dynamics, turned_along(*system.symmetries, turn, at)).all;
    for (std::size_t k = 0; k < inputs; ++k) {
      // The force of the input is turned as accelerations are.
      MotionPoint force = at;
      double size = 0;
      for (std::size_t i = 0; i < system.nv(); ++i) force.vdot[i] = here(row.r + i, column.u + k);
      force = turned_along(*system.symmetries, turn, force);
      for (std::size_t i = row.r; i < row.c + system.m(); ++i)
        size = std::max({size, std::abs(here(i, column.u + k)), std::abs(there(i, column.u + k))});
      for (std::size_t i = row.r; i < row.c + system.m(); ++i) {
        const double wanted = i < row.c ? force.vdot[i - row.r] : here(i, column.u + k);
        if (!(std::abs(there(i, column.u + k) - wanted) <= kSame * size)) stay[k] = true;
      }
    }
  }
  return stay;
}

std::vector<bool> outputs_that_change(const SteadySystem& system, const MotionPoint& at,
                                      const std::vector<double>& rates) {
  const DerivativeRows& row = system.derivatives->rows();
  std::vector<bool> change(row.end - row.y);
  const auto compare = [&](const MotionPoint& a, const MotionPoint& b) {
    const std::vector<double> of_a = system.derivatives->values(*system.dynamics, a),
                              of_b = system.derivatives->values(*system.dynamics, b);
    for (std::size_t k = 0; k < change.size(); ++k) {
      const double x = of_a[row.y + k], y = of_b[row.y + k];
      if (std::abs(x - y) > kSame * std::max(1.0, std::abs(x))) change[k] = true;
    }
  };
  const MotionPoint other = beside(at);
  for (const double angle : kAngles) {
    const std::vector<double> turn = turn_of(rates, angle);
    compare(other, turned_along(*system.symmetries, turn, other));
    // Multipliers may turn as well: those of the motion are computed anew.
    compare(at, point_at(*system.dynamics, state_of(turned_along(*system.symmetries, turn, at))));
  }
  return change;
}

}  // namespace dalembert
