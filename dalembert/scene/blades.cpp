// SPDX-License-Identifier: Apache-2.0
// Finds blades that the model states by a formula: a row of W that is the sideways velocity of a point.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "dalembert/dynamics/terms.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/scene/builder.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostCoordinates = 12, kMostPoints = 16;

using Slopes = std::vector<std::array<double, 2>>;  // per coordinate q_i: ∂P/∂q_i of a point P

// Returns the factor k if w, a row of W, is k n·∂P/∂q for the unit vector n = (−sin α, cos α).
std::optional<double> factor_of(const double* w, const Slopes& slopes, double angle) {
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const auto sideways = [&](std::size_t i) { return -sine * slopes[i][0] + cosine * slopes[i][1]; };
  double wb = 0, bb = 0, ww = 0, off = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    const double b = sideways(i);
    wb += w[i] * b, bb += b * b, ww += w[i] * w[i];
  }
  if (!(bb > 0) || !(ww > 0)) return std::nullopt;
  for (std::size_t i = 0; i < slopes.size(); ++i) off += std::pow(w[i] - wb / bb * sideways(i), 2);
  return off < 1e-12 * ww ? std::optional(wb / bb) : std::nullopt;
}

// ∂P/∂q of the first `count` points, by central differences.
std::vector<Slopes> slopes_at(SceneEvaluator& evaluator, const State& state, std::size_t count) {
  std::vector<Slopes> slope(count, Slopes(state.q.size()));
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    const double h = 1e-5 * std::max(1.0, std::abs(state.q[i]));
    State ahead = state, behind = state;
    ahead.q[i] += h;
    behind.q[i] -= h;
    const SceneInstant a = evaluator.at(ahead), b = evaluator.at(behind);
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t k = 0; k < 2; ++k) slope[p][i][k] = (a.at[p][k] - b.at[p][k]) / (2 * h);
  }
  return slope;
}

// W as a dense matrix, stored by rows.
std::vector<double> rows_at(const Dynamics& dynamics, const State& state) {
  const Pattern& pattern = dynamics.layout().W;
  const Terms terms = evaluate_terms(dynamics, state);
  const std::size_t n = state.q.size();
  std::vector<double> W(static_cast<std::size_t>(dynamics.m()) * n, 0.0);
  for (std::size_t k = 0; k < terms.W.size(); ++k)
    W[static_cast<std::size_t>(pattern.row[k]) * n + static_cast<std::size_t>(pattern.col[k])] = terms.W[k];
  return W;
}

}  // namespace

// Draws a blade where a row of W is w = k (−sin α, cos α)·∂P/∂q in every sampled configuration, for a point P and an
// angle α of a coordinate or body. The derivatives are differences, accurate to about seven digits.
void SceneBuilder::find_blades() {
  const std::size_t n = start_.q.size(), count = model_.points.size();
  const auto is_formula = [](const Constraint& constraint) { return constraint.kind->key == "pfaffian"; };
  if (scene_.space != 2 || !equations_.v_is_qdot() || n > kMostCoordinates || count > kMostPoints ||
      std::ranges::none_of(model_.constraints, is_formula))
    return;
  std::vector<Expr> angles;
  for (std::size_t i = 0; i < n; ++i)
    if (!model_.coordinates[i].dimension || model_.coordinates[i].dimension->dimensionless())
      angles.push_back(equations_.q[i]);
  for (const Body& body : model_.bodies)
    if (body.angle) angles.push_back(adopt(body.angle));
  const std::vector<std::vector<double>> angle_at = evaluate_at_samples(angles);

  // ∂P/∂q of every point, and W, in every sampled configuration.
  SceneEvaluator evaluator(scene_, dynamics_);
  std::vector<std::vector<Slopes>> slopes;
  std::vector<std::vector<double>> W_at;
  for (const State& state : states_) {
    slopes.push_back(slopes_at(evaluator, state, count));
    W_at.push_back(rows_at(dynamics_, state));
  }

  const auto draw_row = [&](const Constraint& constraint, std::size_t r, std::size_t row) {
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t a = 0; a < angles.size(); ++a) {
        double least = 1e300, most = -1e300;  // smallest and largest factor k
        bool fits = true;
        for (std::size_t s = 0; s < states_.size() && fits; ++s) {
          const std::optional<double> k = factor_of(W_at[s].data() + row * n, slopes[s][p], angle_at[s][a]);
          fits = k.has_value();
          if (k) least = std::min(least, *k), most = std::max(most, *k);
        }
        if (!fits) continue;
        const int contact = static_cast<int>(p);
        const Vector at = positions_[p];
        add_shape(ShapeKind::kBlade, {contact, add_track("", {at[0] + cos(angles[a]), at[1] + sin(angles[a])})},
                  constraint.name);
        // λ is the force at P only where k = ±1: then the row is the sideways velocity itself.
        if (most - least > 1e-6 || std::abs(std::abs(most) - 1) > 1e-6) return;
        const Expr sign = graph_.constant(Rational(most > 0 ? 1 : -1));
        scene_.forces.push_back(
            {constraint.rows[r].name, contact, model_.has_units ? "N" : "", {static_cast<int>(row)}});
        forces_.push_back({{-(sign * sin(angles[a])), sign * cos(angles[a])}});
        return;
      }
  };
  std::size_t row = 0;
  for (const Constraint& constraint : model_.constraints)
    for (std::size_t r = 0; r < constraint.rows.size(); ++r, ++row)
      if (is_formula(constraint)) draw_row(constraint, r, row);
}

}  // namespace dalembert
