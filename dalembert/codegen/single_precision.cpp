// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/single_precision.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/base/text.h"
#include "dalembert/codegen/code_model.h"

namespace dalembert {
namespace {

using OfDouble = std::numeric_limits<double>;

double power_of(double number, double ratio) { return *parse_double(fmt::format("{:.1e}", std::pow(number, ratio))); }

// Numbers that a float holds, though perhaps rounded: 0, and those of its normal range.
bool fits_single(double value) {
  const double size = std::abs(value);
  return !std::isfinite(value) || size == 0 || (size >= kLeastSingle && size <= kMostSingle);
}

// Calls `look` with each real number of the steps.
void each_number(const std::vector<Step>& steps, const std::function<void(double)>& look) {
  const std::function<void(const Term&)> in_term = [&](const Term& term) {
    if (term.kind == Term::kNumber) look(parse_double(term.text).value_or(0));
    for (const Term& argument : term.arguments) in_term(argument);
  };
  for (const Step& step : steps) {
    for (const Term* term : {&step.target, &step.second, &step.value}) in_term(*term);
    each_number(step.body, look);
    each_number(step.otherwise, look);
  }
}

Diagnostic refuse_number(const std::string& what, double value) {
  Diagnostic problem =
      error("E0443", fmt::format("{} is {}, which single precision cannot hold: its numbers are from {:.1e} to {:.1e}",
                                 what, to_text(value), kLeastSingle, kMostSingle));
  problem.help.emplace_back("`--precision double` holds it; other units of the model may bring it nearer to 1");
  return problem;
}

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

Diagnostic refuse_single_precision(std::string_view language) {
  const std::string_view why = language == "fmu"      ? ": numbers of FMI are of double precision"
                               : language == "casadi" ? ": numbers of CasADi are of double precision"
                               : language == "latex"  ? ": formulas have no precision"
                               : language == "js"     ? ": numbers of JavaScript are of double precision"
                                                      : "";
  Diagnostic problem = error("E0442", fmt::format("`{}` has no single precision{}", language, why));
  problem.help.emplace_back("single precision is for C and C++: `--to c --precision single`");
  return problem;
}

std::optional<Diagnostic> refuse_numbers_in_single(const CodeModel& model) {
  for (const NamedEntry& parameter : model.parameters)
    if (!fits_single(parameter.value)) return refuse_number("the parameter `" + parameter.name + "`", parameter.value);
  std::optional<double> wrong;
  const auto look = [&](double value) {
    if (!fits_single(value)) wrong = value;
  };
  for (const Routine& routine : model.program.routines) each_number(routine.body, look);
  if (wrong) return refuse_number("a number of the equations", *wrong);
  for (const auto& [table, values] : model.program.tables) {
    for (const double value : values) look(value);
    if (wrong) return refuse_number("a sample of an input, or a coefficient of its spline,", *wrong);
    if (!table.starts_with("times_")) continue;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (to_single(values[i - 1]) < to_single(values[i])) continue;
      Diagnostic problem = error("E0443", fmt::format("samples of an input at t = {} and {} are at one time in single "
                                                      "precision, which has seven digits",
                                                      to_text(values[i - 1]), to_text(values[i])));
      problem.help.emplace_back("`--precision double` tells them apart; so do fewer samples, or times that begin at 0");
      return problem;
    }
  }
  return std::nullopt;
}

}  // namespace dalembert
