// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/momenta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/derive/momentum_names.h"
#include "dalembert/derive/null_space.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kMostCoordinates = 100;
constexpr std::size_t kMostPairs = 30;     // with more pairs of coordinates, rotations only of pairs with one mass
constexpr std::size_t kMostMixedRows = 6;  // with more holonomic rows, only neighbouring rows are combined
constexpr std::size_t kMostFound = 16;
constexpr double kMostMultiplications = 2e8;  // bounds the work in numbers; beyond it unknowns are left out
// After this number of successive random points without a new independent row, the null space is known.
constexpr int kSurePoints = 3;

// Values of several expressions at random points; every node that they share is evaluated once per point.
class Sampler {
 public:
  explicit Sampler(const std::vector<Expr>& roots) {
    if (roots.empty()) return;
    graph_ = &roots.front().graph();
    nodes_ = reachable(roots);
    place_.resize(nodes_.empty() ? 0 : nodes_.back() + 1);
    for (std::size_t k = 0; k < nodes_.size(); ++k) place_[nodes_[k]] = static_cast<std::uint32_t>(k);
    value_.resize(nodes_.size());
    parameters_.resize(graph_->symbol_count());
    for (double& p : parameters_) p = uniform_(random_);
  }
  bool contains(const Expr& node) const { return node.id() < place_.size() && nodes_[place_[node.id()]] == node.id(); }
  double parameter(SymbolId symbol) const { return parameters_[symbol]; }
  void scale_parameter(SymbolId symbol, double factor) { parameters_[symbol] *= factor; }

  // Draws everything but the parameters at random; false if no point was found at which all values are finite.
  bool draw() {
    for (int attempt = 0; attempt < 8; ++attempt) {
      evaluate_nodes();
      if (std::ranges::all_of(value_, [](double x) { return std::isfinite(x); })) return true;
    }
    return false;
  }
  double operator()(const Expr& e) const { return value_[place_[e.id()]]; }

 private:
  void evaluate_nodes() {
    const Graph& graph = *graph_;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const NodeId id = nodes_[k];
      const auto items = graph.items(id);
      double& x = value_[k];
      switch (graph.op(id)) {
        case Op::kConstant:
          x = graph.number(id).to_double();
          break;
        case Op::kSymbol: {
          const SymbolId symbol = graph.symbol_of(id);
          x = graph.symbol_info(symbol).kind == SymbolKind::kParameter ? parameters_[symbol] : uniform_(random_);
          break;
        }
        case Op::kSum:
          x = graph.number(id).to_double();
          for (const auto& item : items) x += graph.number(item).to_double() * value_[place_[item.node]];
          break;
        case Op::kProduct:
          x = graph.number(id).to_double();
          for (const auto& item : items) x *= evaluate_power(value_[place_[item.node]], graph.number(item).to_double());
          break;
        default: {
          std::array<double, 3> arguments{};
          for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = value_[place_[items[i].node]];
          x = evaluate_function(graph.op(id), arguments.data());
        }
      }
    }
  }

  const Graph* graph_ = nullptr;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> place_;  // index into nodes_ and value_, by node
  std::vector<double> value_, parameters_;
  std::minstd_rand random_{20240229};
  std::uniform_real_distribution<double> uniform_{0.25, 1.75};
};

// The coefficient r · Π p_k^e_k of an unknown: a number times powers of the parameters.
struct Coefficient {
  Rational number;
  std::vector<int> exponents;  // exponents e_k, one for each parameter
};

// The fraction with a small denominator that x equals within the round-off of an elimination, if there is one.
std::optional<Rational> simple_fraction(double x) {
  for (const int denominator :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 24, 25, 30, 32, 36, 40, 48, 50, 60, 64, 100}) {
    const double numerator = std::round(x * denominator);
    if (std::abs(x * denominator - numerator) <= 1e-6 && std::abs(numerator) <= 1e6)
      return Rational(static_cast<std::int64_t>(numerator), denominator);
  }
  return std::nullopt;
}

// The switching functions of an expression: where one of them crosses zero, a part of the expression jumps, and
// derivatives do not show the change.
std::vector<Expr> switches_in(const Expr& e) {
  Graph& graph = e.graph();
  std::vector<Expr> switches;
  for (const NodeId id : reachable(std::array{e})) {
    const auto items = graph.items(id);
    const auto argument = [&](std::size_t i) { return Expr(&graph, items[i].node); };
    const FunctionInfo& info = function_info(graph.op(id));
    if (!info.jumps) continue;
    if (graph.op(id) == Op::kSelect) {
      // A comparison that is a condition comes up as a node of its own.
      if (!function_info(argument(0).op()).truth) switches.push_back(argument(0));
    } else if (items.size() == 2) {
      switches.push_back(argument(0) - argument(1));
    } else {
      switches.push_back(argument(0));
    }
  }
  return switches;
}

// The partial derivatives of a switching function.
struct Jump {
  std::vector<Expr> along_q, along_v;
};

class MomentumSearch {
 public:
  MomentumSearch(const Equations& equations, const std::vector<Expr>& F, Canonicalizer& canonicalizer)
      : eq_(equations),
        graph_(equations.t.graph()),
        canonicalizer_(canonicalizer),
        slope_(gradient(equations.L, equations.q)),
        switches_(switches_in(equations.L)),
        sampler_(make_slopes(F)) {}

  std::vector<ConservedQuantity> run() {
    if (eq_.n() == 0) return {};
    find_cyclic();
    if (eq_.n() > 1 && eq_.n() <= kMostCoordinates && finite_) find_fields();
    return std::move(found_);
  }

 private:
  using Vector = std::vector<double>;

  // Adds F to ∂L/∂q in slope_. Returns all expressions whose values the search needs at a point.
  std::vector<Expr> make_slopes(const std::vector<Expr>& F) {
    std::vector<Expr> roots;
    for (std::size_t i = 0; i < slope_.size(); ++i) roots.push_back(slope_[i] = slope_[i] + F[i]);
    roots.insert(roots.end(), eq_.W.value.begin(), eq_.W.value.end());
    if (eq_.n() > 1 && eq_.n() <= kMostCoordinates)
      for (const auto* more : {&eq_.q, &eq_.qd, &eq_.p, &eq_.h}) roots.insert(roots.end(), more->begin(), more->end());
    for (const Expr& s : switches_) {
      const Jump& jump = jumps_.emplace_back(Jump{gradient(s, eq_.q), gradient(s, eq_.qd)});
      for (const auto* more : {&jump.along_q, &jump.along_v}) roots.insert(roots.end(), more->begin(), more->end());
    }
    return roots;
  }

  bool vanishes(const Expr& e) { return decide_zero(canonicalizer_, e) == ZeroTest::kZero; }

  // Finds the cyclic coordinates. A coordinate with a nonzero value at a random point is not cyclic; the others need a proof.
  void find_cyclic() {
    cyclic_.assign(slope_.size(), true);
    const auto column_vanishes = [&](std::size_t i, auto&& entry_vanishes) {
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (index(eq_.W.col[k]) == i && !entry_vanishes(eq_.W.value[k])) return false;
      return true;
    };
    std::vector<bool> held(slope_.size());
    for (int points = 0; points < 2 && finite_; ++points) {
      finite_ = sampler_.draw();
      if (!finite_) break;
      for (std::size_t i = 0; i < slope_.size(); ++i)
        if (std::abs(sampler_(slope_[i])) > kNullTolerance) cyclic_[i] = false;
      for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
        if (std::abs(sampler_(eq_.W.value[k])) > kNullTolerance) cyclic_[index(eq_.W.col[k])] = false;
    }
    for (std::size_t i = 0; i < slope_.size(); ++i) {
      cyclic_[i] = cyclic_[i] && vanishes(slope_[i]) &&
                   column_vanishes(i, [&](const Expr& entry) { return vanishes(entry); }) &&
                   !crosses_switch({{eq_.q[i].symbol(), graph_.constant(1)}});
      if (cyclic_[i]) found_.push_back({fmt::format("p[{}]", eq_.model->coordinates[i].name), eq_.p[i]});
    }
  }

  // Chooses the unknowns: A_ij of rotations, then c_i of translations, then C_rs of pairs of constraints (momenta.h).
  void choose_unknowns() {
    const auto& coordinates = eq_.model->coordinates;
    const auto pairs = [&](auto&& suits) {
      rotations_.clear();
      for (int i = 0; i < eq_.n(); ++i)
        for (int j = i + 1; j < eq_.n(); ++j)
          if (coordinates[index(i)].dimension == coordinates[index(j)].dimension && suits(i, j))
            rotations_.push_back({i, j});
      return rotations_.size();
    };
    // The coordinates of one point have the same mass, and the same number in their names.
    const auto one_mass = [&](int i, int j) {
      const Expr a = eq_.M.find(i, i), b = eq_.M.find(j, j);
      return a && b && a.same(b);
    };
    if (pairs([](int, int) { return true; }) > kMostPairs && pairs(one_mass) > kMostPairs &&
        pairs([&](int i, int j) {
          return one_mass(i, j) && number_in(coordinates[index(i)].name) == number_in(coordinates[index(j)].name);
        }) > index(2 * eq_.n()))
      rotations_.clear();
    for (int i = 0; i < eq_.n(); ++i)
      if (!cyclic_[index(i)]) translations_.push_back(i);

    const std::vector<const ConstraintRow*> rows = eq_.model->rows();
    const auto is_constraint = [&](int r) { return index(r) < rows.size(); };  // the other rows: prescribed coordinates
    for (std::size_t a = 0; a < eq_.holonomic.size(); ++a)
      for (std::size_t b = 0; b < eq_.holonomic.size(); ++b) {
        const int r = eq_.holonomic[a], s = eq_.holonomic[b];
        const bool near = eq_.holonomic.size() <= kMostMixedRows || a + 1 == b || b + 1 == a;
        if (r == s || !near || !is_constraint(r) || !is_constraint(s)) continue;
        if (rows[index(r)]->dimension == rows[index(s)]->dimension) mixed_.push_back({r, s});
      }
    unknowns_ = rotations_.size() + translations_.size() + mixed_.size();
    // A row costs (number of independent rows so far) × (number of unknowns) multiplications.
    const auto work = [&] {
      const auto columns = static_cast<double>(unknowns_);
      return columns * columns * static_cast<double>(eq_.m() + 1);
    };
    for (auto* fewer : {&mixed_, &rotations_}) {
      if (work() <= kMostMultiplications) break;
      unknowns_ -= fewer->size();
      fewer->clear();
    }
  }

  // The coefficients of the unknown rotations and translations in f·ξ + g·ξ̇ at the current point. `size` is raised to
  // the largest magnitude in f and g.
  Vector along_fields(const Vector& f, const Vector& g, double& size) const {
    Vector row(unknowns_);
    std::size_t k = 0;
    const auto q = [&](int i) { return sampler_(eq_.q[index(i)]); };
    const auto v = [&](int i) { return sampler_(eq_.qd[index(i)]); };
    for (const auto& [i, j] : rotations_)
      row[k++] = q(i) * f[index(j)] - q(j) * f[index(i)] + g[index(j)] * v(i) - g[index(i)] * v(j);
    for (const int i : translations_) row[k++] = f[index(i)];
    for (const double x : f) size = std::max(size, std::abs(x));
    for (const double x : g) size = std::max(size, std::abs(x));
    return row;
  }
  Vector values(const std::vector<Expr>& list) const {
    Vector x;
    for (const Expr& e : list) x.push_back(sampler_(e));
    return x;
  }

  // The row of the linear system for the coefficients of ξ: the rate of p·ξ must vanish, without its part λᵀWξ.
  Vector rate_row(double& size) const { return along_fields(values(slope_), values(eq_.p), size); }
  // The row of the linear system that is the condition W ξ = C h of constraint r, for the coefficients of ξ and C
  // (momenta.h).
  Vector constraint_row(int r, double& size) const {
    Vector w(slope_.size());
    for (std::size_t k = 0; k < eq_.W.value.size(); ++k)
      if (eq_.W.row[k] == r) w[index(eq_.W.col[k])] = sampler_(eq_.W.value[k]);
    Vector row = along_fields(w, Vector(w.size()), size);
    std::size_t k = rotations_.size() + translations_.size();
    for (const auto& [from, to] : mixed_) row[k++] = from == r ? -sampler_(eq_.h[index(to)]) : 0;
    return row;
  }
  // The row of the linear system for the coefficients of ξ: a switching function of L must not change along ξ.
  Vector jump_row(const Jump& jump, double& size) const {
    return along_fields(values(jump.along_q), values(jump.along_v), size);
  }

  // All fields whose momentum is conserved, for the sampler's parameters. The constraints come first: they leave few
  // unknowns, so that few points decide the rest.
  std::vector<Vector> solutions() {
    NullSpace allowed(unknowns_);
    std::vector<int> news(index(eq_.m()) + jumps_.size(), kSurePoints);
    for (bool more = !news.empty(); more && allowed.dimension() > 0;) {
      if (!sampler_.draw()) return {};
      more = false;
      for (std::size_t r = 0; r < news.size(); ++r) {
        if (news[r] == 0) continue;
        double size = 0;
        Vector row =
            r < index(eq_.m()) ? constraint_row(static_cast<int>(r), size) : jump_row(jumps_[r - index(eq_.m())], size);
        if (!is_sound(row, size)) return {};
        news[r] = allowed.add(std::move(row), size) ? kSurePoints : news[r] - 1;
        more = more || news[r] > 0;
      }
    }
    const std::vector<Vector> basis = allowed.basis();
    NullSpace conserved(basis.size());
    for (int sure = kSurePoints; sure > 0 && conserved.dimension() > 0;) {
      if (!sampler_.draw()) return {};
      double size = 0;
      const Vector rate = rate_row(size);
      if (!is_sound(rate, size)) return {};
      Vector row;
      for (const Vector& x : basis) row.push_back(dot(rate, x));
      sure = conserved.add(std::move(row), size) ? kSurePoints : sure - 1;
    }
    std::vector<Vector> found;
    for (const Vector& y : conserved.basis()) {
      Vector& x = found.emplace_back(unknowns_);
      for (std::size_t b = 0; b < basis.size(); ++b)
        for (std::size_t k = 0; k < unknowns_; ++k) x[k] += y[b] * basis[b][k];
    }
    reduce(found);
    // A solution that only relates constraints moves no coordinate: it is no field.
    std::erase_if(found, [&](const Vector& x) { return !moves(x); });
    return found;
  }

  bool moves(const Vector& x) const {
    return std::ranges::any_of(x.begin(), x.end() - static_cast<std::ptrdiff_t>(mixed_.size()),
                               [](double c) { return std::abs(c) > kNullTolerance; });
  }
  static double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  }

  // Reads the coefficients as numbers times powers of parameters. The exponents follow from the change when a parameter
  // is doubled. The result is empty for a vector with a coefficient of another form.
  std::vector<std::vector<Coefficient>> read(const std::vector<Vector>& vectors) {
    const auto& parameters = eq_.model->parameters;
    std::vector<std::vector<Coefficient>> fields(vectors.size());
    bool plain = true;
    for (const Vector& x : vectors)
      plain = plain && std::ranges::all_of(x, [](double c) { return simple_fraction(c).has_value(); });
    std::vector<std::vector<std::vector<int>>> exponents(
        vectors.size(), std::vector<std::vector<int>>(unknowns_, std::vector<int>(parameters.size())));
    std::vector<Vector> numbers = vectors;
    for (std::size_t k = 0; !plain && k < parameters.size(); ++k) {
      if (!sampler_.contains(parameters[k].symbol)) continue;
      const SymbolId symbol = parameters[k].symbol.symbol();
      sampler_.scale_parameter(symbol, 2);
      const std::vector<Vector> changed = solutions();
      sampler_.scale_parameter(symbol, 0.5);
      if (changed.size() != vectors.size()) return {};
      for (std::size_t v = 0; v < vectors.size(); ++v)
        for (std::size_t c = 0; c < unknowns_; ++c) {
          if (std::abs(vectors[v][c]) <= kNullTolerance) continue;
          const double exponent = std::log2(changed[v][c] / vectors[v][c]);
          if (!(std::abs(exponent) < 8)) continue;
          exponents[v][c][k] = static_cast<int>(std::lround(exponent));
          numbers[v][c] /= std::pow(sampler_.parameter(symbol), exponents[v][c][k]);
        }
    }
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      std::vector<Coefficient> field;
      for (std::size_t c = 0; c < unknowns_; ++c) {
        const std::optional<Rational> number =
            std::abs(vectors[v][c]) <= kNullTolerance ? Rational(0) : simple_fraction(numbers[v][c]);
        if (!number) break;
        field.push_back({*number, exponents[v][c]});
      }
      if (field.size() < unknowns_) continue;
      clear_denominators(field);
      fields[v] = std::move(field);
    }
    return fields;
  }

  // Makes numbers integers and exponents non-negative, so that nothing is divided by a parameter that may be zero.
  static void clear_denominators(std::vector<Coefficient>& field) {
    for (std::size_t k = 0; k < field[0].exponents.size(); ++k) {
      int least = 1000;
      for (const Coefficient& c : field)
        if (!c.number.is_zero()) least = std::min(least, c.exponents[k]);
      for (Coefficient& c : field) c.exponents[k] = c.number.is_zero() ? 0 : c.exponents[k] - least;
    }
    // Multiplies the field by each denominator that is left.
    for (std::size_t i = 0; i < field.size(); ++i) {
      const Rational denominator = field[i].number.denominator();
      if (denominator.is_one()) continue;
      for (Coefficient& c : field) c.number = c.number * denominator;
    }
  }

  Expr expression(const Coefficient& c) {
    Expr e = graph_.constant(c.number);
    for (std::size_t k = 0; k < c.exponents.size(); ++k)
      if (c.exponents[k] != 0) e = e * pow(eq_.model->parameters[k].symbol, Rational(c.exponents[k]));
    return e;
  }

  // Adds the momentum of a field if it can be proven constant.
  void consider(const std::vector<Coefficient>& field) {
    std::vector<std::vector<Graph::Term>> terms(slope_.size()), rate_terms(slope_.size());
    MomentumParts parts;
    std::size_t k = 0;
    for (const auto& [i, j] : rotations_) {
      const Expr c = expression(field[k++]);
      if (c.is_zero()) continue;
      parts.planes.push_back({i, j});
      terms[index(i)].push_back({c * eq_.q[index(j)], -1});
      terms[index(j)].push_back({c * eq_.q[index(i)], 1});
      rate_terms[index(i)].push_back({c * eq_.qd[index(j)], -1});
      rate_terms[index(j)].push_back({c * eq_.qd[index(i)], 1});
    }
    for (const int i : translations_) {
      const Expr c = expression(field[k++]);
      if (c.is_zero()) continue;
      parts.translations.push_back(i);
      terms[index(i)].push_back({c, 1});
    }
    std::vector<std::vector<Graph::Term>> constraint(index(eq_.m()));
    for (const auto& [r, s] : mixed_)
      if (const Expr c = expression(field[k++]); !c.is_zero())
        constraint[index(r)].push_back({c * eq_.h[index(s)], -1});

    std::unordered_map<SymbolId, Expr> along;
    std::vector<Expr> xi;
    std::vector<Graph::Term> rate, momentum;
    for (std::size_t i = 0; i < slope_.size(); ++i) {
      xi.push_back(graph_.sum(terms[i]));
      if (xi[i].is_zero()) continue;
      const Expr xi_rate = graph_.sum(rate_terms[i]);
      momentum.push_back({eq_.p[i] * xi[i], 1});
      rate.push_back({slope_[i] * xi[i], 1});
      rate.push_back({eq_.p[i] * xi_rate, 1});
      along.emplace(eq_.q[i].symbol(), xi[i]);
      if (!xi_rate.is_zero()) along.emplace(eq_.qd[i].symbol(), xi_rate);
    }
    for (std::size_t e = 0; e < eq_.W.value.size(); ++e)
      if (const Expr& x = xi[index(eq_.W.col[e])]; !x.is_zero())
        constraint[index(eq_.W.row[e])].push_back({eq_.W.value[e] * x, 1});
    for (const auto& row : constraint)
      if (!vanishes(graph_.sum(row))) return;
    if (!vanishes(graph_.sum(rate)) || crosses_switch(along)) return;
    const Expr conserved = graph_.sum(momentum);
    if (vanishes(conserved)) return;  // the motion along ξ has no inertia
    found_.push_back({name_momentum(*eq_.model, parts, found_), conserved});
  }

  // Whether L may jump along the field, which its derivatives would not show.
  bool crosses_switch(const std::unordered_map<SymbolId, Expr>& along) {
    const std::vector<Expr> changes = directional_derivative(switches_, along);
    return !std::ranges::all_of(changes, [&](const Expr& change) { return vanishes(change); });
  }

  void find_fields() {
    choose_unknowns();
    if (unknowns_ == 0) return;
    const std::vector<Vector> vectors = solutions();
    if (vectors.empty() || vectors.size() > kMostFound) return;
    for (const std::vector<Coefficient>& field : read(vectors))
      if (!field.empty()) consider(field);
  }

  const Equations& eq_;
  Graph& graph_;
  Canonicalizer& canonicalizer_;
  std::vector<Expr> slope_;  // ∂L/∂q + F, one entry per coordinate
  std::vector<Expr> switches_;
  std::vector<Jump> jumps_;
  Sampler sampler_;
  bool finite_ = true;
  std::vector<bool> cyclic_;
  std::vector<std::pair<int, int>> rotations_, mixed_;
  std::vector<int> translations_;
  std::size_t unknowns_ = 0;
  std::vector<ConservedQuantity> found_;
};

}  // namespace

std::vector<ConservedQuantity> find_momenta(const Equations& equations, const std::vector<Expr>& F,
                                            Canonicalizer& canonicalizer) {
  return MomentumSearch(equations, F, canonicalizer).run();
}

}  // namespace dalembert
