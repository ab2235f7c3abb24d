// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/decimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace dalembert {
namespace {

constexpr double kFar = 1e5;  // pixels; points farther out are invisible, and SVG viewers limit coordinates

bool drawable(const PixelPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && std::abs(point.x) < kFar && std::abs(point.y) < kFar;
}

// Whether x only grows or only falls, as time does.
bool is_monotone(const std::vector<PixelPoint>& points) {
  bool grows = true, falls = true;
  const PixelPoint* last = nullptr;
  for (const PixelPoint& point : points) {
    if (!drawable(point)) continue;
    if (last != nullptr) {
      grows = grows && point.x >= last->x;
      falls = falls && point.x <= last->x;
    }
    last = &point;
  }
  return grows || falls;
}

// The points of a pixel column that are kept, by index.
struct Column {
  std::size_t first, low, high, last;
  long number;
};

std::vector<std::vector<PixelPoint>> decimate_columns(const std::vector<PixelPoint>& points) {
  std::vector<std::vector<PixelPoint>> pieces;
  bool in_column = false, gap = true;
  Column column{};
  const auto flush = [&] {
    if (!in_column) return;
    std::array<std::size_t, 4> kept{column.first, column.low, column.high, column.last};
    std::ranges::sort(kept);
    const auto end = std::ranges::unique(kept).begin();
    for (auto it = kept.begin(); it != end; ++it) pieces.back().push_back(points[*it]);
    in_column = false;
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!drawable(points[i])) {
      gap = true;
      continue;
    }
    const long number = std::lround(std::floor(points[i].x));
    if (in_column && number == column.number) {
      // A gap within one pixel column is invisible and is ignored.
      if (points[i].y < points[column.low].y) column.low = i;
      if (points[i].y > points[column.high].y) column.high = i;
      column.last = i;
    } else {
      flush();
      if (gap) pieces.emplace_back();
      column = {i, i, i, i, number};
      in_column = true;
    }
    gap = false;
  }
  flush();
  return pieces;
}

std::vector<std::vector<PixelPoint>> decimate_cells(const std::vector<PixelPoint>& points) {
  std::vector<std::vector<PixelPoint>> pieces;
  std::unordered_set<std::uint64_t> seen;
  const auto cell = [](const PixelPoint& point) {
    const auto number = [](double at) {
      return static_cast<std::uint64_t>(std::llround(2 * at) + 4 * 100000) & 0xFFFFF;
    };
    return number(point.x) << 20 | number(point.y);
  };
  const PixelPoint* last = nullptr;  // the last drawable point
  bool pen = false;                  // whether the current piece ends at that point
  for (const PixelPoint& point : points) {
    if (!drawable(point)) {
      last = nullptr;
      continue;
    }
    if (last == nullptr) {
      pieces.push_back({point});
      pen = true;
    } else if (const std::uint64_t from = cell(*last), to = cell(point); from != to) {
      // The two cells, 40 bits each, are hashed to a key of 64 bits. A collision would only drop one segment and is
      // unlikely below 2^32 segments.
      const std::uint64_t key = std::min(from, to) * 0x9E3779B97F4A7C15U + std::max(from, to);
      if (seen.insert(key).second) {
        if (!pen) pieces.push_back({*last});
        pieces.back().push_back(point);
        pen = true;
      } else {
        pen = false;
      }
    } else {
      continue;  // same cell: the next segment begins at the earlier point
    }
    last = &point;
  }
  return pieces;
}

}  // namespace

std::vector<std::vector<PixelPoint>> decimate(const std::vector<PixelPoint>& points) {
  return is_monotone(points) ? decimate_columns(points) : decimate_cells(points);
}

}  // namespace dalembert
