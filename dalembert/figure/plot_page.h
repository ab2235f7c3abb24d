// SPDX-License-Identifier: Apache-2.0
// A picture with one frame: its axes with ticks and labels, and lines of text below. What is inside the frame is drawn by heat_map.h and
// others.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/figure/axis.h"
#include "dalembert/figure/chart.h"
#include "dalembert/figure/rich_text.h"

namespace dalembert {

/// A sample of a mark with what it means, below the frame.
struct LegendEntry {
  enum class Mark { kNone, kHatched, kCross, kRing, kHatchedBar };
  Mark mark = Mark::kNone;
  std::string text;
};

struct PageAxes {
  AxisRange x, y;
  RichText x_label, y_label;
  std::vector<LegendEntry> legend = {};
  double right = 0;     ///< room to the right of the frame, pixels
  double height = 330;  ///< of the frame, pixels
};

class PlotPage {
 public:
  /// `title` and `description` are for readers who cannot see the picture.
  PlotPage(const std::string& title, const std::string& description, const PageAxes& axes);

  const Box& frame() const { return frame_; }
  double px(double x) const { return frame_.left + axes_.x.place(x) * (frame_.right - frame_.left); }
  double py(double y) const { return frame_.bottom - axes_.y.place(y) * (frame_.bottom - frame_.top); }

  /// Adds elements of SVG.
  void add(std::string_view svg) { svg_ += svg; }
  /// A text at a place. `anchor`: 0 if it begins at x, 0.5 if it is centred there, 1 if it ends there.
  void write(double x, double y, double anchor, const RichText& text, double size);
  /// A text that runs upwards, centred at the place.
  void write_upwards(double x, double y, const RichText& text, double size);
  /// Ticks with numbers to the right of a line from the bottom of the frame to its top, for a range of their own.
  void right_ticks(double x, const AxisRange& range);

  /// Draws frame, axes and legend, and returns the document.
  std::string finish();

 private:
  void draw_axes();
  void draw_legend();

  PageAxes axes_;
  AxisTicks x_ticks_, y_ticks_;
  Box frame_;
  double width_ = 0, height_ = 0;
  std::vector<std::pair<double, double>> entries_;  // where each entry of the legend begins
  std::string svg_;
};

}  // namespace dalembert
