// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/symmetries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {
namespace {

constexpr std::size_t kAlike = 4;      // number of random states at which a combination of fields must be a symmetry
constexpr int kSearches = 40;          // largest number of attempts to find these random states
constexpr double kNone = 1e-9;         // relative singular value of a combination along which the flow does not change
constexpr std::size_t kLargest = 200;  // largest number of elementary fields
constexpr double kAlong = 1e-6;  // of the largest rate: what is not along a combination of fields by more is along none
constexpr int kTurns = 12;       // steps into which two full turns are divided to find the nearest state

using Three = std::array<std::size_t, 3>;

// An elementary field L x + b: few entries of L are not 0, or b is the unit vector of one coordinate.
struct Field {
  struct Entry {
    std::size_t row = 0, column = 0;
    double value = 0;
  };
  std::vector<Entry> L;
  std::optional<std::size_t> shift;
};

class SymmetryFinder {
 public:
  SymmetryFinder(const SteadySystem& system, const Equations& equations, const State& state)
      : system_(system), eq_(equations), state_(state), nq_(system.nq()), nv_(system.nv()) {}

  std::optional<std::vector<Symmetry>> find() {
    if (!collect()) return std::vector<Symmetry>();
    if (fields_.size() > kLargest) return std::nullopt;
    find_states();
    if (states_.size() < kAlike) return std::nullopt;
    return combine();
  }

  // Whether the flow f at the state is a combination of elementary fields. They have common entries only within blocks of few entries.
  bool moves_along_fields() {
    if (!collect()) return false;
    const MotionPoint at = point_at(*system_.dynamics, state_);
    const std::vector<double> values = system_.derivatives->values(*system_.dynamics, at);
    const auto flow = [&](std::size_t i) {
      return i < nq_ ? values[system_.derivatives->rows().k + i] : at.vdot[i - nq_];
    };
    std::vector<std::size_t> block(nq_ + nv_);  // by entry: the first entry of its block
    std::iota(block.begin(), block.end(), 0);
    const auto find = [&](std::size_t i) {
      while (block[i] != i) i = block[i] = block[block[i]];
      return i;
    };
    for (const Field& field : fields_)
      for (const Field::Entry& entry : field.L) {
        const std::size_t a = find(entry.row), b = find(field.L.front().row);
        block[std::max(a, b)] = std::min(a, b);
      }
    std::vector<std::vector<std::size_t>> entries(nq_ + nv_), fields(nq_ + nv_);
    double size = 0;
    for (std::size_t i = 0; i < nq_ + nv_; ++i) {
      if (i < nq_ && system_.is_cyclic(i)) continue;
      entries[find(i)].push_back(i);
      size = std::max(size, std::abs(flow(i)));
    }
    for (std::size_t k = 0; k < fields_.size(); ++k)
      fields[find(fields_[k].shift ? *fields_[k].shift : fields_[k].L.front().row)].push_back(k);
    for (std::size_t one = 0; one < entries.size(); ++one) {
      if (entries[one].empty()) continue;
      Matrix along(entries[one].size(), fields[one].size()), wanted(entries[one].size(), 1);
      for (std::size_t i = 0; i < wanted.rows; ++i) wanted(i, 0) = flow(entries[one][i]);
      for (std::size_t k = 0; k < along.cols; ++k) {
        const std::vector<double> x = at_point(fields_[fields[one][k]], at);
        for (std::size_t i = 0; i < along.rows; ++i) along(i, k) = x[entries[one][i]];
      }
      const Matrix reached = along.cols == 0 ? Matrix(along.rows, 1) : along * solve_least(along, wanted);
      for (std::size_t i = 0; i < wanted.rows; ++i)
        if (!(std::abs(reached(i, 0) - wanted(i, 0)) <= kAlong * size)) return false;
    }
    return true;
  }

 private:
  // Collects the elementary fields. False where there are none, or the equations have no symmetries that are looked for.
  bool collect() {
    const Dynamics& dynamics = *system_.dynamics;
    const std::vector<VelocityPlace> places = eq_.model->velocity_places();
    if (dynamics.layout().quaternions.empty() || dynamics.layout().frictions > 0 || places.size() != nv_ ||
        !system_.is_autonomous())
      return false;
    velocity_of_.assign(nq_, nv_);
    omega_of_.assign(eq_.model->quaternions.size(), 0);
    for (std::size_t j = 0; j < nv_; ++j) {
      const VelocityPlace& place = places[j];
      if (place.quaternion < 0)
        velocity_of_[as_size(place.coordinate)] = j;
      else if (place.axis == 0)
        omega_of_[as_size(place.quaternion)] = j;
    }
    add_fields();
    return !fields_.empty();
  }

  // Adds ẋ = n × x for three entries of the state.
  static void turn(Field& field, const Three& of, std::size_t n, double sign = 1) {
    const std::size_t a = (n + 1) % 3, b = (n + 2) % 3;
    field.L.push_back({of[a], of[b], -sign});
    field.L.push_back({of[b], of[a], sign});
  }

  void add_fields() {
    for (std::size_t k = 0; k < eq_.model->quaternions.size(); ++k) {
      const std::size_t e = as_size(eq_.model->quaternions[k].first), w = nq_ + omega_of_[k];
      const Three vector{e + 1, e + 2, e + 3};
      for (std::size_t n = 0; n < 3; ++n) {
        for (const double side : {1.0, -1.0}) {  // quaternion products (0, n) ∘ e and e ∘ (0, n)
          Field& field = fields_.emplace_back();
          turn(field, vector, n, side / 2);
          field.L.push_back({vector[n], e, 0.5});
          field.L.push_back({e, vector[n], -0.5});
          if (side < 0) turn(field, {w, w + 1, w + 2}, n, -1);
        }
      }
    }
    const auto take = [&](const Vector& position) {
      Three places{};
      if (position.size() != 3) return;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto q = std::ranges::find_if(eq_.q, [&](const Expr& one) { return one.same(position[i]); });
        if (q == eq_.q.end()) return;
        places[i] = static_cast<std::size_t>(q - eq_.q.begin());
        if (velocity_of_[places[i]] == nv_) return;
      }
      if (std::ranges::find(threes_, places) == threes_.end()) threes_.push_back(places);
    };
    for (const Frame& frame : eq_.model->frames) take(frame.origin);
    for (const Body& body : eq_.model->bodies) take(body.position);
    for (const Point& point : eq_.model->points) take(point.position);
    for (const Three& place : threes_) {
      for (std::size_t n = 0; n < 3; ++n) {
        Field& field = fields_.emplace_back();
        turn(field, place, n);
        turn(field, {nq_ + velocity_of_[place[0]], nq_ + velocity_of_[place[1]], nq_ + velocity_of_[place[2]]}, n);
      }
    }
    for (std::size_t i = 0; i < nq_; ++i)
      if (velocity_of_[i] < nv_ && !system_.is_cyclic(i)) fields_.push_back({{}, i});
  }

  std::vector<double> at_point(const Field& field, const MotionPoint& at) const {
    std::vector<double> x(nq_ + nv_);
    if (field.shift) x[*field.shift] = 1;
    for (const Field::Entry& entry : field.L)
      x[entry.row] += entry.value * (entry.column < nq_ ? at.q[entry.column] : at.v[entry.column - nq_]);
    return x;
  }

  // Finds consistent states with attitudes in all directions.
  void find_states() {
    std::minstd_rand random(19'39);
    const auto next = [&] { return 2 * (static_cast<double>(random() - 1) / 2147483646.0) - 1; };
    for (int attempt = 0; attempt < kSearches && states_.size() < kAlike; ++attempt) {
      State guess = state_;
      double size = 1;
      for (const double q : state_.q) size = std::max(size, std::abs(q));
      for (std::size_t i = 0; i < nq_; ++i) guess.q[i] += (velocity_of_[i] < nv_ ? 0.3 * size : 2) * next();
      for (double& v : guess.v) v = 2 * next();
      normalize_quaternions(system_.dynamics->layout(), guess.q.data());
      const Assembly assembly = assemble(*system_.dynamics, guess, {.max_iterations = 40, .restarts = 0});
      if (!assembly.ok() || solve_kkt(*system_.dynamics, assembly.state).status != KktStatus::kOk) continue;
      states_.push_back(point_at(*system_.dynamics, assembly.state));
    }
  }

  // Adds a row for each constraint and each component of the flow: its change at a state along each field.
  void add_rows(const MotionPoint& at, std::vector<std::vector<double>>& rows) const {
    const Slopes slopes(*system_.derivatives, *system_.dynamics, at);
    const DerivativeRows& row = system_.derivatives->rows();
    const DerivativeColumns& column = system_.derivatives->columns();
    const std::vector<double> values = system_.derivatives->values(*system_.dynamics, at);
    const std::size_t count = fields_.size(), m = system_.m(), size = nv_ + m;
    Matrix along(nq_ + nv_, count), rates(nq_ + nv_, count);  // X and L f of each field X(x) = L x + b; f = (q̇, v̇)
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<double> x = at_point(fields_[k], at);
      for (std::size_t i = 0; i < x.size(); ++i) along(i, k) = x[i];
      for (const Field::Entry& entry : fields_[k].L)
        rates(entry.row, k) +=
            entry.value * (entry.column < nq_ ? values[row.k + entry.column] : at.vdot[entry.column - nq_]);
    }
    // The change of the constraints on velocity and position along the fields.
    const auto tangent = [&](std::size_t from, std::size_t to) {
      const Matrix change = block(slopes.all, from, column.q, to - from, nq_ + nv_) * along;
      for (std::size_t j = 0; j < change.rows; ++j) {
        std::vector<double>& one = rows.emplace_back(count);
        for (std::size_t k = 0; k < count; ++k) one[k] = change(j, k) * slopes.row_size[from - row.w + j];
      }
    };
    tangent(row.w, row.h);
    tangent(row.h, row.k);
    const Matrix qdot = block(slopes.all, row.k, column.q, nq_, nq_ + nv_) * along;
    for (std::size_t i = 0; i < nq_; ++i) {
      std::vector<double>& one = rows.emplace_back(count);
      for (std::size_t k = 0; k < count; ++k) one[k] = qdot(i, k) - rates(i, k);
    }
    // The change of (v̇, λ) along a field is −K⁻¹ ∂(r, c) (linearize.h), computed in comparable units.
    const auto scale = [&](std::size_t i) { return i < nv_ ? slopes.v_size[i] : slopes.row_size[i - nv_]; };
    Matrix K = block(slopes.all, row.r, column.vdot, size, size),
           right = block(slopes.all, row.r, column.q, size, nq_ + nv_) * along;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) K(i, j) *= scale(i) * scale(j);
      for (std::size_t k = 0; k < count; ++k) right(i, k) *= -scale(i);
    }
    const Matrix solved = solve_least(K, right, 1e-13);
    for (std::size_t i = 0; i < nv_; ++i) {
      std::vector<double>& one = rows.emplace_back(count);
      for (std::size_t k = 0; k < count; ++k) one[k] = solved(i, k) * scale(i) - rates(nq_ + i, k);
    }
  }

  std::vector<Symmetry> combine() const {
    std::vector<std::vector<double>> rows;
    for (const MotionPoint& at : states_) add_rows(at, rows);
    Matrix all(rows.size(), fields_.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < fields_.size(); ++k) all(i, k) = rows[i][k];
    if (!std::isfinite(largest(all))) return {};
    const Matrix null = null_space(all, kNone, 1);
    std::vector<std::vector<double>> combinations(null.cols, std::vector<double>(fields_.size()));
    for (std::size_t c = 0; c < null.cols; ++c)
      for (std::size_t k = 0; k < fields_.size(); ++k) combinations[c][k] = null(k, c);
    reduce(combinations);
    std::vector<Symmetry> found;
    for (const std::vector<double>& combination : combinations) {
      Symmetry sum{Matrix(nq_ + nv_, nq_ + nv_), std::vector<double>(nq_ + nv_)};
      for (std::size_t k = 0; k < fields_.size(); ++k) {
        // A coefficient that is round-off is 0.
        const double part = std::abs(combination[k]) < 1e-9 ? 0 : combination[k];
        for (const Field::Entry& entry : fields_[k].L) sum.L(entry.row, entry.column) += part * entry.value;
        if (fields_[k].shift) sum.b[*fields_[k].shift] += part;
      }
      found.push_back(std::move(sum));
    }
    return found;
  }

  const SteadySystem& system_;
  const Equations& eq_;
  const State& state_;
  std::size_t nq_, nv_;
  std::vector<std::size_t> velocity_of_;  // by coordinate: index of the velocity that is its rate; nv if there is none
  std::vector<std::size_t> omega_of_;     // by quaternion: index of the first of its three velocities
  std::vector<Three> threes_;             // triples of coordinates that are a position
  std::vector<Field> fields_;
  std::vector<MotionPoint> states_;
};

// exp(Σ s_k L_k): the map from a state to the state after time 1 of the flow of the fields; the last column has their shifts.
Matrix flow_of(const std::vector<Symmetry>& symmetries, const std::vector<double>& s) {
  const std::size_t n = symmetries.front().b.size();
  Matrix generator(n + 1, n + 1);
  double size = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    size += std::abs(s[k]);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) generator(i, j) += s[k] * symmetries[k].L(i, j);
      generator(i, n) += s[k] * symmetries[k].b[i];
    }
  }
  // Scaling and squaring: the Taylor series of a small fraction is squared repeatedly.
  int halvings = 0;
  for (double left = size * largest(generator); left > 0.1; left /= 2) ++halvings;
  for (double& x : generator.entries) x = std::ldexp(x, -halvings);
  Matrix power(n + 1, n + 1), sum(n + 1, n + 1);
  for (std::size_t i = 0; i <= n; ++i) power(i, i) = sum(i, i) = 1;
  for (int order = 1; order <= 12; ++order) {
    power = power * generator;
    for (std::size_t i = 0; i < sum.entries.size(); ++i) sum.entries[i] += power.entries[i] /= order;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

std::vector<double> state_vector(const MotionPoint& at) {
  std::vector<double> x = at.q;
  x.insert(x.end(), at.v.begin(), at.v.end());
  return x;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow((a[i] - b[i]) / std::max(1.0, std::abs(b[i])), 2);
  return std::sqrt(sum);
}

}  // namespace

std::optional<std::vector<Symmetry>> find_symmetries(const SteadySystem& system, const Equations& equations,
                                                     const State& state) {
  return SymmetryFinder(system, equations, state).find();
}

bool may_turn_as_a_whole(const SteadySystem& system, const Equations& equations, const State& state) {
  return SymmetryFinder(system, equations, state).moves_along_fields();
}

std::vector<double> field_at(const Symmetry& symmetry, const MotionPoint& at) {
  std::vector<double> x = symmetry.b;
  const std::size_t nq = at.q.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) x[i] += symmetry.L(i, j) * (j < nq ? at.q[j] : at.v[j - nq]);
  return x;
}

std::vector<double> turning_rates(const SteadySystem& system, const MotionPoint& at) {
  const std::size_t nq = at.q.size(), nv = at.v.size(), count = system.symmetries->size();
  const std::vector<double> values = system.derivatives->values(*system.dynamics, at);
  Matrix fields(nq + nv, count), flow(nq + nv, 1);
  std::vector<std::vector<double>> all;
  for (const Symmetry& symmetry : *system.symmetries) all.push_back(field_at(symmetry, at));
  for (std::size_t i = 0; i < nq + nv; ++i) {
    if (i < nq && system.is_cyclic(i)) continue;
    for (std::size_t k = 0; k < count; ++k) fields(i, k) = all[k][i];
    flow(i, 0) = i < nq ? values[system.derivatives->rows().k + i] : at.vdot[i - nq];
  }
  return solve_least(fields, flow).entries;
}

MotionPoint turned_towards(const std::vector<Symmetry>& symmetries, const MotionPoint& at, const MotionPoint& target) {
  if (symmetries.empty()) return at;
  const std::vector<double> to = state_vector(target);
  const std::size_t n = to.size(), count = symmetries.size();
  const auto moved = [&](const Matrix& flow, const std::vector<double>& from) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = flow(i, n);
      for (std::size_t j = 0; j < n; ++j) x[i] += flow(i, j) * from[j];
    }
    return x;
  };
  // Tries the turns of up to three symmetries in steps. A quaternion is itself again after two full turns.
  std::vector<double> best = state_vector(at);
  std::vector<Matrix> steps;
  for (std::size_t k = 0; k < std::min<std::size_t>(count, 3); ++k) {
    std::vector<double> one(count);
    one[k] = 4 * std::numbers::pi / kTurns;
    steps.push_back(flow_of(symmetries, one));
  }
  const auto look = [&](const auto& self, std::size_t k, std::vector<double> x) -> void {
    if (k == steps.size()) {
      if (distance(x, to) < distance(best, to)) best = std::move(x);
      return;
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      self(self, k + 1, x);
      x = moved(steps[k], x);
    }
  };
  look(look, 0, best);
  // The Gauss–Newton method goes on from the nearest state that was found.
  MotionPoint turned = at;
  const auto set = [&](const std::vector<double>& x) {
    const auto v = x.begin() + static_cast<std::ptrdiff_t>(at.q.size());
    turned.q.assign(x.begin(), v);
    turned.v.assign(v, x.end());
  };
  for (int iteration = 0; iteration < 20; ++iteration) {
    set(best);
    Matrix fields(n, count), left(n, 1);
    for (std::size_t i = 0; i < n; ++i) left(i, 0) = (to[i] - best[i]) / std::max(1.0, std::abs(to[i]));
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<double> field = field_at(symmetries[k], turned);
      for (std::size_t i = 0; i < n; ++i) fields(i, k) = field[i] / std::max(1.0, std::abs(to[i]));
    }
    std::vector<double> next = moved(flow_of(symmetries, solve_least(fields, left).entries), best);
    if (!(distance(next, to) < distance(best, to) * (1 - 1e-6))) break;
    best = std::move(next);
  }
  set(best);
  return turned;
}

}  // namespace dalembert
