// SPDX-License-Identifier: Apache-2.0
// Frictions in a plane that slide from rest. The friction force points against the direction d in which the sliding begins, and d is the
// direction of the acceleration v̇_s that this force leaves: one equation for the angle of d, the "turn" d × v̇_s = 0 with d·v̇_s ≥ 0. With one
// such friction the whole circle is searched; several are found by a projected iteration of their forces, and Newton's method.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "dalembert/base/hypotenuse.h"
#include "dalembert/base/sine_cosine.h"
#include "dalembert/dynamics/friction.h"

namespace dalembert {
namespace {

// Number of parts in which the circle is searched: each part in which the turn changes its sign contains a direction.
constexpr int kParts = 32;
// A direction is accepted if it is this close to that of the acceleration, in radians.
constexpr double kAligned = 1e-9;
constexpr double kAngleStep = 1e-7;  // of the differences in Newton's method
constexpr int kNewtonSteps = 30;
// The projected iteration ends after kRounds rounds, or when forces change by less than kSettled of the largest. A friction whose force is then below
// kAtLimit times its limit sticks.
constexpr int kRounds = 2000;
constexpr double kSettled = 1e-10, kAtLimit = 1 - 1e-6;
// The accelerations of sliding that begins at the limit are of first order in the missing part, and the directions' error is too: what is left of
// the accelerations at the limit itself is its square.
constexpr double kSlightly = 1e-6, kLess = 0.05;

}  // namespace

std::vector<std::size_t> FrictionSolver::find_turning(const std::vector<char>& at_rest) const {
  std::vector<std::size_t> turning;
  for (std::size_t j = 0; j < at(k_); ++j)
    if (is_plane(j) && at_rest[j] != 0 && mode[j].direction != 0 && idle_[j] == 0) turning.push_back(j);
  return turning;
}

void FrictionSolver::set_along(std::size_t j, double x, double y) {
  const double size = hypotenuse(x, y);
  mode[j].along = size > 0 ? x / size : 1;
  mode[j + 1].along = size > 0 ? y / size : 0;
}

void FrictionSolver::set_angle(std::size_t j, double angle) {
  const auto [sine, cosine] = sine_cosine(angle);
  set_along(j, cosine, sine);
}

// Gives both directions of each friction in a plane the same state. A friction that already slides has the direction of its speed.
void FrictionSolver::align_with_speeds(const std::vector<char>& at_rest) {
  for (const int first : planes_) {
    const std::size_t j = at(first);
    mode[j + 1] = mode[j];
    if (at_rest[j] == 0)
      set_along(j, speed_[j], speed_[j + 1]);
    else if (mode[j].direction == 0)
      mode[j].along = mode[j + 1].along = 0;
  }
}

// The direction of friction j, in a plane, at its present speed is that of a vector.
FrictionSolver::Heading FrictionSolver::heading(std::size_t j, double speed) const {
  const double x = mode[j].along, y = mode[j + 1].along;
  Heading made{};
  made.forwards = x * speed_[j] + y * speed_[j + 1] < 0 ? -1 : 1;
  made.kept = begin_[j] > 0 ? begin_[j] * std::exp(-std::pow(speed / begin_[j], 2)) : 0;
  made.by = begin_[j] > 0 ? -2 * speed / (begin_[j] * begin_[j]) * made.kept : 0;
  made.x = made.kept * x + made.forwards * speed_[j];
  made.y = made.kept * y + made.forwards * speed_[j + 1];
  made.size = hypotenuse(made.x, made.y);
  return made;
}

// Finds the direction of each sliding friction. In a plane it is the unit vector ±v_s/|v_s|, with the sign that makes its component along `along`
// positive, or `along` itself at low speed. So the force does not reverse where the sliding ends, and a step across that instant is smooth. Just
// after sliding has begun, the direction changes smoothly from `along` to that of v_s.
void FrictionSolver::find_units() {
  for (std::size_t j = 0; j < at(k_); ++j) unit_[j] = mode[j].direction;
  for (const int first : planes_) {
    const std::size_t j = at(first);
    double x = mode[j].along, y = mode[j + 1].along;
    const double speed = hypotenuse(speed_[j], speed_[j + 1]);
    if (follows_speed(j, speed)) {
      const Heading found = heading(j, speed);
      x = found.x / found.size;
      y = found.y / found.size;
    }
    unit_[j] *= x;
    unit_[j + 1] *= y;
  }
}

// Writes the change of unit_[j] and unit_[j + 1] of a friction in a plane by a change (x, y) of its speed.
void FrictionSolver::turn_by(std::size_t j, double x, double y, double* turn) const {
  turn[0] = turn[1] = 0;
  const double speed = hypotenuse(speed_[j], speed_[j + 1]);
  if (!follows_speed(j, speed)) return;
  const Heading now = heading(j, speed);
  const double faster = speed > 0 ? (speed_[j] * x + speed_[j + 1] * y) / speed : 0, along_x = now.x / now.size,
               along_y = now.y / now.size, by_x = now.by * faster * mode[j].along + now.forwards * x,
               by_y = now.by * faster * mode[j + 1].along + now.forwards * y, longer = along_x * by_x + along_y * by_y;
  turn[0] = mode[j].direction * (by_x - longer * along_x) / now.size;
  turn[1] = mode[j].direction * (by_y - longer * along_y) / now.size;
}

double FrictionSolver::row_size(int j) const {
  double size = 0;
  for (std::size_t i = 0; i < at(n_); ++i) {
    size += std::abs(C_[at(j) * at(n_) + i]);
    if (is_plane(j)) size += std::abs(C_[at(j + 1) * at(n_) + i]);
  }
  return size;
}

double FrictionSolver::turn(std::size_t j) const { return mode[j].along * rate_[j + 1] - mode[j + 1].along * rate_[j]; }

double FrictionSolver::rate_along(std::size_t j) const {
  return mode[j].along * rate_[j] + mode[j + 1].along * rate_[j + 1];
}

bool FrictionSolver::is_aligned(std::size_t j) const {
  return std::abs(turn(j)) <= kAligned * hypotenuse(rate_[j], rate_[j + 1]) + turn_noise(j);
}

// The turn of friction j if the sliding begins at this angle; NaN without a solution.
double FrictionSolver::turn_at(const RowBasis& basis, std::size_t j, double angle, FrictionSolution& tried) {
  set_angle(j, angle);
  if (solve(basis, tried.qdd.data(), tried.multipliers.data()) != KktStatus::kOk) return std::nan("");
  return turn(j);
}

// All angles at which friction j may begin to slide while the others keep their directions, also those against the acceleration.
std::vector<double> FrictionSolver::list_directions(const RowBasis& basis, std::size_t j, FrictionSolution& tried) {
  std::vector<double> found;
  const auto value = [&](double angle) { return turn_at(basis, j, angle, tried); };
  const double part = 2 * std::numbers::pi / kParts;
  // The circle does not begin at an axis, along which many directions lie exactly.
  const double begin = 0.1 * part;
  double a = begin, at_a = value(a);
  for (int i = 1; i <= kParts; ++i) {
    const double b = begin + i * part, at_b = value(b);
    if (at_a * at_b <= 0) {
      // The sign changes between low and high: Illinois' method, with bisection where it is slow.
      double low = a, high = b, at_low = at_a, at_high = at_b, middle = low;
      for (int step = 0; step < 100 && std::abs(high - low) > 1e-15 * (1 + std::abs(low)); ++step) {
        middle = step % 8 == 7 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
        if (!(middle > low && middle < high)) middle = (low + high) / 2;
        const double here = value(middle);
        if (here == 0 || std::isnan(here)) break;
        if (here * at_high < 0) {
          low = high, at_low = at_high;
        } else {
          at_low /= 2;
        }
        high = middle, at_high = here;
        if (low > high) std::swap(low, high), std::swap(at_low, at_high);
      }
      found.push_back(middle);
    }
    a = b, at_a = at_b;
  }
  return found;
}

// Newton's method for several directions at once, from those in `mode`.
bool FrictionSolver::refine_directions(const RowBasis& basis, const std::vector<std::size_t>& turning,
                                       FrictionSolution& tried) {
  const std::size_t count = turning.size();
  std::vector<double> angle(count), turned(count), step(count);
  SmallLu slopes;
  slopes.resize(static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) angle[i] = std::atan2(mode[turning[i] + 1].along, mode[turning[i]].along);
  // The turns at these angles, and the largest of them against the acceleration; infinite without a solution.
  const auto evaluate = [&](const std::vector<double>& at, std::vector<double>& turns) {
    for (std::size_t i = 0; i < count; ++i) set_angle(turning[i], at[i]);
    if (solve(basis, tried.qdd.data(), tried.multipliers.data()) != KktStatus::kOk)
      return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t j = turning[i];
      turns[i] = turn(j);
      worst = std::max(worst, std::abs(turns[i]) / (hypotenuse(rate_[j], rate_[j + 1]) + turn_noise(j)));
    }
    return worst;
  };
  double worst = evaluate(angle, turned);
  std::vector<double> moved(count), changed(count);
  for (int round = 0; round < kNewtonSteps && worst > 1e-15; ++round) {
    slopes.clear();
    for (std::size_t c = 0; c < count; ++c) {
      moved = angle;
      moved[c] += kAngleStep;
      if (!std::isfinite(evaluate(moved, changed))) return false;
      for (std::size_t r = 0; r < count; ++r) slopes(r, c) = (changed[r] - turned[r]) / kAngleStep;
    }
    if (!slopes.factor(1e-14)) break;
    step = turned;
    slopes.solve(step.data());
    double largest = 0;
    for (const double one : step) largest = std::max(largest, std::abs(one));
    double share = std::min(1.0, 0.5 / largest), now = worst;
    for (int half = 0; half < 6; ++half, share /= 2) {
      for (std::size_t i = 0; i < count; ++i) moved[i] = angle[i] - share * step[i];
      now = evaluate(moved, changed);
      if (now < worst) break;
    }
    if (!(now < worst)) break;
    angle = moved;
    turned = changed;
    worst = now;
  }
  if (!std::isfinite(evaluate(angle, turned))) return false;
  return std::ranges::all_of(turning, [&](std::size_t j) {
    return is_aligned(j) && rate_along(j) >= -turn_noise(j) && mode[j].load * normal_[j] >= -kSignNoise * load_size_[j];
  });
}

// Rates and normal forces of the turning frictions as functions of the forces f of these frictions, two numbers each: v̇_s = rate + response f,
// N = normal + load f. False without a solution.
bool FrictionSolver::find_response(const RowBasis& basis, const std::vector<std::size_t>& turning, Response& response,
                                   FrictionSolution& tried) {
  const std::size_t count = turning.size();
  for (const std::size_t j : turning) mode[j].along = mode[j + 1].along = 0;
  const auto evaluate = [&](double* rates, double* normals) {
    if (solve(basis, tried.qdd.data(), tried.multipliers.data()) != KktStatus::kOk) return false;
    for (std::size_t i = 0; i < count; ++i) {
      rates[2 * i] = rate_[turning[i]];
      rates[2 * i + 1] = rate_[turning[i] + 1];
      normals[i] = mode[turning[i]].load * normal_[turning[i]];
    }
    return true;
  };
  response.of_rates.assign((2 * count + 1) * 2 * count, 0.0);
  response.of_normals.assign((2 * count + 1) * count, 0.0);
  bool solved = evaluate(response.rates(0, count), response.normals(0, count));
  for (std::size_t c = 0; solved && c < 2 * count; ++c) {
    double& force = given_[turning[c / 2] + c % 2];
    // A force of the size of the limits, so that no digits are lost.
    force = std::max(1.0, std::abs(response.normals(0, count)[c / 2]));
    double *rates = response.rates(c + 1, count), *normals = response.normals(c + 1, count);
    solved = evaluate(rates, normals);
    for (std::size_t i = 0; i < 2 * count; ++i) rates[i] = (rates[i] - response.rates(0, count)[i]) / force;
    for (std::size_t i = 0; i < count; ++i) normals[i] = (normals[i] - response.normals(0, count)[i]) / force;
    force = 0;
  }
  return solved;
}

// Finds directions of several frictions: forces are changed against the sliding and brought back to their limits, |f| ≤ μ N, one friction after
// the other, until nothing changes; Newton's method then gives the digits. Source: Alart & Curnier 1991, doi:10.1016/0045-7825(91)90022-X.
bool FrictionSolver::find_directions(const RowBasis& basis, const std::vector<std::size_t>& turning,
                                     FrictionSolution& tried) {
  const std::size_t count = turning.size();
  Response response;
  if (!find_response(basis, turning, response, tried)) return false;
  std::vector<double> force(2 * count, 0.0), limit(count, 0.0);
  double changed = 1, largest = 0;
  for (int round = 0; round < kRounds && changed > kSettled * largest; ++round) {
    changed = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double rate[2] = {response.rates(0, count)[2 * i], response.rates(0, count)[2 * i + 1]},
             N = response.normals(0, count)[i];
      for (std::size_t c = 0; c < 2 * count; ++c) {
        rate[0] += response.rates(c + 1, count)[2 * i] * force[c];
        rate[1] += response.rates(c + 1, count)[2 * i + 1] * force[c];
        N += response.normals(c + 1, count)[i] * force[c];
      }
      const double own = std::max(std::abs(response.rates(2 * i + 1, count)[2 * i]),
                                  std::abs(response.rates(2 * i + 2, count)[2 * i + 1]));
      if (!(own > 0)) return false;
      double x = force[2 * i] + rate[0] / own, y = force[2 * i + 1] + rate[1] / own;
      limit[i] = mu_[turning[i]] * std::max(0.0, N);
      if (const double size = hypotenuse(x, y); size > limit[i]) x *= limit[i] / size, y *= limit[i] / size;
      changed = std::max({changed, std::abs(x - force[2 * i]), std::abs(y - force[2 * i + 1])});
      largest = std::max({largest, std::abs(x), std::abs(y)});
      force[2 * i] = x;
      force[2 * i + 1] = y;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!(hypotenuse(force[2 * i], force[2 * i + 1]) >= kAtLimit * limit[i])) return false;  // it would stick
    set_along(turning[i], force[2 * i], force[2 * i + 1]);
  }
  return refine_directions(basis, turning, tried);
}

// Where the forces that held have just reached their limits, and sliding has no less friction, it begins without acceleration. Its directions are those
// of the acceleration that slightly less friction would leave. They are followed from less friction, since Newton's method finds angles only
// from within an error of the missing part.
bool FrictionSolver::find_directions_at_limit(const RowBasis& basis, const std::vector<std::size_t>& turning,
                                              FrictionSolution& tried) {
  const std::vector<double> kept = mu_;
  const auto lessen = [&](double part) {
    for (const std::size_t j : turning) mu_[j] = mu_[j + 1] = (1 - part) * kept[j];
  };
  lessen(kLess);
  bool found = find_directions(basis, turning, tried);
  for (double part = kLess / 2; found && part > kSlightly; part /= 2) {
    lessen(part);
    found = refine_directions(basis, turning, tried);
  }
  mu_ = kept;
  return found;
}

}  // namespace dalembert
