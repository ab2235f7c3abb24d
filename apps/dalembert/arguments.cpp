// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/arguments.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/dalembert/failure.h"
#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"

namespace dalembert::app {

std::optional<std::string> Arguments::value(const std::string& option) const {
  const auto found = options.find(option);
  if (found == options.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Arguments::values(const std::string& option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> Arguments::listed(const std::string& option) const {
  std::vector<std::string> names;
  for (const std::string& value : values(option)) {
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      std::string name = value.substr(begin, end - begin);
      std::erase(name, ' ');
      names.push_back(std::move(name));
      begin = end + 1;
    }
  }
  return names;
}

std::optional<double> Arguments::quantity(const std::string& option, const Dimension& dimension, double above) const {
  const std::optional<std::string> text = value(option);
  if (!text) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    const std::string what =
        dimension.dimensionless() ? "a number" : fmt::format("a number in {}", unit_name(dimension));
    const std::string limit = above == -kNoLimit ? "" : fmt::format(" greater than {}", to_text(above));
    fail(
        kExitUsage, "E0403", fmt::format("`{}` does not take `{}`{}", option, *text, why),
        {fmt::format("it takes {}{}{}", what, limit, dimension.dimensionless() ? "" : ", or with a unit: \"500 ms\"")});
  };
  const Result<Quantity> quantity = parse_constant(MappedText::of(*text, option));
  if (!quantity) refuse("");
  if (quantity->dimension && !(*quantity->dimension == dimension))
    refuse(fmt::format(": its unit is {}", unit_name(*quantity->dimension)));
  if (!(quantity->value > above) || !(quantity->value < kNoLimit)) refuse("");
  return quantity->value;
}

std::optional<std::int64_t> Arguments::whole_number(const std::string& option, double most, const char* range) const {
  const std::optional<double> given = quantity(option, Dimension::none(), 0);
  if (!given) return std::nullopt;
  if (*given != std::floor(*given) || *given > most)
    fail(kExitUsage, "E0403", fmt::format("`{}` does not take `{}`", option, *value(option)),
         {fmt::format("it takes a whole number from {}", range)});
  return static_cast<std::int64_t>(*given);
}

}  // namespace dalembert::app
