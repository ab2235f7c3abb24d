// SPDX-License-Identifier: Apache-2.0
// Numbers over two quantities, as an SVG picture: a cell for each pair of values, coloured by its number (color_scale.h), beside the scale with
// its numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/figure/plot_page.h"

namespace dalembert {

struct MapCell {
  double value = 0;       ///< not finite: the cell has no colour
  bool failed = false;    ///< a cross; without a value the cell is hatched
  bool doubtful = false;  ///< a ring
};

struct HeatMap {
  std::string title, description;  ///< for readers who cannot see it
  RichText x_label, y_label, value_label;
  std::vector<double> x, y;    ///< values of the quantities, ascending, at least one of each
  std::vector<MapCell> cells;  ///< [iy * x.size() + ix]
  std::vector<LegendEntry> legend = {};
  bool logarithmic = false;  ///< colours show the logarithm of the magnitude; a 0 has no colour
  /// Values at the ends of the scale; cells beyond have the colours of the ends. Default: the smallest and the largest value.
  std::optional<AxisRange> window = {};
};

/// Edges of cells whose middles are the ascending values: halfway between neighbours, in the logarithm on a logarithmic axis. One more than values.
std::vector<double> cell_edges(const std::vector<double>& values, bool logarithmic);
/// Whether ascending values are spaced like powers: all are positive, and their steps grow more than twentyfold.
bool spaced_like_powers(const std::vector<double>& values);

std::string draw_heat_map(const HeatMap& map);

}  // namespace dalembert
