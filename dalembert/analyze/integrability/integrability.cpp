// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/constraints.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/integrability/bounded_number.h"
#include "dalembert/analyze/integrability/distribution.h"
#include "dalembert/analyze/integrability/function_field.h"
#include "dalembert/analyze/integrability/manifold_points.h"
#include "dalembert/analyze/integrability/rows_that_follow.h"
#include "dalembert/base/numeric.h"
#include "dalembert/derive/state_relations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kMostWork = 1e8;             // largest number of multiplications in the prime field
constexpr double kMostWorkInNumbers = 2.5e7;  // largest number of multiplications with error bounds
constexpr double kLargestDoubt = 1e-7;        // largest uncertainty of values that are taken for 0 (BoundedRank::doubt)
constexpr double kOffManifold = 1e-9;         // largest error of an assembled position, relative to max(1, magnitude)
constexpr int kMostPoints = 8;                // largest number of points that are tried in numbers

class ExactRank : public PrimeFieldRank {
 public:
  using PrimeFieldRank::PrimeFieldRank;
  static double doubt() { return 0; }
  // The column whose polynomial has the fewest terms.
  template <class Vector>
  static std::optional<std::size_t> best_column(const Taylor<PrimeField>&, const Vector& row, std::size_t columns) {
    std::optional<std::size_t> best;
    std::ptrdiff_t fewest = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      if (row[j].empty() || row[j][0] == 0) continue;
      const auto terms = std::ranges::count_if(row[j], [](PrimeField::Number x) { return x != 0; });
      if (!best || terms < fewest) best = j, fewest = terms;
    }
    return best;
  }
};

class NumericRank : public BoundedRank {
 public:
  // The column with the largest value.
  template <class Vector>
  static std::optional<std::size_t> best_column(const Taylor<BoundedNumbers>&, const Vector& row, std::size_t columns) {
    std::optional<std::size_t> best;
    for (std::size_t j = 0; j < columns; ++j)
      if (!row[j].empty() && row[j][0].is_nonzero() &&
          (!best || std::abs(row[j][0].value) > std::abs(row[*best][0].value)))
        best = j;
    return best;
  }
};

// The motions that the rows allow, in the prime field and in numbers.
class MotionsAllowed {
 public:
  MotionsAllowed(const Equations& equations, const Dynamics& dynamics, const State* near)
      : eq_(equations), dynamics_(dynamics) {
    std::vector<Expr> roots = eq_.W.value;
    for (const auto* list : {&eq_.a, &eq_.N.value, &eq_.n0}) roots.insert(roots.end(), list->begin(), list->end());
    rows_.equations = &eq_;
    rows_.nodes = reachable(roots);
    place_.graph = eq_.graph.get();
    place_.nodes = rows_.nodes;
    std::unordered_set<SymbolId> occur;
    for (const SymbolId symbol : symbols_in(roots)) {
      occur.insert(symbol);
      has_inputs_ = has_inputs_ || eq_.graph->symbol_info(symbol).kind == SymbolKind::kInput;
    }
    const std::vector<Parameter>& parameters = eq_.model->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      place_.known.emplace(parameters[i].symbol.symbol(), Rational::from_double(dynamics.parameters()[i]));
    for (const int first : eq_.quaternions) {
      std::vector<SymbolId>& quaternion = place_.quaternions.emplace_back();
      for (int i = 0; i < 4; ++i) quaternion.push_back(eq_.q[index(first + i)].symbol());
      occur.insert(quaternion.begin(), quaternion.end());
    }
    if (has_inputs_) occur.insert(eq_.t.symbol());
    std::vector<Expr> x = eq_.q;
    x.push_back(eq_.t);
    for (const Expr& e : x) {
      const bool is_variable = occur.contains(e.symbol());
      rows_.variable.push_back(is_variable ? rows_.variables++ : -1);
      if (!is_variable) continue;
      place_.variables.push_back(e.symbol());
      variables_.emplace(e.symbol(), rows_.variable.back());
    }
    rows_.all = static_cast<int>(x.size() - eq_.quaternions.size());
    for (const auto& [symbol, rate] : eq_.model->time_rates())
      if (symbol != eq_.t.symbol() && rate.op() == Op::kSymbol) place_.rates.emplace(symbol, rate.symbol());
    place_.time = eq_.t.symbol();
    if (near != nullptr) place_.signs = signs_at(*near);
  }

  int all() const { return rows_.all; }
  bool has_inputs() const { return has_inputs_; }

  // How brackets enlarge the distribution of the allowed motions, in the prime field. `exact`: between the functions
  // only those relations hold that the field knows.
  std::optional<GrowthAtPoint> in_prime_field(std::uint64_t seed, bool& exact) const {
    const FunctionField field(place_, seed);
    exact = field.kind() == FunctionField::Kind::kExact;
    if (field.kind() == FunctionField::Kind::kNone) return std::nullopt;
    const auto at = field.find_point(seed);
    if (!at) return std::nullopt;
    Distribution<PrimeField, PrimePoint, ExactRank> distribution(rows_, field.numbers(), kMostWork);
    return distribution.follow([&] { return PrimePoint(field, *at, false); },
                               [&] { return ExactRank(field.numbers()); });
  }

  // Which rows follow from those before them. Where more relations hold between functions than the field knows, ranks are
  // smaller still.
  RowsThatFollow rows_that_follow(std::uint64_t seed) const {
    const FunctionField field(place_, seed);
    if (field.kind() == FunctionField::Kind::kNone) return {};
    const auto at = field.find_point(seed);
    if (!at) return {};
    PrimePoint point(field, *at, false);
    const auto rows = rows_at(field.numbers(), point);
    if (!rows) return {};
    // What differs in the field differs at generic positions, and perhaps not on the manifold of holonomic rows.
    const bool tells = field.kind() == FunctionField::Kind::kExact && eq_.holonomic.empty();
    PrimeFieldRank rank(field.numbers()), with_a(field.numbers());
    RowsThatFollow follow;
    for (const std::vector<PrimeField::Number>& row : *rows) {
      const bool follows = !rank.add({row.begin(), row.end() - 1});
      follow.in_W.push_back(follows);
      std::optional<bool>& agrees = follow.with_a.emplace_back();
      if (!follows) {
        with_a.add(row);
      } else if (PrimeFieldRank(with_a).add(row)) {
        if (tells) agrees = false;
      } else {
        agrees = true;
      }
    }
    return follow;
  }

  std::optional<bool> agrees_beside(const State& near, const std::vector<int>& independent, int j) const {
    const ManifoldPoints points(eq_, known_values(), near);
    int agree = 0;
    for (int k = 1; k <= kMostPoints && agree < 2; ++k) {
      const auto values = points.beside(shift(k), k);
      if (!values) continue;
      BoundedPoint point(*eq_.graph, *values, variables_);
      const auto rows = rows_at(BoundedNumbers(), point);
      if (!rows) continue;
      BoundedRank rank, with_a;
      for (const int i : independent) {
        const std::vector<BoundedNumber>& row = (*rows)[index(i)];
        rank.add({row.begin(), row.end() - 1});
        with_a.add(row);
      }
      const std::vector<BoundedNumber>& row = (*rows)[index(j)];
      if (rank.rank() < independent.size() || rank.add({row.begin(), row.end() - 1})) continue;
      if (with_a.add(row)) return false;
      if (rank.doubt() < kLargestDoubt && with_a.doubt() < kLargestDoubt) ++agree;
    }
    return agree == 2 ? std::optional(true) : std::nullopt;
  }

  // How brackets enlarge the distribution, in numbers with error bounds at generic points (near a state, if one is
  // given): the larger result of two points. Points where W has another rank than `rank` are left out.
  std::optional<GrowthAtPoint> in_numbers(const State* near, std::optional<int> rank) const {
    std::optional<GrowthAtPoint> best;
    int worked = 0;
    std::optional<ManifoldPoints> points;
    if (near != nullptr && !eq_.holonomic.empty()) points.emplace(eq_, known_values(), *near);
    const int beside = points ? kMostPoints / 2 : 0;
    for (int k = 1; k <= kMostPoints && worked < 2; ++k) {
      auto values = k <= beside ? points->beside(shift(k), k) : values_at(near, k - beside);
      if (!values || (k <= beside && !points->all_rows_may_hold(*values))) continue;
      const BoundedNumbers field;
      Distribution<BoundedNumbers, BoundedPoint, NumericRank> distribution(rows_, field, kMostWorkInNumbers);
      const auto here = distribution.follow([&] { return BoundedPoint(*eq_.graph, *values, variables_); },
                                            [] { return NumericRank(); });
      if (!here || (rank && here->rank != *rank)) continue;
      ++worked;
      if (!best || here->rank > best->rank || (here->rank == best->rank && here->growth.back() > best->growth.back()) ||
          (here->growth.back() == best->growth.back() && here->doubt < best->doubt))
        best = here;
    }
    return best;
  }

 private:
  // The signs that select the pieces of piecewise functions at a state.
  std::unordered_map<NodeId, int> signs_at(const State& state) const {
    const BoundedNumbers field;
    const Taylor<BoundedNumbers> taylor(field, rows_.variables, 0);
    BoundedPoint point(*eq_.graph, values_of(state, kOffManifold), variables_);
    TaylorOf<BoundedNumbers, BoundedPoint> of(*eq_.graph, taylor, point);
    for (const NodeId node : rows_.nodes)
      if (!of.add(node)) break;
    return point.signs();
  }

  // The rows of [W a] at a point; no value where some function has none.
  template <class Field, class Point>
  std::optional<std::vector<std::vector<typename Field::Number>>> rows_at(const Field& field, Point& point) const {
    const Taylor<Field> taylor(field, rows_.variables, 0);
    TaylorOf<Field, Point> of(*eq_.graph, taylor, point);
    for (const NodeId node : rows_.nodes)
      if (!of.add(node)) return std::nullopt;
    std::vector<std::vector<typename Field::Number>> rows(
        eq_.rows.size(), std::vector<typename Field::Number>(eq_.velocities().size() + 1));
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      rows[index(eq_.W.row[k])][index(eq_.W.col[k])] = taylor.value(of.at(eq_.W.value[k].id()));
    for (std::size_t j = 0; j < rows.size(); ++j) rows[j].back() = taylor.value(of.at(eq_.a[j].id()));
    return rows;
  }

  // How far a point beside the state is from it: less at each try, since positions like it may be near alone.
  static double shift(int seed) { return 0.2 * std::pow(0.25, seed / 2); }
  static double spread(int seed, std::size_t i) { return ManifoldPoints::spread(seed, i); }

  std::unordered_map<SymbolId, BoundedNumber> known_values() const {
    std::unordered_map<SymbolId, BoundedNumber> values;
    for (const auto& [symbol, value] : place_.known) values[symbol] = *BoundedNumbers().of(value);
    return values;
  }

  std::optional<std::unordered_map<SymbolId, BoundedNumber>> values_at(const State* near, int seed) const {
    State state;
    if (near != nullptr) state = *near;
    state.q.resize(eq_.q.size());
    std::vector<bool> in_quaternion(eq_.q.size());
    for (const int first : eq_.quaternions)
      for (int i = 0; i < 4; ++i) in_quaternion[index(first + i)] = true;
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      if (near == nullptr || (in_quaternion[i] && eq_.holonomic.empty()))
        state.q[i] = 0.3 + spread(seed, i);
      else if (!in_quaternion[i])
        state.q[i] += (seed == 1 ? 0.2 : 0.05) * (spread(seed, i) - 0.4);
    }
    if (near == nullptr || eq_.holonomic.empty()) state.t += 0.3 + spread(seed, state.q.size());
    double uncertain = 0;
    if (!eq_.holonomic.empty()) {
      if (near == nullptr) return std::nullopt;
      const Assembly assembly = assemble(dynamics_, state);
      // At a singular start there may be no consistent velocity, but only the position is needed.
      if (assembly.status != AssemblyStatus::kOk && assembly.status != AssemblyStatus::kNoVelocity) return std::nullopt;
      state = assembly.state;
      uncertain = kOffManifold;
    }
    for (const int first : eq_.quaternions) {
      double norm = 0;
      for (int i = 0; i < 4; ++i) norm = std::hypot(norm, state.q[index(first + i)]);
      if (!(norm > 0)) return std::nullopt;
      for (int i = 0; i < 4; ++i) state.q[index(first + i)] /= norm;
      uncertain = std::max(uncertain, 4 * kEps);
    }
    return values_of(state, uncertain);
  }

  std::unordered_map<SymbolId, BoundedNumber> values_of(const State& state, double uncertain) const {
    std::unordered_map<SymbolId, BoundedNumber> values = known_values();
    for (std::size_t i = 0; i < state.q.size(); ++i)
      values[eq_.q[i].symbol()] = {state.q[i], uncertain * std::max(1.0, std::abs(state.q[i]))};
    values[eq_.t.symbol()] = {state.t, 0};
    return values;
  }

  const Equations& eq_;
  const Dynamics& dynamics_;
  RowsOfMotion rows_;
  PlaceOfFunctions place_;
  std::unordered_map<SymbolId, int> variables_;
  bool has_inputs_ = false;
};

void set_growth(const GrowthAtPoint& found, int all, bool exact, Integrability& result) {
  result.rank = found.rank;
  result.growth = found.growth;
  result.exact = exact;
  result.integrable_at_most = all - 1 - found.growth.back();
  result.complete =
      (found.complete && found.doubt < kLargestDoubt) || result.integrable_at_most <= found.holonomic_rank;
  result.integrable = result.complete ? result.integrable_at_most : found.holonomic_rank;
  result.kind = !result.complete                   ? "undecided"
                : result.integrable >= result.rank ? "holonomic"
                : result.integrable == 0           ? "nonholonomic"
                                                   : "mixed";
}

// Whether the dimensions found in numbers reach those of the prime field.
bool reaches(const GrowthAtPoint& numbers, const GrowthAtPoint& most) {
  return numbers.rank == most.rank && numbers.holonomic_rank == most.holonomic_rank && numbers.growth == most.growth;
}

// Nothing is known except that holonomic rows are integrable.
void set_unknown(const Equations& equations, std::optional<int> rank, std::string why, Integrability& result) {
  result.kind = "undecided";
  result.why_undecided = std::move(why);
  result.exact = result.complete = false;
  result.rank = result.integrable_at_most = rank.value_or(equations.m());
  const int others = equations.m() - static_cast<int>(equations.holonomic.size());
  result.integrable = std::max(0, result.rank - others);
}

void find_growth(const Equations& equations, const Dynamics& dynamics, const State* near, std::optional<int> rank,
                 Integrability& result) {
  const MotionsAllowed motions(equations, dynamics, near);
  bool proved = false;
  auto most = motions.in_prime_field(7919, proved);
  const bool on_manifold = near != nullptr && !equations.holonomic.empty() && !motions.has_inputs();
  const bool any = most.has_value();
  // Where the rows have a lower rank, what they allow is more than in the prime field, which then bounds nothing.
  if (most && rank && most->rank != *rank) most.reset();
  if (most && proved && !on_manifold) return set_growth(*most, motions.all(), true, result);
  const auto numbers = motions.in_numbers(near, rank);
  if (numbers && most && reaches(*numbers, *most)) return set_growth(*most, motions.all(), true, result);
  const bool bounded = most && numbers && most->rank == numbers->rank;
  if (numbers && (!bounded || numbers->growth.size() <= most->growth.size()))
    return set_growth(*numbers, motions.all(), false, result);
  if (most && proved) return set_growth(*most, motions.all(), false, result);
  set_unknown(equations, rank,
              any ? "numbers at positions nearby do not decide it" : "some function has no values to decide with",
              result);
}

// Finds the function whose differential is Σ form_i dx_i, by integrating term by term. No value where the form is not
// closed, or a term is not made of powers, sines and cosines.
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
    // A term c xⁿ is recognised by x · term' = n term.
    const Expr first = slope(term);
    for (int n = 1; n <= 12; ++n)
      if (vanishes(x * first - n * term)) return term * x / (n + 1);
    // A term c cos(k x + …) is recognised by term'' = −k² term with constant k².
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

Integrability find_integrability(const Equations& equations, const Dynamics& dynamics, const State* near,
                                 std::optional<int> rank) {
  Integrability result;
  if (equations.m() == 0) {
    result.kind = "none";
    result.exact = true;
    result.growth = {equations.n()};
    return result;
  }
  find_growth(equations, dynamics, near, rank, result);
  find_first_integrals(equations, result);
  return result;
}

RowsThatFollow rows_that_follow(const Equations& equations, const Dynamics& dynamics, const State& near) {
  const Equations all = with_prescribed_rows(on_overlay(equations));
  return MotionsAllowed(all, dynamics, &near).rows_that_follow(7919);
}

std::optional<bool> agrees_beside(const Equations& equations, const Dynamics& dynamics, const State& near,
                                  const std::vector<int>& independent, int j) {
  const Equations all = with_prescribed_rows(on_overlay(equations));
  return MotionsAllowed(all, dynamics, &near).agrees_beside(near, independent, j);
}

}  // namespace dalembert
