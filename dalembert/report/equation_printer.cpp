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

EquationPrinter::EquationPrinter(Graph& graph, Form form, Notation notation, SharedNodes* shared)
    : canonicalizer_(graph), form_(form), notation_(notation), shared_(shared) {}

std::string EquationPrinter::entry(const Expr& expression) {
  if (form_ == Form::kCanonical) {
    if (const auto* terms = written(expression)) return print(canonicalizer_, *terms, notation_);
  } else if (form_ == Form::kExpanded) {
    if (const auto polynomial = canonicalizer_.canonical(expression))
      return print(canonicalizer_, *polynomial, Gathering::kNone, notation_);
  }
  const std::size_t operations = count_operations(std::array{expression});
  if (operations <= kMaxOperationsAsDerived) return shared_ ? shared_->print(expression) : print(expression, notation_);
  const std::string note = fmt::format("too large to print: {} operations", operations);
  return notation_ == Notation::kLatex ? "\\text{" + note + "}" : "<" + note + ">";
}

const std::vector<FormTerm>* EquationPrinter::written(const Expr& expression) {
  auto found = written_.find(expression.id());
  if (found == written_.end()) {
    const auto form = canonicalizer_.canonical(expression);
    found =
        written_.emplace(expression.id(), form ? std::optional(shortest(canonicalizer_, *form)) : std::nullopt).first;
  }
  return found->second ? &*found->second : nullptr;
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
    const auto* factor = canonical ? written(coefficient) : nullptr;
    canonical = factor != nullptr;
    if (!canonical) break;
    if (factor->empty()) continue;
    const GeneratorPower power =
        canonicalizer_.monomial(canonicalizer_.canonical(symbol)->front().key.monomial).front();
    sum.push_back(times(canonicalizer_, *factor, {power.generator, Trig::kOne, power.twelfths}));
  }
  for (const Expr& e : rest) {
    const auto* part = canonical ? written(e) : nullptr;
    canonical = part != nullptr;
    if (!canonical) break;
    sum.insert(sum.end(), part->begin(), part->end());
  }
  if (canonical) return print(canonicalizer_, sum, notation_);
  std::vector<Graph::Term> list;
  for (const auto& [coefficient, symbol] : terms) list.push_back({coefficient * symbol, 1});
  for (const Expr& e : rest) list.push_back({e, 1});
  return entry(canonicalizer_.graph().sum(list));
}

}  // namespace dalembert
