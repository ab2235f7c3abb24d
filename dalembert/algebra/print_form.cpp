// SPDX-License-Identifier: Apache-2.0
#include "dalembert/algebra/print_form.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

class FormPrinter {
 public:
  FormPrinter(Canonicalizer& canonicalizer, Gathering gathering, Notation notation)
      : canonicalizer_(canonicalizer), gathering_(gathering), notation_(notation) {}

  Formula polynomial(const Polynomial& form) { return sum(gather(canonicalizer_, form, gathering_)); }
  Formula sum(const std::vector<FormTerm>& terms) {
    if (terms.empty()) return number_formula(0, notation_);
    FormulaWriter writer;
    for (const FormTerm& term : terms) {
      add_sign(writer, term.coefficient.sign() < 0, notation_);
      writer.add(product(term));
    }
    return writer.take();
  }

 private:
  // Prints a product without its sign. A sum in parentheses is placed where its first factor would be: (m1 + m2)*g*L.
  Formula product(const FormTerm& written) {
    std::vector<std::pair<FactorRank, PrintedFactor>> list;
    for (const FormFactor& f : written.factors) list.emplace_back(rank(canonicalizer_, f), factor(f));
    for (const FormTerm::SumPower& power : written.sums) {
      const auto& lead = power.sum.front().factors;
      const FactorRank place = lead.empty() ? FactorRank{} : rank(canonicalizer_, lead.front());
      const auto next = std::ranges::find_if(list, [&](const auto& other) { return other.first > place; });
      list.insert(next, {place, PrintedFactor{sum(power.sum), false, power.exponent}});
    }
    std::vector<PrintedFactor> factors;
    for (auto& [place, printed] : list) factors.push_back(std::move(printed));
    return product_formula(written.coefficient.sign() < 0 ? -written.coefficient : written.coefficient,
                           std::move(factors), notation_, canonicalizer_.graph().has_decimals());
  }

  PrintedFactor called(Op op, std::vector<Formula> arguments, bool atomic, const Rational& exponent) {
    return {function_formula(op, std::move(arguments), atomic, notation_), true, exponent, function_info(op).powers};
  }

  PrintedFactor factor(const FormFactor& f) {
    const Rational exponent(f.twelfths, 12);
    if (f.trig != Trig::kOne) {
      const Angle& angle = canonicalizer_.angle(f.id);
      const auto lone = [&](const Monomial& m) {
        return m.size() == 1 && canonicalizer_.generator(m[0].generator).kind != Generator::Kind::kSum;
      };
      const bool symbol =
          angle.size() == 1 && angle[0].second.is_one() && lone(canonicalizer_.monomial(angle[0].first));
      std::vector<Formula> argument{sum(gather(canonicalizer_, angle))};
      return called(f.trig == Trig::kCos ? Op::kCos : Op::kSin, std::move(argument), symbol, exponent);
    }
    const Generator& g = canonicalizer_.generator(f.id);
    // The generator as print() writes it in an expression.
    const auto graph_formula = [&] {
      return dalembert::formula(canonicalizer_.expression(GeneratorPower{f.id, 12}), notation_);
    };
    switch (g.kind) {
      case Generator::Kind::kSymbol:
        return {symbol_formula(canonicalizer_.graph().symbol_info(g.symbol), notation_), true, exponent};
      case Generator::Kind::kSum: {
        const Polynomial& base = g.arguments[0];
        const bool lone = base.size() == 1 && base[0].coefficient.is_one() && base[0].key.monomial == 0;
        const bool trigonometric = lone && base[0].key.trig != Trig::kOne;
        return {polynomial(base), lone, exponent, trigonometric ? function_info(Op::kSin).powers : Powers::kAfter};
      }
      case Generator::Kind::kFunction: {
        if (g.op == Op::kPower) return {graph_formula(), false, exponent};
        if (function_info(g.op).truth || g.op == Op::kSelect)
          return {graph_formula(), true, exponent, Powers::kParentheses};
        std::vector<Formula> arguments;
        for (const Polynomial& argument : g.arguments) arguments.push_back(polynomial(argument));
        return called(g.op, std::move(arguments), false, exponent);
      }
      default:
        return {graph_formula(), true, exponent};
    }
  }

  Canonicalizer& canonicalizer_;
  Gathering gathering_;
  Notation notation_;
};

}  // namespace

Formula formula(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  Formula result = FormPrinter(canonicalizer, gathering, notation).polynomial(form);
  match_brackets(result);
  return result;
}

Formula formula(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation) {
  Formula result = FormPrinter(canonicalizer, Gathering::kShortest, notation).sum(sum);
  match_brackets(result);
  return result;
}

std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  return text_of(FormPrinter(canonicalizer, gathering, notation).polynomial(form));
}

std::string print(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation) {
  return text_of(FormPrinter(canonicalizer, Gathering::kShortest, notation).sum(sum));
}

double written_size(const Expr& expression) {
  const Graph& graph = expression.graph();
  std::unordered_map<NodeId, double> sizes;
  for (const NodeId id : reachable(std::array{expression})) {
    double size = 1;
    for (const Graph::Item& item : graph.items(id)) size += sizes.at(item.node);
    sizes.emplace(id, size);
  }
  return sizes.at(expression.id());
}

std::string print_within(const Expr& expression, double most, Notation notation) {
  if (written_size(expression) <= most) return print(expression, notation);
  return text_of(size_note(count_operations(std::array{expression}), notation));
}

}  // namespace dalembert
