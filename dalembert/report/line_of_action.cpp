// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/line_of_action.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostPoints = 12, kMostParts = 300;

struct NamedPlace {
  std::string name;
  Vector position;
};

// Some value for each symbol, the same in every run; `which` chooses one of two points, at which coordinates differ.
double sample(const Expr& e, int which = 0) {
  return evaluate(e, [&](SymbolId s) {
    const bool moves = e.graph().symbol_info(s).kind == SymbolKind::kCoordinate;
    return 0.5 + std::fmod(0.6180339887 * (static_cast<double>(s) + 1) + (moves ? 0.4142135624 * which : 0.0), 1.0);
  });
}

// Cheap, without derivatives: whether h changes between two points as much as the distance of two places does.
bool may_be_distance(const Model& model, const Expr& h) {
  std::vector<const Vector*> positions;
  for (const Point& point : model.points) positions.push_back(&point.position);
  for (const Body& body : model.bodies) positions.push_back(&body.position);
  if (positions.size() >= kMostPoints) return false;
  std::array<std::vector<std::array<double, 3>>, 2> at;
  for (int which = 0; which < 2; ++which) {
    for (const Vector* position : positions) {
      std::array<double, 3>& place = at[static_cast<std::size_t>(which)].emplace_back();
      for (std::size_t i = 0; i < std::min(position->size(), place.size()); ++i)
        place[i] = sample((*position)[i], which);
    }
    at[static_cast<std::size_t>(which)].emplace_back();  // the origin
  }
  const auto distance = [&](std::size_t which, std::size_t a, std::size_t b) {
    const std::array<double, 3>&p = at[which][a], &q = at[which][b];
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  };
  const double change = std::abs(sample(h, 1) - sample(h, 0));
  for (std::size_t a = 0; a <= positions.size(); ++a)
    for (std::size_t b = a + 1; b <= positions.size(); ++b)
      if (std::abs(std::abs(distance(1, a, b) - distance(0, a, b)) - change) <= 1e-9 * (1 + change)) return true;
  return false;
}

std::vector<NamedPlace> places_of(const Model& model, Graph& graph) {
  std::vector<NamedPlace> places;
  for (const Point& point : model.points) places.push_back({"`" + point.name + "`", point.position});
  for (const Body& body : model.bodies) places.push_back({"`" + body.name + "`", body.position});
  std::erase_if(places, [](const NamedPlace& place) { return place.position.empty(); });
  if (places.empty() || places.size() >= kMostPoints) return {};
  for (NamedPlace& place : places)
    for (Expr& component : place.position) component = graph.adopt(component);
  // What a user names comes first where several places coincide.
  places.push_back({"the origin", Vector(places.front().position.size(), graph.constant(0))});
  return places;
}

class LineSearch {
 public:
  LineSearch(const Equations& equations, int row)
      : eq_(on_overlay(equations)), graph_(*eq_.graph), canonicalizer_(graph_), by_q_(eq_.q.size()) {
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      if (eq_.W.row[k] == row) by_q_[static_cast<std::size_t>(eq_.W.col[k])] = eq_.W.value[k];
  }

  std::optional<LineOfAction> run(std::size_t row) {
    const Expr h = eq_.h[row];
    const std::vector<NamedPlace> places = places_of(*eq_.model, graph_);
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = a + 1; b < places.size(); ++b) {
        if (places[a].position.size() != places[b].position.size()) continue;
        const Expr square = square_of_distance(places[a].position, places[b].position);
        const std::vector<Expr> slopes = gradient(square, eq_.q);
        if (!seems_along(square, slopes) || !is_along(square, slopes)) continue;
        if (const auto pushes = sign_of(h, square, slopes))
          return LineOfAction{places[a].name, places[b].name, *pushes};
      }
    return std::nullopt;
  }

 private:
  Expr square_of_distance(const Vector& a, const Vector& b) {
    std::vector<Graph::Term> sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum.push_back({graph_.power(a[i] - b[i], Rational(2)), 1});
    return graph_.sum(sum);
  }

  // Cheap: (∂d²/∂q_i)² = 4 d² (∂h/∂q_i)² at one point, where d is the distance.
  bool seems_along(const Expr& square, const std::vector<Expr>& slopes) const {
    const double d2 = sample(square);
    if (!(d2 > 0)) return false;  // the points coincide
    bool any = false;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const double of_h = by_q_[i] ? sample(by_q_[i]) : 0, of_d = sample(slopes[i]);
      if (!(std::abs(of_d * of_d - 4 * d2 * of_h * of_h) <= 1e-9 * (of_d * of_d + 4 * d2 * of_h * of_h + 1e-12)))
        return false;
      any = any || of_h != 0;
    }
    return any;
  }

  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }

  // The same by proof, and that all signs agree.
  bool is_along(const Expr& square, const std::vector<Expr>& slopes) {
    std::size_t first = slopes.size();
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      if (!by_q_[i] && slopes[i].is_zero()) continue;
      const Expr of_h = by_q_[i] ? by_q_[i] : graph_.constant(0);
      if (!vanishes(slopes[i] * slopes[i] - 4 * square * of_h * of_h)) return false;
      if (first == slopes.size() && by_q_[i]) first = i;
      if (first < i && !vanishes(slopes[first] * of_h - slopes[i] * by_q_[first])) return false;
    }
    return first < slopes.size();
  }

  // Whether h grows with the distance. A coordinate that is the distance itself, as in r - L, has the sign of its value where h = 0.
  std::optional<bool> sign_of(const Expr& h, const Expr& square, const std::vector<Expr>& slopes) {
    const auto i = static_cast<std::size_t>(
        std::ranges::find_if(by_q_, [](const Expr& e) { return static_cast<bool>(e); }) - by_q_.begin());
    const Expr distance = sqrt(square);
    if (vanishes(slopes[i] - 2 * distance * by_q_[i])) return true;
    if (vanishes(slopes[i] + 2 * distance * by_q_[i])) return false;
    if (!by_q_[i].is_constant() || std::ranges::count_if(by_q_, [](const Expr& e) { return bool(e); }) != 1)
      return std::nullopt;
    const double slope = by_q_[i].constant().to_double();
    const auto at = [&](const Expr& e, double value) {
      return evaluate(e, [&](SymbolId s) {
        if (s == eq_.q[i].symbol()) return value;
        for (const Parameter& parameter : eq_.model->parameters)
          if (parameter.symbol.symbol() == s) return parameter.value;
        return 0.5;
      });
    };
    const double grows = slope * at(slopes[i], -at(h, 0) / slope);
    return grows > 0 ? std::optional(true) : grows < 0 ? std::optional(false) : std::nullopt;
  }

  const Equations eq_;
  Graph& graph_;
  Canonicalizer canonicalizer_;
  std::vector<Expr> by_q_;  // ∂h/∂q_i; null where it is 0
};

}  // namespace

std::optional<LineOfAction> find_line_of_action(const Equations& equations, int row) {
  if (!equations.v_is_qdot()) return std::nullopt;
  if (std::ranges::find(equations.holonomic, row) == equations.holonomic.end()) return std::nullopt;
  const Expr& h = equations.h[static_cast<std::size_t>(row)];
  if (reachable(std::array{h}).size() > kMostParts || !may_be_distance(*equations.model, h)) return std::nullopt;
  return LineSearch(equations, row).run(static_cast<std::size_t>(row));
}

}  // namespace dalembert
