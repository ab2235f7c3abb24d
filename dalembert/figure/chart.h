// SPDX-License-Identifier: Apache-2.0
// Charts of series as SVG, in a style fit for papers. Panels stand above each other, one for each unit, and share the
// horizontal axis. The name of each curve is written at its end. Charts in a terminal: text_chart.h. The functions keep
// no state and write no files.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/figure/axis.h"
#include "dalembert/figure/rich_text.h"

namespace dalembert {

struct ChartCurve {
  /// Of equal length; a value that is not finite interrupts the curve. Fewer than 100 points are shown each, on a thin line.
  std::span<const double> x, y;
  RichText name;  ///< written at the curve's end where the panel has several curves
};

/// A ring at a point; a cross at the bottom of the frame where y is not finite.
struct ChartMark {
  double x = 0, y = 0;
};

struct ChartPanel {
  RichText label;    ///< title of the vertical axis: "θ̇ [rad/s]"
  RichText shorter;  ///< used where the panel is too low for `label`: "[rad/s]"
  std::vector<ChartCurve> curves;
  std::vector<ChartMark> marks = {};
};

struct Chart {
  std::string title;        ///< SVG title, read by screen readers and shown by browsers
  std::string description;  ///< SVG description, for readers who cannot see it
  RichText x_label;
  std::vector<ChartPanel> panels;
  bool log_y = false;                                     ///< shows |y| on a logarithmic axis; zeros are left out
  bool mark_peaks = false;                                ///< marks each curve's minimum and maximum, with their values
  std::string x_unit;                                     ///< unit after the x value of a peak
  std::optional<AxisRange> x_window = {}, y_window = {};  ///< the visible ranges; if absent, all points are visible
  std::string note = {};                                  ///< a line of text below the chart
};

/// A rectangle in pixels, y downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

struct ChartDrawing {
  std::string svg;
  std::vector<Box> frames;        ///< frames of the panels
  std::vector<Box> labels;        ///< boxes of all texts; no two overlap
  std::size_t peaks_unnamed = 0;  ///< marked peaks without numbers, for lack of room
};

/// Draws the chart. `panels` must not be empty.
ChartDrawing draw_chart(const Chart& chart);

/// The visible range of x: `x_window`, or the range of all points.
AxisRange x_range_of(const Chart& chart);
/// The visible range of y in a panel, from the points whose x lies in the visible range; `margin` as in with_margin().
AxisRange y_range_of(const Chart& chart, const ChartPanel& panel, const AxisRange& x, double margin);

/// The extremes of a curve: the indices of the first minimum and the first maximum among the finite values whose x is
/// visible.
struct Peaks {
  std::size_t low = 0, high = 0;
  bool any = false;
};
Peaks find_peaks(const ChartCurve& curve, const AxisRange& x);

}  // namespace dalembert
