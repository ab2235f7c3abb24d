// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/single_precision.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "dalembert/base/text.h"

namespace dalembert {
namespace {

using OfDouble = std::numeric_limits<double>;

double power_of(double number, double ratio) { return *parse_double(fmt::format("{:.1e}", std::pow(number, ratio))); }

}  // namespace

double limit_in_single(double limit) {
  static const double ratio = std::log(kSingleEpsilon) / std::log(OfDouble::epsilon());
  return power_of(limit, ratio);
}

double round_off_in_single(double round_off) { return to_single(round_off * (kSingleEpsilon / OfDouble::epsilon())); }

double range_in_single(double number) {
  static const double ratio = std::log(kLeastSingle) / std::log(OfDouble::min());
  return power_of(number, ratio);
}

double to_single(double value) {
  // Beyond this, rounding to the nearest gives an infinity: half a unit in the last place above the largest float.
  constexpr double kFirstBeyond = 3.4028235677973366e+38;
  if (std::abs(value) >= kFirstBeyond) return std::copysign(OfDouble::infinity(), value);
  return static_cast<double>(static_cast<float>(value));
}

std::string single_literal(double value) {
  if (std::isnan(value)) return "NAN";
  value = to_single(value);
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value)).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

}  // namespace dalembert
