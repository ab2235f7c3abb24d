// SPDX-License-Identifier: Apache-2.0
#include "dalembert/codegen/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/base/text.h"
#include "dalembert/codegen/single_precision.h"
#include "dalembert/dynamics/cubic_spline.h"

namespace dalembert {
namespace {

// A spline has no value outside its samples. Times that differ from the first or last sample by this relative amount,
// their last digits, still have one (cubic_spline.h).
constexpr double kLastDigits = 4 * std::numeric_limits<double>::epsilon();

// A routine that finds the last of `count` times that is not after t, or the first if all are. It is a bisection whose
// steps are written out, for at most `longest` times.
std::string search(std::size_t longest) {
  std::string text =
      "# The index of the last of the first `count` times that is not after t; 0 if all of them are after t.\n"
      "routine piece_of(real t, in time[" +
      fmt::format("{}", longest) + "], int count) -> status {\nint piece\npiece = 0\n";
  std::size_t half = 1;
  while (2 * half < longest) half *= 2;
  for (; half > 0; half /= 2)
    text += fmt::format("if piece + {0} < count {{\nif not (t < time[piece + {0}]) {{\npiece = piece + {0}\n}}\n}}\n",
                        half);
  return text + "return piece\n}\n";
}

// Statements that interpolate an input linearly between its samples; outside these the first or last value holds.
std::string table_text(std::size_t input, std::size_t samples) {
  return fmt::format(
      "k = piece_of(t, times_{0}, {1})\nif t < times_{0}[0] or k == {2} {{\nu[{0}] = values_{0}[k]\n}} else {{\n"
      "x = (t - times_{0}[k]) / (times_{0}[k + 1] - times_{0}[k])\n"
      "u[{0}] = (1.0 - x) * values_{0}[k] + x * values_{0}[k + 1]\n}}\n",
      input, samples, samples - 1);
}

// For each piece of the spline, at its left end: its value, its rate, half of its second and a sixth of its third
// derivative.
std::vector<double> pieces_of(const CubicSpline& spline, const std::vector<double>& time) {
  std::vector<double> pieces;
  for (std::size_t k = 0; k + 1 < time.size(); ++k) {
    // The second derivative is linear in a piece, so the third follows from the second at both ends, to within
    // round-off.
    const double end = k + 2 < time.size() ? std::nextafter(time[k + 1], time[k]) : time[k + 1];
    const std::array<double, 3> left = spline.evaluate(time[k]);
    const double third = end > time[k] ? (spline.evaluate(end)[2] - left[2]) / (end - time[k]) : 0;
    pieces.insert(pieces.end(), {left[0], left[1], left[2] / 2, third / 6});
  }
  return pieces;
}

std::string spline_text(const Program& program, std::size_t input, const std::vector<double>& time) {
  const double last_digits = program.single ? round_off_in_single(kLastDigits) : kLastDigits;
  const double digits = last_digits * std::max(std::abs(time.front()), std::abs(time.back()));
  const std::string first = to_text(time.front() - digits), last = to_text(time.back() + digits);
  const auto real = [](const std::string& text) {
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  };
  return fmt::format(
      "u[{0}] = nan\nu[{1}] = nan\nu[{2}] = nan\nif t >= {3} and t <= {4} {{\nk = piece_of(t, times_{0}, {5})\n"
      "x = t - times_{0}[k]\n"
      "u[{0}] = pieces_{0}[4 * k] + x * (pieces_{0}[4 * k + 1] + x * (pieces_{0}[4 * k + 2] + x * pieces_{0}[4 * k + "
      "3]))\n"
      "u[{1}] = pieces_{0}[4 * k + 1] + x * (2.0 * pieces_{0}[4 * k + 2] + x * 3.0 * pieces_{0}[4 * k + 3])\n"
      "u[{2}] = 2.0 * pieces_{0}[4 * k + 2] + x * 6.0 * pieces_{0}[4 * k + 3]\n}}\n",
      input, input + 1, input + 2, real(first), real(last), time.size() - 1);
}

}  // namespace

std::string sampled_inputs_text(const Model& model, Program& program, std::vector<std::string>& samples) {
  std::string body;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const Input& input = model.inputs[i];
    if (input.value || input.time.empty()) continue;
    const bool spline = input.interpolation == Interpolation::kSpline;
    longest = std::max(longest, input.time.size());
    program.tables.emplace_back(fmt::format("times_{}", i), input.time);
    if (spline)
      program.tables.emplace_back(fmt::format("pieces_{}", i),
                                  pieces_of(CubicSpline(input.time, input.sample), input.time));
    else
      program.tables.emplace_back(fmt::format("values_{}", i), input.sample);
    body += spline ? spline_text(program, i, input.time) : table_text(i, input.time.size());
    samples.push_back(fmt::format("The input {} is given as {} samples from t = {} to {}: {}.", input.name,
                                  input.time.size(), to_text(input.time.front()), to_text(input.time.back()),
                                  spline ? "a cubic spline, which has no value outside of them (nan)"
                                         : "straight lines between them; the first and the last one hold outside"));
  }
  if (body.empty()) return {};
  return search(longest) +
         "# The inputs that are given as samples, at time t.\nroutine sampled_inputs(real t, inout u[nu]) {\nreal "
         "x\nint k\n" +
         body + "}\n";
}

}  // namespace dalembert
