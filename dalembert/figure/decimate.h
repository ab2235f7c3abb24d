// SPDX-License-Identifier: Apache-2.0
// Fewer points that draw the same picture: a run of 10^6 rows is a path of some thousand points.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// A point in pixels; not finite: the curve is interrupted.
struct PixelPoint {
  double x = 0, y = 0;
};

/// The pieces of a curve without what cannot be seen. Where x only grows (or only falls), each pixel column keeps its
/// first, lowest, highest and last point, so every extreme stays: at most 4 points a column. Else a stretch between two
/// cells of half a pixel is kept once, and points within the cell of the one before are left out. Gaps within a column
/// are closed. O(points).
std::vector<std::vector<PixelPoint>> decimate(const std::vector<PixelPoint>& points);

}  // namespace dalembert
