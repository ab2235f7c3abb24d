// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "dalembert/figure/rich_text.h"

namespace dalembert {
namespace {

constexpr double kSame = 1e-10;  // relative difference below which two values differ by round-off alone

std::string with_minus(std::string text) {
  if (text.starts_with('-')) text = "\u2212" + text.substr(1);
  return text;
}

std::string power_of_ten(int power) { return typeset_unit(fmt::format("10^{}", power)); }

}  // namespace

std::vector<double> axis_ticks(double from, double to, int about) {
  std::vector<double> ticks;
  const double width = std::abs(to - from);
  if (!(width > 0) || !std::isfinite(width) || about < 1) return ticks;
  const double rough = width / about, power = std::pow(10, std::floor(std::log10(rough)));
  const double step = power * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
  const double low = std::min(from, to), high = std::max(from, to);
  // A step below the spacing of doubles at this magnitude would not increase k * step: the loop would not end.
  if (!(step > 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high)))) return ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);  // 0 instead of -0
  return ticks;
}

AxisTicks label_ticks(double from, double to, int about) {
  AxisTicks ticks;
  ticks.values = axis_ticks(from, to, about);
  if (ticks.values.size() < 2) {
    for (const double value : ticks.values) ticks.texts.push_back(figure_number(value, 6));
    return ticks;
  }
  const double step = ticks.values[1] - ticks.values[0];
  const double largest = std::max(std::abs(ticks.values.front()), std::abs(ticks.values.back()));
  const int size = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
  if (size >= 5 || size <= -3) ticks.power = size;
  const double unit = std::pow(10, ticks.power);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)), 0, 17);
  for (double& value : ticks.values) {
    if (std::abs(value) < step * 1e-9) value = 0;
    ticks.texts.push_back(with_minus(fmt::format("{:.{}f}", value / unit, decimals)));
  }
  return ticks;
}

AxisTicks label_log_ticks(double from, double to, int about) {
  const int low = static_cast<int>(std::ceil(std::log10(from) - 1e-9)),
            high = static_cast<int>(std::floor(std::log10(to) + 1e-9));
  AxisTicks ticks;
  if (high - low < 1) {
    for (int power = low - 1; power <= high + 1; ++power)
      for (const double factor : {1.0, 2.0, 5.0})
        if (const double value = factor * std::pow(10, power); value >= from && value <= to) {
          ticks.values.push_back(value);
          ticks.texts.push_back(figure_number(value, 4));
        }
    return ticks.values.size() < 3 ? label_ticks(from, to, about) : ticks;
  }
  const int step = std::max(1, (high - low + std::max(about, 1)) / std::max(about, 1));
  // Powers are multiples of the step, so 10⁰ has a tick whenever it is in the range.
  for (int power = low + ((-low) % step + step) % step; power <= high; power += step) {
    ticks.values.push_back(std::pow(10, power));
    ticks.texts.push_back(power_of_ten(power));
  }
  return ticks;
}

std::string figure_number(double value, int digits) {
  if (!std::isfinite(value)) return with_minus(fmt::format("{}", value));
  if (value == 0) return "0";
  std::string text = fmt::format("{:.{}g}", value, digits);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return with_minus(text);
  return with_minus(text.substr(0, e)) + "×" + power_of_ten(std::atoi(text.c_str() + e + 1));
}

AxisRange range_of(std::span<const double> values, bool logarithmic) {
  AxisRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), logarithmic};
  for (double value : values) {
    if (logarithmic) value = std::abs(value);
    if (!std::isfinite(value) || (logarithmic && value == 0)) continue;
    range.from = std::min(range.from, value);
    range.to = std::max(range.to, value);
  }
  return range;
}

AxisRange join(const AxisRange& a, const AxisRange& b) {
  return {std::min(a.from, b.from), std::max(a.to, b.to), a.logarithmic};
}

AxisRange with_margin(AxisRange range, double margin) {
  if (!(range.from <= range.to)) return {range.logarithmic ? 0.1 : -1.0, 1, range.logarithmic};
  if (range.logarithmic) {
    const double decades = std::log10(range.to) - std::log10(range.from),
                 room = decades < 1e-3 ? 0.5 : margin * decades;
    // Stay within the range of double.
    range.from = std::max(range.from * std::pow(10, -room), 1e-307);
    range.to = std::min(range.to * std::pow(10, room), 1e307);
    return range;
  }
  const double size = std::max(std::abs(range.from), std::abs(range.to));
  const bool one = range.to - range.from <= kSame * size;
  double room = one ? (size > 0 ? 0.2 * size : 1) : margin * (range.to - range.from);
  room = std::max(room, std::numeric_limits<double>::min());
  // from and to stay below a quarter of the largest double, so that their difference cannot overflow.
  constexpr double kLargest = std::numeric_limits<double>::max() / 4;
  range.from = std::max(range.from - room, -kLargest);
  range.to = std::min(range.to + room, kLargest);
  return range;
}

}  // namespace dalembert
