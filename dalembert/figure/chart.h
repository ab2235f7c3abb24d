// SPDX-License-Identifier: Apache-2.0
// Figures of series, fit for a paper: panels above each other that share the axis to the right, one for each unit;
// curves with their names beside their ends. As SVG; in a terminal see text_chart.h. No state, no files.
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
  std::span<const double> x, y;  ///< as many of each; what is not finite interrupts the curve
  RichText name;                 ///< beside its end, where its panel has another curve
};

struct ChartPanel {
  RichText label;    ///< along the axis up: "θ̇ [rad/s]"
  RichText shorter;  ///< the same where the panel is too low for it: "[rad/s]"
  std::vector<ChartCurve> curves;
};

struct Chart {
  std::string title;        ///< for those who cannot see it, and for the window
  std::string description;  ///< likewise
  RichText x_label;
  std::vector<ChartPanel> panels;
  bool log_y = false;                                     ///< of |y|, without zeros
  bool mark_peaks = false;                                ///< where each curve is lowest and highest, with the numbers
  std::string x_unit;                                     ///< behind a peak's place
  std::optional<AxisRange> x_window = {}, y_window = {};  ///< what is looked at, else everything
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
  std::vector<Box> frames;        ///< of the panels
  std::vector<Box> labels;        ///< every text; no two overlap
  std::size_t peaks_unnamed = 0;  ///< peaks that are marked, but beside which there was no room for the numbers
};

/// Draws it. `panels` is not empty.
ChartDrawing draw_chart(const Chart& chart);

/// What is looked at: everything, or what the windows say.
AxisRange x_range_of(const Chart& chart);
/// Of a panel, of the points whose x is seen; `margin`: see with_margin.
AxisRange y_range_of(const Chart& chart, const ChartPanel& panel, const AxisRange& x, double margin);

/// A peak of a curve: index of the first lowest and the first highest finite value whose x is seen.
struct Peaks {
  std::size_t low = 0, high = 0;
  bool any = false;
};
Peaks find_peaks(const ChartCurve& curve, const AxisRange& x);

}  // namespace dalembert
