// SPDX-License-Identifier: Apache-2.0
// Axes: which values have ticks, what these say, and where a value is on it.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace dalembert {

/// The ends of an axis and the steps between its ticks: 1, 2 or 5 times a power of ten, `about` of them.
std::vector<double> axis_ticks(double from, double to, int about);

struct AxisTicks {
  std::vector<double> values;
  std::vector<std::string> texts;  ///< of value / 10^power, with minus signs
  int power = 0;                   ///< written once beside the axis, 0: not at all
};
/// Ticks at round numbers with as many decimals as their step needs.
AxisTicks label_ticks(double from, double to, int about);
/// Ticks at powers of ten, each, or each second, third …, so that there are `about` at most; both ends positive. Less
/// than one decade has the ticks of a linear axis.
AxisTicks label_log_ticks(double from, double to, int about);

/// Minus signs instead of hyphens, `digits` significant ones; large and small numbers as 1.5×10⁶.
std::string figure_number(double value, int digits);

/// What is looked at along an axis.
struct AxisRange {
  double from = 0, to = 1;
  bool logarithmic = false;
  /// 0 at `from`, 1 at `to`.
  double place(double value) const {
    return logarithmic ? (std::log10(value) - std::log10(from)) / (std::log10(to) - std::log10(from))
                       : (value - from) / (to - from);
  }
};

/// The smallest and the largest finite value (of a logarithmic axis: of |values| > 0); empty (from > to) without any.
AxisRange range_of(std::span<const double> values, bool logarithmic);
/// Both.
AxisRange join(const AxisRange& a, const AxisRange& b);
/// With room of `margin` times its width at each end, so that no curve runs along the frame; values that differ by
/// round-off alone (1e-10 of their size) are looked at from afar, and so is one value.
AxisRange with_margin(AxisRange range, double margin);

}  // namespace dalembert
