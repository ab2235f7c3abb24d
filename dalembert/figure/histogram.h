// SPDX-License-Identifier: Apache-2.0
// How often numbers lie in which interval, and points in a plane, as SVG pictures.
#pragma once

#include <string>
#include <vector>

#include "dalembert/figure/plot_page.h"

namespace dalembert {

/// Edges of intervals of one width for these finite numbers, at least one: 5 to 60 intervals, whose width is twice the distance of the quartiles
/// divided by the cube root of the count. Source: Freedman & Diaconis, doi:10.1007/BF01025868.
std::vector<double> histogram_edges(std::vector<double> numbers);

struct Histogram {
  std::string title, description;         ///< for readers who cannot see it
  RichText label;                         ///< of the numbers
  std::vector<double> numbers, doubtful;  ///< finite; `doubtful` are hatched, on top of the others
  std::vector<LegendEntry> legend = {};
};
std::string draw_histogram(const Histogram& histogram);

struct PointCloud {
  std::string title, description;  ///< for readers who cannot see it
  RichText x_label, y_label;
  std::vector<double> x, y;    ///< of each point; a point without a finite y is a cross at the bottom
  std::vector<bool> doubtful;  ///< of each point: a ring instead of a disk
  std::vector<LegendEntry> legend = {};
};
std::string draw_point_cloud(const PointCloud& cloud);

}  // namespace dalembert
