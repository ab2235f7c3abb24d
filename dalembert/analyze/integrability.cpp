// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/integrability.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/matrix.h"
#include "dalembert/analyze/prime_field.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

using Field = std::vector<Expr>;  // by coordinate, then time

constexpr std::size_t kMostNodes = 400'000;
constexpr int kMostPoints = 24;  // tried, where a root is none in the field

// The rank of fields at one point, exactly or in numbers.
class RankAtPoint {
 public:
  RankAtPoint(const Graph& graph, std::uint64_t seed, const std::unordered_map<SymbolId, Rational>& known, bool exact)
      : exact_(exact), field_(graph, seed, known), known_(known), seed_(seed) {}

  // Nothing where a value is missing.
  std::optional<bool> add(const Field& field) {
    if (exact_) {
      std::vector<std::uint64_t> row;
      for (const Expr& e : field) {
        const auto x = field_.value(e);
        if (!x) return std::nullopt;
        row.push_back(*x);
      }
      return rank_.add(std::move(row));
    }
    const std::vector<double> values = evaluate(field, [&](SymbolId symbol) { return number(symbol); });
    double norm = 0;
    for (const double x : values) norm = std::hypot(norm, x);
    if (!std::isfinite(norm)) return std::nullopt;
    if (norm == 0) return false;
    std::vector<double> rest = values;
    for (double& x : rest) x /= norm;
    // Twice is enough (Golub & Van Loan, 4th ed., §5.2.8).
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double>& with : rows_) {
        double along = 0;
        for (std::size_t i = 0; i < rest.size(); ++i) along += rest[i] * with[i];
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along * with[i];
      }
    double left = 0;
    for (const double x : rest) left = std::hypot(left, x);
    if (left < 1e-8) return false;
    for (double& x : rest) x /= left;
    rows_.push_back(std::move(rest));
    return true;
  }
  std::size_t rank() const { return exact_ ? rank_.rank() : rows_.size(); }
  std::optional<bool> is_zero(const Expr& e) {
    if (exact_) {
      const auto x = field_.value(e);
      if (!x) return std::nullopt;
      return *x == 0;
    }
    const double x = evaluate(e, [&](SymbolId symbol) { return number(symbol); });
    if (!std::isfinite(x)) return std::nullopt;
    return std::abs(x) < 1e-9;
  }

 private:
  double number(SymbolId symbol) const {
    const auto found = known_.find(symbol);
    if (found != known_.end()) return found->second.to_double();
    return 0.3 + std::fmod(0.6180339887498949 * (symbol + 1) + 0.137 * static_cast<double>(seed_ % 1000), 1.0);
  }

  bool exact_;
  PrimeFieldPoint field_;
  PrimeFieldRank rank_;
  const std::unordered_map<SymbolId, Rational>& known_;
  std::uint64_t seed_;
  std::vector<std::vector<double>> rows_;
};

class Growth {
 public:
  Growth(const Equations& equations, const Dynamics& dynamics) : eq_(on_overlay(equations)) {
    x_ = eq_.q;
    x_.push_back(eq_.t);
    const std::vector<Parameter>& parameters = eq_.model->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      known_.emplace(parameters[i].symbol.symbol(), Rational::from_double(dynamics.parameters()[i]));
  }

  // Whether it was found at this point, with this kind of numbers.
  bool find(std::uint64_t seed, bool exact, Integrability& result) {
    RankAtPoint point(*eq_.graph, seed, known_, exact);
    std::vector<Field> fields;
    int rank = 0;
    if (!solve_for_fields(point, fields, rank)) return false;
    result.rank = rank;
    result.growth.clear();
    result.complete = true;
    const std::vector<Field> first = fields;
    std::vector<Field> latest = fields;
    for (const Field& field : fields)
      if (!point.add(field)) return false;
    // Unit quaternions stay on their sphere.
    const int all = static_cast<int>(x_.size() - eq_.quaternions.size());
    result.growth.push_back(static_cast<int>(point.rank()) - 1);
    while (static_cast<int>(point.rank()) < all && !latest.empty()) {
      std::vector<Field> next;
      for (const Field& a : first)
        for (const Field& b : latest) {
          if (eq_.graph->size() > kMostNodes || static_cast<int>(point.rank()) == all) break;
          const Field c = bracket(a, b);
          const auto fresh = point.add(c);
          if (!fresh) return false;
          if (*fresh) next.push_back(c);
        }
      if (eq_.graph->size() > kMostNodes) result.complete = false;
      if (next.empty()) break;
      result.growth.push_back(static_cast<int>(point.rank()) - 1);
      latest = std::move(next);
    }
    result.integrable = all - static_cast<int>(point.rank());
    return true;
  }

 private:
  // W dq + a dt = 0 solved for as many differentials as there are independent rows: pivots that are not 0 at the point.
  bool solve_for_fields(RankAtPoint& point, std::vector<Field>& fields, int& rank) {
    const Expr zero = eq_.graph->constant(0), one = eq_.graph->constant(1);
    const std::size_t columns = eq_.velocities().size() + 1;
    std::vector<Field> rows(eq_.rows.size(), Field(columns, zero));
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      rows[index(eq_.W.row[k])][index(eq_.W.col[k])] = eq_.W.value[k];
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j].back() = eq_.a[j];
    std::vector<std::size_t> pivot;  // by row that is used
    std::vector<Field> used;
    for (Field row : rows) {
      for (std::size_t k = 0; k < used.size(); ++k) row = less(row, row[pivot[k]], used[k], pivot[k]);
      std::optional<std::size_t> column;
      for (std::size_t j = 0; j + 1 < columns && !column; ++j) {
        if (row[j].is_zero()) continue;
        const auto vanishes = point.is_zero(row[j]);
        if (!vanishes) return false;
        if (!*vanishes) column = j;
      }
      if (!column) continue;
      const Expr over = pow(row[*column], Rational(-1));
      for (std::size_t j = 0; j < columns; ++j) row[j] = j == *column ? one : row[j].is_zero() ? zero : row[j] * over;
      for (std::size_t k = 0; k < used.size(); ++k) used[k] = less(used[k], used[k][*column], row, *column);
      used.push_back(row);
      pivot.push_back(*column);
      if (eq_.graph->size() > kMostNodes) return false;
    }
    rank = static_cast<int>(used.size());
    for (std::size_t j = 0; j < columns; ++j) {
      if (std::ranges::find(pivot, j) != pivot.end()) continue;
      Field field(columns, zero);
      field[j] = one;
      for (std::size_t k = 0; k < used.size(); ++k) field[pivot[k]] = -used[k][j];
      fields.push_back(of_coordinates(field));
    }
    return true;
  }

  // q̇ = N v + n₀ of velocities and the rate of time.
  Field of_coordinates(const Field& field) const {
    if (eq_.v_is_qdot()) return field;
    Field moved(x_.size(), eq_.graph->constant(0));
    moved.back() = field.back();
    for (std::size_t i = 0; i < eq_.n0.size(); ++i) moved[i] = eq_.n0[i] * field.back();
    for (std::size_t k = 0; k < eq_.N.value.size(); ++k)
      moved[index(eq_.N.row[k])] = moved[index(eq_.N.row[k])] + eq_.N.value[k] * field[index(eq_.N.col[k])];
    return moved;
  }

  // row − factor · other, exactly 0 at the pivot.
  Field less(const Field& row, const Expr& factor, const Field& other, std::size_t pivot) const {
    if (factor.is_zero()) return row;
    Field rest = row;
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!other[j].is_zero()) rest[j] = row[j] - factor * other[j];
    rest[pivot] = eq_.graph->constant(0);
    return rest;
  }

  // [a, b] = (∂b/∂x) a − (∂a/∂x) b
  Field bracket(const Field& a, const Field& b) const {
    const auto along = [&](const Field& of, const Field& by) {
      std::unordered_map<SymbolId, Expr> seeds;
      for (std::size_t i = 0; i < x_.size(); ++i)
        if (!by[i].is_zero()) seeds.emplace(x_[i].symbol(), by[i]);
      return directional_derivative(of, seeds);
    };
    const std::vector<Expr> first = along(b, a), second = along(a, b);
    Field c;
    for (std::size_t i = 0; i < x_.size(); ++i) c.push_back(first[i] - second[i]);
    return c;
  }

  Equations eq_;
  std::vector<Expr> x_;
  std::unordered_map<SymbolId, Rational> known_;
};

// The function whose differential is Σ form_i dx_i, term by term; nothing where the form is not closed, or a term is beyond
// powers, sines and cosines.
class Primitive {
 public:
  Primitive(Canonicalizer& canonicalizer, const std::vector<Expr>& x) : canonicalizer_(canonicalizer), x_(x) {}

  std::optional<Expr> of(const std::vector<Expr>& form) {
    Graph& graph = canonicalizer_.graph();
    Expr f = graph.constant(0);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Expr rest = form[i] - gradient(f, std::span(&x_[i], 1))[0];
      const auto canonical = canonicalizer_.canonical(rest);
      if (!canonical) return std::nullopt;
      for (const PolynomialTerm& term : *canonical) {
        const std::optional<Expr> part = integrated(canonicalizer_.expression(term), x_[i]);
        if (!part) return std::nullopt;
        f = f + *part;
      }
    }
    const std::vector<Expr> slopes = gradient(f, x_);
    for (std::size_t i = 0; i < x_.size(); ++i)
      if (decide_zero(canonicalizer_, slopes[i] - form[i]) != ZeroTest::kZero) return std::nullopt;
    return f;
  }

 private:
  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }

  std::optional<Expr> integrated(const Expr& term, const Expr& x) {
    const auto slope = [&](const Expr& e) { return gradient(e, std::span(&x, 1))[0]; };
    if (!depends_on(term, std::span(&x, 1))) return term * x;
    // c xⁿ: x · term' = n term.
    const Expr first = slope(term);
    for (int n = 1; n <= 12; ++n)
      if (vanishes(x * first - n * term)) return term * x / (n + 1);
    // c cos(k x + …): term'' = −k² term with constant k².
    const Expr square = -slope(first) / term;
    const auto canonical = canonicalizer_.canonical(square);
    if (!canonical) return std::nullopt;
    const Expr k2 = canonicalizer_.expression(*canonical);
    if (depends_on(k2, x_) || k2.is_zero() || !vanishes(slope(first) + k2 * term)) return std::nullopt;
    return -first / k2;
  }

  Canonicalizer& canonicalizer_;
  const std::vector<Expr>& x_;
};

void find_first_integrals(const Equations& equations, Integrability& result) {
  const Equations eq = on_overlay(equations);
  result.graph = eq.graph;
  std::vector<Expr> x = eq.q;
  x.push_back(eq.t);
  Canonicalizer canonicalizer(*eq.graph, Canonicalizer::kMaxTerms, state_relations(eq));
  Primitive primitive(canonicalizer, x);
  for (std::size_t j = 0; j < eq.rows.size() && eq.v_is_qdot(); ++j) {
    if (std::ranges::binary_search(eq.holonomic, static_cast<int>(j))) continue;
    std::vector<Expr> form(x.size(), eq.graph->constant(0));
    for (std::size_t k = 0; k < eq.W.value.size(); ++k)
      if (index(eq.W.row[k]) == j) form[index(eq.W.col[k])] = eq.W.value[k];
    form.back() = eq.a[j];
    if (const auto f = primitive.of(form)) result.first_integrals.push_back({eq.rows[j], *f});
  }
}

}  // namespace

Integrability find_integrability(const Equations& equations, const Dynamics& dynamics) {
  Integrability result;
  if (equations.m() == 0) {
    result.kind = "none";
    result.exact = true;
    result.growth = {equations.n()};
    return result;
  }
  for (const bool exact : {true, false}) {
    // Fewer dimensions than there are happen at special points: the most of two that worked.
    int worked = 0;
    Integrability best;
    for (int point = 1; point <= kMostPoints && worked < 2; ++point) {
      Growth growth(equations, dynamics);
      Integrability here;
      if (!growth.find(static_cast<std::uint64_t>(point) * 7919, exact, here)) continue;
      if (worked == 0 || here.integrable < best.integrable || here.rank > best.rank) best = here;
      ++worked;
    }
    if (worked == 0) continue;
    result = best;
    result.exact = exact;
    break;
  }
  result.kind = result.integrable >= result.rank ? "holonomic" : result.integrable == 0 ? "nonholonomic" : "mixed";
  find_first_integrals(equations, result);
  return result;
}

}  // namespace dalembert
