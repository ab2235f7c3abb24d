// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/angle_zero.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "dalembert/algebra/constant_zero.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kMostTurns = 256;

struct ComplexNumber {
  Expr real, imaginary;
};

ComplexNumber times(const ComplexNumber& a, const ComplexNumber& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

ComplexNumber raised(ComplexNumber base, std::int64_t exponent) {
  Graph& graph = base.real.graph();
  ComplexNumber power{graph.constant(1), graph.constant(0)};
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) power = times(power, base);
    base = times(base, base);
  }
  return power;
}

// A number other than 0 in the direction of the angle.
ComplexNumber direction(const Expr& angle) {
  Graph& graph = angle.graph();
  const auto argument = [&](std::size_t i) { return Expr(&graph, graph.items(angle.id())[i].node); };
  const auto leg = [&] { return sqrt(1 - argument(0) * argument(0)); };
  switch (angle.op()) {
    case Op::kAtan:
      return {graph.constant(1), argument(0)};
    case Op::kAsin:
      return {leg(), argument(0)};
    case Op::kAcos:
      return {argument(0), leg()};
    case Op::kAtan2:
      return {argument(1), argument(0)};
    default:
      return {graph.constant(-1), graph.constant(0)};
  }
}

}  // namespace

std::optional<MultipleOfAngle> multiple_of_angle(const Expr& expression) {
  switch (expression.op()) {
    case Op::kPi:
      return MultipleOfAngle{1, expression};
    case Op::kAtan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan2:
      if (!symbols_in(std::array{expression}).empty()) return std::nullopt;
      return MultipleOfAngle{1, expression};
    case Op::kProduct: {
      // The graph writes atan(a) as -atan(-a).
      Graph& graph = expression.graph();
      const auto items = graph.items(expression.id());
      if (items.size() != 1 || graph.number(items[0]) != Rational(1)) return std::nullopt;
      auto found = multiple_of_angle(Expr(&graph, items[0].node));
      if (found) found->first = found->first * graph.number(expression.id());
      return found;
    }
    default:
      return std::nullopt;
  }
}

bool is_zero_angle(Canonicalizer& canonicalizer, const std::vector<MultipleOfAngle>& terms) {
  Graph& graph = canonicalizer.graph();
  std::int64_t denominator = 1;
  for (const auto& [multiple, angle] : terms) {
    if (multiple.denominator().to_double() > kMostTurns) return false;
    denominator = std::lcm(denominator, std::llround(multiple.denominator().to_double()));
    if (static_cast<double>(denominator) > kMostTurns) return false;
  }
  std::vector<Expr> whole;
  double turns = 0;
  ComplexNumber product{graph.constant(1), graph.constant(0)};
  for (const auto& [multiple, angle] : terms) {
    const Rational integer = multiple * Rational(denominator);
    turns += std::abs(integer.to_double());
    if (!(turns <= kMostTurns)) return false;
    whole.push_back(graph.constant(integer) * angle);
    const ComplexNumber power = raised(direction(angle), std::llround(std::abs(integer.to_double())));
    product = times(product, integer.sign() < 0 ? ComplexNumber{power.real, -power.imaginary} : power);
  }
  const EnclosedPoint nowhere{{}, {}, nullptr};
  const Expr sum = graph.sum(whole), three = graph.constant(3);
  if (sign_at(sum - three, nowhere, Effort::kModerate) != Sign::kNegative ||
      sign_at(sum + three, nowhere, Effort::kModerate) != Sign::kPositive)
    return false;
  if (product.imaginary.is_zero() || is_algebraic_zero(product.imaginary)) return true;
  const auto form = canonicalizer.canonical(product.imaginary);
  return form && form->empty();
}

}  // namespace dalembert
