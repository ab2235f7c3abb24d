// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/dimension_solver.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace dalembert {

DimensionTerm DimensionSolver::fresh() {
  DimensionTerm term;
  if (!on_) return term;
  term.unknown.emplace_back(static_cast<std::uint32_t>(solution_.size()), 1.0);
  solution_.emplace_back();
  return term;
}

DimensionTerm DimensionSolver::resolve(const DimensionTerm& term) const {
  DimensionTerm result = term;
  // A solution may contain unknowns that were solved later, so substitution repeats until no solved unknown is left; each pass eliminates one for good.
  for (bool again = !result.unknown.empty(); again;) {
    again = false;
    for (const auto& [k, c] : result.unknown) {
      if (!solution_[k]) continue;
      const DimensionTerm replacement = solution_[k]->power(c);
      std::erase_if(result.unknown, [solved = k](const auto& item) { return item.first == solved; });
      result = result * replacement;
      again = true;
      break;
    }
  }
  return result;
}

bool DimensionSolver::equate(const DimensionTerm& a, const DimensionTerm& b) {
  if (!on_) return true;
  const DimensionTerm difference = resolve(a / b);
  if (difference.unknown.empty()) return difference.known.dimensionless();
  // Pivot on the unknown with the largest exponent c_k: u_k = (rest)^(-1/c_k).
  const auto pivot =
      std::max_element(difference.unknown.begin(), difference.unknown.end(),
                       [](const auto& x, const auto& y) { return std::abs(x.second) < std::abs(y.second); });
  DimensionTerm rest = difference;
  std::erase_if(rest.unknown, [&](const auto& item) { return item.first == pivot->first; });
  solution_[pivot->first] = rest.power(-1 / pivot->second);
  return true;
}

std::optional<Dimension> DimensionSolver::value(const DimensionTerm& term) const {
  if (!on_) return std::nullopt;
  const DimensionTerm resolved = resolve(term);
  if (!resolved.unknown.empty()) return std::nullopt;
  return resolved.known;
}

std::string describe(const DimensionTerm& term, Measure measure) {
  const std::string unit = unit_name(term.known, measure);
  if (!term.unknown.empty()) return fmt::format("`{}` times an unknown unit", unit);
  return term.known.dimensionless() ? "a dimensionless number (rad)" : fmt::format("`{}`", unit);
}

}  // namespace dalembert
