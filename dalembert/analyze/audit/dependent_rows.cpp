// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/dependent_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/audit/conditions.h"
#include "dalembert/analyze/audit/row_combination.h"
#include "dalembert/base/text.h"
#include "dalembert/derive/kept_rows.h"
#include "dalembert/derive/velocity_rows.h"

namespace dalembert {
namespace {

constexpr std::size_t kMostNamed = 3;

}  // namespace

std::optional<WithoutDependentRows> without_dependent_rows(const Equations& eq, Canonicalizer& canonicalizer,
                                                           const KnownSigns& signs) {
  const std::vector<int> kept = independent_rows(eq);
  if (static_cast<int>(kept.size()) == eq.m() || !eq.unilateral.empty()) return std::nullopt;
  WithoutDependentRows result{eq, std::vector<int>(static_cast<std::size_t>(eq.m()), -1), {}, {}, {}, {}};
  for (std::size_t k = 0; k < kept.size(); ++k) result.place[static_cast<std::size_t>(kept[k])] = static_cast<int>(k);
  keep_rows(result.equations, result.place);
  const Conditions none(canonicalizer, signs);
  const auto n = static_cast<std::size_t>(eq.nv());
  std::vector<std::string> says;
  for (std::size_t r = 0; r < result.place.size(); ++r) {
    if (result.place[r] >= 0) continue;
    const Expr of_accelerations = row_times(eq.W, static_cast<int>(r), eq.accelerations());
    const Expr row = of_accelerations ? of_accelerations + eq.gamma[r] : eq.gamma[r];
    const Expr& lambda = eq.lambda[r];
    result.open.push_back(lambda.symbol());
    if (row.is_zero()) {
      says.push_back(fmt::format("the row {} says nothing", eq.rows[r]));
      continue;
    }
    const auto sum = combine_rows(result.equations, canonicalizer, none, row, eq.graph->constant(0));
    if (!sum) return std::nullopt;
    std::vector<std::string> from;
    for (const auto& [index, coefficient] : sum->coefficients) {
      if (index < n) return std::nullopt;
      const auto j = static_cast<std::size_t>(kept[index - n]);
      from.push_back(eq.rows[j]);
      Expr& unique = result.multipliers.try_emplace(eq.lambda[j].symbol(), eq.lambda[j]).first->second;
      unique = unique - coefficient * lambda;
    }
    result.divisors.insert(result.divisors.end(), sum->divisors.begin(), sum->divisors.end());
    says.push_back(fmt::format("the row {} follows from {}", eq.rows[r], join_words(from, "")));
  }
  result.says =
      says.size() > kMostNamed ? fmt::format("{} rows follow from others", says.size()) : join_words(says, "");
  return result;
}

}  // namespace dalembert
