// SPDX-License-Identifier: Apache-2.0
// Private to analyze: Taylor polynomials of expressions about a point.
//
// A `Point` gives the values of numbers and functions at the point, or no value where it does not know them:
//
//   number(Rational), pi(), raised(a, e)       numbers; a^e of a number, with a rational e that is no integer
//   symbol(taylor, id)                         the polynomial of a symbol
//   exponential(node, u), logarithm(node, u)   exp and log of the polynomial u, for the function at `node`; node^1.5 has both
//   circle(angle, u), angle(node, slope)       cosine and sine of an angle; the value of atan, asin, acos, atan2
//   sign(node, a)                              sign of the number a, which selects the piece of the function at `node`
#pragma once

#include <array>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dalembert/analyze/integrability/taylor.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/visit.h"

namespace dalembert {

template <class Field, class Point>
class TaylorOf {
 public:
  using Polynomial = typename Taylor<Field>::Polynomial;
  using Maybe = std::optional<Polynomial>;

  TaylorOf(const Graph& graph, const Taylor<Field>& taylor, Point& point)
      : graph_(graph), taylor_(taylor), point_(point) {}

  /// Computes the polynomial of a node whose arguments have been added. Returns whether the node has a value.
  bool add(NodeId node) {
    if (known_.contains(node)) return true;
    Maybe p = compute(node);
    if (!p) return false;
    known_.emplace(node, *std::move(p));
    return true;
  }
  const Polynomial& at(NodeId node) const { return known_.at(node); }
  /// The polynomial log u, for the function at `node`.
  Maybe logarithm(NodeId node, const Polynomial& u) {
    if (taylor_.field().is_zero(taylor_.value(u))) return std::nullopt;
    Polynomial slope = taylor_.integrated(taylor_.inverse(u), u, taylor_.field().zero());
    const auto value = point_.logarithm(node, u, slope);
    if (!value) return std::nullopt;
    slope[0] = *value;
    return slope;
  }

 private:
  using Circle = typename Taylor<Field>::Circle;

  const Polynomial& argument(NodeId node, std::size_t i = 0) const { return at(graph_.items(node)[i].node); }

  Maybe compute(NodeId node) {
    if (const auto& by = function_info(graph_.op(node)).exponentials)
      return by->down == 0 ? exponential(node, argument(node)) : hyperbolic(node, *by);
    switch (graph_.op(node)) {
      case Op::kConstant: {
        const auto value = point_.number(graph_.number(node));
        return value ? Maybe(taylor_.constant(*value)) : std::nullopt;
      }
      case Op::kPi:
        return taylor_.constant(point_.pi());
      case Op::kSymbol:
        return point_.symbol(taylor_, graph_.symbol_of(node));
      case Op::kSum:
        return sum(node);
      case Op::kProduct:
        return product(node);
      case Op::kSin:
      case Op::kCos:
      case Op::kTan:
        return circular(node);
      case Op::kLog:
        return logarithm(node, argument(node));
      case Op::kPower: {
        const Maybe log = logarithm(node, argument(node));
        return log ? exponential(node, taylor_.product(*log, argument(node, 1))) : std::nullopt;
      }
      case Op::kAtan:
      case Op::kAsin:
      case Op::kAcos:
      case Op::kAtan2:
        return angle(node);
      case Op::kAbs:
      case Op::kSign:
        return signed_value(node);
      case Op::kMin:
      case Op::kMax:
      case Op::kLess:
      case Op::kLessEqual:
        return compared(node);
      case Op::kSelect:
        return argument(node, argument(node).empty() ? 2 : 1);
      default:
        return std::nullopt;
    }
  }

  Maybe sum(NodeId node) {
    const auto first = point_.number(graph_.number(node));
    if (!first) return std::nullopt;
    Polynomial sum = taylor_.constant(*first);
    for (const Graph::Item& item : graph_.items(node)) {
      const auto factor = point_.number(graph_.number(item));
      if (!factor) return std::nullopt;
      taylor_.add_to(sum, at(item.node), *factor);
    }
    return sum;
  }

  Maybe product(NodeId node) {
    const auto first = point_.number(graph_.number(node));
    if (!first) return std::nullopt;
    Maybe product;
    for (const Graph::Item& item : graph_.items(node)) {
      const Maybe factor = raised(at(item.node), graph_.number(item));
      if (!factor) return std::nullopt;
      product = product ? taylor_.product(*product, *factor) : *factor;
    }
    return product ? taylor_.scaled(*product, *first) : taylor_.constant(*first);
  }

  Maybe circular(NodeId node) {
    const Field& field = taylor_.field();
    const Circle* circle = circle_of(graph_.items(node)[0].node);
    if (circle == nullptr) return std::nullopt;
    if (graph_.op(node) == Op::kSin) return circle->sine;
    if (graph_.op(node) == Op::kCos) return circle->cosine;
    if (field.is_zero(taylor_.value(circle->cosine))) return std::nullopt;
    return taylor_.product(circle->sine, taylor_.inverse(circle->cosine));
  }

  Maybe hyperbolic(NodeId node, const ByExponentials& by) {
    const Field& field = taylor_.field();
    const Maybe up = exponential(node, argument(node));
    if (!up || field.is_zero(taylor_.value(*up))) return std::nullopt;
    const Polynomial down = taylor_.inverse(*up);
    const typename Field::Number half = field.inverse(field.of(2));
    Polynomial sine = taylor_.scaled(*up, half), cosine = sine;
    taylor_.add_to(sine, down, field.negative(half));
    taylor_.add_to(cosine, down, half);
    const Polynomial& above = by.down > 0 ? cosine : sine;
    if (!by.below) return above;
    if (field.is_zero(taylor_.value(cosine))) return std::nullopt;
    return taylor_.product(above, taylor_.inverse(cosine));
  }

  Maybe signed_value(NodeId node) {
    const Field& field = taylor_.field();
    const auto sign = point_.sign(node, taylor_.value(argument(node)));
    if (!sign) return std::nullopt;
    if (graph_.op(node) == Op::kSign) return taylor_.constant(field.of(*sign));
    return taylor_.scaled(argument(node), field.of(*sign));
  }

  Maybe compared(NodeId node) {
    const Field& field = taylor_.field();
    const auto sign =
        point_.sign(node, field.subtract(taylor_.value(argument(node)), taylor_.value(argument(node, 1))));
    if (!sign) return std::nullopt;
    if (graph_.op(node) == Op::kMin) return argument(node, *sign < 0 ? 0 : 1);
    if (graph_.op(node) == Op::kMax) return argument(node, *sign < 0 ? 1 : 0);
    return taylor_.constant(field.of(*sign < 0 ? 1 : 0));
  }

  Maybe raised(const Polynomial& base, const Rational& exponent) {
    if (exponent.is_one()) return base;
    const Field& field = taylor_.field();
    const auto times = exponent.as_int();
    const bool zero = field.is_zero(taylor_.value(base));
    if (times && *times > 0 && (*times < 4 || zero)) {
      Polynomial power = base;
      for (int i = 1; i < *times; ++i) power = taylor_.product(power, base);
      return power;
    }
    if (zero) return std::nullopt;
    const auto value = point_.raised(taylor_.value(base), exponent);
    const auto number = point_.number(exponent);
    if (!value || !number) return std::nullopt;
    return taylor_.power(base, *number, *value);
  }
  Maybe exponential(NodeId node, const Polynomial& u) {
    const auto value = point_.exponential(node, u);
    return value ? Maybe(taylor_.exponential(u, *value)) : std::nullopt;
  }
  const Circle* circle_of(NodeId angle) {
    const auto found = circles_.find(angle);
    if (found != circles_.end()) return &found->second;
    const auto value = point_.circle(angle, at(angle));
    if (!value) return nullptr;
    return &circles_.emplace(angle, taylor_.circle(at(angle), value->cosine, value->sine)).first->second;
  }
  // The derivative determines the polynomial up to its value at the point.
  Maybe angle(NodeId node) {
    const Field& field = taylor_.field();
    const Polynomial& u = argument(node);
    const Op op = graph_.op(node);
    Polynomial rest;
    if (op == Op::kAtan2) {
      const Polynomial& x = argument(node, 1);
      Polynomial squared = taylor_.product(u, u);
      taylor_.add_to(squared, taylor_.product(x, x), field.one());
      if (field.is_zero(taylor_.value(squared))) return std::nullopt;
      const Polynomial over = taylor_.inverse(squared);
      rest = taylor_.integrated(taylor_.product(x, over), u, field.zero());
      taylor_.add_to(rest, taylor_.integrated(taylor_.product(u, over), x, field.zero()), field.of(-1));
    } else {
      Polynomial below = taylor_.constant(field.one());
      taylor_.add_to(below, taylor_.product(u, u), op == Op::kAtan ? field.one() : field.of(-1));
      if (field.is_zero(taylor_.value(below))) return std::nullopt;
      const Rational exponent = op == Op::kAtan ? Rational(-1) : Rational(-1, 2);
      const Maybe slope = raised(below, exponent);
      if (!slope) return std::nullopt;
      rest = taylor_.integrated(op == Op::kAcos ? taylor_.scaled(*slope, field.of(-1)) : *slope, u, field.zero());
    }
    const auto value = point_.angle(node, *this, rest);
    if (!value) return std::nullopt;
    rest[0] = *value;
    return rest;
  }

  const Graph& graph_;
  const Taylor<Field>& taylor_;
  Point& point_;
  std::unordered_map<NodeId, Polynomial> known_;
  std::unordered_map<NodeId, Circle> circles_;
};

}  // namespace dalembert
