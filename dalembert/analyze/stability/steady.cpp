// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/steady.h"

#include <algorithm>
#include <cmath>

#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/symmetries.h"
#include "dalembert/dynamics/groups.h"
#include "dalembert/dynamics/kinematics.h"

namespace dalembert {
namespace {

// A step, and the value of a row, is round-off below this fraction of its terms.
constexpr double kRoundoff = 1e-13;
// The value of a row that is this fraction of its terms is their round-off.
constexpr double kOwnRoundoff = 2e-13;
// A singular value of Newton's equations below this fraction of the largest counts as 0: it belongs to a family.
constexpr double kDependent = 1e-9;
// Units of mass and time are changed where masses, or squared rates of the motion, are this far from 1.
constexpr double kFarFromOne = 1 << 20;

// A point, and the rates c at which the symmetries turn it.
struct TurningPoint {
  MotionPoint at;
  std::vector<double> rates;
};

TurningPoint turning_point(const SteadySystem& system, const MotionPoint& at) {
  return {at, system.symmetries == nullptr ? std::vector<double>() : turning_rates(system, at)};
}

// A power of 4 near a size that is far from 1, so that scaling by it or its root changes no digit; else 1.
double unit_near(double size) {
  if (!(size > 0) || !std::isfinite(size) || (size < kFarFromOne && size > 1 / kFarFromOne)) return 1;
  return std::exp2(2 * std::round(std::log2(size) / 2));
}

// Units in which the numbers of a system are not far from 1: of inertia, and of squared rates, which are forces per length and inertia. Without
// them a droplet of 1e-12 kg is at rest wherever its weight is below the limits for residuals.
struct Units {
  double inertia = 1, rate_squared = 1;  // the latter at most 1: stiff parts must not hide the forces on others
};

Units units_at(const SteadySystem& system, const Slopes& slopes, const std::vector<double>& values,
               const MotionPoint& at) {
  const DerivativeRows& row = system.derivatives->rows();
  const DerivativeColumns& column = system.derivatives->columns();
  double inertia = 0, force = 0, length = 0;
  for (std::size_t i = 0; i < system.nq(); ++i)
    if (!system.is_cyclic(i)) length = std::max(length, std::abs(at.q[i]) / slopes.q_size[i]);
  for (std::size_t i = 0; i < system.nv(); ++i) {
    inertia = std::max(inertia, slopes.all(row.r + i, column.vdot + i));
    const auto count = [&](double term) { force = std::max(force, std::abs(term) * slopes.v_size[i]); };
    count(values[row.r + i]);
    for (std::size_t j = 0; j < system.nq(); ++j)
      count(slopes.all(row.r + i, column.q + j) * slopes.q_size[j] * length);
    if (length > 0) force = std::max(force, std::pow(at.v[i] / slopes.v_size[i], 2) / length);  // to turn the motion
    for (std::size_t j = 0; j < system.m(); ++j) count(slopes.all(row.r + i, column.lambda + j) * at.lambda[j]);
  }
  Units units{.inertia = unit_near(inertia)};
  if (length > 0 && system.dynamics->layout().v_is_qdot) units.rate_squared = std::min(1.0, unit_near(force / length));
  return units;
}

// Sets multipliers to 0 that hold nothing: at rest, those of groups of equations, connected by constraints, in each of which all forces are
// exactly 0. Newton's method leaves round-off there, of which linearisation would make a stiffness.
void drop_idle_multipliers(const SteadySystem& system, MotionPoint& at) {
  const auto is_zero = [](double x) { return x == 0; };
  if (std::ranges::all_of(at.lambda, is_zero) || !std::ranges::all_of(at.v, is_zero)) return;
  MotionPoint unheld = at;
  std::ranges::fill(unheld.lambda, 0.0);
  const std::vector<double> forces = system.derivatives->values(*system.dynamics, unheld);
  const DerivativeRows& row = system.derivatives->rows();
  const std::size_t first = system.derivatives->columns().lambda, nv = system.nv();
  // Numbers from nv on are those of multipliers.
  Groups groups(nv + system.m());
  const Pattern& pattern = system.derivatives->pattern();
  for (std::size_t k = 0; k < pattern.row.size(); ++k) {
    const std::size_t i = as_size(pattern.row[k]), j = as_size(pattern.col[k]);
    if (i >= row.r && i < row.r + nv && j >= first && j < first + system.m()) groups.join(i - row.r, nv + j - first);
  }
  std::vector<bool> loaded(nv + system.m());
  for (std::size_t i = 0; i < nv; ++i)
    if (forces[row.r + i] != 0) loaded[groups.find(i)] = true;
  for (std::size_t j = 0; j < system.m(); ++j)
    if (!loaded[groups.find(nv + j)]) at.lambda[j] = 0;
}

// The equations at a point, with scaled rows and columns.
class SteadyEquations {
 public:
  SteadyEquations(const SteadySystem& system, const MotionPoint& at)
      : SteadyEquations(system, turning_point(system, at)) {}

  SteadyEquations(const SteadySystem& system, TurningPoint point)
      : system_(&system), at_(std::move(point.at)), rates_(std::move(point.rates)) {
    for (std::size_t i = 0; i < system.nv(); ++i) {
      if (i < system.follows.size() && system.follows[i])
        following_.push_back(i);
      else
        at_.vdot[i] = 0;
    }
    for (std::size_t k = 0; k < rates_.size(); ++k) {
      fields_.push_back(field_at((*system.symmetries)[k], at_));
      for (std::size_t i = 0; i < system.nv(); ++i) at_.vdot[i] += rates_[k] * fields_[k][system.nq() + i];
    }
    drop_idle_multipliers(system, at_);
    const Slopes slopes(*system.derivatives, *system.dynamics, at_);
    const std::vector<double> values = system.derivatives->values(*system.dynamics, at_);
    const DerivativeRows& row = system.derivatives->rows();
    for (std::size_t i = row.r; i < row.k; ++i) rows_.push_back(i);
    for (std::size_t i = 0; i < system.nq(); ++i)
      if (!system.is_cyclic(i)) rows_.push_back(row.k + i);
    const std::vector<int>& quaternions = system.dynamics->layout().quaternions;
    J = Matrix(rows_.size() + quaternions.size(),
               system.nq() + system.nv() + system.m() + following_.size() + rates_.size());
    g.resize(J.rows);
    const Units units = units_at(system, slopes, values, at_);
    find_sizes(slopes, units);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double norm = 0, terms = 0;
      for (std::size_t j = 0; j < J.cols; ++j) {
        const double slope = slope_of(slopes, rows_[i], j);
        // Newton's method does without a derivative that is not finite, as that of √|ẋ| at rest.
        J(i, j) = std::isfinite(slope) ? slope * size[j] : 0;
        norm = std::max(norm, std::abs(J(i, j)));
        terms = std::max(terms, std::abs(slope * variable(j)));
      }
      // The derivatives of a constraint row W v̇ + γ = 0 vanish at rest, except those by v̇, so the
      // row is scaled by the norm of its row of W.
      if (rows_[i] >= row.c && rows_[i] < row.w)
        norm = std::max(norm, std::sqrt(units.inertia) * units.rate_squared / slopes.row_size[rows_[i] - row.c]);
      // An equation of motion whose derivatives are all 0 is scaled to the acceleration.
      const double unheld = i < system.nv() ? std::max(1.0, std::pow(slopes.v_size[i], 2) / units.rate_squared) : 1;
      const double scale = norm > 0 ? 1 / norm : unheld;
      for (std::size_t j = 0; j < J.cols; ++j) J(i, j) *= scale;
      g[i] = values[rows_[i]];
      for (std::size_t k = 0; k < rates_.size() && rows_[i] >= row.k; ++k)
        g[i] -= rates_[k] * fields_[k][rows_[i] - row.k];
      g[i] *= scale;
      scale_.push_back(scale);
      terms_.push_back(std::isfinite(terms) ? terms * scale : 0);
      roundoff_ = std::max(roundoff_, std::isfinite(terms) ? terms * scale * kRoundoff : 0);
    }
    // The row (|e|² − 1)/2 of a quaternion keeps steps from changing its norm, which would be undone afterwards.
    for (std::size_t k = 0; k < quaternions.size(); ++k) {
      const std::size_t place = rows_.size() + k;
      g[place] = -0.5;
      for (std::size_t j = as_size(quaternions[k]); j < as_size(quaternions[k]) + 4; ++j) {
        J(place, j) = at_.q[j] * size[j];
        g[place] += at_.q[j] * at_.q[j] / 2;
      }
      scale_.push_back(1);
    }
  }

  double distance() const {
    double most = 0;
    for (const double x : g) {
      if (std::isnan(x)) return x;
      most = std::max(most, std::abs(x));
    }
    return most;
  }
  // The norm of the values of all rows, scaled by the factors of the rows at another point (`scaled_as`).
  double norm(const SteadyEquations& scaled_as) const {
    double sum = 0;
    for (std::size_t i = 0; i < g.size(); ++i) sum += std::pow(g[i] / scale_[i] * scaled_as.scale_[i], 2);
    return std::sqrt(sum);
  }
  // Whether each row is 0 up to round-off of its own terms.
  bool holds() const {
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (!(std::abs(g[i]) <= kOwnRoundoff * terms_[i])) return false;
    return true;
  }
  bool is_solved() const { return distance() <= std::max(kRoundoff, 10 * roundoff_); }

  double variable(std::size_t j) const {
    if (j < system_->nq()) return at_.q[j];
    j -= system_->nq();
    if (j < system_->nv()) return at_.v[j];
    j -= system_->nv();
    if (j < system_->m()) return at_.lambda[j];
    j -= system_->m();
    return j < following_.size() ? at_.vdot[following_[j]] : rates_[j - following_.size()];
  }
  // The point after a step of the scaled variables.
  TurningPoint moved(const std::vector<double>& step, double part) const {
    TurningPoint turned{at_, rates_};
    MotionPoint& to = turned.at;
    for (std::size_t j = 0; j < step.size(); ++j) {
      const double by = part * step[j] * size[j];
      if (j < system_->nq())
        to.q[j] += by;
      else if (j < system_->nq() + system_->nv())
        to.v[j - system_->nq()] += by;
      else if (const std::size_t k = j - system_->nq() - system_->nv(); k < system_->m())
        to.lambda[k] += by;
      else if (const std::size_t f = k - system_->m(); f < following_.size())
        to.vdot[following_[f]] += by;
      else
        turned.rates[f - following_.size()] += by;
    }
    normalize_quaternions(system_->dynamics->layout(), to.q.data());
    return turned;
  }
  const MotionPoint& at() const { return at_; }

  Matrix J;
  std::vector<double> g, size;

 private:
  // ∂(row)/∂(variable j), where symmetries with fields X_k turn the motion at rates c_k: v̇ is Σ c_k X_k, and Σ c_k X_k
  // is subtracted from q̇.
  double slope_of(const Slopes& slopes, std::size_t row, std::size_t j) const {
    const DerivativeRows& places = system_->derivatives->rows();
    const DerivativeColumns& column = system_->derivatives->columns();
    const std::size_t nq = system_->nq(), nv = system_->nv(), state = nq + nv, given = state + system_->m();
    if (j >= given + following_.size()) {
      const std::vector<double>& field = fields_[j - given - following_.size()];
      double sum = row >= places.k ? -field[row - places.k] : 0;
      for (std::size_t i = 0; i < nv; ++i) sum += slopes.all(row, column.vdot + i) * field[nq + i];
      return sum;
    }
    if (j >= given) return slopes.all(row, column.vdot + following_[j - given]);
    if (j >= state) return slopes.all(row, column.lambda + j - state);
    double sum = slopes.all(row, column.q + j);
    for (std::size_t k = 0; k < rates_.size(); ++k) {
      const Matrix& L = (*system_->symmetries)[k].L;
      if (row >= places.k) sum -= rates_[k] * L(row - places.k, j);
      for (std::size_t i = 0; i < nv; ++i) sum += slopes.all(row, column.vdot + i) * rates_[k] * L(nq + i, j);
    }
    return sum;
  }

  void find_sizes(const Slopes& slopes, const Units& units) {
    size.reserve(J.cols);
    const double unit = std::sqrt(units.inertia);
    for (std::size_t i = 0; i < system_->nq(); ++i)
      size.push_back(slopes.q_size[i] * (system_->dynamics->layout().v_is_qdot ? unit : 1));
    for (std::size_t i = 0; i < system_->nv(); ++i) size.push_back(slopes.v_size[i] * unit);
    for (std::size_t j = 0; j < system_->m(); ++j) size.push_back(slopes.row_size[j] * unit * units.rate_squared);
    for (const std::size_t i : following_) size.push_back(slopes.v_size[i] * unit);
    size.insert(size.end(), rates_.size(), 1.0);
  }

  const SteadySystem* system_;
  MotionPoint at_;
  std::vector<double> rates_;                // the rates c of the symmetries
  std::vector<std::vector<double>> fields_;  // the fields X_k of the symmetries at the point
  std::vector<std::size_t> rows_;
  std::vector<double> scale_;           // factors by which rows were scaled
  std::vector<double> terms_;           // by row without those of quaternions: its largest term, scaled
  std::vector<std::size_t> following_;  // velocities whose rates are unknowns
  double roundoff_ = 0;
};

std::vector<double> newton_step(const SteadyEquations& equations, const std::vector<std::size_t>& free, bool damped,
                                double dependent = kDependent) {
  const std::size_t rows = equations.J.rows;
  Matrix J(rows + (damped ? free.size() : 0), free.size()), minus(J.rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < free.size(); ++j) J(i, j) = equations.J(i, free[j]);
    minus(i, 0) = -equations.g[i];
  }
  for (std::size_t j = 0; damped && j < free.size(); ++j) J(rows + j, j) = 0.5;  // damping; rows are scaled to 1
  const Matrix solved = solve_least(J, minus, dependent);
  std::vector<double> step(equations.J.cols);
  for (std::size_t j = 0; j < free.size(); ++j) step[free[j]] = solved(j, 0);
  return step;
}

}  // namespace

MotionPoint step_on(const SteadySystem& system, const MotionPoint& at) {
  const SteadyEquations equations(system, at);
  std::vector<std::size_t> free;
  for (std::size_t j = 0; j < equations.J.cols; ++j)
    if (j < system.nq() || j >= system.nq() + system.nv() || at.v[j - system.nq()] != 0) free.push_back(j);
  return equations.moved(newton_step(equations, free, false, kRoundoff), 1).at;
}

bool holds_by_its_terms(const SteadySystem& system, const MotionPoint& at) {
  return SteadyEquations(system, at).holds();
}

MotionPoint with_zeros(const SteadySystem& system, const MotionPoint& at, const std::vector<double>& q_scale,
                       double speed) {
  if (holds_by_its_terms(system, at)) return at;
  const auto clear = [](std::vector<double>& entries, auto&& limit) {
    bool changed = false;
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries[i] != 0 && std::abs(entries[i]) <= limit(i)) entries[i] = 0, changed = true;
    return changed;
  };
  for (double small = 1e-16; small < 2e-2; small *= 10) {
    MotionPoint zeroed = at;
    const bool of_q = clear(zeroed.q, [&](std::size_t i) { return small * q_scale[i]; });
    const bool of_v = clear(zeroed.v, [&](std::size_t) { return small * speed; });
    normalize_quaternions(system.dynamics->layout(), zeroed.q.data());
    if ((of_q || of_v) && holds_by_its_terms(system, zeroed)) return zeroed;
  }
  return at;
}

double steady_distance(const SteadySystem& system, const MotionPoint& at) {
  return SteadyEquations(system, at).distance();
}

namespace {

SteadyState solve_from(const SteadySystem& system, const MotionPoint& guess, const SteadyOptions& options) {
  SteadyState result;
  const std::size_t nq = system.nq(), moving = nq + system.nv();
  std::vector<std::size_t> free;
  SteadyEquations now(system, guess);
  for (std::size_t j = 0; j < now.J.cols; ++j) {
    const std::vector<bool>& hold = j < nq ? options.hold_position : options.hold_velocity;
    const std::size_t place = j < nq ? j : j - nq;
    if (j >= moving || place >= hold.size() || !hold[place]) free.push_back(j);
  }
  // The largest change of a coordinate or a velocity, relative to it or to 1.
  const auto change_of = [&](const SteadyEquations& at, const std::vector<double>& step) {
    double change = 0;
    for (std::size_t j = 0; j < moving; ++j) {
      const double by = std::abs(step[j] * at.size[j]) / std::max(1.0, std::abs(at.variable(j)));
      if (!std::isfinite(by)) return by;
      change = std::max(change, by);
    }
    return change;
  };
  // Takes a step, or half of it and so on, with which the norm of the rows falls by a part of itself: at round-off it cannot.
  const auto take = [&](const std::vector<double>& step, double change, double least) {
    if (!std::isfinite(change)) return false;
    double part = change > options.longest_step ? options.longest_step / change : 1;
    for (int halvings = 0; halvings < 12; ++halvings, part /= 2) {
      SteadyEquations next(system, now.moved(step, part));
      if (!(next.norm(now) < (1 - least * part) * now.norm(now))) continue;
      now = std::move(next);
      return true;
    }
    return false;
  };
  for (; result.iterations < options.max_iterations + options.damped && std::isfinite(now.norm(now));
       ++result.iterations) {
    const std::vector<double> step = newton_step(now, free, result.iterations < options.damped);
    const double change = change_of(now, step);
    if (!std::isfinite(change)) return result;
    if (now.is_solved() && change <= kRoundoff * 100) {
      // The last step is taken without a test: the error that remains is of second order.
      now = SteadyEquations(system, now.moved(step, 1));
      break;
    }
    if (take(step, change, 1e-4)) continue;
    // What is soft beside something stiff counts as dependent in that step, and has its force left over.
    if (now.is_solved()) break;
    const std::vector<double> whole = newton_step(now, free, false, kRoundoff);
    if (!take(whole, change_of(now, whole), 0.5)) break;
  }
  result.at = now.at();
  result.found = now.distance() <= 1e-10;
  return result;
}

// Numbers in [-1, 1) that are the same on every machine (Weyl's sequence with the golden ratio).
class Scrambled {
 public:
  double next() {
    at_ = std::fmod(at_ + 0.6180339887498949, 1.0);
    return 2 * at_ - 1;
  }

 private:
  double at_ = 0.3;
};

}  // namespace

SteadyState solve_steady(const SteadySystem& system, const MotionPoint& guess, const SteadyOptions& options) {
  SteadyState result = solve_from(system, guess, options);
  Scrambled scrambled;
  // Where the value of a row is at a maximum its derivatives vanish, and Newton's method has no direction. It is
  // restarted from points farther and farther away.
  for (int attempt = 1; attempt <= options.restarts && !result.found; ++attempt) {
    MotionPoint from = guess;
    const double far = std::min(1.0, 0.02 * attempt);
    double size = 0;
    for (const double q : guess.q) size = std::max(size, std::abs(q));
    for (std::size_t i = 0; i < from.q.size(); ++i) {
      const double by = far * std::max(std::abs(from.q[i]), size > 0 ? size : 1.0) * scrambled.next();
      if (i >= options.hold_position.size() || !options.hold_position[i]) from.q[i] += by;
    }
    const int iterations = result.iterations;
    result = solve_from(system, from, options);
    result.iterations += iterations;
  }
  return result;
}

}  // namespace dalembert
