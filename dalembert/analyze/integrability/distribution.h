// SPDX-License-Identifier: Apache-2.0
// Private to analyze: how the distribution of velocities that constraint rows allow grows by Lie brackets, at one point.
//
// Δ¹ is the distribution of the velocities that the rows allow, and Δ^{k+1} = Δ^k + [Δ¹, Δ^k]. The vector fields that
// span Δ¹ are computed as Taylor polynomials about the point, and their brackets from these polynomials. A bracket
// loses one degree, so dim Δᵏ needs polynomials of degree k − 1 and no expressions other than the rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/analyze/integrability/taylor_of.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// The rows to be solved, W v + a = 0, as equations for the differentials of coordinates and time, with q̇ = N v + n₀.
struct RowsOfMotion {
  const Equations* equations = nullptr;
  std::vector<NodeId> nodes;  ///< nodes of W, a, N and n₀, children first
  std::vector<int> variable;  ///< for each coordinate and for time: its variable in the polynomials, or -1
  int variables = 0;
  int all = 0;  ///< dimension of the space of coordinates and time; a unit quaternion counts three
};

struct GrowthAtPoint {
  int rank = 0, holonomic_rank = 0;  ///< rank of W, and of its holonomic rows
  /// Dimensions, time not counted, of Δ¹ (the allowed motions), Δ² (with their brackets), …
  std::vector<int> growth;
  bool complete = false;  ///< further brackets do not increase the last dimension
  double doubt = 0;       ///< uncertainty of ranks that were found in numbers (BoundedRank::doubt)
};

template <class Field, class Point, class Rank>
class Distribution {
 public:
  using Polynomial = typename Taylor<Field>::Polynomial;
  using Vector = std::vector<Polynomial>;  // one entry for each coordinate, then time; an empty entry is 0

  /// `most`: limit for the number of multiplications, which may be exceeded a little.
  Distribution(const RowsOfMotion& rows, const Field& field, double most) : rows_(rows), field_(field), most_(most) {}

  /// How the dimension grows by brackets at the point; no value where a function has none there. `make_point()` must
  /// make the same point each time.
  template <class MakePoint, class MakeRank>
  std::optional<GrowthAtPoint> follow(const MakePoint& make_point, const MakeRank& make_rank) {
    std::optional<GrowthAtPoint> found;
    double work = 0;
    for (int degree = 0;; ++degree) {
      if (found && found->complete) return found;
      // The work is proportional to the number of pairs of monomials, whose products are listed.
      const double pairs = Monomials::pairs(rows_.variables, degree);
      if (degree > 1 && (pairs > kMostPairs || work * pairs / Monomials::pairs(rows_.variables, degree - 1) > most_))
        return found;
      const Taylor<Field> taylor(field_, rows_.variables, degree);
      Point point = make_point();
      Rank rank = make_rank();
      found = at_degree(taylor, point, rank);
      if (!found) return std::nullopt;
      work = taylor.work();
    }
  }

 private:
  static constexpr double kMostPairs = 1e7;

  std::optional<GrowthAtPoint> at_degree(const Taylor<Field>& taylor, Point& point, Rank& rank) {
    const Equations& eq = *rows_.equations;
    TaylorOf<Field, Point> of(*eq.graph, taylor, point);
    for (const NodeId node : rows_.nodes)
      if (!of.add(node)) return std::nullopt;
    GrowthAtPoint found;
    std::vector<Vector> fields = solved(taylor, of, found);
    for (const Vector& field : fields) rank.add(values(taylor, field));
    found.growth.push_back(static_cast<int>(rank.rank()) - 1);
    // Brackets satisfy the holonomic rows as well, so the dimension cannot exceed this.
    const std::size_t all = index(rows_.all - found.holonomic_rank);
    std::vector<Vector> latest = fields;
    found.complete = rank.rank() == all;
    for (int left = taylor.degree(); left > 0 && !found.complete; --left) {
      std::vector<Vector> next;
      for (std::size_t i = 0; i < fields.size() && rank.rank() < all; ++i)
        for (std::size_t j = left == taylor.degree() ? i + 1 : 0; j < latest.size() && rank.rank() < all; ++j) {
          Vector c = bracket(taylor, fields[i], latest[j], left - 1);
          if (rank.add(values(taylor, c))) next.push_back(std::move(c));
        }
      found.complete = next.empty() || rank.rank() == all;
      if (!next.empty()) found.growth.push_back(static_cast<int>(rank.rank()) - 1);
      latest = std::move(next);
    }
    found.doubt = rank.doubt();
    return found;
  }

  std::vector<typename Field::Number> values(const Taylor<Field>& taylor, const Vector& vector) const {
    std::vector<typename Field::Number> at;
    for (const Polynomial& p : vector) at.push_back(taylor.value(p));
    return at;
  }

  // Solves each independent row for one differential. Returns the fields that span what the rows allow.
  std::vector<Vector> solved(const Taylor<Field>& taylor, const TaylorOf<Field, Point>& of,
                             GrowthAtPoint& found) const {
    const Equations& eq = *rows_.equations;
    const std::size_t columns = eq.velocities().size() + 1;
    std::vector<Vector> rows(eq.rows.size(), Vector(columns));
    for (std::size_t k = 0; k < eq.W.value.size(); ++k)
      rows[index(eq.W.row[k])][index(eq.W.col[k])] = of.at(eq.W.value[k].id());
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j].back() = of.at(eq.a[j].id());
    // Rows solved so far: pivot column, and the row scaled to 1 there.
    std::vector<std::pair<std::size_t, Vector>> used;
    // Holonomic rows come first.
    std::vector<std::size_t> order;
    for (const bool holonomic : {true, false})
      for (std::size_t j = 0; j < rows.size(); ++j)
        if (std::ranges::binary_search(eq.holonomic, static_cast<int>(j)) == holonomic) order.push_back(j);
    for (const std::size_t j : order) {
      Vector row = std::move(rows[j]);
      for (const auto& [pivot, with] : used) subtract(taylor, row, pivot, with);
      const auto column = Rank::best_column(taylor, row, columns - 1);
      if (!column) continue;
      const Polynomial over = taylor.inverse(row[*column]);
      for (std::size_t i = 0; i < columns; ++i)
        row[i] = i == *column ? taylor.constant(field_.one()) : taylor.product(row[i], over);
      for (auto& [pivot, with] : used) subtract(taylor, with, *column, row);
      used.emplace_back(*column, std::move(row));
      if (std::ranges::binary_search(eq.holonomic, static_cast<int>(j))) ++found.holonomic_rank;
    }
    found.rank = static_cast<int>(used.size());
    std::vector<Vector> fields;
    for (std::size_t j = 0; j < columns; ++j) {
      if (std::ranges::any_of(used, [&](const auto& row) { return row.first == j; })) continue;
      Vector field(columns);
      field[j] = taylor.constant(field_.one());
      for (const auto& [pivot, row] : used) field[pivot] = taylor.scaled(row[j], field_.of(-1));
      fields.push_back(of_coordinates(taylor, of, field));
    }
    return fields;
  }

  // Replaces `row` by row − row[pivot] · other, with exactly 0 at the pivot.
  void subtract(const Taylor<Field>& taylor, Vector& row, std::size_t pivot, const Vector& other) const {
    if (row[pivot].empty()) return;
    const Polynomial factor = taylor.scaled(row[pivot], field_.of(-1));
    for (std::size_t i = 0; i < row.size(); ++i)
      if (i != pivot) taylor.add_to(row[i], taylor.product(factor, other[i]), field_.one());
    row[pivot].clear();
  }

  // Turns a field of v and ṫ into one of q̇ and ṫ, with q̇ = N v + n₀ ṫ.
  Vector of_coordinates(const Taylor<Field>& taylor, const TaylorOf<Field, Point>& of, const Vector& field) const {
    const Equations& eq = *rows_.equations;
    if (eq.v_is_qdot()) return field;
    Vector moved(eq.q.size() + 1);
    moved.back() = field.back();
    for (std::size_t i = 0; i < eq.n0.size(); ++i) moved[i] = taylor.product(of.at(eq.n0[i].id()), field.back());
    for (std::size_t k = 0; k < eq.N.value.size(); ++k)
      taylor.add_to(moved[index(eq.N.row[k])], taylor.product(of.at(eq.N.value[k].id()), field[index(eq.N.col[k])]),
                    field_.one());
    return moved;
  }

  // The Lie bracket [a, b] = (∂b/∂x) a − (∂a/∂x) b, up to a degree.
  Vector bracket(const Taylor<Field>& taylor, const Vector& a, const Vector& b, int degree) const {
    Vector c(a.size());
    for (std::size_t i = 0; i < c.size(); ++i)
      for (std::size_t k = 0; k < c.size(); ++k) {
        if (rows_.variable[k] < 0) continue;
        taylor.add_derivative(c[i], b[i], rows_.variable[k], a[k], degree, false);
        taylor.add_derivative(c[i], a[i], rows_.variable[k], b[k], degree, true);
      }
    return c;
  }

  const RowsOfMotion& rows_;
  const Field& field_;
  double most_;
};

}  // namespace dalembert
