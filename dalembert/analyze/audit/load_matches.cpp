// SPDX-License-Identifier: Apache-2.0
#include "dalembert/analyze/audit/load_matches.h"

#include <algorithm>
#include <optional>

#include "dalembert/analyze/audit/compare.h"
#include "dalembert/analyze/audit/nonzero.h"
#include "dalembert/derive/velocity_rows.h"
#include "dalembert/expr/differentiate.h"

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
    translation_.set(there.loads[j], match.factor ? scale_ * here.loads[match.index] / match.factor
                                                  : canonicalizer_.graph().constant(0));
    rows_.emplace_back(j, match);
  }
  return true;
}

Expr LoadMatches::cleaned(const Expr& e) {
  const auto form = canonicalizer_.canonical(e);
  return form ? canonicalizer_.expression(*form) : e;
}

// The first column that is never 0, else one that is not 0 everywhere.
std::optional<std::size_t> LoadMatches::steady_column(const std::vector<Expr>& squares) {
  std::optional<std::size_t> found;
  for (std::size_t c = 0; c < squares.size(); ++c) {
    if (decide_zero(canonicalizer_, squares[c]) != ZeroTest::kNonzero) continue;
    if (never_zero(cleaned(squares[c]), {})) return c;
    if (!found) found = c;
  }
  return found;
}

std::optional<LoadMatch> LoadMatches::turned(const Speeds& here, const Speeds& there, const std::array<Expr, 2>& turn,
                                             bool mirrored) {
  const Expr& a = turn[0];
  const Expr& b = turn[1];
  const Expr first = a * here[0] + (mirrored ? b : -b) * here[1], second = b * here[0] + (mirrored ? -a : a) * here[1];
  if (!proves_equal(canonicalizer_, there[0], first) || !proves_equal(canonicalizer_, there[1], second))
    return std::nullopt;
  LoadMatch match;
  match.turn = turn;
  match.mirrored = mirrored;
  match.factor = a.is_zero() ? b : b.is_zero() ? a : cleaned(sqrt(cleaned(a * a + b * b)));
  return match;
}

// With z = v₁ + i v₂ the speeds of `there` are k z, or k times the conjugate of z. One velocity tells k, and the others are proved to agree.
std::optional<LoadMatch> LoadMatches::factor(const Speeds& here, const Speeds& there, const std::vector<Expr>& free) {
  if (here.size() != there.size()) return std::nullopt;
  LoadMatch match;
  if (here.size() == 1)
    if (const auto k = constant_factor(canonicalizer_, here[0], there[0])) {
      match.factor = *k;
      return match;
    }
  std::vector<std::vector<Expr>> a, b;
  for (std::size_t i = 0; i < here.size(); ++i) {
    a.push_back(gradient(here[i], free));
    b.push_back(gradient(there[i], free));
  }
  std::vector<Expr> squares = a[0];
  if (here.size() == 2)
    for (std::size_t c = 0; c < free.size(); ++c) squares[c] = a[0][c] * a[0][c] + a[1][c] * a[1][c];
  const auto column = steady_column(squares);
  if (!column) return std::nullopt;
  const std::size_t c = *column;
  if (here.size() == 1) {
    match.factor = cleaned(b[0][c] / a[0][c]);
    if (match.factor.is_zero() || !proves_equal(canonicalizer_, there[0], match.factor * here[0])) return std::nullopt;
    return match;
  }
  if (cleaned(b[0][c]).is_zero() && cleaned(b[1][c]).is_zero()) return std::nullopt;
  for (const bool mirrored : {false, true}) {
    const Expr real = b[0][c] * a[0][c], product = b[1][c] * a[1][c], imaginary = b[1][c] * a[0][c],
               other = b[0][c] * a[1][c];
    const std::array turn{cleaned((mirrored ? real - product : real + product) / squares[c]),
                          cleaned((mirrored ? imaginary + other : imaginary - other) / squares[c])};
    if (auto found = turned(here, there, turn, mirrored)) return found;
  }
  return std::nullopt;
}

// v'·f' = σ v·f: a force along a line is divided by the factor, one in a plane is turned with the speeds.
void LoadMatches::translate(const GivenForces& here, const GivenForces& there, std::size_t j, const LoadMatch& match) {
  const bool plane = in_plane(there, j);
  const Expr zero = canonicalizer_.graph().constant(0);
  if (!match.factor) {
    translation_.set(there.frictions[j].force, zero);
    if (plane) translation_.set(there.frictions[j + 1].force, zero);
    return;
  }
  const Expr& first = here.frictions[match.index].force;
  if (!plane) return translation_.set(there.frictions[j].force, scale_ * first / match.factor);
  const Expr& second = here.frictions[match.index + 1].force;
  const Expr &a = match.turn[0], &b = match.turn[1];
  const Expr scale = scale_ / cleaned(a * a + b * b);
  translation_.set(there.frictions[j].force, scale * (a * first + (match.mirrored ? b : -b) * second));
  translation_.set(there.frictions[j + 1].force, scale * (b * first + (match.mirrored ? -a : a) * second));
}

bool LoadMatches::of_frictions(const GivenForces& here, const GivenForces& there, const Conditions& states,
                               const std::vector<Expr>& free) {
  const auto speeds_of = [&](const GivenForces& forces, bool moved) {
    std::vector<Speeds> all;
    for (const FrictionLaw& law : forces.frictions) {
      const Expr speed = moved ? translation_.moved(law.velocity) : law.velocity;
      if (!speed) return std::optional<std::vector<Speeds>>();
      all.push_back({states.apply(speed)});
      if (law.second) all[all.size() - 2].push_back(all.back().front());
    }
    return std::optional(all);
  };
  const auto mine = speeds_of(here, false), others = speeds_of(there, true);
  if (!others) return false;
  const auto planes = [](const GivenForces& forces) {
    return std::ranges::count(forces.frictions, true, &FrictionLaw::second);
  };
  const bool mixed = planes(here) + planes(there) > 0 &&
                     2 * planes(here) + 2 * planes(there) <
                         static_cast<std::ptrdiff_t>(here.frictions.size() + there.frictions.size());
  for (std::size_t j = 0; j < there.frictions.size(); ++j) {
    if (there.frictions[j].second) continue;
    LoadMatch match;
    int with_this_speed = 0, best = 0;
    for (std::size_t i = 0; i < here.frictions.size(); ++i) {
      if (here.frictions[i].second) continue;
      auto found = factor((*mine)[i], (*others)[j], free);
      if (!found) continue;
      ++with_this_speed;
      if (is_matched(frictions_, i)) continue;
      // The same name tells which of several it is; so does a factor that is constant.
      const int worth =
          1 + (only_parameters(found->factor) ? 1 : 0) + (here.frictions[i].name == there.frictions[j].name ? 2 : 0);
      if (worth <= best) continue;
      best = worth;
      match = *found;
      match.index = i;
    }
    for (std::size_t other = 0; other < there.frictions.size(); ++other)
      if (other != j && !there.frictions[other].second && factor((*others)[j], (*others)[other], free))
        ++with_this_speed;
    match.only = with_this_speed == 1 && !mixed;
    translate(here, there, j, match);
    frictions_.emplace_back(j, match);
  }
  return true;
}

}  // namespace dalembert
