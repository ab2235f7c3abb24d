// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/kkt.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"

namespace dalembert {

std::string to_text(const FrictionSolution& solution, const Names& names, int rows) {
  std::string text;
  for (std::size_t j = 0; j < solution.mode.size(); ++j) {
    const FrictionState& state = solution.mode[j];
    const std::string name = j < names.frictions.size() ? names.frictions[j] : fmt::format("friction {}", j + 1);
    const std::string unit = j < names.friction_units.size() && !names.friction_units[j].empty()
                                 ? " " + names.friction_units[j]
                                 : std::string();
    if (!text.empty()) text += ", ";
    // A force below this, in SI units, is printed as 0: it is round-off, since no mechanism has forces that small.
    constexpr double kRoundOff = 1e-30;
    const double force = solution.multipliers[as_size(rows) + j];
    const double way = state.along != 0 ? state.along : state.direction;
    text += fmt::format("{} {} with a friction of {}{}", name,
                        state.direction == 0 ? "sticks"
                        : way > 0            ? "slides forwards"
                                             : "slides backwards",
                        dalembert::to_text(std::abs(force) < kRoundOff ? 0 : force, 6), unit);
    if (state.direction != 0) text += state.load > 0 ? " and N > 0" : " and N < 0";
  }
  return text;
}

std::string describe(const FrictionAnswer& answer, const Names& names, int rows) {
  if (answer.solutions.size() == 1) return {};
  if (answer.solutions.empty())
    return answer.complete
               ? "no state of the friction is consistent: whatever slides or sticks contradicts its own result "
                 "(a paradox of Painlevé)"
               : "no consistent state of the friction was found";
  std::string text =
      fmt::format("the friction has {}{} states that are consistent {}", answer.complete ? "" : "at least ",
                  answer.solutions.size(),
                  answer.loads_are_open
                      ? "(its contacts follow from each other, so that rigid bodies do not determine how they share "
                        "the load, and sliding friction follows the load; with fewer contacts, or springs under "
                        "them, they do)"
                      : "(a paradox of Painlevé)");
  for (std::size_t i = 0; i < answer.solutions.size(); ++i)
    text += fmt::format("{} ({}) {}", i == 0 ? ":" : ";", i + 1, to_text(answer.solutions[i], names, rows));
  return text;
}

}  // namespace dalembert
