// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/missing_unit.h"

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/units.h"

namespace dalembert {

bool is_si_unit(const std::string& unit) {
  const Result<Unit> known = parse_unit(MappedText::of(unit));
  return known && known->factor == 1;
}

std::optional<Diagnostic> missing_unit(const GivenNumber& given) {
  const Result<Quantity> read = parse_constant(given.text);
  if (given.unit.empty() || !read || read->dimension || read->value == 0) return std::nullopt;
  // A unit of SI by the name that the file has for it: N*m of a torque, not J.
  const std::string si = is_si_unit(given.unit) ? given.unit : given.si;
  std::string number = given.text.trimmed().text;
  if (!parse_quantity(given.text)) number = "(" + number + ")";  // a formula
  const auto written = [&](const std::string& unit) {
    return fmt::format("`{}{} {}{}`", given.before, number, unit, given.after);
  };
  Diagnostic problem =
      warning("W0103", fmt::format("`{}` is given without a unit, and read as {} {}", given.name, number, si),
              given.text.span(), fmt::format("the file has it in {}", given.unit));
  problem.help.push_back(given.unit == si
                             ? "write " + written(si)
                             : fmt::format("write {}, or {} if that is meant", written(given.unit), written(si)));
  return problem;
}

}  // namespace dalembert
