// SPDX-License-Identifier: Apache-2.0
// Axes of a figure: the positions and texts of the ticks, and the mapping from a value to its place along the axis.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace dalembert {

/// Multiples of a step within [from, to]: the step is 1, 2 or 5 times a power of ten, chosen so that there are `about`
/// ticks. Empty where the range is empty or too narrow for double precision.
std::vector<double> axis_ticks(double from, double to, int about);

struct AxisTicks {
  std::vector<double> values;
  std::vector<std::string> texts;  ///< texts of value / 10^power, with minus signs
  int power = 0;                   ///< exponent written once beside the axis; 0: none
};
/// Ticks at round numbers. Their texts have the decimals that the step needs.
AxisTicks label_ticks(double from, double to, int about);
/// At most `about` ticks at powers of ten: at every power, or at every second, third, … one. `from` and `to` are
/// positive. A range that contains fewer than two powers of ten has ticks at 1, 2 and 5 times powers of ten, or, where these are fewer than
/// three, the ticks of a linear axis.
AxisTicks label_log_ticks(double from, double to, int about);

/// A number with `digits` significant digits and a minus sign instead of a hyphen. Large and small numbers read
/// 1.5×10⁶.
std::string figure_number(double value, int digits);

/// The visible range of an axis.
struct AxisRange {
  double from = 0, to = 1;
  bool logarithmic = false;
  /// The place of a value along the axis: 0 at `from`, 1 at `to`.
  double place(double value) const {
    return logarithmic ? (std::log10(value) - std::log10(from)) / (std::log10(to) - std::log10(from))
                       : (value - from) / (to - from);
  }
};

/// From the smallest to the largest finite value; on a logarithmic axis, of the non-zero |values|. Without any such
/// value the range is empty (from > to).
AxisRange range_of(std::span<const double> values, bool logarithmic);
/// The smallest range that contains both.
AxisRange join(const AxisRange& a, const AxisRange& b);
/// The range, widened at each end by `margin` times its width so that no curve runs along the frame. If its ends differ
/// by round-off alone (1e-10 of their size) or are equal, it is widened by 20 % of their size, so that noise is not
/// magnified.
AxisRange with_margin(AxisRange range, double margin);

}  // namespace dalembert
