// SPDX-License-Identifier: Apache-2.0
#include "dalembert/expr/unknown_name.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

// Recognises names that people write for a rate, such as thetadot, theta_dot, dtheta, thetad, theta_t, and returns the rate meant (theta'), or "".
std::string rate_habit(const std::string& name, Scope& scope) {
  struct Habit {
    std::string_view before, after, primes;
  };
  static constexpr Habit kHabits[] = {{"", "_ddot", "''"}, {"", "ddot", "''"}, {"dd", "", "''"}, {"", "dd", "''"},
                                      {"", "_dot", "'"},   {"", "dot", "'"},   {"d_", "", "'"},  {"d", "", "'"},
                                      {"", "d", "'"},      {"dot_", "", "'"},  {"", "_d", "'"},  {"", "_t", "'"},
                                      {"", "Dot", "'"}};
  for (const Habit& habit : kHabits) {
    if (name.size() <= habit.before.size() + habit.after.size() || !name.starts_with(habit.before) ||
        !name.ends_with(habit.after))
      continue;
    const std::string inner = name.substr(habit.before.size(), name.size() - habit.before.size() - habit.after.size());
    const Meaning meaning = scope.name(inner);
    if (meaning.state == Meaning::State::kKnown && meaning.velocity) return inner + std::string(habit.primes);
  }
  return {};
}

}  // namespace

Diagnostic unknown_name(const std::string& name, const Span& span, Scope& scope) {
  Diagnostic problem = error("E0102", fmt::format("unknown symbol `{}`", name), span,
                             "not a coordinate, parameter, input or definition");
  const std::string rate = rate_habit(name, scope);
  std::vector<std::string> candidates = scope.candidates(Scope::Candidates::kNames);
  if (!rate.empty()) {
    const std::string coordinate = rate.substr(0, rate.find('\''));
    const Span declared = scope.declared(coordinate);
    std::string where;
    if (declared) {
      const auto place = declared.source->position(declared.begin);
      where = fmt::format(" (declared at {}:{}:{})", declared.source->name(), place.line, place.column);
    }
    problem.help.push_back(fmt::format("write `{}` for the {}time derivative of coordinate `{}`{}", rate,
                                       rate.ends_with("''") ? "second " : "", coordinate, where));
  } else if (const auto similar = nearest(name, candidates)) {
    problem.help.push_back(fmt::format("did you mean `{}`?", *similar));
  } else if (const auto points = scope.candidates(Scope::Candidates::kPoints);
             std::ranges::find(points, name) != points.end()) {
    problem.help.push_back(fmt::format("`{0}` is a point: write `{0}.x` or `{0}.y`", name));
  }
  return problem;
}

}  // namespace dalembert
