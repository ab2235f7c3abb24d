// SPDX-License-Identifier: Apache-2.0
// Where the forces of constraints act that are formulas: h(q, t) says no point, but its slopes may be those of one.
//
//   along an axis   ∂h/∂q_i = ±∂P_k/∂q_i for every coordinate that P_k contains: λ pushes P along ±e_k, against what else is
//                   in h, which must not move the body that P is on. The closure of a loop, 2 L₁ cos θ − 2 L₂ cos φ − x = 0,
//                   is the force on the crank's pin; a rod (x, θ) on a corner, x + h cot θ − c = 0, feels no such force at x.
//   in the plane    h contains the two coordinates of P alone, which move nothing else: f = J⁻ᵀ ∂h/∂q with J = ∂P/∂q.
//                   r − L = 0 is the force along the rod.
//   of a point      its coordinates are the components of P, and the row contains no others: f = ∂h/∂q.
// What ∂h/∂q is to a holonomic row its row of W is to a Pfaffian one, in the plane. In space only points of the third kind
// are found for these: x' − r φ' = 0 acts where a wheel touches the ground, and not at its middle.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "dalembert/expr/differentiate.h"
#include "dalembert/scene/builder.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostMovable = 40, kMostTracks = 40;

// Numbers of one expression in all samples.
using Values = std::vector<double>;

double largest(const Values& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// +1 or −1 where a = ±b in every sample, else 0.
int sign_between(const Values& a, const Values& b) {
  const double scale = std::max(largest(a), largest(b));
  for (const int sign : {1, -1}) {
    bool same = scale > 0;
    for (std::size_t s = 0; s < a.size() && same; ++s) same = std::abs(a[s] - sign * b[s]) <= 1e-9 * scale;
    if (same) return sign;
  }
  return 0;
}

}  // namespace

void SceneBuilder::find_formula_reactions() {
  const std::size_t n = start_.q.size(), space = static_cast<std::size_t>(scene_.space);
  const std::size_t count =
      std::min(model_.points.size() + model_.bodies.size() + model_.frames.size(), positions_.size());
  const auto is_formula = [](const Constraint& constraint) {
    return constraint.kind->key == "holonomic" || constraint.kind->key == "pfaffian";
  };
  if (!equations_.v_is_qdot() || n > kMostMovable || count > kMostTracks ||
      std::ranges::none_of(model_.constraints, is_formula))
    return;

  // By its blade.
  const auto is_drawn = [&](int row) {
    return std::ranges::any_of(
        scene_.forces, [&](const SceneForce& force) { return std::ranges::find(force.rows, row) != force.rows.end(); });
  };

  // Slopes of every component of every track, then of every row, in all samples; [function][coordinate].
  std::vector<Expr> outputs;
  const Expr zero = graph_.constant(Rational(0));
  const auto add_slopes = [&](const Expr& f) {
    for (const Expr& slope : gradient(f, equations_.q)) outputs.push_back(slope);
  };
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t k = 0; k < space; ++k) add_slopes(positions_[p][k]);
  std::vector<Expr> W(equations_.rows.size() * n, zero);
  for (std::size_t k = 0; k < equations_.W.value.size(); ++k)
    W[static_cast<std::size_t>(equations_.W.row[k]) * n + static_cast<std::size_t>(equations_.W.col[k])] =
        equations_.W.value[k];
  outputs.insert(outputs.end(), W.begin(), W.end());
  const std::vector<std::vector<double>> samples = evaluate_at_samples(outputs);
  const auto slope = [&](std::size_t function, std::size_t i) {
    Values values;
    for (const std::vector<double>& sample : samples) values.push_back(sample[function * n + i]);
    return values;
  };
  const auto expression = [&](std::size_t function, std::size_t i) { return outputs[function * n + i]; };
  const auto row_function = [&](std::size_t row) { return count * space + row; };
  const auto coordinates_of = [&](std::size_t function) {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < n; ++i)
      if (largest(slope(function, i)) > 1e-9) list.push_back(i);
    return list;
  };

  // Whether some body that track p is on stays where it is while these coordinates change.
  const Variables variables(equations_.q);
  const auto rests = [&](int node, const std::vector<std::size_t>& coordinates) {
    return std::ranges::any_of(this->node(node).tracks, [&](int track) {
      for (const Expr& component : positions_[static_cast<std::size_t>(track)])
        for (const int place : variables.in(component))
          if (std::ranges::binary_search(coordinates, static_cast<std::size_t>(place))) return false;
      return true;
    });
  };
  const auto on_resting_body = [&](std::size_t p, const std::vector<std::size_t>& coordinates) {
    bool alone = true;
    for (const std::vector<int>& body : structure_.bodies) {
      if (std::ranges::find(body, node_of(static_cast<int>(p))) == body.end()) continue;
      if (std::ranges::all_of(body, [&](int node) { return rests(node, coordinates); })) return true;
      alone = false;
    }
    return alone;
  };

  // Whether these coordinates move nothing that is rigid with track p but itself.
  const auto moves_alone = [&](std::size_t p, const std::vector<std::size_t>& coordinates) {
    const int own = node_of(static_cast<int>(p));
    return std::ranges::all_of(structure_.bodies, [&](const std::vector<int>& body) {
      return std::ranges::find(body, own) == body.end() ||
             std::ranges::all_of(body, [&](int node) { return node == own || rests(node, coordinates); });
    });
  };

  // The force on track p by λ = 1 of a row, where there is one.
  const auto along_axis = [&](std::size_t p, std::size_t row) -> std::optional<Vector> {
    for (std::size_t k = 0; k < space; ++k) {
      const std::vector<std::size_t> of_point = coordinates_of(p * space + k);
      int sign = 0;
      bool fits = !of_point.empty();
      for (const std::size_t i : of_point) {
        const int here = sign_between(slope(row_function(row), i), slope(p * space + k, i));
        fits = fits && here != 0 && (sign == 0 || here == sign);
        sign = here;
      }
      std::vector<std::size_t> others;
      std::ranges::set_difference(coordinates_of(row_function(row)), of_point, std::back_inserter(others));
      if (!fits || !on_resting_body(p, others)) continue;
      Vector force(space, zero);
      force[k] = graph_.constant(Rational(sign));
      return force;
    }
    return std::nullopt;
  };
  const auto in_plane = [&](std::size_t p, std::size_t row) -> std::optional<Vector> {
    if (space != 2) return std::nullopt;
    std::vector<std::size_t> both = coordinates_of(2 * p), of_y = coordinates_of(2 * p + 1);
    both.insert(both.end(), of_y.begin(), of_y.end());
    std::ranges::sort(both);
    both.erase(std::ranges::unique(both).begin(), both.end());
    const std::vector<std::size_t> of_row = coordinates_of(row_function(row));
    if (both.size() != 2 || !std::ranges::includes(both, of_row) || of_row.empty() || !moves_alone(p, both))
      return std::nullopt;
    const auto J = [&](std::size_t k, std::size_t i) { return expression(2 * p + k, both[i]); };
    const Expr w0 = expression(row_function(row), both[0]), w1 = expression(row_function(row), both[1]);
    const Expr determinant = J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0);
    return Vector{(w0 * J(1, 1) - w1 * J(1, 0)) / determinant, (w1 * J(0, 0) - w0 * J(0, 1)) / determinant};
  };

  const auto of_point = [&](std::size_t p, std::size_t row) -> std::optional<Vector> {
    Vector force;
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < space; ++k) {
      const std::vector<std::size_t> of_component = coordinates_of(p * space + k);
      if (of_component.size() != 1) return std::nullopt;
      const Values moved = slope(p * space + k, of_component[0]);
      if (std::ranges::any_of(moved, [](double s) { return std::abs(s - 1) > 1e-9; })) return std::nullopt;
      own.push_back(of_component[0]);
      force.push_back(expression(row_function(row), of_component[0]));
    }
    std::ranges::sort(own);
    const std::vector<std::size_t> of_row = coordinates_of(row_function(row));
    if (of_row.empty() || !std::ranges::includes(own, of_row) || !moves_alone(p, own)) return std::nullopt;
    return force;
  };

  // The point that feels most of the rows left, of several the one stated first; until no point feels any.
  std::size_t first = 0;
  for (const Constraint& constraint : model_.constraints) {
    std::vector<std::size_t> left;
    const bool rates = constraint.kind->velocity;
    for (std::size_t r = 0; r < constraint.rows.size() && is_formula(constraint); ++r)
      if (!is_drawn(static_cast<int>(first + r))) left.push_back(first + r);
    while (!left.empty()) {
      SceneForce best{{}, -1, model_.has_units ? "N" : "", {}};
      std::vector<Vector> directions;
      for (std::size_t p = 0; p < count; ++p) {
        SceneForce force{{}, static_cast<int>(p), best.unit, {}};
        std::vector<Vector> along;
        for (const std::size_t row : left) {
          std::optional<Vector> vector = of_point(p, row);
          if (!vector && (!rates || space == 2)) vector = along_axis(p, row);
          if (!vector) vector = in_plane(p, row);
          if (!vector) continue;
          force.rows.push_back(static_cast<int>(row));
          along.push_back(std::move(*vector));
        }
        if (along.size() <= directions.size()) continue;
        best = std::move(force);
        directions = std::move(along);
      }
      if (directions.empty()) break;
      std::erase_if(left, [&](std::size_t row) {
        return std::ranges::find(best.rows, static_cast<int>(row)) != best.rows.end();
      });
      if (best.rows.size() == constraint.rows.size()) best.name = constraint.name;
      for (const int row : best.rows)
        if (best.rows.size() < constraint.rows.size())
          best.name += (best.name.empty() ? "" : ", ") + equations_.rows[static_cast<std::size_t>(row)];
      scene_.forces.push_back(std::move(best));
      forces_.push_back(std::move(directions));
    }
    first += constraint.rows.size();
  }
}

}  // namespace dalembert
