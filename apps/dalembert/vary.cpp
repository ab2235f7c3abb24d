// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/dalembert/failure.h"
#include "apps/dalembert/interrupt.h"
#include "apps/dalembert/layout.h"
#include "dalembert/base/constant.h"
#include "dalembert/base/text.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/study/eigenvalues.h"

namespace dalembert::app {
namespace {

constexpr std::size_t kMostValues = 100'000;

struct Range {
  std::string name;
  std::vector<double> values;
};

Range read_range(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    fail(kExitUsage, "E0403", fmt::format("`--vary` does not take `{}`: {}", text, why),
         {"it takes NAME=FROM:TO:STEP, numbers in SI: --vary v=0:10:0.5"});
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse("the name is missing");
  std::vector<double> numbers;
  std::size_t from = equals + 1;
  while (true) {
    const std::size_t colon = std::min(text.find(':', from), text.size());
    const Result<Quantity> number = parse_constant(MappedText::of(text.substr(from, colon - from), "--vary"));
    if (!number || !std::isfinite(number->value))
      refuse(fmt::format("`{}` is no number", text.substr(from, colon - from)));
    numbers.push_back(number->value);
    if (colon == text.size()) break;
    from = colon + 1;
  }
  if (numbers.size() != 3) refuse("it needs three numbers");
  const double width = numbers[1] - numbers[0], step = std::abs(numbers[2]);
  if (!(step > 0) || !(std::abs(width) / step < static_cast<double>(kMostValues)))
    refuse(fmt::format("the step is 0, or there would be more than {} steps", kMostValues));
  Range range{text.substr(0, equals), {}};
  const auto count = static_cast<std::size_t>(std::floor(std::abs(width) / step * (1 + 1e-12)));
  for (std::size_t k = 0; k <= count; ++k)
    range.values.push_back(numbers[0] + std::copysign(step, width) * static_cast<double>(k));
  if (std::abs(range.values.back() - numbers[1]) > 1e-9 * step) range.values.push_back(numbers[1]);
  return range;
}

}  // namespace

Variation vary_as_asked(const std::string& text, const LinearizedModel& from) {
  const Range range = read_range(text);
  const InterruptGuard guard;
  Result<Variation> variation = vary(range.name, range.values, from, [] { return !InterruptGuard::interrupted(); });
  if (!variation) fail(kExitUsage, variation.diagnostics());
  return std::move(variation).value();
}

std::string variation_text(const Variation& variation, const Terminal& terminal) {
  std::string out = fmt::format("{} eigenvalues (1/s) by {}{}\n", terminal.bold("linearize:"), variation.name,
                                variation.unit.empty() ? "" : " [" + variation.unit + "]");
  Table table;
  for (std::size_t i = 0; i < variation.path.value.size(); ++i) {
    std::vector<std::string> line{shown_number(variation.path.value[i], 8)};
    for (const std::complex<double>& z : variation.path.spectrum[i]) line.push_back(complex_text(z));
    line.emplace_back(to_text(variation.verdict[i]));
    table.add(std::move(line));
  }
  out += table.text();
  for (const CriticalValue& value : variation.path.critical)
    out += fmt::format("  critical: {} = {}, an eigenvalue {} becomes {}\n", variation.name, to_text(value.value, 15),
                       complex_text(value.eigenvalue), value.to_unstable ? "unstable" : "stable");
  if (!variation.stopped.empty()) out += fmt::format("  stopped: {}\n", variation.stopped);
  return out;
}

}  // namespace dalembert::app
