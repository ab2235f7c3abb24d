// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/limit_words.h"

#include <fmt/format.h>

namespace dalembert {

std::string words_of_restitution(const std::string& constraint, std::string_view value) {
  return fmt::format("the restitution of `{}` is {}, not in [0, 1]", constraint, value);
}

std::string words_of_coefficient(const std::string& friction, std::string_view value) {
  return fmt::format("the coefficient of the friction `{}` is {}", friction, value);
}

std::string words_of_coefficients(const std::string& friction, std::string_view sticking, std::string_view sliding) {
  return fmt::format("the friction `{}` sticks with a coefficient of {} and slides with one of {}", friction, sticking,
                     sliding);
}

}  // namespace dalembert
