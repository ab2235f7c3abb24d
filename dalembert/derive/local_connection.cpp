// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/local_connection.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "dalembert/algebra/shortest.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/minors.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/ordered.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Matrix = std::vector<std::vector<Expr>>;
using Values = std::unordered_map<SymbolId, double>;

constexpr std::size_t kMostPassive = 24;
constexpr double kSame = 1e-9;  // largest relative difference, by round-off, between numbers that count as equal

// The rows of W in body axes as numbers: the columns of x and y are turned by θ.
struct NumericRows {
  std::vector<std::vector<double>> rows;
  bool finite = true;
};

class Builder {
 public:
  Builder(const Equations& eq, const std::vector<int>& actuated, int max_cost)
      : eq_(eq), graph_(*eq.graph), parts_(partition(eq, actuated)), forms_(graph_, max_cost, state_relations(eq)) {
    for (const Parameter& parameter : eq.model->parameters)
      parameters_.emplace(parameter.symbol.symbol(), parameter.value);
  }

  std::optional<LocalConnection> build() {
    const std::size_t passive = parts_.passive.size(), m = index(eq_.m());
    if (passive < 3 || passive > kMostPassive || m > passive || parts_.actuated.empty()) return std::nullopt;
    for (const Expr& a : eq_.a)
      if (!forms_.vanishes(a)) return std::nullopt;
    mixed_ = m < passive;
    for (const std::array<int, 3>& placement : placements()) {
      if (!looks_right(placement)) continue;
      if (auto made = at_placement(placement)) return made;
      if (!forms_.possible()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // Every choice of passive coordinates (x, y, θ) whose units fit; those with x before y come first.
  std::vector<std::array<int, 3>> placements() const {
    const auto& coordinates = eq_.model->coordinates;
    std::vector<std::array<int, 3>> all;
    for (const int x : parts_.passive)
      for (const int y : parts_.passive)
        for (const int theta : parts_.passive) {
          if (x == y || y == theta || x == theta) continue;
          const auto &unit_x = coordinates[index(x)].dimension, &unit_y = coordinates[index(y)].dimension,
                     &unit_theta = coordinates[index(theta)].dimension;
          if (unit_x != unit_y || (unit_theta && !unit_theta->dimensionless())) continue;
          all.push_back({x, y, theta});
        }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return (a[0] < a[1]) > (b[0] < b[1]); });
    return all;
  }

  // --- numeric tests first: they refuse most choices at little cost

  double value(const Expr& e, const Values& point) const {
    return evaluate(e, [&](SymbolId s) {
      if (const auto found = point.find(s); found != point.end()) return found->second;
      const auto parameter = parameters_.find(s);
      return parameter == parameters_.end() ? 0.37 : parameter->second;
    });
  }

  Values random_point() {
    std::uniform_real_distribution<double> uniform(0.3, 1.3);
    Values point;
    for (std::size_t i = 0; i < eq_.q.size(); ++i) {
      point[eq_.q[i].symbol()] = uniform(random_);
      point[eq_.qd[i].symbol()] = uniform(random_);
    }
    return point;
  }

  // The same shape with the same velocities in body axes, at another place and angle in the plane.
  Values moved(const Values& point, const std::array<int, 3>& placement) const {
    Values there = point;
    const double dx = 0.61, dy = -0.43, turn = 0.52;
    const auto q = [&](int i) -> double& { return there[eq_.q[index(i)].symbol()]; };
    const auto v = [&](int i) -> double& { return there[eq_.qd[index(i)].symbol()]; };
    q(placement[0]) += dx;
    q(placement[1]) += dy;
    q(placement[2]) += turn;
    const double vx = v(placement[0]), vy = v(placement[1]);
    v(placement[0]) = std::cos(turn) * vx - std::sin(turn) * vy;
    v(placement[1]) = std::sin(turn) * vx + std::cos(turn) * vy;
    return there;
  }

  NumericRows body_rows(const Values& point, const std::array<int, 3>& placement) const {
    NumericRows made;
    const std::size_t n = eq_.q.size();
    made.rows.assign(index(eq_.m()), std::vector<double>(n));
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      made.rows[index(eq_.W.row[k])][index(eq_.W.col[k])] = value(eq_.W.value[k], point);
    const double theta = point.at(eq_.q[index(placement[2])].symbol());
    for (std::vector<double>& row : made.rows) {
      double &x = row[index(placement[0])], &y = row[index(placement[1])];
      const double along = std::cos(theta) * x + std::sin(theta) * y,
                   across = std::cos(theta) * y - std::sin(theta) * x;
      x = along;
      y = across;
      for (const double entry : row) made.finite = made.finite && std::isfinite(entry);
    }
    return made;
  }

  bool looks_right(const std::array<int, 3>& placement) {
    for (int points = 0; points < 2; ++points) {
      const Values here = random_point(), there = moved(here, placement);
      const NumericRows a = body_rows(here, placement), b = body_rows(there, placement);
      if (!a.finite || !b.finite) return false;
      NullSpace allowed(eq_.q.size());
      for (const auto& row : a.rows) allowed.add(row);
      for (const auto& row : b.rows)
        if (allowed.add(row)) return false;
      if (!mixed_) continue;
      for (const Expr& energy : {eq_.T, eq_.V}) {
        const double x = value(energy, here), y = value(energy, there);
        if (!(std::abs(x - y) <= kSame * std::max({1.0, std::abs(x), std::abs(y)}))) return false;
      }
    }
    return true;
  }

  // --- then proofs with formulas

  std::optional<LocalConnection> at_placement(const std::array<int, 3>& placement) {
    LocalConnection form;
    form.graph = eq_.graph;
    form.placement = placement;
    form.parts.actuated = parts_.actuated;
    form.parts.passive.assign(placement.begin(), placement.end());
    for (const int i : parts_.passive)
      if (std::ranges::find(placement, i) == placement.end()) form.parts.passive.push_back(i);
    const Expr zero = graph_.constant(0);
    origin_.clear();
    for (const int i : placement) origin_.emplace(eq_.q[index(i)].symbol(), zero);

    W_p_ = at_origin(dense_columns(eq_.W, form.parts.passive));
    W_a_ = at_origin(dense_columns(eq_.W, form.parts.actuated));
    if (!(mixed_ ? solve_mixed(form) : solve_rows(form))) return std::nullopt;
    if (!holds_everywhere(form)) return std::nullopt;
    if (mixed_ && (!energies_hold_everywhere(form) || !momentum_equation(form))) return std::nullopt;
    if (!mixed_ && form.parts.passive.size() == 3) find_curvature(form);
    if (!forms_.possible()) return std::nullopt;
    return form;
  }

  Expr at_origin(const Expr& e) const { return e ? substitute(e, origin_) : e; }
  Matrix at_origin(Matrix matrix) const {
    for (auto& row : matrix)
      for (Expr& e : row) e = at_origin(e);
    return matrix;
  }
  static std::vector<Expr> column(const Matrix& matrix, std::size_t j) {
    std::vector<Expr> made;
    for (const auto& row : matrix) made.push_back(row[j]);
    return made;
  }
  Expr or_zero(const Expr& e) const { return e ? e : graph_.constant(0); }
  Expr dot(const std::vector<Expr>& a, const std::vector<Expr>& b) const {
    std::vector<Graph::Term> terms;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] && b[i]) terms.push_back({a[i] * b[i], 1});
    return graph_.sum(terms);
  }

  bool solve_rows(LocalConnection& form) {
    Matrix right;
    for (std::size_t j = 0; j < form.parts.actuated.size(); ++j) right.push_back(column(W_a_, j));
    return take_solution(form, W_p_, right);
  }

  // Solves a linear system for A of ξ = −A q̇_a + B p and, where there are more right-hand sides, for B.
  bool take_solution(LocalConnection& form, const Matrix& matrix, const Matrix& right) {
    const CramerSolution solved = solve_by_minors(forms_, matrix, right);
    if (!forms_.possible() || !solved.determinant) return false;
    form.singular = forms_.vanishing_factors(solved.determinant);
    const std::size_t actuated = form.parts.actuated.size();
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      auto& a = form.A.emplace_back();
      for (std::size_t j = 0; j < actuated; ++j) a.push_back(or_zero(solved.x[j][i]));
      if (right.size() == actuated) continue;
      auto& b = form.B.emplace_back();
      for (std::size_t k = actuated; k < right.size(); ++k) b.push_back(or_zero(solved.x[k][i]));
    }
    return true;
  }

  // Finds N: its columns span the velocities that the rows allow while the shape rests, without denominators.
  bool find_directions(LocalConnection& form) {
    const std::size_t passive = form.parts.passive.size(), m = index(eq_.m()), free = passive - m;
    std::vector<bool> chosen(passive);
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(free), chosen.end(), true);
    int tries = 0;
    do {
      std::vector<std::size_t> solved, given;
      for (std::size_t i = 0; i < passive; ++i) (chosen[i] ? solved : given).push_back(i);
      Matrix square(m), right;
      for (std::size_t r = 0; r < m; ++r)
        for (const std::size_t i : solved) square[r].push_back(W_p_[r][i]);
      for (const std::size_t i : given) right.push_back(column(W_p_, i));
      const CramerSolution minors = solve_by_minors(forms_, square, right);
      if (!forms_.possible()) return false;
      if (!minors.determinant) continue;
      form.N.assign(passive, std::vector<Expr>(free, graph_.constant(0)));
      for (std::size_t k = 0; k < free; ++k) {
        form.N[given[k]][k] = graph_.constant(1);
        for (std::size_t s = 0; s < m; ++s)
          if (minors.x[k][s]) form.N[solved[s]][k] = -minors.x[k][s];
        clear_denominators(form.N, k);
      }
      return forms_.possible();
    } while (std::next_permutation(chosen.begin(), chosen.end()) && ++tries < 200);
    return false;
  }

  // Multiplies column k by the least common multiple of its denominators.
  void clear_denominators(Matrix& matrix, std::size_t k) {
    std::map<std::string, std::pair<Expr, int>> below;  // factors of the denominators with their highest power
    Canonicalizer& algebra = forms_.canonicalizer();
    const auto note = [&](const Expr& factor, int power) {
      const auto form = algebra.canonical(factor);
      std::string key = form ? std::to_string(forms_.shorten(factor).id()) : "";
      auto& [e, most] = below[key];
      e = factor;
      most = std::max(most, power);
    };
    for (const auto& row : matrix) {
      const auto form = algebra.canonical(row[k]);
      if (!form) continue;
      for (const FormTerm& term : shortest(algebra, *form)) {
        for (FormFactor factor : term.factors) {
          if (factor.twelfths >= 0 || factor.twelfths % 12 != 0) continue;
          const int power = -factor.twelfths / 12;
          factor.twelfths = 12;
          note(expression(algebra, {FormTerm{1, {factor}, {}}}), power);
        }
        for (const FormTerm::SumPower& sum : term.sums)
          if (sum.exponent < 0) note(expression(algebra, sum.sum), -sum.exponent);
      }
    }
    std::vector<Expr> factors;
    for (const auto& [key, entry] : below) factors.push_back(graph_.power(entry.first, entry.second));
    if (factors.empty()) return;
    const Expr common = graph_.product(factors);
    for (auto& row : matrix) row[k] = or_zero(forms_.shorten(row[k] * common));
  }

  bool solve_mixed(LocalConnection& form) {
    if (!find_directions(form)) return false;
    const std::size_t free = form.N[0].size(), actuated = form.parts.actuated.size(), m = index(eq_.m());
    // Below the constraint rows come the rows of the momenta: NᵀM_pp ξ = p − NᵀM_pa q̇_a.
    const Matrix M = at_origin(dense_columns(eq_.M, form.parts.passive));
    const Matrix M_a = at_origin(dense_columns(eq_.M, form.parts.actuated));
    const auto row_of = [&](const Matrix& matrix, std::size_t i) { return matrix[index(form.parts.passive[i])]; };
    Matrix square = W_p_, right;
    for (std::size_t j = 0; j < actuated; ++j) right.push_back(column(W_a_, j));
    for (std::size_t k = 0; k < free; ++k) right.emplace_back(m);
    for (std::size_t k = 0; k < free; ++k) {
      const std::vector<Expr> n = column(form.N, k);
      auto& row = square.emplace_back();
      for (std::size_t i = 0; i < form.parts.passive.size(); ++i) {
        std::vector<Expr> masses;
        for (std::size_t j = 0; j < n.size(); ++j) masses.push_back(row_of(M, j)[i]);
        row.push_back(dot(n, masses));
      }
      for (std::size_t j = 0; j < actuated; ++j) {
        std::vector<Expr> masses;
        for (std::size_t i = 0; i < n.size(); ++i) masses.push_back(row_of(M_a, i)[j]);
        right[j].push_back(dot(n, masses));
      }
      for (std::size_t l = 0; l < free; ++l) right[actuated + l].push_back(graph_.constant(l == k ? 1 : 0));
    }
    return take_solution(form, square, right);
  }

  // Whether the solution, found at the origin, satisfies the rows in body axes at every placement.
  bool holds_everywhere(const LocalConnection& form) {
    const Matrix W_p = dense_columns(eq_.W, form.parts.passive), W_a = dense_columns(eq_.W, form.parts.actuated);
    const Expr theta = eq_.q[index(form.placement[2])], c = cos(theta), s = sin(theta);
    for (std::size_t r = 0; r < W_p.size(); ++r) {
      std::vector<Expr> row = W_p[r];
      const Expr x = or_zero(row[0]), y = or_zero(row[1]);
      row[0] = sum_of_products(x, c, y, s);
      row[1] = difference_of_products(y, c, x, s);
      for (std::size_t j = 0; j < form.parts.actuated.size(); ++j)
        if (!forms_.vanishes(dot(row, column(form.A, j)) - or_zero(W_a[r][j]))) return false;
      for (std::size_t k = 0; mixed_ && k < form.B[0].size(); ++k)
        if (!forms_.vanishes(dot(row, column(form.B, k)))) return false;
    }
    return true;
  }

  // Makes symbols for the velocities ξ in body axes. Returns the ground velocities of the placement in
  // terms of ξ, at angle θ (`turned`) or at θ = 0.
  std::unordered_map<SymbolId, Expr> in_body_axes(LocalConnection& form, bool turned) {
    if (form.xi.empty()) {
      static constexpr const char* kNames[] = {"xi_x", "xi_y", "xi_theta"};
      for (std::size_t i = 0; i < form.parts.passive.size(); ++i)
        form.xi.push_back(i < 3 ? graph_.add_symbol({kNames[i], SymbolKind::kShorthand, 0, {}})
                                : eq_.qd[index(form.parts.passive[i])]);
    }
    const Expr theta = eq_.q[index(form.placement[2])];
    const Expr c = turned ? cos(theta) : graph_.constant(1), s = turned ? sin(theta) : graph_.constant(0);
    return {{eq_.qd[index(form.placement[0])].symbol(), difference_of_products(c, form.xi[0], s, form.xi[1])},
            {eq_.qd[index(form.placement[1])].symbol(), sum_of_products(s, form.xi[0], c, form.xi[1])},
            {eq_.qd[index(form.placement[2])].symbol(), form.xi[2]}};
  }

  bool energies_hold_everywhere(LocalConnection& form) {
    const auto turned = in_body_axes(form, true);
    const Expr theta = eq_.q[index(form.placement[2])], c = cos(theta), s = sin(theta);
    const Expr Fx = eq_.F[index(form.placement[0])], Fy = eq_.F[index(form.placement[1])];
    std::vector<Expr> invariants{eq_.T, eq_.V, Fx * c + Fy * s, Fy * c - Fx * s};
    for (int i = 0; i < eq_.n(); ++i)
      if (i != form.placement[0] && i != form.placement[1]) invariants.push_back(eq_.F[index(i)]);
    for (const Expr& e : invariants) {
      const Expr in_body = substitute(e, turned);
      for (const int i : form.placement)
        if (!forms_.vanishes(gradient(in_body, std::array{eq_.q[index(i)]}).front())) return false;
    }
    // A momentum that does not vanish at rest does not fit the form ξ = −A q̇_a + B p.
    std::unordered_map<SymbolId, Expr> rest;
    for (const Expr& qd : eq_.qd) rest.emplace(qd.symbol(), graph_.constant(0));
    for (const int i : form.parts.passive)
      if (!forms_.vanishes(substitute(eq_.p[index(i)], rest))) return false;
    return true;
  }

  // Computes ṗ = Nᵀ(∂T/∂q_p + F_p − G_p) + Ṅᵀ ∂T/∂q̇_p with N = R(θ) N(shape), at x = y = θ = 0.
  bool momentum_equation(LocalConnection& form) {
    const std::size_t passive = form.parts.passive.size(), free = form.N[0].size();
    auto here = in_body_axes(form, false);
    for (const auto& [symbol, value] : origin_) here.emplace(symbol, value);
    const auto in_body = [&](const Expr& e) { return substitute(e, here); };
    for (std::size_t k = 0; k < free; ++k)
      form.p.push_back(graph_.add_symbol(
          {free == 1 ? "p" : "p" + std::to_string(k + 1), SymbolKind::kShorthand, static_cast<int>(k), {}}));
    std::unordered_map<SymbolId, Expr> solved;  // ξ and the rates of the other passive coordinates, in p and q̇_a
    for (std::size_t i = 0; i < passive; ++i) {
      std::vector<Graph::Term> terms;
      for (std::size_t k = 0; k < free; ++k) terms.push_back({form.B[i][k] * form.p[k], 1});
      for (std::size_t j = 0; j < form.parts.actuated.size(); ++j)
        terms.push_back({form.A[i][j] * eq_.qd[index(form.parts.actuated[j])], -1});
      solved.emplace(form.xi[i].symbol(), graph_.sum(terms));
    }
    std::unordered_map<SymbolId, Expr> shape_rates;  // rates of all coordinates except the placement
    for (int i = 0; i < eq_.n(); ++i)
      if (std::ranges::find(form.placement, i) == form.placement.end())
        shape_rates.emplace(eq_.q[index(i)].symbol(), eq_.qd[index(i)]);
    const std::vector<Expr> slopes = gradient(eq_.T, eq_.q);
    std::vector<Expr> P, push;
    for (const int i : form.parts.passive) {
      P.push_back(in_body(eq_.p[index(i)]));
      push.push_back(in_body(slopes[index(i)] + eq_.F[index(i)] - eq_.G[index(i)]));
    }
    for (std::size_t k = 0; k < free; ++k) {
      const std::vector<Expr> n = column(form.N, k);
      form.momentum.push_back(or_zero(forms_.shorten(dot(n, P))));
      const std::vector<Expr> n_rate = directional_derivative(n, shape_rates);
      const Expr turning = form.xi[2] * difference_of_products(n[0], P[1], n[1], P[0]);
      const Expr pushed = dot(n, push), turned = dot(n_rate, P);
      const Expr pdot = substitute(pushed + turned + turning, solved);
      form.pdot.push_back(or_zero(forms_.shorten(pdot)));
      if (!forms_.possible()) return false;
      take_apart(form, form.pdot.back());
    }
    return forms_.possible();
  }

  // Splits the rate ṗ_i of one momentum into pᵀα_i p + pᵀβ_i q̇_a + q̇_aᵀγ_i q̇_a and the rest.
  void take_apart(LocalConnection& form, const Expr& pdot) {
    std::vector<Expr> rates;
    for (const int i : form.parts.actuated) rates.push_back(eq_.qd[index(i)]);
    std::unordered_map<SymbolId, Expr> zero;
    for (const auto* list : {&form.p, &rates})
      for (const Expr& e : *list) zero.emplace(e.symbol(), graph_.constant(0));
    std::vector<Graph::Term> rest{{pdot, 1}};
    const auto second = [&](const std::vector<Expr>& rows, const std::vector<Expr>& columns, const Rational& factor) {
      Matrix matrix;
      for (const Expr& row : rows) {
        auto& line = matrix.emplace_back();
        const Expr slope = gradient(pdot, std::array{row}).front();
        for (const Expr& col : columns) {
          const Expr entry = substitute(gradient(slope, std::array{col}).front(), zero);
          line.push_back(or_zero(forms_.shorten(entry * graph_.constant(factor))));
          rest.push_back({line.back() * row * col, -1});
        }
      }
      return matrix;
    };
    form.alpha.push_back(second(form.p, form.p, Rational(1, 2)));
    form.beta.push_back(second(form.p, rates, 1));
    form.gamma.push_back(second(rates, rates, Rational(1, 2)));
    form.rest.push_back(or_zero(forms_.shorten(graph_.sum(rest))));
  }

  // The curvature dA + [A_i, A_j] of the connection A. The bracket that fits ξ = −A q̇_a in body axes is that of
  // the vector fields that move a placement as seen from the ground: the negative of the matrix commutator.
  void find_curvature(LocalConnection& form) {
    const std::size_t shapes = form.parts.actuated.size();
    const auto q = [&](std::size_t j) { return eq_.q[index(form.parts.actuated[j])]; };
    for (std::size_t i = 0; i < shapes; ++i)
      for (std::size_t j = i + 1; j < shapes; ++j) {
        const std::vector<Expr> a = column(form.A, i), b = column(form.A, j);
        const std::array<Expr, 3> bracket{a[2] * b[1] - b[2] * a[1], b[2] * a[0] - a[2] * b[0], graph_.constant(0)};
        auto& made = form.curvature.emplace_back();
        for (std::size_t r = 0; r < 3; ++r)
          made.push_back(or_zero(forms_.shorten(gradient(b[r], std::array{q(i)}).front() -
                                                gradient(a[r], std::array{q(j)}).front() + bracket[r])));
      }
  }

  const Equations& eq_;
  Graph& graph_;
  Partition parts_;
  ShortForms forms_;
  Values parameters_;
  std::mt19937_64 random_{20250311};
  bool mixed_ = false;
  std::unordered_map<SymbolId, Expr> origin_;
  Matrix W_p_, W_a_;
};

}  // namespace

std::optional<LocalConnection> build_local_connection(const Equations& equations, const std::vector<int>& actuated,
                                                      int max_cost) {
  return Builder(equations, actuated, max_cost).build();
}

}  // namespace dalembert
