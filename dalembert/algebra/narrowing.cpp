// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/narrowing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "dalembert/algebra/interval.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr int kLargestExponent = 64;
// Bound on the relative error of pow() and sqrt() of the C library.
constexpr double kSlack = 4e-15;
// Bound on the relative error of x^(1/n) with a rounded exponent: |log x| times the rounding error of 1/n.
constexpr double kRootSlack = 1e-12;

double below(double x) { return std::nextafter(x, -kEndless); }
double above(double x) { return std::nextafter(x, kEndless); }
Stretch widened(double lower, double upper) { return {below(lower), above(upper)}; }
// A product of bounds, where 0·∞ is 0.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Stretch hull_of(const Stretch& a, const Stretch& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

// A number x ≥ 0 raised to an integer power, and the inverse function.
double raised(double x, int n) { return std::isinf(x) ? x : std::pow(x, n); }
double rooted(double x, int n) { return std::isinf(x) ? x : n == 2 ? std::sqrt(x) : std::pow(x, 1.0 / n); }
Stretch slackened(double lower, double upper, double slack = kSlack) {
  const double l = std::isinf(lower) ? lower : lower - slack * std::abs(lower);
  const double u = std::isinf(upper) ? upper : upper + slack * std::abs(upper);
  return {below(l), above(u)};
}

Stretch whole_power(const Stretch& x, int n) {
  if (n < 0) {
    const Stretch positive = whole_power(x, -n);
    return Stretch{1, 1} / positive;
  }
  if (n == 1) return x;
  const auto of = [&](double v) { return n % 2 != 0 && v < 0 ? -raised(-v, n) : raised(std::abs(v), n); };
  if (n % 2 != 0) return slackened(of(x.lower), of(x.upper));
  const double a = of(x.lower), b = of(x.upper);
  const Stretch result = slackened(x.contains(0) ? 0 : std::min(a, b), std::max(a, b));
  return {std::max(result.lower, 0.0), result.upper};
}

// Bounds on the set of x in `known` with xⁿ in y, for n > 0.
Stretch inverse_power(const Stretch& y, int n, const Stretch& known) {
  if (n == 1) return y;
  const auto of = [&](double v) { return v < 0 ? -rooted(-v, n) : rooted(v, n); };
  if (n % 2 != 0) return slackened(of(y.lower), of(y.upper), kRootSlack);
  if (y.upper < 0) return {1, 0};
  const Stretch size = slackened(rooted(std::max(y.lower, 0.0), n), rooted(y.upper, n), kRootSlack);
  const Stretch right = intersection(known, {std::max(size.lower, 0.0), size.upper}),
                left = intersection(known, {-size.upper, -std::max(size.lower, 0.0)});
  return hull_of(left, right);
}

Stretch root_of(const Stretch& x, int n) {
  if (n == 1) return x;
  // Odd roots of negative numbers are not needed; bounds ±∞ are a safe answer.
  if (n % 2 != 0 && x.lower < 0) return {};
  if (x.upper < 0) return {1, 0};
  const Stretch result = slackened(rooted(std::max(x.lower, 0.0), n), rooted(x.upper, n));
  return {std::max(result.lower, 0.0), result.upper};
}

// Bounds on the set of x in `known` with cos(x + shift) in y.
Stretch inverse_cosine(const Stretch& y, const Stretch& known, double shift) {
  const double lower = std::max(y.lower, -1.0), upper = std::min(y.upper, 1.0);
  if (lower > upper) return {1, 0};
  if (!known.finite() || known.width() > 40) return known;
  const double near = std::acos(upper), far = std::acos(lower),
               slack = 1e-12 * (1 + std::abs(known.lower) + std::abs(known.upper));
  constexpr double kTurn = 2 * std::numbers::pi;
  Stretch result{1, 0};
  const auto first = static_cast<long>(std::floor((known.lower + shift) / kTurn)) - 1,
             last = static_cast<long>(std::ceil((known.upper + shift) / kTurn)) + 1;
  for (long k = first; k <= last; ++k) {
    const double turn = kTurn * static_cast<double>(k) - shift;
    result = hull_of(result, intersection(known, {turn + near - slack, turn + far + slack}));
    result = hull_of(result, intersection(known, {turn - far - slack, turn - near + slack}));
  }
  return result;
}

bool is_known(Op op) {
  constexpr Op kKnown[] = {Op::kConstant, Op::kPi, Op::kSymbol, Op::kSum, Op::kProduct};
  return std::ranges::find(kKnown, op) != std::end(kKnown) ||
         (has_interval(op) && function_info(op).domain != Domain::kUnit);
}

Stretch function_range(Op op, const Stretch& x) {
  const bool bounded = op == Op::kSin || op == Op::kCos;
  const MaybeInterval value = x.finite() ? function_interval(op, {x.lower, x.upper}) : std::nullopt;
  if (!value) return bounded ? Stretch{-1, 1} : Stretch{};
  return {value->lower, value->upper};
}

}  // namespace

Stretch operator+(const Stretch& a, const Stretch& b) { return widened(a.lower + b.lower, a.upper + b.upper); }
Stretch operator-(const Stretch& a, const Stretch& b) { return widened(a.lower - b.upper, a.upper - b.lower); }
Stretch operator*(const Stretch& a, const Stretch& b) {
  const auto [least, most] =
      std::minmax({times(a.lower, b.lower), times(a.lower, b.upper), times(a.upper, b.lower), times(a.upper, b.upper)});
  return widened(least, most);
}
Stretch operator/(const Stretch& a, const Stretch& b) {
  if (b.contains(0)) return {};
  return a * widened(1 / b.upper, 1 / b.lower);
}
Stretch intersection(const Stretch& a, const Stretch& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

BoundedFunctions::BoundedFunctions(std::span<const Expr> functions, std::span<const Expr> variables,
                                   const std::function<double(SymbolId)>& value_of) {
  if (functions.empty()) return;
  const Graph& graph = common_graph(functions);
  std::unordered_map<NodeId, std::size_t> place;
  std::unordered_map<SymbolId, int> variable;
  for (std::size_t i = 0; i < variables.size(); ++i) variable.emplace(variables[i].symbol(), static_cast<int>(i));
  const auto range_of = [](const Rational& value) {
    const MaybeInterval bounds = Interval::of(value);
    return bounds ? Stretch{bounds->lower, bounds->upper} : Stretch{};
  };
  const auto point = [](double x) { return std::isfinite(x) ? Stretch{x, x} : Stretch{}; };
  for (const NodeId id : reachable(functions)) {
    Node node;
    node.op = graph.op(id);
    known_ = known_ && is_known(node.op);
    if (node.op == Op::kConstant) {
      node.number = range_of(graph.number(id));
    } else if (node.op == Op::kPi) {
      node.number = {pi_interval().lower, pi_interval().upper};
    } else if (node.op == Op::kSymbol) {
      const auto known = variable.find(graph.symbol_of(id));
      if (known != variable.end())
        node.variable = known->second;
      else
        node.number = point(value_of(graph.symbol_of(id)));
    } else {
      const bool sum = node.op == Op::kSum, product = node.op == Op::kProduct;
      if (sum || product) node.number = range_of(graph.number(id));
      for (const Graph::Item& item : graph.items(id)) {
        Item made;
        made.node = place.at(item.node);
        if (sum) made.coefficient = range_of(graph.number(item));
        if (product) {
          // An exponent that is neither a small integer nor half of one is not used for bounds (root = 0).
          const Rational& e = graph.number(item);
          made.root = 0;
          for (int root = 1; root <= 2 && made.root == 0; ++root)
            if (const Rational whole = e * Rational(root);
                whole.is_integer() && std::abs(whole.to_double()) <= kLargestExponent) {
              made.numerator = static_cast<int>(whole.to_double());
              made.root = root;
            }
        }
        node.items.push_back(made);
      }
    }
    place.emplace(id, nodes_.size());
    nodes_.push_back(std::move(node));
  }
  for (const Expr& f : functions) roots_.push_back(place.at(f.id()));
  value_.resize(nodes_.size());
}

Stretch BoundedFunctions::value_of(const Node& node) const {
  const auto factor = [&](const Item& item) -> Stretch {
    if (item.root == 0) return {};
    return whole_power(root_of(value_[item.node], item.root), item.numerator);
  };
  switch (node.op) {
    case Op::kSum: {
      Stretch sum = node.number;
      for (const Item& item : node.items) sum = sum + item.coefficient * value_[item.node];
      return sum;
    }
    case Op::kProduct: {
      Stretch product = node.number;
      for (const Item& item : node.items) {
        const Stretch one = factor(item);
        if (one.empty()) return one;
        product = product * one;
      }
      return product;
    }
    default:
      return node.items.empty() ? node.number : function_range(node.op, value_[node.items[0].node]);
  }
}

void BoundedFunctions::forward(const Box& box) {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    value_[k] = node.variable >= 0 ? box[static_cast<std::size_t>(node.variable)] : value_of(node);
  }
}

void BoundedFunctions::bound(const Box& box, std::vector<Stretch>& values) {
  forward(box);
  values.resize(roots_.size());
  for (std::size_t r = 0; r < roots_.size(); ++r) values[r] = value_[roots_[r]];
}

bool BoundedFunctions::meet(std::size_t node, const Stretch& range) {
  value_[node] = intersection(value_[node], range);
  return !value_[node].empty();
}

// Narrows the bounds of the arguments of `node`; `known` is the bounds of the node itself. False if there is no solution.
bool BoundedFunctions::backward(const Node& node, const Stretch& known) {
  const std::size_t count = node.items.size();
  if (node.op == Op::kSum || node.op == Op::kProduct) {
    const bool sum = node.op == Op::kSum;
    std::vector<Stretch> part(count), after(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      const Item& item = node.items[i];
      part[i] = sum              ? item.coefficient * value_[item.node]
                : item.root == 0 ? Stretch{}
                                 : whole_power(root_of(value_[item.node], item.root), item.numerator);
      if (part[i].empty()) return false;
    }
    after[count] = sum ? Stretch{0, 0} : Stretch{1, 1};
    for (std::size_t i = count; i-- > 0;) after[i] = sum ? after[i + 1] + part[i] : after[i + 1] * part[i];
    Stretch before = node.number;
    for (std::size_t i = 0; i < count; ++i) {
      const Item& item = node.items[i];
      const Stretch rest = sum ? before + after[i + 1] : before * after[i + 1];
      if (sum) {
        if (!meet(item.node, (known - rest) / item.coefficient)) return false;
      } else if (item.root != 0 && !rest.contains(0)) {
        Stretch y = known / rest;
        if (item.numerator < 0) y = Stretch{1, 1} / y;
        const Stretch root = root_of(value_[item.node], item.root);
        Stretch x = inverse_power(y, std::abs(item.numerator), root);
        if (x.empty()) return false;
        if (item.root == 2) x = whole_power({std::max(x.lower, 0.0), std::max(x.upper, 0.0)}, 2);
        if (!meet(item.node, x)) return false;
      }
      before = sum ? before + part[i] : before * part[i];
    }
    return true;
  }
  if (node.op == Op::kCos || node.op == Op::kSin) {
    const std::size_t argument = node.items[0].node;
    return meet(argument, inverse_cosine(known, value_[argument], node.op == Op::kCos ? 0 : -std::numbers::pi / 2));
  }
  return true;
}

bool BoundedFunctions::narrow_to_zeros(Box& box) {
  forward(box);
  for (const std::size_t root : roots_)
    if (!meet(root, {0, 0})) return false;
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    if (value_[k].empty()) return false;
    if (!nodes_[k].items.empty() && !backward(nodes_[k], value_[k])) return false;
  }
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    if (const int i = nodes_[k].variable; i >= 0) {
      Stretch& range = box[static_cast<std::size_t>(i)];
      range = intersection(range, value_[k]);
      if (range.empty()) return false;
    }
  return true;
}

}  // namespace dalembert
