// SPDX-License-Identifier: Apache-2.0
#include "dalembert/report/equation_phrases.h"

#include <algorithm>

#include <fmt/format.h>

#include "dalembert/expr/print.h"
#include "dalembert/report/part_names.h"

namespace dalembert {

std::string no_closed_form(NoClosedForm why) { return fmt::format("(no closed form: {})", to_text(why)); }

std::string entry_name(const std::string& part, const std::string& index, Notation notation) {
  const std::string name = part_name(part, notation);
  if (notation != Notation::kLatex) return fmt::format("{}[{}]", name, index);
  const std::size_t below = name.find('_');  // M_r has one index already
  if (below == std::string::npos) return fmt::format("{}_{{{}}}", name, index);
  return fmt::format("{}_{{{},{}}}", name.substr(0, below), name.substr(below + 1), index);
}

std::vector<std::pair<std::string, std::string>> solved_by_names(const std::string& A, const std::string& b,
                                                                 const std::vector<std::string>& indices,
                                                                 const std::vector<std::string>& unknowns,
                                                                 Notation notation) {
  const bool latex = notation == Notation::kLatex, text = notation == Notation::kText, one = unknowns.size() == 1;
  const std::string by = text ? "*" : " ", minus = text || latex ? "-" : "−", square = text || latex ? "^2" : "²";
  const auto in_A = [&](std::size_t i, std::size_t j) {
    return entry_name(A, indices[i] + "," + indices[j], notation);
  };
  const auto in_b = [&](std::size_t i) { return entry_name(b, indices[i], notation); };
  const auto fraction = [&](const std::string& above, const std::string& below) {
    return fmt::format(fmt::runtime(latex ? "\\frac{{{}}}{{{}}}" : one ? "{}/{}" : "({})/{}"), above, below);
  };
  if (one) return {{unknowns[0], minus + fraction(in_b(0), in_A(0, 0))}};
  const std::string whole = whole_part_name(A, notation), det = latex ? "\\det " + whole : "det(" + whole + ")";
  const auto difference = [&](const std::string& left, const std::string& right) {
    return left + " " + minus + " " + right;
  };
  const auto solution = [&](std::size_t i, std::size_t j) {
    return fraction(difference(in_A(0, 1) + by + in_b(j), in_A(j, j) + by + in_b(i)), det);
  };
  return {{det, difference(in_A(0, 0) + by + in_A(1, 1), in_A(0, 1) + square)},
          {unknowns[0], solution(0, 1)},
          {unknowns[1], solution(1, 0)}};
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

namespace {

// What may change conserved quantities; empty where nothing does.
std::string what_changes_them(const Model& model) {
  const bool strikes = std::ranges::any_of(model.constraints, &Constraint::unilateral),
             sets = std::ranges::any_of(model.events, [](const Event&event) { return !event.set.empty(); });
  if (strikes) return sets ? "impacts and events" : "impacts";
  return sets ? "events" : "";
}

}  // namespace

std::string when_conserved(const Model& model) {
  const std::string changes = what_changes_them(model);
  return changes.empty() ? "along every motion" : "between " + changes;
}

std::string conserved_remark(const Model& model) {
  return what_changes_them(model).empty() ? "" : "(" + when_conserved(model) + ")";
}

}  // namespace dalembert
