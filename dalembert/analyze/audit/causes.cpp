// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/causes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/expr/differentiate.h"

namespace dalembert {
namespace {

// The rate of every symbol along a motion: q̇ for q, q̈ for q̇, 1 for t.
std::unordered_map<SymbolId, Expr> rates_along(const Equations& eq) {
  std::unordered_map<SymbolId, Expr> along = rates_of_state(eq);
  for (std::size_t i = 0; i < eq.velocities().size(); ++i)
    along.insert_or_assign(eq.velocities()[i].symbol(), eq.accelerations()[i]);
  along.insert_or_assign(eq.t.symbol(), eq.graph->constant(1));
  return along;
}

}  // namespace

std::string name_cause(const Equations& eq, const ReducedClaims& reduced, Canonicalizer& canonicalizer,
                       const EntryName& entry, const Expr& claimed, Notation notation) {
  // Too many mistakes lead to a claim of 0, so its cause is not guessed.
  if (decide_zero(canonicalizer, claimed) != ZeroTest::kNonzero) return {};
  const auto is = [&](const Expr& other) { return other && proves_equal(canonicalizer, claimed, other); };
  const auto rate = [&, along = rates_along(eq)](const Expr& e) {
    return directional_derivative(std::array{e}, along).front();
  };
  const auto at = static_cast<std::size_t>(entry.row);
  const std::string place = entry.text.substr(std::min(entry.text.find('['), entry.text.size()));

  if (entry.part == "Sdot" && is(reduced.beside(entry, "S")))
    return fmt::format("the claim is S{} itself, the entry is its rate", place);
  if (entry.part == "Wdot") {
    if (is(eq.W.find(entry.row, entry.column)))
      return fmt::format("the claim is W{} itself, the entry is its rate", place);
    if (const Expr once = eq.Wdot.find(entry.row, entry.column); once && is(rate(once)))
      return fmt::format("the claim is the second rate of W{}, the entry is the first", place);
  }
  if (entry.part == "gamma") {
    std::vector<Expr> with_second{eq.gamma[at]};
    for (std::size_t k = 0; k < eq.Wdot.value.size(); ++k)
      if (eq.Wdot.row[k] == entry.row)
        with_second.push_back((rate(eq.Wdot.value[k]) - eq.Wdot.value[k]) *
                              eq.velocities()[static_cast<std::size_t>(eq.Wdot.col[k])]);
    if (is(eq.graph->sum(with_second))) return "the claim has the second rate of W, where the first belongs";
  }
  if (entry.part == "F" && eq.v_is_qdot() && is(gradient(eq.power, std::array{eq.q[at]}).front())) {
    const std::string q = print(eq.q[at], notation), qd = print(eq.qd[at], notation);
    return fmt::format("the claim is the derivative of the power by {}; the force is that by {}", q, qd);
  }
  if (entry.part == "Pc" && std::ranges::find(eq.holonomic, entry.row) != eq.holonomic.end() &&
      is(eq.lambda[at] * eq.h[at]))
    return "the claim is lambda h; the power is lambda times the rate of h";
  return {};
}

}  // namespace dalembert
