// SPDX-License-Identifier: Apache-2.0
// Reduces the points of a curve without changing its picture: 10^6 rows become some thousand points.
#pragma once

#include <cstddef>
#include <vector>

namespace dalembert {

/// A point in pixels. A point that is not finite interrupts the curve.
struct PixelPoint {
  double x = 0, y = 0;
};

/// The visible pieces of a curve. If x is monotone, each pixel column keeps its first, lowest, highest and last point,
/// at most four: every extreme stays. Otherwise the plane is divided into cells of half a pixel: a segment between two
/// cells is drawn only once, and points in the same cell as the previous point are left out. A gap within one column is
/// closed. O(points).
std::vector<std::vector<PixelPoint>> decimate(const std::vector<PixelPoint>& points);

}  // namespace dalembert
