// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/wording.h"

#include <fmt/format.h>

#include <cmath>

#include "dalembert/base/text.h"

namespace dalembert {

std::string counted(int count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string shown_number(double value, int digits) {
  constexpr double kRoundOff = 1e-30;
  return to_text(std::abs(value) < kRoundOff ? 0.0 : value, digits);
}

std::string coordinate_unit(const std::string& unit) { return unit == "1" ? "rad" : unit; }

std::string unit_suffix(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

std::string rate_unit(const std::string& unit) { return unit.empty() ? "" : unit == "1" ? "1/s" : unit + "/s"; }

std::vector<std::string> names_where(const std::vector<std::string>& names, const std::vector<bool>& flags,
                                     bool wanted) {
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < names.size() && i < flags.size(); ++i)
    if (flags[i] == wanted) chosen.push_back(names[i]);
  return chosen;
}

}  // namespace dalembert
