// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_phrases.h"

#include <fmt/format.h>

#include "dalembert/algebra/print_form.h"
#include "dalembert/expr/print.h"
#include "dalembert/report/part_names.h"

namespace dalembert {
namespace {

// A linear system A x + b = 0 by the names of its entries.
struct NamedSystem {
  std::string matrix, vector, whole;           // of the entries of A and b; of the matrix A
  std::vector<std::string> indices, unknowns;  // the index of each row, the symbol of each unknown
};

// By Cramer's rule, of one or two unknowns; no entry of A is 0.
NamedLines solve_by_names(const NamedSystem& system, bool latex) {
  const std::size_t m = system.indices.size();
  const std::vector<std::string>&rows = system.indices, &symbols = system.unknowns;
  const auto indexed = [&](const std::string& name, const std::string& index) {
    return latex ? fmt::format("{}_{{{}}}", name, index) : fmt::format("{}[{}]", name, index);
  };
  const auto D = [&](std::size_t i, std::size_t j) { return indexed(system.matrix, rows[i] + "," + rows[j]); };
  const auto d = [&](std::size_t i) { return indexed(system.vector, rows[i]); };
  const auto fraction = [&](const std::string& above, const std::string& below) {
    return latex    ? fmt::format("\\frac{{{}}}{{{}}}", above, below)
           : m == 1 ? fmt::format("{}/{}", above, below)
                    : fmt::format("({})/{}", above, below);
  };
  if (m == 1) return {{symbols[0], fraction("-" + d(0), D(0, 0))}};
  const char* by = latex ? "" : "*";
  const std::string det = fmt::format(fmt::runtime(latex ? "\\det {}" : "det({})"), system.whole);
  NamedLines lines{{det, fmt::format("{}{}{} - {}^2", D(0, 0), by, D(1, 1), D(0, 1))}};
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t j = 1 - i;
    lines.emplace_back(symbols[i], fraction(fmt::format("{}{}{} - {}{}{}", D(0, 1), by, d(j), D(j, j), by, d(i)), det));
  }
  return lines;
}

// Whether the closed form of v̇ is too large, or far longer than the entries of M_r and b_r together.
bool are_rates_long(const Reduced& reduced) {
  // Of symbols, numbers and functions: what is shorter is a few lines. A solution as long as what it is made of tells more than a quotient of names.
  constexpr double kLongestRates = 500, kLongerThanParts = 3;
  if (reduced.vdot.empty()) return reduced.why == NoClosedForm::kTooLarge;
  const auto size = [](const std::vector<Expr>& all) {
    double sum = 0;
    for (const Expr& one : all) sum += written_size(one);
    return sum;
  };
  const double rates = size(reduced.vdot);
  return rates > kLongestRates && rates > kLongerThanParts * (size(reduced.M.value) + size(reduced.b));
}

}  // namespace

std::string no_closed_form(NoClosedForm why) { return fmt::format("(no closed form: {})", to_text(why)); }

NamedLines solved_by_names(const MultiplierSystem& system, const Equations& equations, const EquationPrinter& printer,
                           bool latex) {
  const std::size_t m = system.d.size();
  if (m > 2 || system.D.value.size() < m * m) return {};
  NamedSystem named{"D", "d", whole_part_name("D", latex ? Notation::kLatex : Notation::kText), {}, {}};
  for (std::size_t j = 0; j < m; ++j) {
    named.indices.push_back(latex ? index_of_multiplier(equations.lambda[j]) : equations.rows[j]);
    named.unknowns.push_back(printer.symbol(equations.lambda[j]));
  }
  return solve_by_names(named, latex);
}

NamedLines rates_by_names(const Reduced& reduced, bool named, const std::function<std::string(int)>& index,
                          const EquationPrinter& printer, Notation notation) {
  const auto nv = static_cast<std::size_t>(reduced.nv());
  if (!named || nv == 0 || nv > 2 || reduced.M.value.size() < nv * nv || !reduced.actuation.empty() ||
      !are_rates_long(reduced))
    return {};
  NamedSystem system{part_name("Mr", notation), part_name("br", notation), whole_part_name("Mr", notation), {}, {}};
  for (int k = 0; k < reduced.nv(); ++k) {
    system.indices.push_back(index(k));
    system.unknowns.push_back(printer.symbol(reduced.velocities[static_cast<std::size_t>(k)].vdot));
  }
  return solve_by_names(system, notation == Notation::kLatex);
}

std::vector<std::string> latex_form_of_equations(const Equations& equations) {
  const auto named = [](const std::string& what, const char* word) {
    return "\\underbrace{" + what + "}_{\\text{" + word + "}}";
  };
  const bool plain = equations.v_is_qdot();
  const std::string rates = plain ? "\\ddot{\\mathbf{q}}" : "\\dot{\\mathbf{v}}";
  const std::string velocities = plain ? "\\dot{\\mathbf{q}}" : "\\mathbf{v}";
  std::string whole = named("\\mathbf{M} " + rates, "inertia") + " + " + named("\\mathbf{B}", "velocities") + " + " +
                      named("\\mathbf{G}", "potential") + " = " + named("\\mathbf{F}", "other forces");
  if (equations.m() > 0) whole += " + " + named("\\mathbf{W}^{T} \\boldsymbol{\\lambda}", "constraints");
  if (!equations.model->prescribed.empty()) whole += " + " + named("\\mathbf{F}_a", "actuation");
  if (!equations.frictions.empty()) whole += " + " + named("\\mathbf{F}_f", "friction");
  if (equations.m() == 0) return {whole};
  return {whole, "\\mathbf{W} " + velocities + " + \\mathbf{a} = \\mathbf{0}, \\qquad \\mathbf{W} " + rates +
                     " + \\boldsymbol{\\gamma} = \\mathbf{0}"};
}

std::string with_multiplier_symbols(const Equations& equations, const EquationPrinter& printer, std::string words) {
  for (const Expr& lambda : equations.lambda) {
    const std::string typed = print(lambda, Notation::kText), shown = printer.symbol(lambda);
    for (std::size_t at = 0; (at = words.find(typed, at)) != std::string::npos; at += shown.size())
      words.replace(at, typed.size(), shown);
  }
  return words;
}

}  // namespace dalembert
