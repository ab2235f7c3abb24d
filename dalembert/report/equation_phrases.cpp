// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_phrases.h"

#include <fmt/format.h>

#include "dalembert/expr/print.h"

namespace dalembert {

std::string no_closed_form(NoClosedForm why) { return fmt::format("(no closed form: {})", to_text(why)); }

std::vector<std::pair<std::string, std::string>> solved_by_names(const MultiplierSystem& system,
                                                                 const Equations& equations,
                                                                 const EquationPrinter& printer, bool latex) {
  const std::size_t m = system.d.size();
  if (m > 2 || system.D.value.size() < m * m) return {};
  std::vector<std::string> rows, symbols;
  for (std::size_t j = 0; j < m; ++j) {
    rows.push_back(latex ? index_of_multiplier(equations.lambda[j]) : equations.rows[j]);
    symbols.push_back(printer.symbol(equations.lambda[j]));
  }
  const auto indexed = [&](const char* name, const std::string& index) {
    return latex ? fmt::format("{}_{{{}}}", name, index) : fmt::format("{}[{}]", name, index);
  };
  const auto D = [&](std::size_t i, std::size_t j) { return indexed("D", rows[i] + "," + rows[j]); };
  const auto d = [&](std::size_t i) { return indexed("d", rows[i]); };
  const auto fraction = [&](const std::string& above, const std::string& below) {
    return latex    ? fmt::format("\\frac{{{}}}{{{}}}", above, below)
           : m == 1 ? fmt::format("{}/{}", above, below)
                    : fmt::format("({})/{}", above, below);
  };
  if (m == 1) return {{symbols[0], fraction("-" + d(0), D(0, 0))}};
  const char* by = latex ? "" : "*";
  const std::string det = latex ? "\\det \\mathbf{D}" : "det(D)";
  std::vector<std::pair<std::string, std::string>> lines{
      {det, fmt::format("{}{}{} - {}^2", D(0, 0), by, D(1, 1), D(0, 1))}};
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t j = 1 - i;
    lines.emplace_back(symbols[i], fraction(fmt::format("{}{}{} - {}{}{}", D(0, 1), by, d(j), D(j, j), by, d(i)), det));
  }
  return lines;
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
