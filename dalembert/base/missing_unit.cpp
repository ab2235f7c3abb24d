// SPDX-License-Identifier: Apache-2.0
#include "dalembert/base/missing_unit.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "dalembert/base/constant.h"
#include "dalembert/base/units.h"

namespace dalembert {

bool is_si_unit(const std::string& unit) {
  const Result<Unit> known = parse_unit(MappedText::of(unit));
  return known && known->factor == 1;
}

namespace {

// Whether a number in SI is as likely as one in the unit of the file.
bool fits_in_si(const GivenNumber& given, double number) {
  const Result<Unit> unit = parse_unit(MappedText::of(given.unit));
  if (!unit) return false;
  if (given.in_file == 0) return unit->dimension.dimensionless() && std::abs(number) <= 2 * std::numbers::pi;
  const double ratio = std::log(std::abs(number / given.in_file));
  return std::abs(ratio) <= std::abs(ratio + std::log(unit->factor));
}

}  // namespace

std::optional<Diagnostic> missing_unit(const GivenNumber& given) {
  const Result<Quantity> read = parse_constant(given.text);
  if (given.unit.empty() || !read || read->dimension || read->value == 0) return std::nullopt;
  if (!is_si_unit(given.unit) && fits_in_si(given, read->value)) return std::nullopt;
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
