// SPDX-License-Identifier: Apache-2.0
// Finds where the reactions of Pfaffian rows act that keep a rolling body's point at its contact from sliding, in space:
//
//   x' − a ω_y = 0, y' + a ω_x = 0     a ball of radius a with the centre O = (x, y, a)
//
// names no contact. With J = ∂(v_O + ω × (P − O))/∂v, the velocity of the point of a rotating frame that is at P now, a row w acts at P with
// the force f if w = Jᵀf. Where a velocity of the model is a component of v_O and of no other, f has the entry of w at it. P is a
// point that the model states, or the foot of O: O without the components that no coordinate changes, here (x, y, 0).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/scene/builder.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostVelocities = 40, kMostPlaces = 40;

// A frame, a place P, and J by rows: [component][velocity].
struct MaterialPoint {
  int track = -1;  // of P; −1: `place` has no track yet
  Vector place;
  std::vector<Expr> jacobian;
};

// J of the frame's point that is at P now: ȯ + Ṙ b with b = Rᵀ (P − o) held, by the velocities.
std::vector<Expr> slopes_of_velocity(const Equations& equations, const Frame& frame, const Vector& place) {
  Vector arm, velocity;
  for (std::size_t k = 0; k < 3; ++k) arm.push_back(place[k] - frame.origin[k]);
  const Vector held = along_frame(frame, arm);
  const auto rate = [&](const Expr& e) {
    const std::vector<Expr> slopes = gradient(e, equations.q);
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < slopes.size(); ++i) parts.push_back(slopes[i] * equations.qd[i]);
    return equations.graph->sum(parts);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    velocity.push_back(rate(frame.origin[k]));
    for (std::size_t j = 0; j < 3; ++j)
      velocity[k] = velocity[k] + rate(rotation_entry(frame, *equations.graph, k, j)) * held[j];
  }
  if (const auto motion = motion_of_coordinates(equations); !motion.empty()) velocity = substitute(velocity, motion);
  std::vector<Expr> all;
  for (const Expr& component : velocity)
    for (const Expr& slope : gradient(component, equations.velocities())) all.push_back(slope);
  return all;
}

// The rows that act at one place, with the directions of their forces.
struct ActsAt {
  std::vector<int> rows;
  std::vector<Vector> directions;
};

class RollingRows {
 public:
  RollingRows(const Equations& equations, std::vector<MaterialPoint> points)
      : equations_(equations), points_(std::move(points)), nv_(static_cast<std::size_t>(equations.nv())) {
    W_.assign(equations.rows.size() * nv_, equations.graph->constant(Rational(0)));
    for (std::size_t k = 0; k < equations.W.value.size(); ++k)
      W_[static_cast<std::size_t>(equations.W.row[k]) * nv_ + static_cast<std::size_t>(equations.W.col[k])] =
          equations.W.value[k];
  }

  const std::vector<MaterialPoint>& points() const { return points_; }
  /// What must be evaluated in all sampled configurations: W, then the Jacobian of each point.
  std::vector<Expr> expressions() const {
    std::vector<Expr> all = W_;
    for (const MaterialPoint& point : points_) all.insert(all.end(), point.jacobian.begin(), point.jacobian.end());
    return all;
  }
  void set_samples(std::vector<std::vector<double>> samples) { samples_ = std::move(samples); }

  ActsAt at(std::size_t point, const std::vector<int>& rows) const {
    ActsAt acts;
    for (const int row : rows)
      if (std::optional<Vector> force = force_at(point, static_cast<std::size_t>(row))) {
        acts.rows.push_back(row);
        acts.directions.push_back(std::move(*force));
      }
    return acts;
  }

 private:
  double w(std::size_t sample, std::size_t row, std::size_t i) const { return samples_[sample][row * nv_ + i]; }
  double J(std::size_t sample, std::size_t point, std::size_t k, std::size_t i) const {
    return samples_[sample][W_.size() + (3 * point + k) * nv_ + i];
  }

  // The velocity that is component k and no other one; nothing if there is none.
  std::optional<std::size_t> velocity_of(std::size_t point, std::size_t k) const {
    for (std::size_t i = 0; i < nv_; ++i) {
      bool is_it = true;
      for (std::size_t s = 0; s < samples_.size(); ++s)
        for (std::size_t other = 0; other < 3; ++other)
          is_it = is_it && std::abs(J(s, point, other, i) - (other == k ? 1 : 0)) <= 1e-9;
      if (is_it) return i;
    }
    return std::nullopt;
  }

  std::optional<Vector> force_at(std::size_t point, std::size_t row) const {
    Vector force(3, equations_.graph->constant(Rational(0)));
    std::array<std::optional<std::size_t>, 3> from;
    for (std::size_t k = 0; k < 3; ++k)
      if ((from[k] = velocity_of(point, k))) force[k] = W_[row * nv_ + *from[k]];
    bool some = false;
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      double scale = 0;
      for (std::size_t i = 0; i < nv_; ++i) scale = std::max(scale, std::abs(w(s, row, i)));
      for (std::size_t i = 0; i < nv_; ++i) {
        double done = 0;
        for (std::size_t k = 0; k < 3; ++k)
          if (from[k]) done += w(s, row, *from[k]) * J(s, point, k, i);
        if (!(std::abs(done - w(s, row, i)) <= 1e-9 * scale)) return std::nullopt;
        some = some || std::abs(done) > 0;
      }
    }
    if (!some) return std::nullopt;
    return force;
  }

  const Equations& equations_;
  std::vector<MaterialPoint> points_;
  std::size_t nv_;
  std::vector<Expr> W_;  // dense, by rows
  std::vector<std::vector<double>> samples_;
};

}  // namespace

void SceneBuilder::find_rolling_reactions() {
  const std::size_t tracks =
      std::min(model_.points.size() + model_.bodies.size() + model_.frames.size(), positions_.size());
  const auto is_pfaffian = [](const Constraint& constraint) { return constraint.kind->key == "pfaffian"; };
  if (scene_.space != 3 || equations_.velocities().size() > kMostVelocities || tracks > kMostPlaces ||
      std::ranges::none_of(model_.constraints, is_pfaffian))
    return;
  std::vector<MaterialPoint> points;
  for (const Frame& stated : model_.frames) {
    if (stated.origin.empty() || stated.rotation.empty()) continue;
    const Frame frame = adopt(stated);
    for (std::size_t track = 0; track < tracks; ++track)
      points.push_back(
          {static_cast<int>(track), positions_[track], slopes_of_velocity(equations_, frame, positions_[track])});
    Vector foot = frame.origin;
    const auto moves = [&](SymbolId id) { return coordinate_symbols_.contains(id); };
    bool is_other = false;
    for (Expr& component : foot)
      if (!component.is_zero() && std::ranges::none_of(symbols_in(std::array{component}), moves))
        component = graph_.constant(Rational(0)), is_other = true;
    if (is_other) points.push_back({-1, foot, slopes_of_velocity(equations_, frame, foot)});
  }
  if (points.empty()) return;
  RollingRows rows(equations_, std::move(points));
  rows.set_samples(evaluate_at_samples(rows.expressions()));

  int first = 0;
  for (const Constraint& constraint : model_.constraints) {
    std::vector<int> own;
    for (std::size_t r = 0; r < constraint.rows.size() && is_pfaffian(constraint); ++r)
      own.push_back(first + static_cast<int>(r));
    first += static_cast<int>(constraint.rows.size());
    // The place at which most of the rows act; of several, the first one stated.
    ActsAt best;
    std::size_t place = 0;
    for (std::size_t p = 0; p < rows.points().size() && best.rows.size() < own.size(); ++p)
      if (ActsAt acts = rows.at(p, own); acts.rows.size() > best.rows.size()) best = std::move(acts), place = p;
    if (best.rows.empty()) continue;
    const MaterialPoint& point = rows.points()[place];
    add_reaction(constraint, std::move(best.rows), point.track >= 0 ? point.track : add_track("", point.place),
                 std::move(best.directions));
  }
}

}  // namespace dalembert
