// SPDX-License-Identifier: Apache-2.0
// Finds where the reactions of formula constraints act. A formula h(q, t) = 0 names no point, but its partial derivatives may be
// those of a point's position. Four cases:
//
//   along an axis   ∂h/∂q_i = ±∂P_k/∂q_i for every coordinate that P_k contains: λ pushes P along ±e_k. The other coordinates in h
//                   must not move the body that P is on. Example: the closure of a loop, 2 L₁ cos θ − 2 L₂ cos φ − x = 0, is the
//                   force on the crank's pin. A rod (x, θ) on a corner, x + h cot θ − c = 0, feels no such force at x.
//   by coordinates  h contains only the coordinates of P, two in the plane and three in space, which move nothing else: f = J⁻ᵀ ∂h/∂q with
//                   J = ∂P/∂q. r − L = 0 is the force along the rod; z = 0 that of a tilted plane with the coordinates (x, y, z).
//   of a point      the coordinates are the components of P, and others in the row do not move P's body: f = ∂h/∂q. ‖p − p_k‖² − L²
//                   is the force of a rod on a platform.
//   at a corner     in the plane, if no other case fits: a bar AB slides over a resting point Q. With the point of the bar that is at Q,
//                   J = (1 − s) ∂A/∂q + s ∂B/∂q: f = c e across the bar, or along it, where Jᵀe is proportional to ∂h/∂q.
// For a Pfaffian row its row of W takes the place of ∂h/∂q. In space only the second and third case are used for Pfaffian rows:
// x' − r φ' = 0 acts where a wheel touches the ground, and not at the wheel's centre (rolling_reactions.cpp).
//
// A friction acts on the point on which the reaction acts that loads it, if its row ∂v_s/∂q̇ does as a Pfaffian row: −f ∂v_s/∂q̇.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "dalembert/expr/differentiate.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/scene/builder.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostMovable = 40, kMostTracks = 40;

// Values of one expression in all sampled configurations.
using Values = std::vector<double>;

double largest(const Values& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// ±1 if a = ±b in every sample, else 0.
int sign_between(const Values& a, const Values& b) {
  const double scale = std::max(largest(a), largest(b));
  for (const int sign : {1, -1}) {
    bool same = scale > 0;
    for (std::size_t s = 0; s < a.size() && same; ++s) same = std::abs(a[s] - sign * b[s]) <= 1e-9 * scale;
    if (same) return sign;
  }
  return 0;
}

bool is_a_formula(const Constraint& constraint) {
  return constraint.kind->key == "holonomic" || constraint.kind->key == "pfaffian";
}

// A bar on a resting point: the tracks of the point and of two points of the bar.
struct Corner {
  std::size_t at, a, b;
};

// Whether Q is on the straight line through A and B, and, at first, between them.
bool slides_over(const SampledTracks& samples, const Corner& corner, double size) {
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const ScenePoint &Q = samples[k][corner.at], &A = samples[k][corner.a], &B = samples[k][corner.b];
    const double x = B[0] - A[0], y = B[1] - A[1], length = std::hypot(x, y);
    const double off = (Q[0] - A[0]) * y - (Q[1] - A[1]) * x, along = (Q[0] - A[0]) * x + (Q[1] - A[1]) * y;
    if (!(length > 1e-3 * size) || !(std::abs(off) <= 1e-7 * size * length)) return false;
    if (k == 0 && (along <= 0 || along >= length * length)) return false;
  }
  return true;
}

std::vector<Corner> find_corners(const SceneStructure& structure, const SampledTracks& samples, std::size_t tracks,
                                 double size) {
  std::vector<Corner> corners;
  const auto track_of = [&](int node) {
    return static_cast<std::size_t>(structure.nodes[static_cast<std::size_t>(node)].tracks.front());
  };
  // One bar of a body suffices: the others say the same.
  const auto add_bar = [&](std::size_t at, const std::vector<int>& body) {
    for (const int a : body)
      for (const int b : body) {
        const Corner corner{at, track_of(a), track_of(b)};
        if (a < b && std::max(corner.a, corner.b) < tracks && slides_over(samples, corner, size))
          return corners.push_back(corner);
      }
  };
  for (std::size_t node = 0; node < structure.nodes.size(); ++node)
    if (const std::size_t at = track_of(static_cast<int>(node)); structure.nodes[node].fixed && at < tracks)
      for (const std::vector<int>& body : structure.bodies)
        if (std::ranges::find(body, static_cast<int>(node)) == body.end()) add_bar(at, body);
  return corners;
}

// The forces that constraint rows and frictions exert on points. A "function" is a component of a track or, after all of those, a row
// of W, then of C. The coordinates that it depends on are those with a non-zero partial derivative.
class PointForces {
 public:
  PointForces(const Equations& equations, const std::vector<Vector>& positions, const SceneStructure& structure,
              std::size_t tracks, std::size_t space)
      : equations_(equations),
        positions_(positions),
        structure_(structure),
        tracks_(tracks),
        space_(space),
        n_(equations.q.size()),
        zero_(equations.graph->constant(Rational(0))),
        variables_(equations.q) {
    const auto add_slopes = [&](const Expr& f) {
      for (const Expr& slope : gradient(f, equations_.q)) slopes_.push_back(slope);
    };
    for (std::size_t p = 0; p < tracks_; ++p)
      for (std::size_t k = 0; k < space_; ++k) add_slopes(positions_[p][k]);
    add_rows(equations_.W, equations_.rows.size());
    add_rows(equations_.C, equations_.frictions.size());
  }

  /// Partial derivatives as [function][coordinate].
  const std::vector<Expr>& slopes() const { return slopes_; }
  /// Sets the values of slopes() in all configurations, and the places of tracks there.
  void set_samples(std::vector<std::vector<double>> samples, const SampledTracks& places, double size) {
    samples_ = std::move(samples);
    places_ = places;
    if (space_ == 2) corners_ = find_corners(structure_, places_, tracks_, size);
  }

  /// The force on track p for λ = 1 of a row (after all rows: of a friction), if the row acts there. `rates`: whether the row is Pfaffian.
  std::optional<Vector> on(std::size_t p, std::size_t row, bool rates) const {
    std::optional<Vector> force = of_point(p, row, rates);
    if (!force && (!rates || space_ == 2)) force = along_axis(p, row);
    if (!force) force = space_ == 2 ? in_plane(p, row) : in_space(p, row);
    return force;
  }
  /// The same, where track p rests and a bar slides over it: the force on the bar.
  std::optional<Vector> at_corner(std::size_t p, std::size_t row) const {
    for (const Corner& corner : corners_)
      for (const bool along : {false, true})
        if (corner.at == p && fits(corner, row, along)) return on_bar(corner, row, along);
    return std::nullopt;
  }
  /// Whether the row contains only coordinates on which track p depends.
  bool contains(std::size_t p, std::size_t row) const {
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < space_; ++k)
      for (const std::size_t i : coordinates_of(p * space_ + k)) own.push_back(i);
    return std::ranges::all_of(coordinates_of(row_function(row)),
                               [&](std::size_t i) { return std::ranges::find(own, i) != own.end(); });
  }
  std::size_t tracks() const { return tracks_; }

 private:
  void add_rows(const SparseMatrix& matrix, std::size_t rows) {
    std::vector<Expr> dense(rows * n_, zero_);
    for (std::size_t k = 0; k < matrix.value.size(); ++k)
      dense[static_cast<std::size_t>(matrix.row[k]) * n_ + static_cast<std::size_t>(matrix.col[k])] = matrix.value[k];
    slopes_.insert(slopes_.end(), dense.begin(), dense.end());
  }
  Values slope(std::size_t function, std::size_t i) const {
    Values values;
    for (const std::vector<double>& sample : samples_) values.push_back(sample[function * n_ + i]);
    return values;
  }
  const Expr& expression(std::size_t function, std::size_t i) const { return slopes_[function * n_ + i]; }
  std::size_t row_function(std::size_t row) const { return tracks_ * space_ + row; }
  std::vector<std::size_t> coordinates_of(std::size_t function) const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < n_; ++i)
      if (largest(slope(function, i)) > 1e-9) list.push_back(i);
    return list;
  }

  // Whether some track of the node does not depend on these coordinates.
  bool rests(int node, const std::vector<std::size_t>& coordinates) const {
    return std::ranges::any_of(structure_.nodes[static_cast<std::size_t>(node)].tracks, [&](int track) {
      for (const Expr& component : positions_[static_cast<std::size_t>(track)])
        for (const int place : variables_.in(component))
          if (std::ranges::binary_search(coordinates, static_cast<std::size_t>(place))) return false;
      return true;
    });
  }

  // Whether some body that contains track p is not moved by these coordinates; also true if no body contains the track.
  bool on_resting_body(std::size_t p, const std::vector<std::size_t>& coordinates) const {
    bool alone = true;
    for (const std::vector<int>& body : structure_.bodies) {
      if (std::ranges::find(body, structure_.node_of[p]) == body.end()) continue;
      if (std::ranges::all_of(body, [&](int node) { return rests(node, coordinates); })) return true;
      alone = false;
    }
    return alone;
  }

  // Whether these coordinates move no other node of the bodies that contain track p.
  bool moves_alone(std::size_t p, const std::vector<std::size_t>& coordinates) const {
    const int own = structure_.node_of[p];
    return std::ranges::all_of(structure_.bodies, [&](const std::vector<int>& body) {
      return std::ranges::find(body, own) == body.end() ||
             std::ranges::all_of(body, [&](int node) { return node == own || rests(node, coordinates); });
    });
  }

  std::optional<Vector> along_axis(std::size_t p, std::size_t row) const {
    for (std::size_t k = 0; k < space_; ++k) {
      const std::vector<std::size_t> of_point = coordinates_of(p * space_ + k);
      int sign = 0;
      bool fits = !of_point.empty();
      for (const std::size_t i : of_point) {
        const int here = sign_between(slope(row_function(row), i), slope(p * space_ + k, i));
        fits = fits && here != 0 && (sign == 0 || here == sign);
        sign = here;
      }
      std::vector<std::size_t> others;
      std::ranges::set_difference(coordinates_of(row_function(row)), of_point, std::back_inserter(others));
      if (!fits || !on_resting_body(p, others)) continue;
      Vector force(space_, zero_);
      force[k] = equations_.graph->constant(Rational(sign));
      return force;
    }
    return std::nullopt;
  }

  // The coordinates on which track p depends, if there are as many as components, the row contains no others, and they move nothing else.
  std::vector<std::size_t> coordinates_alone(std::size_t p, std::size_t row) const {
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < space_; ++k)
      for (const std::size_t i : coordinates_of(p * space_ + k)) own.push_back(i);
    std::ranges::sort(own);
    own.erase(std::ranges::unique(own).begin(), own.end());
    const std::vector<std::size_t> of_row = coordinates_of(row_function(row));
    const bool fit =
        own.size() == space_ && std::ranges::includes(own, of_row) && !of_row.empty() && moves_alone(p, own);
    return fit ? own : std::vector<std::size_t>{};
  }

  std::optional<Vector> in_plane(std::size_t p, std::size_t row) const {
    const std::vector<std::size_t> both = coordinates_alone(p, row);
    if (both.empty()) return std::nullopt;
    const auto J = [&](std::size_t k, std::size_t i) { return expression(2 * p + k, both[i]); };
    const Expr w0 = expression(row_function(row), both[0]), w1 = expression(row_function(row), both[1]);
    const Expr determinant = J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0);
    return Vector{(w0 * J(1, 1) - w1 * J(1, 0)) / determinant, (w1 * J(0, 0) - w0 * J(0, 1)) / determinant};
  }

  // With the columns a, b, c of J: f = (w₀ b × c + w₁ c × a + w₂ a × b) / (a · b × c).
  std::optional<Vector> in_space(std::size_t p, std::size_t row) const {
    const std::vector<std::size_t> own = coordinates_alone(p, row);
    if (own.empty()) return std::nullopt;
    const auto column = [&](std::size_t i) {
      return Vector{expression(3 * p, own[i]), expression(3 * p + 1, own[i]), expression(3 * p + 2, own[i])};
    };
    const auto w = [&](std::size_t i) { return expression(row_function(row), own[i]); };
    const Vector a = column(0), b = column(1), c = column(2);
    const Vector bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
    const Expr volume = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
    Vector force;
    for (std::size_t k = 0; k < 3; ++k) force.push_back((w(0) * bc[k] + w(1) * ca[k] + w(2) * ab[k]) / volume);
    return force;
  }

  // As on_resting_body, but for tracks of no body.
  bool on_resting_body_of_its_own(std::size_t p, const std::vector<std::size_t>& coordinates) const {
    const auto holds = [&](const std::vector<int>& body) {
      return std::ranges::find(body, structure_.node_of[p]) != body.end();
    };
    return std::ranges::any_of(structure_.bodies, holds) && on_resting_body(p, coordinates);
  }

  std::optional<Vector> of_point(std::size_t p, std::size_t row, bool rates) const {
    Vector force;
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < space_; ++k) {
      const std::vector<std::size_t> of_component = coordinates_of(p * space_ + k);
      if (of_component.size() != 1) return std::nullopt;
      const Values moved = slope(p * space_ + k, of_component[0]);
      if (std::ranges::any_of(moved, [](double s) { return std::abs(s - 1) > 1e-9; })) return std::nullopt;
      own.push_back(of_component[0]);
      force.push_back(expression(row_function(row), of_component[0]));
    }
    std::ranges::sort(own);
    const std::vector<std::size_t> of_row = coordinates_of(row_function(row));
    std::vector<std::size_t> others;
    std::ranges::set_difference(of_row, own, std::back_inserter(others));
    if (others.size() == of_row.size()) return std::nullopt;
    if (others.empty() ? !moves_alone(p, own) : rates || !on_resting_body_of_its_own(p, others)) return std::nullopt;
    return force;
  }

  // Whether Jᵀe is proportional to the row in every sample; e is across the bar, or along it.
  bool fits(const Corner& corner, std::size_t row, bool along) const {
    for (std::size_t k = 0; k < samples_.size(); ++k) {
      const ScenePoint &Q = places_[k][corner.at], &A = places_[k][corner.a], &B = places_[k][corner.b];
      const double x = B[0] - A[0], y = B[1] - A[1], e[2] = {along ? x : -y, along ? y : x};
      const double s = ((Q[0] - A[0]) * x + (Q[1] - A[1]) * y) / (x * x + y * y);
      double wg = 0, gg = 0, ww = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const auto J = [&](std::size_t component) {
          return (1 - s) * samples_[k][(2 * corner.a + component) * n_ + i] +
                 s * samples_[k][(2 * corner.b + component) * n_ + i];
        };
        const double g = e[0] * J(0) + e[1] * J(1), w = samples_[k][row_function(row) * n_ + i];
        wg += w * g, gg += g * g, ww += w * w;
      }
      // The angle between them: (w·g)² = w² g² where it is none.
      if (!(ww * gg > 0) || !(ww * gg - wg * wg <= 1e-14 * ww * gg)) return false;
    }
    return !samples_.empty();
  }

  // c e with c = w·g / g², g = Jᵀe.
  Vector on_bar(const Corner& corner, std::size_t row, bool along) const {
    Graph& graph = *equations_.graph;
    const Vector &Q = positions_[corner.at], &A = positions_[corner.a], &B = positions_[corner.b];
    const Expr x = B[0] - A[0], y = B[1] - A[1];
    const Expr s = ((Q[0] - A[0]) * x + (Q[1] - A[1]) * y) / (x * x + y * y);
    const Vector e = along ? Vector{x, y} : Vector{-y, x};
    std::vector<Expr> wg, gg;
    for (std::size_t i = 0; i < n_; ++i) {
      Expr g = zero_;
      for (const std::size_t k : {0U, 1U})
        g = g + e[k] * (expression(2 * corner.a + k, i) +
                        s * (expression(2 * corner.b + k, i) - expression(2 * corner.a + k, i)));
      wg.push_back(expression(row_function(row), i) * g);
      gg.push_back(g * g);
    }
    const Expr c = graph.sum(wg) / graph.sum(gg);
    return {c * e[0], c * e[1]};
  }

  const Equations& equations_;
  const std::vector<Vector>& positions_;
  const SceneStructure& structure_;
  SampledTracks places_;
  std::vector<Corner> corners_;
  std::size_t tracks_, space_, n_;
  Expr zero_;
  Variables variables_;
  std::vector<Expr> slopes_;
  std::vector<std::vector<double>> samples_;
};

// The rows that act on a point, each with the direction of its force.
struct Felt {
  int track = -1;
  std::vector<int> rows;
  std::vector<Vector> directions;
  std::size_t whole = 0;  // rows of which nothing is left over
};

// Finds the point on which most of the rows act; of several, the first one stated on which they act with nothing left over (a foot, not
// the hip above it), or the first one; where there is none, a corner. Without directions
// if no row acts on any point.
Felt most_felt(const PointForces& forces, const std::vector<std::size_t>& rows, bool rates, bool corners = false) {
  Felt best;
  for (std::size_t p = 0; p < forces.tracks(); ++p) {
    Felt felt{static_cast<int>(p), {}, {}, 0};
    for (const std::size_t row : rows) {
      std::optional<Vector> direction = corners ? forces.at_corner(p, row) : forces.on(p, row, rates);
      if (!direction) continue;
      felt.rows.push_back(static_cast<int>(row));
      felt.directions.push_back(std::move(*direction));
      felt.whole += forces.contains(p, row);
    }
    if (std::pair(felt.directions.size(), felt.whole) > std::pair(best.directions.size(), best.whole))
      best = std::move(felt);
  }
  if (best.directions.empty() && !corners) return most_felt(forces, rows, rates, true);
  return best;
}

}  // namespace

void SceneBuilder::add_reaction(const Constraint& constraint, std::vector<int> rows, int track,
                                std::vector<Vector> directions) {
  SceneForce force{{}, track, model_.has_units ? "N" : "", {}};
  if (rows.size() == constraint.rows.size()) force.name = constraint.name;
  for (const int row : rows)
    if (rows.size() < constraint.rows.size())
      force.name += (force.name.empty() ? "" : ", ") + equations_.rows[static_cast<std::size_t>(row)];
  force.rows = std::move(rows);
  scene_.forces.push_back(std::move(force));
  forces_.push_back(std::move(directions));
}

void SceneBuilder::find_formula_reactions() {
  const std::size_t tracks =
      std::min(model_.points.size() + model_.bodies.size() + model_.frames.size(), positions_.size());
  if (!equations_.v_is_qdot() || start_.q.size() > kMostMovable || tracks > kMostTracks ||
      std::ranges::none_of(model_.constraints, is_a_formula))
    return;
  PointForces forces(equations_, positions_, structure_, tracks, static_cast<std::size_t>(scene_.space));
  forces.set_samples(evaluate_at_samples(forces.slopes()), samples_, scene_.size);

  // Whether the row has a reaction already, from its blade or its contact.
  const auto is_drawn = [&](int row) {
    return std::ranges::any_of(
        scene_.forces, [&](const SceneForce& force) { return std::ranges::find(force.rows, row) != force.rows.end(); });
  };
  // Assign rows to one point after another, until no remaining row acts on any point.
  std::size_t first = 0;
  for (const Constraint& constraint : model_.constraints) {
    std::vector<std::size_t> left;
    for (std::size_t r = 0; r < constraint.rows.size() && is_a_formula(constraint); ++r)
      if (!is_drawn(static_cast<int>(first + r))) left.push_back(first + r);
    while (!left.empty()) {
      Felt felt = most_felt(forces, left, constraint.kind->velocity);
      if (felt.directions.empty()) break;
      std::erase_if(left, [&](std::size_t row) {
        return std::ranges::find(felt.rows, static_cast<int>(row)) != felt.rows.end();
      });
      add_reaction(constraint, std::move(felt.rows), felt.track, std::move(felt.directions));
    }
    first += constraint.rows.size();
  }
}

// The force is named "friction(floor)", as formulas name it: a constraint may be called as its friction.
void SceneBuilder::find_frictions() {
  const std::size_t tracks = structure_.node_of.size();
  if (equations_.frictions.empty() || !equations_.v_is_qdot() || start_.q.size() > kMostMovable || tracks > kMostTracks)
    return;
  PointForces forces(equations_, positions_, structure_, tracks, static_cast<std::size_t>(scene_.space));
  forces.set_samples(evaluate_at_samples(forces.slopes()), samples_, scene_.size);
  const std::size_t rows = equations_.rows.size(), reactions = scene_.forces.size();
  // The point on which the reaction acts that loads a friction; −1: there is none.
  const auto loaded_at = [&](std::size_t friction) {
    const SparseMatrix& load = equations_.load;
    for (std::size_t k = 0; k < load.value.size(); ++k)
      for (std::size_t f = 0; f < reactions && static_cast<std::size_t>(load.row[k]) == friction; ++f)
        if (std::ranges::find(scene_.forces[f].rows, load.col[k]) != scene_.forces[f].rows.end())
          return scene_.forces[f].track;
    return -1;
  };
  for (std::size_t first = 0, next = 0; first < equations_.frictions.size(); first = next) {
    for (next = first + 1; next < equations_.frictions.size() && equations_.frictions[next].second;) ++next;
    const int track = loaded_at(first);
    if (track < 0 || static_cast<std::size_t>(track) >= tracks) continue;
    std::string name = equations_.frictions[first].name;
    if (next - first > 1) name.erase(std::min(name.rfind('['), name.size()));  // "floor[1]" and "floor[2]" are one
    SceneForce force{"friction(" + name + ")", track, model_.has_units ? "N" : "", {}};
    std::vector<Vector> directions;
    for (std::size_t j = first; j < next; ++j) {
      const auto p = static_cast<std::size_t>(track);
      std::optional<Vector> way = forces.on(p, rows + j, true);
      if (!way) way = forces.at_corner(p, rows + j);
      if (!way) break;
      for (Expr& component : *way) component = -component;
      directions.push_back(std::move(*way));
      force.rows.push_back(static_cast<int>(rows + j));
    }
    if (directions.size() < next - first) continue;
    scene_.forces.push_back(std::move(force));
    forces_.push_back(std::move(directions));
  }
}

}  // namespace dalembert
