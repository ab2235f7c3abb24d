// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/stability/linearize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "dalembert/analyze/stability/lost_inertia.h"
#include "dalembert/analyze/stability/rank_loss.h"
#include "dalembert/analyze/stability/slopes.h"
#include "dalembert/analyze/stability/symmetries.h"
#include "dalembert/dynamics/kkt.h"

namespace dalembert {
namespace {

// A preferred coordinate is given up as a state only if solving for it is better conditioned by the factor kPreference.
// Coordinates that are left out become states only where others are worse by the factor kCounts.
constexpr double kPreference = 10, kCounts = 1e5;
// Terms that cancel leave round-off of this fraction of their size.
constexpr double kTermRoundoff = 1e-14;
// An acceleration below this fraction of the terms that it is the sum of, in scaled units, is round-off.
constexpr double kCancelled = 1e-14;

struct Split {
  std::vector<std::size_t> dependent, independent;
};

// Splits the columns of a matrix into dependent ones, which its rows determine, and independent ones.
Split split_columns(Matrix rows, const std::vector<double>& column_size, const std::vector<bool>& preferred,
                    const std::vector<bool>& left_out = {}, double tolerance = kMatrixRank) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double norm = 0;
    for (std::size_t j = 0; j < rows.cols; ++j) {
      rows(i, j) *= column_size[j];
      norm = std::hypot(norm, rows(i, j));
    }
    for (std::size_t j = 0; j < rows.cols && norm > 0; ++j) rows(i, j) /= norm;
  }
  for (std::size_t j = 0; j < rows.cols; ++j)
    if (j < preferred.size() && preferred[j])
      for (std::size_t i = 0; i < rows.rows; ++i) rows(i, j) /= kPreference;
  if (!left_out.empty())
    for (std::size_t j = 0; j < rows.cols; ++j)
      if (!left_out[j])
        for (std::size_t i = 0; i < rows.rows; ++i) rows(i, j) /= kCounts;
  Split split;
  split.dependent = pivot_columns(rows, tolerance);
  std::ranges::sort(split.dependent);
  for (std::size_t j = 0; j < rows.cols; ++j)
    if (!std::ranges::binary_search(split.dependent, j)) split.independent.push_back(j);
  return split;
}

// Computes a linearisation from blocks of the derivatives.
class Linearizer {
 public:
  /// `vanishing`: rows of W that are 0 here but for round-off, which are left out.
  Linearizer(const SteadySystem& system, const MotionPoint& at, const LinearizeOptions& options,
             const std::vector<std::size_t>& vanishing)
      : system_(system),
        options_(options),
        slopes_(*system.derivatives, *system.dynamics, at),
        row_(system.derivatives->rows()),
        column_(system.derivatives->columns()),
        nq_(system.nq()),
        nv_(system.nv()),
        m_(system.m()) {
    const std::vector<int>& holonomic = system.dynamics->layout().holonomic;
    for (const std::size_t j : vanishing) {
      clear_row(row_.c + j);
      clear_row(row_.w + j);
      const auto place = std::ranges::find(holonomic, static_cast<int>(j));
      if (place != holonomic.end()) clear_row(row_.h + static_cast<std::size_t>(place - holonomic.begin()));
      for (std::size_t i = 0; i < nv_; ++i) slopes_.all(row_.r + i, column_.lambda + j) = 0;
    }
  }

  bool is_finite() const { return std::isfinite(largest(part(0, row_.y, 0, slopes_.all.cols))); }

  void fill(LinearMotion& motion) {
    choose_states(motion);
    const Matrix along = tangent_of_states();
    const std::size_t inputs = column_.t - column_.u, outputs = row_.end - row_.y, states = along.cols;
    const Matrix pushed = tangent_of_inputs(inputs);
    motion.tangent = along;
    // Derivatives of (v̇, λ) by the states and by the inputs.
    const Matrix none(inputs, states);
    const Matrix solved_states = accelerations(along, Matrix(inputs, states)),
                 solved_inputs = accelerations(pushed, identity(inputs));
    motion.A = rates(motion, along, solved_states);
    motion.B = rates(motion, pushed, solved_inputs);
    motion.C = output_slopes(outputs, along, solved_states, Matrix(inputs, states));
    motion.D = output_slopes(outputs, pushed, solved_inputs, identity(inputs));
  }

 private:
  void clear_row(std::size_t row) {
    for (std::size_t j = 0; j < slopes_.all.cols; ++j) slopes_.all(row, j) = 0;
  }
  static Matrix magnitudes(Matrix matrix) {
    for (double& x : matrix.entries) x = std::abs(x);
    return matrix;
  }
  static Matrix identity(std::size_t n) {
    Matrix one(n, n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
    return one;
  }
  Matrix part(std::size_t row, std::size_t rows, std::size_t column, std::size_t cols) const {
    return block(slopes_.all, row, column, rows, cols);
  }

  // The rows on positions: ∂h/∂q, and a row for each quaternion that keeps its norm 1.
  Matrix position_rows() const {
    const std::vector<int>& quaternions = system_.dynamics->layout().quaternions;
    const std::size_t mh = row_.k - row_.h;
    Matrix rows(mh + quaternions.size(), nq_);
    for (std::size_t i = 0; i < mh; ++i)
      for (std::size_t j = 0; j < nq_; ++j) rows(i, j) = slopes_.all(row_.h + i, column_.q + j);
    for (std::size_t k = 0; k < quaternions.size(); ++k)
      for (std::size_t j = 0; j < 4; ++j) {
        const std::size_t place = static_cast<std::size_t>(quaternions[k]) + j;
        rows(mh + k, place) = at_[place];
      }
    return rows;
  }

  // Rows and the fraction of the largest pivot below which one of theirs is round-off.
  struct RestrictedRows {
    Matrix rows;
    double tolerance = kMatrixRank;
  };

  // The Pfaffian rows of W on the tangent space of the positions, a column of which has the size given. Holonomic rows are 0 there, up to
  // round-off, and so are Pfaffian rows that follow from them: both are left out. Of other rows the terms that cancel leave round-off too,
  // which must not count as independent of other rows.
  RestrictedRows pfaffian_rows(const Matrix& allowed, const std::vector<double>& size) const {
    const Matrix rest = W_ * allowed, terms = magnitudes(W_) * magnitudes(allowed);
    const std::vector<int>& holonomic = system_.dynamics->layout().holonomic;
    RestrictedRows restricted{Matrix(0, rest.cols)};
    for (std::size_t j = 0; j < m_; ++j) {
      if (std::ranges::binary_search(holonomic, static_cast<int>(j))) continue;
      double norm = 0, of_terms = 0;
      for (std::size_t k = 0; k < rest.cols; ++k) {
        norm = std::hypot(norm, rest(j, k) * size[k]);
        of_terms = std::hypot(of_terms, terms(j, k) * size[k]);
      }
      if (!(norm > kMatrixRank * of_terms)) continue;
      restricted.tolerance = std::max(restricted.tolerance, kTermRoundoff * of_terms / norm);
      ++restricted.rows.rows;
      for (std::size_t k = 0; k < rest.cols; ++k) restricted.rows.entries.push_back(rest(j, k));
    }
    return restricted;
  }

  void choose_states(LinearMotion& motion) {
    at_ = motion.at.q;
    H_ = position_rows();
    W_ = part(row_.w, m_, column_.v, nv_);
    q_ = split_columns(H_, slopes_.q_size, options_.prefer_position, system_.left_out);
    if (!system_.follows.empty()) {
      for (std::size_t i = 0; i < nv_; ++i) (system_.follows[i] ? v_.dependent : v_.independent).push_back(i);
    } else if (system_.dynamics->layout().v_is_qdot) {
      // The velocities among the states are rates of the coordinates among them, without those that Pfaffian rows determine.
      const Matrix allowed = position_tangent();
      std::vector<double> size;
      std::vector<bool> preferred;
      for (const std::size_t i : q_.independent) {
        size.push_back(slopes_.v_size[i]);
        preferred.push_back(i < options_.prefer_velocity.size() && options_.prefer_velocity[i]);
      }
      const RestrictedRows pfaffian = pfaffian_rows(allowed, size);
      const Split more = split_columns(pfaffian.rows, size, preferred, {}, pfaffian.tolerance);
      v_.dependent = q_.dependent;
      for (const std::size_t k : more.dependent) v_.dependent.push_back(q_.independent[k]);
      for (const std::size_t k : more.independent) v_.independent.push_back(q_.independent[k]);
      std::ranges::sort(v_.dependent);
    } else {
      v_ = split_columns(W_, slopes_.v_size, options_.prefer_velocity);
    }
    const Names& names = system_.dynamics->names();
    for (const std::size_t i : q_.independent) {
      if (system_.is_cyclic(i)) motion.cyclic.push_back(motion.states.size());
      motion.states.push_back({names.coordinates[i], false, i});
    }
    for (const std::size_t i : v_.independent) motion.states.push_back({names.velocity(i), true, i});
  }

  // Solves rows · x = right for the dependent entries of x, with the independent ones 0, for each column of `right`.
  Matrix complete(const Matrix& rows, const Split& split, const Matrix& right, const std::vector<double>& size) const {
    Matrix scaled(rows.rows, split.dependent.size()), b = right;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      double norm = 0;
      for (std::size_t k = 0; k < split.dependent.size(); ++k) {
        scaled(i, k) = rows(i, split.dependent[k]) * size[split.dependent[k]];
        norm = std::hypot(norm, scaled(i, k));
      }
      if (!(norm > 0)) continue;
      for (std::size_t k = 0; k < scaled.cols; ++k) scaled(i, k) /= norm;
      for (std::size_t k = 0; k < b.cols; ++k) b(i, k) /= norm;
    }
    Matrix solved = solve_least(scaled, b);
    for (std::size_t k = 0; k < solved.rows; ++k)
      for (std::size_t j = 0; j < solved.cols; ++j) solved(k, j) *= size[split.dependent[k]];
    return solved;
  }

  // A basis of the solutions of rows · x = 0, in which each column changes one independent entry.
  Matrix span(const Matrix& rows, const Split& split, const std::vector<double>& size) const {
    Matrix right(rows.rows, split.independent.size()), columns(rows.cols, split.independent.size());
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < split.independent.size(); ++k) right(i, k) = -rows(i, split.independent[k]);
    const Matrix solved = complete(rows, split, right, size);
    for (std::size_t k = 0; k < split.independent.size(); ++k) {
      columns(split.independent[k], k) = 1;
      for (std::size_t d = 0; d < split.dependent.size(); ++d) columns(split.dependent[d], k) = solved(d, k);
    }
    return columns;
  }
  Matrix position_tangent() const { return span(H_, q_, slopes_.q_size); }

  // ∂X/∂z, the derivatives of all coordinates and velocities X by the states z of the linearisation.
  Matrix tangent_of_states() const {
    const Matrix q = position_tangent(), v = span(W_, v_, slopes_.v_size);
    const Matrix follow = velocities_of(part(row_.w, m_, column_.q, nq_) * q);
    Matrix all(nq_ + nv_, q.cols + v.cols);
    for (std::size_t i = 0; i < nq_; ++i)
      for (std::size_t k = 0; k < q.cols; ++k) all(i, k) = q(i, k);
    for (std::size_t i = 0; i < nv_; ++i) {
      for (std::size_t k = 0; k < q.cols; ++k) all(nq_ + i, k) = follow(i, k);
      for (std::size_t k = 0; k < v.cols; ++k) all(nq_ + i, q.cols + k) = v(i, k);
    }
    return all;
  }

  // The immediate change of (q, v) by an input in the constraints, with the states held.
  Matrix tangent_of_inputs(std::size_t inputs) const {
    Matrix all(nq_ + nv_, inputs);
    if (inputs == 0) return all;
    Matrix right(H_.rows, inputs);
    for (std::size_t i = 0; i < row_.k - row_.h; ++i)
      for (std::size_t k = 0; k < inputs; ++k) right(i, k) = -slopes_.all(row_.h + i, column_.u + k);
    const Matrix dependent = complete(H_, q_, right, slopes_.q_size);
    Matrix q(nq_, inputs);
    for (std::size_t d = 0; d < q_.dependent.size(); ++d)
      for (std::size_t k = 0; k < inputs; ++k) all(q_.dependent[d], k) = q(q_.dependent[d], k) = dependent(d, k);
    Matrix rate = part(row_.w, m_, column_.q, nq_) * q;
    for (std::size_t j = 0; j < m_; ++j)
      for (std::size_t k = 0; k < inputs; ++k) rate(j, k) += slopes_.all(row_.w + j, column_.u + k);
    const Matrix v = velocities_of(rate);
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t k = 0; k < inputs; ++k) all(nq_ + i, k) = v(i, k);
    return all;
  }

  // The velocities v with W v = −rate in which the independent entries are 0.
  Matrix velocities_of(const Matrix& rate) const {
    Matrix right = rate;
    for (double& x : right.entries) x = -x;
    const Matrix dependent = complete(W_, v_, right, slopes_.v_size);
    Matrix all(nv_, rate.cols);
    for (std::size_t d = 0; d < v_.dependent.size(); ++d)
      for (std::size_t k = 0; k < rate.cols; ++k) all(v_.dependent[d], k) = dependent(d, k);
    return all;
  }

  // The change of (v̇, λ) by displacements of (q, v) and of the inputs: −K⁻¹ ∂(r, c), where r = 0 are the equations of
  // motion, c = 0 the constraints on accelerations, and K = ∂(r, c)/∂(v̇, λ).
  Matrix accelerations(const Matrix& displaced, const Matrix& inputs) const {
    const std::size_t size = nv_ + m_;
    Matrix K = part(row_.r, size, column_.vdot, size);
    const Matrix by_state = part(row_.r, size, column_.q, nq_ + nv_),
                 by_input = part(row_.r, size, column_.u, inputs.rows);
    Matrix right = by_state * displaced;
    const Matrix by_inputs = by_input * inputs;
    const auto scale = [&](std::size_t i) { return i < nv_ ? slopes_.v_size[i] : slopes_.row_size[i - nv_]; };
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < right.cols; ++k) right(i, k) = -(right(i, k) + by_inputs(i, k)) * scale(i);
      for (std::size_t j = 0; j < size; ++j) K(i, j) *= scale(i) * scale(j);
    }
    Matrix solved = solve_least(K, right, 1e-13);
    // Round-off of terms that cancel is set to 0: it would move a double eigenvalue 0 by its square root.
    const Matrix terms = magnitudes(by_state) * magnitudes(displaced),
                 of_inputs = magnitudes(by_input) * magnitudes(inputs);
    for (std::size_t k = 0; k < solved.cols; ++k) {
      double most = 0;
      for (std::size_t i = 0; i < size; ++i) most = std::max(most, (terms(i, k) + of_inputs(i, k)) * scale(i));
      for (std::size_t i = 0; i < nv_; ++i)
        if (std::abs(solved(i, k)) <= kCancelled * most) solved(i, k) = 0;
    }
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < solved.cols; ++k) solved(i, k) *= scale(i);
    return solved;
  }

  Matrix rates(const LinearMotion& motion, const Matrix& displaced, const Matrix& solved) const {
    const std::vector<MotionState>& states = motion.states;
    const Matrix qdot = part(row_.k, nq_, column_.q, nq_ + nv_) * displaced;
    Matrix slopes(states.size(), displaced.cols);
    for (std::size_t i = 0; i < states.size(); ++i)
      for (std::size_t k = 0; k < displaced.cols; ++k)
        slopes(i, k) = states[i].velocity ? solved(states[i].index, k) : qdot(states[i].index, k);
    for (std::size_t f = 0; f < motion.turning.size(); ++f) {
      const Matrix turned = (*system_.symmetries)[f].L * displaced;
      for (std::size_t i = 0; i < states.size(); ++i)
        for (std::size_t k = 0; k < displaced.cols; ++k)
          slopes(i, k) -= motion.turning[f] * turned(states[i].velocity ? nq_ + states[i].index : states[i].index, k);
    }
    return slopes;
  }

  Matrix output_slopes(std::size_t outputs, const Matrix& displaced, const Matrix& solved, const Matrix& inputs) const {
    const Matrix by_state = part(row_.y, outputs, column_.q, nq_ + nv_) * displaced,
                 by_motion = part(row_.y, outputs, column_.vdot, nv_ + m_) * solved,
                 by_input = part(row_.y, outputs, column_.u, inputs.rows) * inputs;
    Matrix sum = by_state;
    for (std::size_t i = 0; i < sum.entries.size(); ++i) sum.entries[i] += by_motion.entries[i] + by_input.entries[i];
    // An output that has no derivative by some entry of the state gets NaN for all of its derivatives.
    for (std::size_t i = 0; i < outputs; ++i)
      if (!std::isfinite(largest(part(row_.y + i, 1, 0, slopes_.all.cols))))
        for (std::size_t k = 0; k < sum.cols; ++k) sum(i, k) = std::nan("");
    return sum;
  }

  const SteadySystem& system_;
  const LinearizeOptions& options_;
  Slopes slopes_;
  const DerivativeRows& row_;
  const DerivativeColumns& column_;
  const std::size_t nq_, nv_, m_;
  std::vector<double> at_;
  Matrix H_, W_;
  Split q_, v_;
};

Matrix chosen(const Matrix& from, const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
  Matrix part(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) part(i, j) = from(rows[i], columns[j]);
  return part;
}

// Restricts the linearisation to the states `kept`.
void keep_states(const SteadySystem& system, LinearMotion& motion, const std::vector<std::size_t>& kept) {
  std::vector<std::size_t> inputs(motion.B.cols), outputs(motion.C.rows), all(motion.tangent.rows);
  std::vector<MotionState> states;
  motion.cyclic.clear();
  for (const std::size_t k : kept) {
    const MotionState& state = motion.states[k];
    if (!state.velocity && system.is_cyclic(state.index)) motion.cyclic.push_back(states.size());
    states.push_back(state);
  }
  std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  std::iota(all.begin(), all.end(), std::size_t{0});
  motion.A = chosen(motion.A, kept, kept);
  motion.B = chosen(motion.B, kept, inputs);
  motion.C = chosen(motion.C, outputs, kept);
  motion.tangent = chosen(motion.tangent, all, kept);
  motion.states = std::move(states);
}

// Removes the coordinates that are left out: no rate that counts contains them.
void leave_out(const SteadySystem& system, LinearMotion& motion) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    if (motion.states[k].velocity || !system.leaves_out(motion.states[k].index)) kept.push_back(k);
  for (std::size_t output = 0; output < motion.C.rows; ++output) {
    double size = 0, dropped = 0;
    for (std::size_t k = 0; k < motion.C.cols; ++k) {
      const double slope = std::abs(motion.C(output, k));
      size = std::max(size, slope);
      if (!std::ranges::binary_search(kept, k)) dropped = std::max(dropped, slope);
    }
    if (dropped > 1e-10 * size) motion.lost.push_back(output);
  }
  keep_states(system, motion, kept);
}

// Counts states that a symmetry turns into each other as one. For each direction X in which the symmetries turn this
// motion one coordinate is removed: states are told apart by z − X (X_g)⁻¹ z_g, where g are the coordinates removed.
// This works because the flow f commutes with the symmetries, [f, X] = 0.
void leave_out_turns(const SteadySystem& system, LinearMotion& motion) {
  const std::size_t count = motion.turning.size(), states = motion.states.size();
  Matrix X(states, count);
  for (std::size_t f = 0; f < count; ++f) {
    const std::vector<double> field = field_at((*system.symmetries)[f], motion.at);
    for (std::size_t i = 0; i < states; ++i)
      X(i, f) = field[motion.states[i].velocity ? system.nq() + motion.states[i].index : motion.states[i].index];
  }
  std::size_t positions = 0;
  while (positions < states && !motion.states[positions].velocity) ++positions;
  std::vector<std::size_t> going = pivot_columns(transposed(block(X, 0, 0, positions, count)), 1e-8), kept,
                           every(count);
  std::ranges::sort(going);
  for (std::size_t i = 0; i < states; ++i)
    if (!std::ranges::binary_search(going, i)) kept.push_back(i);
  std::iota(every.begin(), every.end(), std::size_t{0});
  const Matrix of_going = chosen(X, going, every);
  const auto take_away = [&](Matrix& rates) {
    std::vector<std::size_t> columns(rates.cols);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    const Matrix by = X * solve_least(of_going, chosen(rates, going, columns));
    for (std::size_t i = 0; i < rates.entries.size(); ++i) rates.entries[i] -= by.entries[i];
  };
  take_away(motion.A);
  take_away(motion.B);
  const Matrix of_outputs = motion.C * X;
  for (std::size_t output = 0; output < motion.C.rows; ++output)
    if (largest(block(of_outputs, output, 0, 1, count)) > 1e-10 * largest(block(motion.C, output, 0, 1, states)))
      motion.lost.push_back(output);
  keep_states(system, motion, kept);
}

// Moves the point to an equilibrium or a steady motion, to round-off, if there is one within `near`.
bool settle(const SteadySystem& system, MotionPoint& point, double near) {
  if (!system.is_autonomous()) return false;
  if (!(steady_distance(system, point) <= near)) return false;
  SteadyOptions options;
  // Velocities that are 0 are held at 0.
  for (const double v : point.v) options.hold_velocity.push_back(v == 0);
  const SteadyState steady = solve_steady(system, point, options);
  if (!steady.found) return false;
  const auto moves = [&](const std::vector<double>& from, const std::vector<double>& to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!(std::abs(to[i] - from[i]) <= 100 * near * std::max(1.0, std::abs(from[i])))) return true;
    return false;
  };
  if (moves(point.q, steady.at.q) || moves(point.v, steady.at.v)) return false;
  point = steady.at;
  // Velocities and coordinates that are 0 up to round-off become 0.
  MotionPoint still = point;
  for (double& v : still.v)
    if (std::abs(v) <= 1e-11) v = 0;
  double far = 0;
  for (const double q : still.q) far = std::max(far, std::abs(q));
  for (double& q : still.q)
    if (std::abs(q) <= 1e-15 * far) q = 0;
  if (steady_distance(system, still) <= 1e-10) point = std::move(still);
  return true;
}

}  // namespace

std::string_view to_text(MotionKind kind) {
  switch (kind) {
    case MotionKind::kEquilibrium:
      return "equilibrium";
    case MotionKind::kSteadyMotion:
      return "steady motion";
    case MotionKind::kState:
      return "state";
  }
  return "";
}

Result<LinearMotion> linearize(const SteadySystem& system, const State& state, const LinearizeOptions& options) {
  LinearMotion motion;
  if (system.dynamics->layout().frictions > 0)
    return error("E0272", "friction must be held in its mode first: hold_frictions()");
  if (const std::optional<int> lost = find_lost_inertia(system, state))
    return error("E0307", fmt::format("there is nothing to linearise at this state: {}",
                                      describe_lost_inertia(system.dynamics->names().velocity(as_size(*lost)))));
  if (const KktSolution now = solve_kkt(*system.dynamics, state); now.status != KktStatus::kOk)
    return nothing_to_linearise(*system.dynamics, state, now.status);
  const RankLoss loss = find_rank_loss(system, state);
  if (loss.lost) return error("E0307", fmt::format("there is nothing to linearise at this state: {}", describe(loss)));
  motion.nearly_dependent = loss.nearly_dependent;
  motion.at = point_at(*system.dynamics, state);
  if (settle(system, motion.at, options.near)) {
    const bool rests = std::ranges::all_of(motion.at.v, [](double v) { return std::abs(v) <= 1e-12; });
    motion.kind = rests ? MotionKind::kEquilibrium : MotionKind::kSteadyMotion;
    if (!rests && system.symmetries != nullptr) motion.turning = turning_rates(system, motion.at);
  }
  Linearizer linearizer(system, motion.at, options, loss.vanishing);
  if (!linearizer.is_finite()) return error("E0303", "a derivative of the equations is not finite at this state");
  linearizer.fill(motion);
  if (!system.left_out.empty()) leave_out(system, motion);
  if (!motion.turning.empty()) leave_out_turns(system, motion);
  return motion;
}

}  // namespace dalembert
