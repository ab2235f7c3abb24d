// SPDX-License-Identifier: Apache-2.0
#include "dalembert/study/massless.h"

#include <array>

#include <fmt/format.h>

#include "dalembert/algebra/canonical.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert {
namespace {

std::string help_for(const Equations& eq, EquationPrinter& printer, std::size_t i) {
  const std::string& name = eq.model->coordinates[i].name;
  const Expr rest = eq.B[i] + eq.G[i] - eq.whole_force(static_cast<int>(i));
  if (rest.is_zero()) return fmt::format("nothing depends on `{}`: leave it out", name);
  for (const SymbolKind kind : {SymbolKind::kInput, SymbolKind::kMultiplier, SymbolKind::kAcceleration})
    if (depends_on_kind(rest, kind)) return fmt::format("give `{}` a mass, however small", name);
  const std::string written = text_of(printer.entry(rest));
  if (printer.is_full() || written.size() > 200) return fmt::format("give `{}` a mass, however small", name);
  const Expr by_q = gradient(rest, std::array{eq.q[i]}).front(), by_v = gradient(rest, std::array{eq.qd[i]}).front();
  Canonicalizer canonicalizer(*eq.graph);
  const auto vanishes = [&](const Expr& e) { return decide_zero(canonicalizer, e) == ZeroTest::kZero; };
  const bool rates = depends_on_kind(rest, SymbolKind::kVelocity);
  if (vanishes(by_v) && vanishes(by_q))
    return fmt::format(
        "`{0}` is a multiplier: leave it out of the coordinates and the energy, and state `[[constraint]]` with `name "
        "= "
        "\"{0}\"` and `{1} = \"{2}\"`; `lambda({0})` is -{0}",
        name, rates ? "pfaffian" : "holonomic", written);
  return fmt::format(
      "the equation of `{0}` is algebraic: state it as `[[constraint]]` with `name = \"{0}_balance\"` and `{1} = "
      "\"{2}\"`, whose multiplier "
      "is 0; or give `{0}` a mass",
      name, rates ? "pfaffian" : "holonomic", written);
}

}  // namespace

std::vector<std::size_t> massless_coordinates(const Equations& eq) {
  std::vector<char> determined(static_cast<std::size_t>(eq.n()), 0);
  for (const int row : eq.M.row) determined[static_cast<std::size_t>(row)] = 1;
  for (const int col : eq.M.col) determined[static_cast<std::size_t>(col)] = 1;
  for (const int col : eq.W.col) determined[static_cast<std::size_t>(col)] = 1;
  for (const Prescribed& one : eq.model->prescribed) determined[static_cast<std::size_t>(one.coordinate)] = 1;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < determined.size(); ++i)
    if (determined[i] == 0) found.push_back(i);
  return found;
}

std::vector<std::string> help_for_massless(const Equations& equations) {
  if (!equations.v_is_qdot()) return {};
  constexpr std::size_t kMost = 3;
  const Equations eq = on_overlay(equations);
  EquationPrinter printer(*eq.graph, Form::kCanonical, Notation::kText);
  std::vector<std::string> help;
  for (const std::size_t i : massless_coordinates(eq))
    if (help.size() < kMost) help.push_back(help_for(eq, printer, i));
  return help;
}

std::optional<Diagnostic> no_accelerations(const BuiltModel& system, const State& state, const std::string& where) {
  const KktSolution now = solve_kkt(system.dynamics, state);
  if (now.status == KktStatus::kOk) return std::nullopt;
  Diagnostic problem =
      warning("W0301", fmt::format("no accelerations can be computed {}: {}", where, to_text(now.status)));
  if (now.status != KktStatus::kSingular) return problem;
  problem.notes.push_back(explain_no_inertia(system.dynamics, evaluate_terms(system.dynamics, state)));
  problem.help = help_for_massless(system.equations);
  if (const auto found = massless_coordinates(system.equations); !found.empty())
    problem.primary.span = system.model->coordinates[found.front()].span;
  return problem;
}

}  // namespace dalembert
