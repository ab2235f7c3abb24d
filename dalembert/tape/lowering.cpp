// SPDX-License-Identifier: Apache-2.0
#include "dalembert/tape/lowering.h"

#include <array>
#include <cstdlib>
#include <limits>
#include <unordered_map>
#include <utility>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kLargestUnrolledPower = 64;  // larger powers call std::pow, as in evaluate_power

}  // namespace

Lowering::Lowering(const Graph& graph, TapeBuilder& builder, std::span<const Expr> expressions)
    : graph_(graph), builder_(builder), angle_sums_(find_angle_sums(expressions)), place_(graph.size()) {}

Operand Lowering::value(const Expr& expression) { return at_once(expression.id()); }

Operand Lowering::at_once(NodeId node) {
  if (!is_known(node)) compute(node);
  return known(node);
}

// Depth first: the operands of a node, then the node. A sum splits products among its terms into their factors, so it
// needs the values of the factors, not those of the products.
void Lowering::compute(NodeId root) {
  const std::size_t below = open_.size();
  open_.push_back(root);
  while (open_.size() > below) {
    const NodeId node = open_.back();
    const std::size_t waiting = open_.size();
    const Op op = graph_.op(node);
    const bool is_sum = op == Op::kSum, is_trigonometric = op == Op::kSin || op == Op::kCos;
    const auto items = graph_.items(node);
    if (is_trigonometric && angle_sums_.contains(items[0].node)) {
      open_.pop_back();
      if (!is_known(node)) close(node, sine_or_cosine(op, items[0].node));
      continue;
    }
    // The first child is pushed last, so that it is the first on the tape.
    for (std::size_t i = items.size(); i-- > 0;) {
      const NodeId child = items[i].node;
      if (is_sum && graph_.op(child) == Op::kProduct) {
        const auto factors = graph_.items(child);
        for (std::size_t k = factors.size(); k-- > 0;)
          if (!is_known(factors[k].node)) open_.push_back(factors[k].node);
      } else if (!is_known(child)) {
        open_.push_back(child);
      }
    }
    if (open_.size() > waiting) continue;
    open_.pop_back();
    if (is_known(node)) continue;
    Operand value;
    if (items.empty()) {
      value = leaf(node);
    } else if (op == Op::kSum) {
      value = sum(node);
    } else if (op == Op::kProduct) {
      value = product(node);
    } else {
      std::array<Operand, 3> arguments;
      for (std::size_t i = 0; i < items.size(); ++i) arguments[i] = known(items[i].node);
      value = builder_.call(op, std::span(arguments).first(items.size()));
    }
    close(node, value);
  }
}

void Lowering::close(NodeId node, Operand value) {
  place_[node] = static_cast<std::uint32_t>(operands_.size());
  operands_.push_back(value);
}

// sin(α ± β) = sin α cos β ± cos α sin β,   cos(α ± β) = cos α cos β ∓ sin α sin β.
// The result is kept for each angle: cos(n x), computed as cos((n-1) x + x), needs the same sines and cosines again and
// again.
Operand Lowering::sine_or_cosine(Op op, NodeId angle) {
  const auto sum = angle_sums_.find(angle);
  if (sum == angle_sums_.end()) return builder_.call(op, std::array{at_once(angle)});
  const std::pair key{angle, op};
  if (const auto done = of_sums_.find(key); done != of_sums_.end()) return done->second;
  const auto& [first, second, sign] = sum->second;
  const Op other = op == Op::kSin ? Op::kCos : Op::kSin;
  // The terms of cos(α ± β) are cos·cos and sin·sin, those of sin(α ± β) are sin·cos and cos·sin. Two statements,
  // because a compiler may evaluate the arguments of a function in any order, and the order of instructions must not
  // depend on it.
  const auto product = [&](Op of_first, Op of_second) {
    const Operand one = sine_or_cosine(of_first, first);
    return builder_.multiply(one, sine_or_cosine(of_second, second));
  };
  const Operand with = product(op, Op::kCos), against = product(other, Op::kSin);
  const Operand value = (op == Op::kSin) == (sign > 0) ? builder_.add(with, against) : builder_.subtract(with, against);
  of_sums_.emplace(key, value);
  return value;
}

Operand Lowering::leaf(NodeId node) {
  const Op op = graph_.op(node);
  if (op == Op::kConstant || op == Op::kSum || op == Op::kProduct) return Operand::of(graph_.number(node).to_double());
  if (op == Op::kPi) return Operand::of(evaluate_function(op, nullptr));
  const Symbol& symbol = graph_.symbol_info(graph_.symbol_of(node));
  if (symbol.kind == SymbolKind::kShorthand) return Operand::of(std::numeric_limits<double>::quiet_NaN());
  return builder_.argument(array_of(symbol.kind), symbol.kind == SymbolKind::kTime ? 0 : symbol.index);
}

Operand Lowering::power(Operand base, const Rational& exponent) {
  const auto halves = (exponent * Rational(2)).as_int();
  if (!halves || std::abs(*halves) > 2 * kLargestUnrolledPower)
    return builder_.call(Op::kPower, std::array{base, Operand::of(exponent.to_double())});
  const auto n = static_cast<unsigned>(std::abs(*halves));
  const Operand whole = n >= 2 ? builder_.integer_power(base, n / 2) : Operand::of(1);
  return n % 2 == 1 ? builder_.multiply(whole, builder_.square_root(base)) : whole;
}

// Splits coefficient · node into the part that depends on parameters alone and the rest. Negative powers are gathered
// in one denominator: a term costs at most one division.
Lowering::Term Lowering::term(NodeId node, const Rational& coefficient) {
  if (graph_.op(node) != Op::kProduct) {
    const Operand value = known(node);
    if (builder_.is_prepared(value))
      return {builder_.multiply(Operand::of(coefficient.to_double()), value), Operand::of(1)};
    return {Operand::of(coefficient.to_double()), value};
  }
  double number = coefficient.to_double() * graph_.number(node).to_double();
  Operand prepared = Operand::of(1), prepared_below = Operand::of(1), rest = Operand::of(1), below = Operand::of(1);
  for (const Graph::Item& item : graph_.items(node)) {
    const Operand base = known(item.node);
    const Rational& exponent = graph_.number(item);
    if (base.is_constant) {
      number *= evaluate_power(base.constant, exponent.to_double());
      continue;
    }
    const auto halves = (exponent * Rational(2)).as_int();
    const bool unrolled = halves && std::abs(*halves) <= 2 * kLargestUnrolledPower;
    // Powers above the fraction bar: std::pow takes negative exponents, so such powers need no division.
    const bool above = exponent.sign() > 0 || !unrolled;
    const bool once = builder_.is_prepared(base);
    Operand& side = once ? (above ? prepared : prepared_below) : (above ? rest : below);
    side = builder_.multiply(side, power(base, exponent));
  }
  const Operand scaled = builder_.multiply(Operand::of(number), prepared);
  return {builder_.divide(scaled, prepared_below), builder_.divide(rest, below)};
}

Operand Lowering::product(NodeId node) {
  const Term whole = term(node, 1);
  return builder_.multiply(whole.coefficient, whole.rest);
}

Operand Lowering::sum(NodeId node) {
  std::vector<Term> terms;
  std::unordered_map<std::uint32_t, std::size_t> place;  // index in `terms`, by the register of Term::rest
  Operand constant = Operand::of(graph_.number(node).to_double());
  for (const Graph::Item& item : graph_.items(node)) {
    const Term next = term(item.node, graph_.number(item));
    if (next.rest.is_constant) {
      constant = builder_.add(constant, builder_.multiply(next.coefficient, next.rest));
      continue;
    }
    const auto [at, is_new] = place.try_emplace(next.rest.value, terms.size());
    if (is_new)
      terms.push_back(next);
    else
      terms[at->second].coefficient = builder_.add(terms[at->second].coefficient, next.coefficient);
  }
  if (!constant.is(0) || terms.empty()) terms.insert(terms.begin(), {constant, Operand::of(1)});
  return add_up(terms);
}

// A leading −a is not computed but subtracted from the next term: −a + b and b − a have the same bits.
Operand Lowering::add_up(std::span<const Term> terms) {
  Operand total = Operand::of(0);
  bool negated = false;
  for (const Term& next : terms) {
    const bool subtract = next.coefficient.is(-1);
    const Operand value = subtract ? next.rest : builder_.multiply(next.coefficient, next.rest);
    if (total.is(0)) {
      total = value;
      negated = subtract;
    } else if (subtract) {
      total = negated ? builder_.add(total, value) : builder_.subtract(total, value);
    } else {
      total = negated ? builder_.subtract(value, total) : builder_.add(total, value);
      negated = false;
    }
  }
  return negated ? builder_.negate(total) : total;
}

}  // namespace dalembert
