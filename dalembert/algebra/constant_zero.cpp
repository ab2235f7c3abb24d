// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/constant_zero.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dalembert/algebra/angle_zero.h"
#include "dalembert/algebra/cyclotomic.h"
#include "dalembert/algebra/enclosure.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr double kMostBits = 3500;
constexpr double kMostDenominator = 10'000;  // of an exponent, or of a multiple of π

// log2 of the bounds of the conjugates of U and of L; neither is negative.
struct ConjugateBounds {
  double u = 0, l = 0;
};

// Bounds of a number from the leaves up.
class SeparationBound {
 public:
  explicit SeparationBound(const Expr& number) : graph_(number.graph()), root_(number.id()) {}

  // The number of bits b with E = 0 or |E| ≥ 2^−b.
  std::optional<double> bits() {
    // The angle of a sine has no bounds itself.
    for (const NodeId id : reachable(std::array{Expr(&graph_, root_)}))
      if (const std::optional<ConjugateBounds> found = bounds_of(id)) bounds_.emplace(id, *found);
    const auto whole = bounds_.find(root_);
    if (whole == bounds_.end()) return std::nullopt;
    return whole->second.l + (degree() - 1) * whole->second.u + 2;
  }

 private:
  std::optional<ConjugateBounds> bounds_of(NodeId id) {
    switch (graph_.op(id)) {
      case Op::kConstant:
        return of_number(graph_.number(id));
      case Op::kSum:
        return of_sum(id);
      case Op::kProduct:
        return of_product(id);
      case Op::kAbs:
        return known(graph_.items(id)[0].node);
      case Op::kSin:
      case Op::kCos:
      case Op::kTan:
        return of_angle(graph_.items(id)[0].node);
      default:
        return std::nullopt;
    }
  }

  std::optional<ConjugateBounds> known(NodeId id) const {
    const auto found = bounds_.find(id);
    return found == bounds_.end() ? std::nullopt : std::optional(found->second);
  }

  static ConjugateBounds of_number(const Rational& value) {
    const auto log2_of = [](const Rational& whole) {
      return whole.is_one() || whole.is_minus_one() ? 0 : static_cast<double>(whole.bits());
    };
    return {log2_of(value.numerator()), log2_of(value.denominator())};
  }

  static ConjugateBounds times(const ConjugateBounds& a, const ConjugateBounds& b) { return {a.u + b.u, a.l + b.l}; }

  std::optional<ConjugateBounds> of_sum(NodeId id) {
    std::vector<ConjugateBounds> terms{of_number(graph_.number(id))};
    for (const auto& item : graph_.items(id)) {
      const auto term = known(item.node);
      if (!term) return std::nullopt;
      terms.push_back(times(of_number(graph_.number(item)), *term));
    }
    ConjugateBounds sum;
    for (const ConjugateBounds& term : terms) sum.l += term.l;
    for (const ConjugateBounds& term : terms) sum.u = std::max(sum.u, sum.l - term.l + term.u);
    sum.u += std::log2(static_cast<double>(terms.size()));
    return sum;
  }

  std::optional<ConjugateBounds> of_product(NodeId id) {
    ConjugateBounds product = of_number(graph_.number(id));
    for (const auto& item : graph_.items(id)) {
      const auto base = known(item.node);
      if (!base) return std::nullopt;
      const auto power = power_of(item.node, *base, graph_.number(item));
      if (!power) return std::nullopt;
      product = times(product, *power);
    }
    return product;
  }

  std::optional<ConjugateBounds> power_of(NodeId of, ConjugateBounds base, const Rational& exponent) {
    const double value = std::abs(exponent.to_double());
    if (!exponent.is_integer()) {
      if (exponent.denominator().to_double() > kMostDenominator) return std::nullopt;
      const std::int64_t whole = std::llround(exponent.denominator().to_double());
      std::int64_t& root = roots_.try_emplace(of, 1).first->second;
      root = std::lcm(root, whole);
      if (root > RootSum::kMaxOrder) return std::nullopt;
      const auto k = static_cast<double>(whole);
      // The root is (U L^(k−1))^(1/k) / L, or U / (U^(k−1) L)^(1/k) where that is smaller.
      base = base.u >= base.l ? ConjugateBounds{(base.u + (k - 1) * base.l) / k, base.l}
                              : ConjugateBounds{base.u, ((k - 1) * base.u + base.l) / k};
      base = {base.u * std::round(value * k), base.l * std::round(value * k)};
    } else {
      base = {base.u * value, base.l * value};
    }
    if (exponent.sign() < 0) std::swap(base.u, base.l);
    return base;
  }

  std::optional<ConjugateBounds> of_angle(NodeId angle) {
    std::optional<Rational> halves;  // the angle as a multiple of π
    const auto items = graph_.items(angle);
    if (graph_.op(angle) == Op::kPi) halves = Rational(1);
    if (graph_.op(angle) == Op::kProduct && items.size() == 1 && graph_.op(items[0].node) == Op::kPi &&
        graph_.number(items[0]) == Rational(1))
      halves = graph_.number(angle);
    if (!halves || halves->denominator().to_double() > kMostDenominator) return std::nullopt;
    // Sine, cosine and tangent are in the field of the roots of unity of an order that is a multiple of 4.
    parts_of_turn_ =
        std::lcm(std::max<std::int64_t>(4, parts_of_turn_), 2 * std::llround(halves->denominator().to_double()));
    if (parts_of_turn_ > RootSum::kMaxOrder) return std::nullopt;
    return ConjugateBounds{1, 1};
  }

  // The degree of a field that contains the number. The real part of the n-th roots of unity has the degree φ(n)/2.
  double degree() const {
    double degree = 1;
    for (const auto& [of, root] : roots_) degree *= static_cast<double>(root);
    if (parts_of_turn_ < 3) return degree;
    auto totient = static_cast<double>(parts_of_turn_);
    for (const std::int64_t p : prime_factors(parts_of_turn_)) totient *= 1 - 1 / static_cast<double>(p);
    return degree * std::round(totient) / 2;
  }

  Graph& graph_;
  NodeId root_;
  std::unordered_map<NodeId, ConjugateBounds> bounds_;
  std::unordered_map<NodeId, std::int64_t> roots_;  // by what is below a root: the order of the root
  std::int64_t parts_of_turn_ = 1;                  // all angles are multiples of 2π over this
};

}  // namespace

bool is_algebraic_zero(const Expr& number) {
  if (number.is_zero()) return true;
  if (!has_balls() || number.is_constant()) return false;
  const std::optional<double> bits = SeparationBound(number).bits();
  if (!bits || !(*bits <= kMostBits)) return false;
  Graph& graph = number.graph();
  const Expr least = graph.power(graph.constant(2), Rational(-static_cast<std::int64_t>(std::ceil(*bits))));
  const EnclosedPoint nowhere{{}, {}, nullptr};
  return sign_at(number - least, nowhere, Effort::kFull) == Sign::kNegative &&
         sign_at(number + least, nowhere, Effort::kFull) == Sign::kPositive;
}

namespace {

// A term's factors other than the constants that are taken together, with its angle and whether its sine or cosine is taken.
using OtherFactors = std::tuple<Monomial, std::uint32_t, Trig>;

bool vanishes_by_algebraic_numbers(Canonicalizer& canonicalizer, const Polynomial& form) {
  if (!has_balls()) return false;
  Graph& graph = canonicalizer.graph();
  std::map<OtherFactors, std::vector<Expr>> coefficients;
  bool any = false;
  for (const PolynomialTerm& term : form) {
    std::vector<Expr> constants{graph.constant(term.coefficient)};
    Monomial others;
    for (const GeneratorPower& power : canonicalizer.monomial(term.key.monomial)) {
      const Expr factor = canonicalizer.expression(power);
      const bool constant = canonicalizer.generator(power.generator).kind != Generator::Kind::kPi &&
                            symbols_in(std::array{factor}).empty();
      if (constant)
        constants.push_back(factor);
      else
        others.push_back(power);
    }
    std::uint32_t angle = term.key.angle;
    Trig trig = term.key.trig;
    if (trig != Trig::kOne) {
      const Expr of = canonicalizer.expression(canonicalizer.angle(angle));
      if (symbols_in(std::array{of}).empty()) {
        constants.push_back(trig == Trig::kCos ? cos(of) : sin(of));
        angle = 0;
        trig = Trig::kOne;
      }
    }
    any = any || constants.size() > 1;
    coefficients[{std::move(others), angle, trig}].push_back(graph.product(constants));
  }
  return any &&
         std::ranges::all_of(coefficients, [&](const auto& one) { return is_algebraic_zero(graph.sum(one.second)); });
}

// Terms that have one angle of a number as a factor, π among them, taken together.
bool vanishes_by_angles(Canonicalizer& canonicalizer, const Polynomial& form) {
  std::map<OtherFactors, std::vector<MultipleOfAngle>> sums;
  for (const PolynomialTerm& term : form) {
    // One angle is taken out, π where there is no other.
    Monomial others = canonicalizer.monomial(term.key.monomial);
    std::optional<MultipleOfAngle> angle;
    auto taken = others.end();
    for (auto power = others.begin(); power != others.end(); ++power) {
      const Expr factor = canonicalizer.expression(GeneratorPower{power->generator, kWhole});
      if (power->twelfths < kWhole || (angle && angle->second.op() != Op::kPi)) continue;
      if (const auto found = multiple_of_angle(factor)) {
        angle = found;
        taken = power;
      }
    }
    if (!angle) return false;
    taken->twelfths -= kWhole;
    if (taken->twelfths == 0) others.erase(taken);
    sums[{std::move(others), term.key.angle, term.key.trig}].emplace_back(term.coefficient * angle->first,
                                                                          angle->second);
  }
  return !sums.empty() &&
         std::ranges::all_of(sums, [&](const auto& one) { return is_zero_angle(canonicalizer, one.second); });
}

}  // namespace

bool vanishes_by_constants(Canonicalizer& canonicalizer, const Polynomial& form) {
  return vanishes_by_algebraic_numbers(canonicalizer, form) || vanishes_by_angles(canonicalizer, form);
}

}  // namespace dalembert
