// SPDX-License-Identifier: Apache-2.0
// Figures of curves in a plane, as SVG: axes with ticks and units, arrows, curves, markers, a legend. The functions
// keep no state and write no files.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dalembert/figure/axis.h"
#include "dalembert/figure/rich_text.h"

namespace dalembert {

using FigurePoint = std::array<double, 2>;

struct FigureAxis {
  RichText label;  ///< text at the axis with its unit: θ̇ [rad/s]
  double from = 0, to = 1;
};

/// Colours that colour-blind readers can tell apart (Okabe & Ito), on white.
enum class FigureColor { kBlack, kGray, kBlue, kOrange, kGreen, kPurple };

struct FigureCurve {
  std::vector<std::vector<FigurePoint>> pieces;
  FigureColor color = FigureColor::kBlack;
  double width = 1.5;  ///< width of the line, pixels
  bool dashed = false;
  std::string legend = {};  ///< text in the legend; empty: no entry
};

struct FigureMarkers {
  std::vector<FigurePoint> points;
  FigureColor color = FigureColor::kBlack;
  bool filled = true;  ///< a filled disk; otherwise a dashed ring
  std::string legend = {};
};

/// Arrows of equal length on the page, centred at `points`. `directions` are in the units of the axes.
struct FigureArrows {
  std::vector<FigurePoint> points, directions;
  FigureColor color = FigureColor::kGray;
  std::string legend = {};
};

/// A figure. Its parts are drawn in this order: arrows, curves, markers.
struct Figure {
  std::string title;
  std::string description;  ///< SVG description, for readers who cannot see it
  FigureAxis x, y;
  std::vector<FigureArrows> arrows = {};
  std::vector<FigureCurve> curves = {};
  std::vector<FigureMarkers> markers = {};
  int width = 760, height = 600;  ///< size of the picture, pixels
};

/// Writes a complete SVG document. Points outside the axes are clipped; points that are not finite interrupt a curve.
std::string to_svg(const Figure& figure);

}  // namespace dalembert
