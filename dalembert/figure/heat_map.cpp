// SPDX-License-Identifier: Apache-2.0
#include "dalembert/figure/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dalembert/figure/color_scale.h"

namespace dalembert {
namespace {

constexpr int kShades = 256;  // number of colours, so that cells of one colour are one element of the picture

struct MapAxis {
  std::vector<double> edges;
  AxisRange range;
};
MapAxis map_axis(const std::vector<double>& values) {
  const bool logarithmic = spaced_like_powers(values);
  MapAxis axis{cell_edges(values, logarithmic), {}};
  axis.range = {axis.edges.front(), axis.edges.back(), logarithmic};
  return axis;
}

int shade_of(double place) { return static_cast<int>(std::lround(std::clamp(place, 0.0, 1.0) * (kShades - 1))); }

// The values at the ends of the scale.
AxisRange scale_range(const HeatMap& map) {
  if (map.window) return {map.window->from, map.window->to, map.logarithmic};
  std::vector<double> values;
  for (const MapCell& cell : map.cells) values.push_back(cell.value);
  const AxisRange range = range_of(values, map.logarithmic);
  return range.to > range.from ? range : with_margin(range, 0);
}

// The colours beside the map, with their numbers.
void draw_scale(PlotPage& page, const HeatMap& map, const AxisRange& range) {
  const Box& frame = page.frame();
  const double left = frame.right + 18, width = 16;
  page.add("<linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">");
  for (int k = 0; k <= 32; ++k)
    page.add(fmt::format("<stop offset=\"{:.5g}\" stop-color=\"{}\"/>", k / 32.0, hex_color(scale_color(k / 32.0))));
  page.add(
      fmt::format("</linearGradient>\n<rect class=\"scale\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" "
                  "fill=\"url(#scale)\" stroke=\"#1a1a1a\"/>\n",
                  left, frame.top, width, frame.bottom - frame.top));
  page.right_ticks(left + width, range);
  page.write_upwards(660 - 14, (frame.top + frame.bottom) / 2, map.value_label, 13);
}

}  // namespace

bool spaced_like_powers(const std::vector<double>& values) {
  if (values.size() < 3 || !(values.front() > 0)) return false;
  double smallest = INFINITY, largest = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    smallest = std::min(smallest, values[k] - values[k - 1]);
    largest = std::max(largest, values[k] - values[k - 1]);
  }
  return largest > 20 * smallest;
}

std::vector<double> cell_edges(const std::vector<double>& values, bool logarithmic) {
  const auto to = [&](double value) { return logarithmic ? std::log(value) : value; };
  const auto back = [&](double value) { return logarithmic ? std::exp(value) : value; };
  const std::size_t n = values.size();
  if (n == 1) {
    const AxisRange around = with_margin({values[0], values[0]}, 0);
    return {around.from, around.to};
  }
  std::vector<double> edges{back(to(values[0]) - (to(values[1]) - to(values[0])) / 2)};
  for (std::size_t k = 1; k < n; ++k) edges.push_back(back((to(values[k - 1]) + to(values[k])) / 2));
  edges.push_back(back(to(values[n - 1]) + (to(values[n - 1]) - to(values[n - 2])) / 2));
  return edges;
}

std::string draw_heat_map(const HeatMap& map) {
  const MapAxis x = map_axis(map.x), y = map_axis(map.y);
  const AxisRange range = scale_range(map);
  PlotPage page(map.title, map.description,
                {.x = x.range,
                 .y = y.range,
                 .x_label = map.x_label,
                 .y_label = map.y_label,
                 .legend = map.legend,
                 .right = 118,
                 .height = 360});

  // Cells by colour; −1: hatched. Each is a little larger than its place, so that no white shows between two.
  std::map<int, std::string> shades;
  std::string crosses, rings;
  for (std::size_t iy = 0; iy < map.y.size(); ++iy)
    for (std::size_t ix = 0; ix < map.x.size(); ++ix) {
      const MapCell& cell = map.cells[iy * map.x.size() + ix];
      const double left = page.px(x.edges[ix]), right = page.px(x.edges[ix + 1]);
      const double top = page.py(y.edges[iy + 1]), bottom = page.py(y.edges[iy]);
      const double value = map.logarithmic ? std::abs(cell.value) : cell.value;
      const bool colored = std::isfinite(value) && !(map.logarithmic && value == 0);
      const double size = std::min({right - left, bottom - top, 24.0}), mx = (left + right) / 2,
                   my = (top + bottom) / 2;
      if (colored || cell.failed) {
        const int shade = colored ? shade_of(range.place(value)) : -1;
        shades[shade] +=
            fmt::format("M{:.2f} {:.2f}H{:.2f}V{:.2f}H{:.2f}z", left, top, right + 0.4, bottom + 0.4, left);
      }
      if (cell.failed && colored) {
        const double h = 0.22 * size;
        crosses += fmt::format("M{:.2f} {:.2f}l{:.2f} {:.2f}m{:.2f} 0l{:.2f} {:.2f}", mx - h, my - h, 2 * h, 2 * h,
                               -2 * h, 2 * h, -2 * h);
      }
      if (cell.doubtful && colored)
        rings += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"/>", mx, my, std::min(4.0, 0.28 * size));
    }
  page.add(fmt::format(
      "<clipPath id=\"inside\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></clipPath>\n"
      "<g class=\"cells\" clip-path=\"url(#inside)\" shape-rendering=\"crispEdges\">\n",
      page.frame().left, page.frame().top, page.frame().right - page.frame().left,
      page.frame().bottom - page.frame().top));
  for (const auto& [shade, path] : shades)
    page.add(fmt::format("<path fill=\"{}\" d=\"{}\"/>\n",
                         shade < 0 ? "url(#hatched)" : hex_color(scale_color(shade / double{kShades - 1})), path));
  page.add("</g>\n");
  // Dark over light cells and light over dark ones: each mark is drawn twice.
  if (!crosses.empty())
    page.add(
        fmt::format("<path class=\"failed\" d=\"{0}\" stroke=\"#ffffff\" stroke-width=\"3\" fill=\"none\"/>"
                    "<path d=\"{0}\" stroke=\"#1a1a1a\" stroke-width=\"1.2\" fill=\"none\"/>\n",
                    crosses));
  if (!rings.empty())
    page.add(
        fmt::format("<g class=\"doubtful\" fill=\"#ffffff\" stroke=\"#1a1a1a\" stroke-width=\"1.2\">{}</g>\n", rings));
  draw_scale(page, map, range);
  return page.finish();
}

}  // namespace dalembert
