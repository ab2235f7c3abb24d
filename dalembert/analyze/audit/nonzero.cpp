// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/nonzero.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/enclosure.h"
#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/functions.h"
#include "dalembert/expr/symbol_name.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

// The signs that an expression may have where it has a value.
struct Signs {
  bool may_be_negative = true, may_be_zero = true, may_be_positive = true;
  bool never_zero() const { return !may_be_zero; }
  bool never_negative() const { return !may_be_negative; }
  Signs flipped() const { return {may_be_positive, may_be_zero, may_be_negative}; }
};
constexpr Signs kAnything{}, kPositive{false, false, true};

Signs of_sign(int sign) { return {sign<0, sign == 0, sign> 0}; }

Signs times(const Signs& a, const Signs& b) {
  return {(a.may_be_negative && b.may_be_positive) || (a.may_be_positive && b.may_be_negative),
          a.may_be_zero || b.may_be_zero,
          (a.may_be_positive && b.may_be_positive) || (a.may_be_negative && b.may_be_negative)};
}

Signs plus(const Signs& a, const Signs& b) {
  const bool opposite = (a.may_be_negative && b.may_be_positive) || (a.may_be_positive && b.may_be_negative);
  return {a.may_be_negative || b.may_be_negative, opposite || (a.may_be_zero && b.may_be_zero),
          a.may_be_positive || b.may_be_positive};
}

Signs raised(const Signs& base, const Rational& exponent) {
  if (!exponent.is_integer()) return {false, base.may_be_zero && exponent.sign() > 0, base.may_be_positive};
  const bool even = (exponent * Rational(1, 2)).is_integer();
  const bool zero = base.may_be_zero && exponent.sign() > 0;
  if (even) return {false, zero, base.may_be_positive || base.may_be_negative};
  return {base.may_be_negative, zero, base.may_be_positive};
}

Signs of_function(ValueSign sign, const Signs& argument) {
  switch (sign) {
    case ValueSign::kAny:
      break;
    case ValueSign::kPositive:
      return kPositive;
    case ValueSign::kNotNegative:
      return {false, argument.may_be_zero, true};
    case ValueSign::kOfArgument:
      return argument;
  }
  return kAnything;
}

Signs range_of(const Expr& expression, const KnownSigns& signs) {
  const Graph& graph = expression.graph();
  std::unordered_map<NodeId, Signs> known;
  for (const NodeId id : reachable(std::array{expression})) {
    Signs range = kAnything;
    const auto items = graph.items(id);
    switch (graph.op(id)) {
      case Op::kConstant:
        range = of_sign(graph.number(id).sign());
        break;
      case Op::kPi:
        range = kPositive;
        break;
      case Op::kSymbol:
        if (const auto found = signs.find(graph.symbol_of(id)); found != signs.end()) range = of_sign(found->second);
        break;
      case Op::kSum:
        range = of_sign(graph.number(id).sign());
        for (const auto& item : items)
          range = plus(range, times(known.at(item.node), of_sign(graph.number(item).sign())));
        break;
      case Op::kProduct:
        range = of_sign(graph.number(id).sign());
        for (const auto& item : items) range = times(range, raised(known.at(item.node), graph.number(item)));
        break;
      case Op::kPower:
        if (!known.at(items[0].node).may_be_negative) range = {false, known.at(items[0].node).may_be_zero, true};
        break;
      default:
        range = of_function(function_info(graph.op(id)).sign, known.at(items[0].node));
    }
    known.insert_or_assign(id, range);
  }
  return known.at(expression.id());
}

// The text that a factor is not 0: "m1 != m2", "k != 3" with a term on each side, else "x + y != 0".
std::string written(Canonicalizer& canonicalizer, const Expr& factor, Notation notation) {
  const bool latex = notation == Notation::kLatex;
  const std::string_view unequal = latex ? " \\neq " : " != ";
  const auto form = canonicalizer.canonical(factor);
  if (!form) return print(factor, notation) + std::string(unequal) + "0";
  const auto text = [&](const std::vector<FormTerm>& terms) { return print(canonicalizer, terms, notation); };
  std::vector<FormTerm> left, right;
  for (FormTerm term : gather(canonicalizer, *form, Gathering::kNone)) {
    if (term.coefficient.sign() > 0) {
      left.push_back(std::move(term));
    } else {
      term.coefficient = -term.coefficient;
      right.push_back(std::move(term));
    }
  }
  if (left.size() == 1 && right.size() == 1) {
    // A number goes to the right: k != 3.
    if (left[0].factors.empty()) std::swap(left, right);
    return text(left) + std::string(unequal) + text(right);
  }
  return text(shortest(canonicalizer, *form)) + std::string(unequal) + "0";
}

// Collects the bases of the factors of a product; their exponents do not matter.
void collect_factors(Canonicalizer& canonicalizer, const Expr& expression, std::vector<Expr>& factors) {
  const auto form = canonicalizer.canonical(expression);
  const std::vector<FormTerm> terms = form ? shortest(canonicalizer, *form) : std::vector<FormTerm>();
  if (terms.size() != 1) return factors.push_back(expression);
  for (FormFactor factor : terms[0].factors) {
    factor.twelfths = 12;
    factors.push_back(dalembert::expression(canonicalizer, {FormTerm{1, {factor}, {}}}));
  }
  for (const FormTerm::SumPower& power : terms[0].sums)
    factors.push_back(dalembert::expression(canonicalizer, power.sum));
}

}  // namespace

KnownSigns known_signs(const Model& model) {
  KnownSigns signs;
  for (const Parameter& p : model.parameters)
    if (p.value != 0) signs.emplace(p.symbol.symbol(), p.value < 0 ? -1 : 1);
  return signs;
}

std::string sign_text(const Graph& graph, SymbolId symbol, const KnownSigns& signs, Notation notation) {
  const auto known = signs.find(symbol);
  return fmt::format("{} {} 0", print_symbol(graph.symbol_info(symbol), notation),
                     known != signs.end() && known->second < 0 ? "<" : ">");
}

bool keeps_sign(const Expr& expression, const KnownSigns& signs) {
  const Signs range = range_of(expression, signs);
  return !range.may_be_negative || !range.may_be_positive;
}

bool never_zero(const Expr& expression, const KnownSigns& signs) {
  if (range_of(expression, signs).never_zero()) return true;
  // A number may be written as an expression without symbols: sqrt(2) - 1.
  if (!symbols_in(std::array{expression}).empty()) return false;
  const Sign sign = sign_at(expression, {}, Effort::kModerate);
  return sign == Sign::kNegative || sign == Sign::kPositive;
}

bool always_positive(const Expr& expression, const KnownSigns& signs) {
  const Signs range = range_of(expression, signs);
  return !range.may_be_negative && !range.may_be_zero;
}

std::vector<std::string> must_not_vanish(Canonicalizer& canonicalizer, const Expr& expression, const KnownSigns& signs,
                                         Notation notation) {
  std::vector<std::string> texts;
  if (never_zero(expression, signs)) return texts;
  std::vector<Expr> factors;
  collect_factors(canonicalizer, expression, factors);
  for (const Expr& factor : factors) {
    if (never_zero(factor, signs)) continue;
    std::string text = written(canonicalizer, factor, notation);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace dalembert
