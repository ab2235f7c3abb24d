// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_printer.h"

#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/algebra/shortest.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {
constexpr std::size_t kMaxOperationsAsDerived = 20000;
}  // namespace

EquationPrinter::EquationPrinter(Graph& graph, Form form, Notation notation) : canonicalizer_(graph), form_(form), notation_(notation) {}

std::string EquationPrinter::entry(const Expr& expression) {
  if (form_ != Form::kAsDerived) {
    if (const auto polynomial = canonicalizer_.canonical(expression)) {
      if (form_ == Form::kExpanded) return print(canonicalizer_, *polynomial, Gathering::kNone, notation_);
      return print(canonicalizer_, shortest(canonicalizer_, *polynomial), notation_);
    }
  }
  const std::size_t operations = count_operations(std::array{expression});
  if (operations <= kMaxOperationsAsDerived) return print(expression, notation_);
  const std::string note = fmt::format("too large to print: {} operations", operations);
  return notation_ == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">";
}

std::pair<std::string, std::string> EquationPrinter::equation_of_motion(const Equations& eq, int i) {
  const auto row = static_cast<std::size_t>(i);
  std::vector<std::pair<Expr, Expr>> left, right;
  for (std::size_t k = 0; k < eq.M.value.size(); ++k)
    if (eq.M.row[k] == i) left.emplace_back(eq.M.value[k], eq.qdd[static_cast<std::size_t>(eq.M.col[k])]);
  for (std::size_t k = 0; k < eq.W.value.size(); ++k)
    if (eq.W.col[k] == i) right.emplace_back(eq.W.value[k], eq.lambda[static_cast<std::size_t>(eq.W.row[k])]);
  return {linear(left, {eq.B[row], eq.G[row]}), linear(right, {eq.F[row]})};
}

std::string EquationPrinter::linear(const std::vector<std::pair<Expr, Expr>>& terms, const std::vector<Expr>& rest) {
  std::vector<FormTerm> sum;
  bool canonical = form_ == Form::kCanonical;
  for (const auto& [coefficient, symbol] : terms) {
    const auto form = canonical ? canonicalizer_.canonical(coefficient) : std::nullopt;
    const auto factor = canonicalizer_.canonical(symbol);
    canonical = form.has_value();
    if (!canonical) break;
    if (form->empty()) continue;
    const GeneratorPower power = canonicalizer_.monomial(factor->front().key.monomial).front();
    sum.push_back(times(canonicalizer_, shortest(canonicalizer_, *form), {power.generator, Trig::kOne, power.twelfths}));
  }
  for (const Expr& e : rest) {
    const auto form = canonical ? canonicalizer_.canonical(e) : std::nullopt;
    canonical = form.has_value();
    if (!canonical) break;
    for (FormTerm& term : shortest(canonicalizer_, *form)) sum.push_back(std::move(term));
  }
  if (canonical) return print(canonicalizer_, sum, notation_);
  std::vector<Graph::Term> list;
  for (const auto& [coefficient, symbol] : terms) list.push_back({coefficient * symbol, 1});
  for (const Expr& e : rest) list.push_back({e, 1});
  return entry(canonicalizer_.graph().sum(list));
}

}  // namespace dalembert
