// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/motion_branches.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// Rank tolerance of rows, in the mass metric. Each row is relative to its largest norm at the state and nearby.
constexpr double kDependentColumn = 1e-7;
// The search for nearby positions starts from kAlongFree points along null(W) and from kAnywhere points in any
// direction. They are kBeside away from the state, relative to the size of the coordinates. A result within
// kBroughtBack · kBeside of the state is the state itself.
constexpr int kAlongFree = 3, kAnywhere = 3;
constexpr double kBeside = 0.02, kBroughtBack = 0.05;
// Smallest coordinate value that sets the size of steps. Smaller steps would drown in the tolerance of assemble().
constexpr double kLeastSize = 1e-4;
// A row shorter than this fraction of the longest row is round-off.
constexpr double kNoRow = 1e-10;
// Condition (1) of motion_branches.h counts as satisfied if uᵀγ is below this fraction of the size of its terms.
constexpr double kSatisfied = 1e-6;
// A point on the tangent lies along a motion if the constraints move it by at most this fraction of its distance.
constexpr double kAlong = 0.1;
// Entries of null vectors of W or Wᵀ below this count as zero.
constexpr double kTied = 1e-6;

class Finder {
 public:
  Finder(const Dynamics& dynamics, const State& state)
      : dynamics_(dynamics),
        state_(state),
        n_(dynamics.nv()),
        m_(dynamics.m()),
        workspace_(dynamics),
        column_scale_(index(n_), 1.0),
        row_scale_(index(m_), 0.0),
        size_(index(n_), 1.0) {
    if (dynamics_.layout().v_is_qdot)
      for (std::size_t i = 0; i < size_.size(); ++i) size_[i] = std::max(1.0, std::abs(state_.q[i]));
  }

  MotionBranches run() {
    evaluate_mass(dynamics_, state_.t, state_.q.data(), state_.v.data(), workspace_);
    const Pattern& M = dynamics_.layout().M;
    for (std::size_t k = 0; k < workspace_.M.size(); ++k)
      if (M.row[k] == M.col[k] && workspace_.M[k] > 0) column_scale_[index(M.row[k])] = 1 / std::sqrt(workspace_.M[k]);

    note_rows(state_.q);
    result_.rank = factor(state_.q);
    find_free_motions();
    // If all rows are independent, there are positions near the state even if none was found.
    if (!compare() && result_.rank < std::min(n_, m_ - dynamics_.idle_rows())) {
      measure_by_unit();
      result_.alone = !compare();
    }
    if (result_.regular()) return result_;
    find_free_motions();
    find_dependences();
    if (!depends_on_time()) count_motions();
    return result_;
  }

 private:
  // Compares the rank of W with that at nearby positions. False if no nearby position was found.
  bool compare() {
    bool any = compare_with(find_nearby());
    if (!result_.singular() && !leads_on(any_free_motion())) any = compare_with(find_nearby_by_coordinate()) || any;
    return any;
  }

  bool compare_with(const std::vector<Vector>& nearby) {
    for (const Vector& q : nearby) note_rows(q);
    for (const Vector& q : nearby) result_.rank_nearby = std::max(result_.rank_nearby, factor(q));
    result_.rank = factor(state_.q);
    return !nearby.empty();
  }

  // Takes the size of steps from the largest coordinate of the same unit. In a mechanism of millimetres, steps relative
  // to 1 m would be too long.
  void measure_by_unit() {
    if (!dynamics_.layout().v_is_qdot) return;
    const std::vector<std::string>& units = dynamics_.names().coordinate_units;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < size_.size(); ++j)
        if (at_or_empty(units, j) == at_or_empty(units, i)) largest = std::max(largest, std::abs(state_.q[j]));
      if (largest > kLeastSize) size_[i] = largest;
    }
  }
  double position_size(std::size_t i) const {
    return dynamics_.layout().v_is_qdot ? size_[i] : std::max(1.0, std::abs(state_.q[i]));
  }

  // Positions on the manifold near the state. Assembly from a point near a singular position often ends in that
  // position itself. So some starts lie along null(W), with the coordinate that moves most held fixed.
  std::vector<Vector> find_nearby() {
    std::vector<Vector> found;
    const bool free = dynamics_.layout().v_is_qdot && !right_.empty();
    for (int k = 1; k <= kAnywhere + (free ? kAlongFree : 0); ++k) {
      Vector step(index(n_));
      double golden = 0.2 * k;
      const auto any = [&] {
        golden = std::fmod(golden + 0.6180339887498949 * k, 1.0);
        return 2 * golden - 1;
      };
      std::size_t held = step.size();
      if (k > kAnywhere) {
        for (const Vector& v : right_) step = combine(1, step, any(), v);
        for (std::size_t i = 0; i < step.size(); ++i)
          if (held == step.size() || std::abs(step[i]) / size_[i] > std::abs(step[held]) / size_[held]) held = i;
        const double by = kBeside * size_[held] / std::abs(step[held]);
        for (double& x : step) x *= by;
      } else {
        for (std::size_t i = 0; i < step.size(); ++i) step[i] = any() * kBeside * size_[i];
      }
      add_position(step, held, found);
    }
    return found;
  }

  // A generic velocity in null(W). If nearby positions lie along it, they lie along all of null(W), and the state is
  // regular.
  Vector any_free_motion() const {
    Vector v(index(n_));
    for (std::size_t k = 0; k < right_.size(); ++k)
      v = combine(1, v, std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0) - 0.3, right_[k]);
    double largest = 0;
    for (const double x : v) largest = std::max(largest, std::abs(x));
    for (double& x : v) x /= std::max(largest, 1e-300);
    return v;
  }

  // Nearby positions along null(W), with each movable coordinate displaced and held in turn, in both directions. Only
  // few velocities of null(W) may belong to a motion, and along the others there is no position.
  std::vector<Vector> find_nearby_by_coordinate() {
    std::vector<Vector> found;
    if (!dynamics_.layout().v_is_qdot) return found;
    for (std::size_t i = 0; i < index(n_); ++i) {
      Vector step(index(n_));
      for (const Vector& v : right_) step = combine(1, step, v[i], v);
      if (!(step[i] > kTied)) continue;
      for (double& x : step) x *= kBeside * size_[i] / step[i];
      for (const double side : {1.0, -1.0}) add_position(combine(side, step, 0, step), i, found);
    }
    return found;
  }

  // Assembles from a position one step away, with coordinate `held` fixed if it is an index. Adds the result to `found`
  // unless it is the state itself.
  void add_position(const Vector& step, std::size_t held, std::vector<Vector>& found) {
    State guess = state_;
    displace(dynamics_, state_.t, guess.q.data(), step.data(), workspace_);
    AssembleOptions options{.restarts = 0};
    if (held < step.size()) {
      options.hold_position.assign(guess.q.size(), false);
      options.hold_position[held] = true;
    }
    const Assembly assembly = assemble(dynamics_, guess, options);
    if (assembly.status == AssemblyStatus::kNoPosition || assembly.status == AssemblyStatus::kNotFinite) return;
    double away = 0;
    for (std::size_t i = 0; i < guess.q.size(); ++i)
      away = std::max(away, std::abs(assembly.state.q[i] - state_.q[i]) / position_size(i));
    if (away > kBroughtBack * kBeside) found.push_back(assembly.state.q);
  }

  void note_rows(const Vector& q) {
    evaluate_velocity(dynamics_, state_.t, q.data(), workspace_);
    for (int r = 0; r < m_; ++r) {
      double sum = 0;
      workspace_.W_rows.for_each(r, workspace_.W,
                                 [&](int j, double w) { sum += std::pow(w * column_scale_[index(j)], 2); });
      row_scale_[index(r)] = std::max(row_scale_[index(r)], std::sqrt(sum));
    }
  }

  // Factors the scaled rows of W at q, Ŵᵀ P = Q R, and returns their rank.
  int factor(const Vector& q) {
    evaluate_velocity(dynamics_, state_.t, q.data(), workspace_);
    qr_.resize(n_, m_);
    const double longest = *std::max_element(row_scale_.begin(), row_scale_.end());
    for (int r = 0; r < m_; ++r) {
      std::fill(qr_.column(r), qr_.column(r) + n_, 0.0);
      const double scale = longest > 0 ? 1 / std::max(row_scale_[index(r)], kNoRow * longest) : 1;
      workspace_.W_rows.for_each(r, workspace_.W,
                                 [&](int j, double w) { qr_.column(r)[j] = w * column_scale_[index(j)] * scale; });
    }
    // Scaled rows have norm 1 at most, so the tolerance is absolute: a row that vanishes by itself lowers the rank too.
    const int factored = qr_.factor_pivoted(0, m_);
    int rank = 0;
    while (rank < factored && std::abs(qr_.R(rank, rank)) > kDependentColumn) ++rank;
    return rank;
  }

  // Sets right_ to a basis of the v with W v = 0, from the factors at the state.
  void find_free_motions() {
    right_.clear();
    for (int k = result_.rank; k < n_; ++k) {
      Vector v(index(n_), 0.0);
      v[index(k)] = 1;
      qr_.apply_Q(v.data());
      for (int i = 0; i < n_; ++i) v[index(i)] *= column_scale_[index(i)];
      right_.push_back(std::move(v));
    }
  }

  // Sets left_ to a basis of the u with uᵀW = 0, and lists the rows that take part in them.
  void find_dependences() {
    const int rank = result_.rank;
    for (int j = rank; j < m_; ++j) {
      if (!dynamics_.acts(qr_.pivot(j))) continue;  // the row of an open contact is zero, and depends on nothing
      Vector u(index(m_), 0.0), b(index(rank));
      u[index(qr_.pivot(j))] = 1;
      for (int i = rank - 1; i >= 0; --i) {
        double s = qr_.R(i, j);
        for (int k = i + 1; k < rank; ++k) s -= qr_.R(i, k) * b[index(k)];
        b[index(i)] = s / qr_.R(i, i);
        u[index(qr_.pivot(i))] = -b[index(i)];
      }
      for (int r = 0; r < m_; ++r)
        if (row_scale_[index(r)] > 0) u[index(r)] /= row_scale_[index(r)];
      left_.push_back(std::move(u));
    }
    std::vector<char> tied(index(m_), 0);
    for (const Vector& u : left_)
      for (int r = 0; r < m_; ++r)
        if (std::abs(u[index(r)]) * (row_scale_[index(r)] > 0 ? row_scale_[index(r)] : 1) > kTied) tied[index(r)] = 1;
    for (int r = 0; r < m_; ++r)
      if (tied[index(r)] != 0) result_.rows.push_back(r);
  }

  // Whether the constraints depend on time. Then γ has other terms than quadratic ones in v.
  bool depends_on_time() {
    const Vector rest(index(n_), 0.0);
    evaluate_rates(dynamics_, state_.t, state_.q.data(), rest.data(), workspace_);
    const bool moving = std::any_of(workspace_.gamma.begin(), workspace_.gamma.end(), [](double g) { return g != 0; });
    evaluate_velocity(dynamics_, state_.t, state_.q.data(), workspace_);
    return moving || std::any_of(workspace_.a.begin(), workspace_.a.end(), [](double a) { return a != 0; });
  }

  // Returns uᵀγ(v); `size` receives the sum of the magnitudes of its terms.
  double form(const Vector& u, const Vector& v, double* size = nullptr) {
    evaluate_rates(dynamics_, state_.t, state_.q.data(), v.data(), workspace_);
    double sum = 0, terms = 0;
    for (int r = 0; r < m_; ++r) {
      const double term = u[index(r)] * workspace_.gamma[index(r)];
      sum += term;
      terms += std::abs(term);
    }
    if (size != nullptr) *size = terms;
    return sum;
  }

  static Vector combine(double a, const Vector& x, double b, const Vector& y) {
    Vector sum(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = a * x[i] + b * y[i];
    return sum;
  }

  void judge_velocity() {
    const Vector& v = state_.v;
    if (std::all_of(v.begin(), v.end(), [](double x) { return x == 0; })) {
      result_.given = MotionBranches::Given::kRest;
      return;
    }
    result_.given = MotionBranches::Given::kOne;
    for (const Vector& u : left_) {
      double size = 0, square = 0;
      const double value = form(u, v, &size);
      // The tolerance is relative to the largest value that a velocity of the same size in null(W) gives.
      for (std::size_t i = 0; i < v.size(); ++i) square += std::pow(v[i] / column_scale_[i], 2);
      double largest = 0;
      for (const Vector& w : right_) largest = std::max(largest, std::abs(form(u, w)) * square);
      if (std::abs(value) > kSatisfied * std::max(size, largest)) result_.given = MotionBranches::Given::kNone;
    }
  }

  // The quadratic form uᵀγ(α x + β y) = A α² + B α β + C β² of two velocities x and y that W leaves free.
  struct Quadratic {
    double A = 0, B = 0, C = 0;
    double size() const { return std::abs(A) + std::abs(B) + std::abs(C); }
    double at(double alpha, double beta) const { return A * alpha * alpha + B * alpha * beta + C * beta * beta; }
  };

  void count_motions() {
    judge_velocity();
    if (right_.empty() || right_.size() > 2) return;
    const Vector &x = right_.front(), &y = right_.back();
    std::vector<Quadratic> forms;
    double terms = 0;
    for (const Vector& u : left_) {
      double size = 0;
      Quadratic form_of_u{form(u, x, &size), 0, 0};
      terms = std::max(terms, size);
      if (right_.size() == 2) {
        form_of_u.C = form(u, y, &size);
        terms = std::max(terms, size);
        form_of_u.B = form(u, combine(1, x, 1, y), &size) - form_of_u.A - form_of_u.C;
        terms = std::max(terms, size);
      }
      forms.push_back(form_of_u);
    }
    // The largest form determines the possible directions. Forms of rows that are redundant everywhere vanish.
    const Quadratic first = *std::max_element(
        forms.begin(), forms.end(), [](const Quadratic& a, const Quadratic& b) { return a.size() < b.size(); });
    const double most = first.size();
    if (!(most > kSatisfied * terms)) return;  // all forms vanish, so (1) restricts nothing
    result_.counted = true;
    if (right_.size() == 1) return;  // the only direction violates (1), so there is no motion
    const double discriminant = first.B * first.B - 4 * first.A * first.C;
    if (discriminant < -kSatisfied * most * most) return;
    // The roots α : β of the largest form, without cancellation.
    const double root = std::sqrt(std::max(discriminant, 0.0)), q = -(first.B + std::copysign(root, first.B)) / 2;
    std::vector<std::pair<double, double>> ratios{{q, first.A}, {first.C, q}};
    // Along a double root terms of higher order decide: y² = x³ ends there, and two motions of y² = x⁴ touch each other.
    const bool is_double = !(discriminant > kSatisfied * most * most);
    if (is_double) ratios.erase(ratios.begin() + (std::hypot(q, first.A) < std::hypot(first.C, q) ? 0 : 1));
    for (auto& [alpha, beta] : ratios) {
      const double length = std::hypot(alpha, beta);
      if (!(length > 0)) continue;
      alpha /= length, beta /= length;
      if (std::any_of(forms.begin(), forms.end(), [&](const Quadratic& one) {
            return std::abs(one.at(alpha, beta)) > kSatisfied * std::max(one.size(), kSatisfied * most);
          }))
        continue;
      Vector v = combine(alpha, x, beta, y);
      double largest = 0;
      for (const double entry : v)
        if (std::abs(entry) > std::abs(largest) * (1 + 1e-9)) largest = entry;
      if (largest == 0) continue;
      for (double& entry : v) {
        entry /= largest;
        if (std::abs(entry) < 1e-12) entry = 0;
      }
      if (!is_double && leads_on(v))
        result_.directions.push_back(std::move(v));
      else
        result_.counted = false;
    }
  }

  // Whether positions near the state lie along v. Then the constraints move a point on the tangent by an amount
  // of second order in its distance.
  bool leads_on(const Vector& v) {
    const auto length = [&](const Vector& step) {
      double sum = 0;
      for (std::size_t i = 0; i < step.size(); ++i) sum += std::pow(step[i] / column_scale_[i], 2);
      return std::sqrt(sum);
    };
    for (const double side : {1.0, -1.0}) {
      double before = kAlong;
      bool tangent = true;
      for (const double far : {kBeside / 10, kBeside / 100}) {
        State guess = state_;
        Vector step = v, away(state_.q.size()), moved(v.size());
        for (double& x : step) x *= side * far;
        displace(dynamics_, state_.t, guess.q.data(), step.data(), workspace_);
        const Assembly assembly = assemble(dynamics_, guess, {.restarts = 0});
        if (assembly.status == AssemblyStatus::kNoPosition || assembly.status == AssemblyStatus::kNotFinite)
          return false;
        for (std::size_t i = 0; i < away.size(); ++i) away[i] = assembly.state.q[i] - guess.q[i];
        find_displacement(dynamics_, state_.t, guess.q.data(), away.data(), workspace_, moved.data());
        const double part = length(moved) / length(step);
        tangent = tangent && part <= std::max(before, 1e-6);
        before = part / 2;
      }
      if (tangent) return true;
    }
    return false;
  }

  const Dynamics& dynamics_;
  const State& state_;
  const int n_, m_;
  Workspace workspace_;
  Vector column_scale_, row_scale_, size_;  // units of velocities, norms of rows, sizes of steps
  HouseholderQr qr_;
  std::vector<Vector> left_, right_;
  MotionBranches result_;
};

}  // namespace

MotionBranches find_motion_branches(const Dynamics& dynamics, const State& state) {
  if (dynamics.m() == 0 || dynamics.nv() + dynamics.m() > kSmallSystem) return {};
  return Finder(dynamics, state).run();
}

}  // namespace dalembert
