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

  std::string polynomial(const Polynomial& form) { return sum(gather(canonicalizer_, form, gathering_)); }
  std::string sum(const std::vector<FormTerm>& terms) {
    if (terms.empty()) return "0";
    std::string text;
    for (const FormTerm& term : terms) {
      const bool minus = term.coefficient.sign() < 0;
      if (text.empty())
        text = minus ? "-" : "";
      else
        text += minus ? " - " : " + ";
      text += product(term);
    }
    return text;
  }

 private:
  // Without the sign. A parenthesis goes where its own first factor would: (m1 + m2)*g*L.
  std::string product(const FormTerm& written) {
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
    return print_product(written.coefficient.sign() < 0 ? -written.coefficient : written.coefficient, factors,
                         notation_);
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
      return {print_function(f.trig == Trig::kCos ? Op::kCos : Op::kSin, {sum(gather(canonicalizer_, angle))}, symbol,
                             notation_),
              true, exponent};
    }
    const Generator& g = canonicalizer_.generator(f.id);
    switch (g.kind) {
      case Generator::Kind::kSymbol:
        return {print_symbol(canonicalizer_.graph().symbol_info(g.symbol), notation_), true, exponent};
      case Generator::Kind::kSum: {
        const Polynomial& base = g.arguments[0];
        const bool lone = base.size() == 1 && base[0].coefficient.is_one() && base[0].key.monomial == 0;
        return {polynomial(base), lone, exponent};
      }
      case Generator::Kind::kFunction: {
        std::vector<std::string> arguments;
        for (const Polynomial& argument : g.arguments) arguments.push_back(polynomial(argument));
        switch (g.op) {
          case Op::kPower:
            break;  // as the graph prints it
          case Op::kLess:
          case Op::kLessEqual:
          case Op::kEqual:
          case Op::kAnd:
          case Op::kOr:
          case Op::kNot:
          case Op::kSelect:
            return {dalembert::print(canonicalizer_.expression(GeneratorPower{f.id, 12}), notation_), true, exponent};
          default:
            return {print_function(g.op, arguments, false, notation_), true, exponent};
        }
        return {dalembert::print(canonicalizer_.expression(GeneratorPower{f.id, 12}), notation_), false, exponent};
      }
      default:
        return {dalembert::print(canonicalizer_.expression(GeneratorPower{f.id, 12}), notation_), true, exponent};
    }
  }

  Canonicalizer& canonicalizer_;
  Gathering gathering_;
  Notation notation_;
};

}  // namespace

std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation) {
  return FormPrinter(canonicalizer, gathering, notation).polynomial(form);
}

std::string print(Canonicalizer& canonicalizer, const std::vector<FormTerm>& sum, Notation notation) {
  return FormPrinter(canonicalizer, Gathering::kShortest, notation).sum(sum);
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

}  // namespace dalembert
