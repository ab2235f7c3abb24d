// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/load_matches.h"

#include <algorithm>
#include <optional>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/derive/velocity_rows.h"

namespace dalembert {

bool is_holonomic(const Equations& eq, std::size_t row) {
  return std::ranges::find(eq.holonomic, static_cast<int>(row)) != eq.holonomic.end();
}

Expr value_of_row(const Equations& eq, std::size_t row) {
  return is_holonomic(eq, row) ? eq.h[row] : velocity_of_row(eq, static_cast<int>(row));
}

bool is_matched(const LoadMatches::Matches& matches, std::size_t i) {
  return std::ranges::any_of(matches, [&](const auto& one) { return one.second.factor && one.second.index == i; });
}

bool LoadMatches::of_rows(const GivenForces& here, const GivenForces& there) {
  for (std::size_t j = 0; j < there.loads.size(); ++j) {
    if (!there.loads[j]) continue;
    const Expr row = translation_.moved(value_of_row(there.equations, j));
    if (!row) return false;
    LoadMatch match;
    for (std::size_t i = 0; i < here.loads.size() && !match.factor; ++i)
      if (const auto k = constant_factor(canonicalizer_, value_of_row(here.equations, i), row)) match = {i, *k};
    translation_.set(there.loads[j],
                     match.factor ? here.loads[match.index] / match.factor : canonicalizer_.graph().constant(0));
    rows_.emplace_back(j, match);
  }
  return true;
}

bool LoadMatches::of_frictions(const GivenForces& here, const GivenForces& there, const Conditions& states) {
  for (std::size_t j = 0; j < there.frictions.size(); ++j) {
    const FrictionLaw& law = there.frictions[j];
    const Expr speed = translation_.moved(law.velocity);
    if (!speed) return false;
    LoadMatch match;
    int with_this_speed = 0;
    for (std::size_t i = 0; i < here.frictions.size(); ++i) {
      if (in_plane(here, i) || in_plane(there, j)) continue;
      const auto k = constant_factor(canonicalizer_, states.apply(here.frictions[i].velocity), states.apply(speed));
      with_this_speed += k ? 1 : 0;
      if (k && !match.factor && !is_matched(frictions_, i)) match = {i, *k};
    }
    for (std::size_t other = 0; other < there.frictions.size(); ++other)
      if (const Expr its = translation_.moved(there.frictions[other].velocity);
          other != j && its && constant_factor(canonicalizer_, states.apply(speed), states.apply(its)))
        ++with_this_speed;
    match.only = with_this_speed == 1;
    translation_.set(law.force, match.factor ? here.frictions[match.index].force / match.factor
                                             : canonicalizer_.graph().constant(0));
    frictions_.emplace_back(j, match);
  }
  return true;
}

}  // namespace dalembert
