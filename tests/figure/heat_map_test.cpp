// SPDX-License-Identifier: Apache-2.0
// Maps of colours, histograms and clouds of points: where things are in the picture, and that colours order numbers without their hue.
#include "dalembert/figure/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <regex>
#include <set>

#include "dalembert/figure/color_scale.h"
#include "dalembert/figure/histogram.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Relative luminance of sRGB (WCAG 2.2): what is left of a colour in grey.
double luminance(const std::array<double, 3>& color) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2]);
}

TEST(ColorScale, GrowsLighterWithTheNumber) {
  double before = 0;
  for (int k = 0; k <= 1000; ++k) {
    const double now = luminance(scale_color(k / 1000.0));
    EXPECT_GT(now, before) << k;
    before = now;
  }
  EXPECT_LT(luminance(scale_color(0)), 0.03);
  EXPECT_GT(before, 0.7);
  EXPECT_EQ(hex_color(scale_color(-1)), "#440154");
  EXPECT_EQ(hex_color(scale_color(2)), "#fde725");
}

TEST(HeatMap, EdgesAreBetweenValues) {
  EXPECT_THAT(cell_edges({1, 2, 5}, false), ElementsAre(0.5, 1.5, 3.5, 6.5));
  const std::vector<double> powers = cell_edges({0.1, 1, 10}, true);
  for (std::size_t k = 0; k < powers.size(); ++k)
    EXPECT_NEAR(std::log10(powers[k]), static_cast<double>(k) - 1.5, 1e-12);
  EXPECT_TRUE(spaced_like_powers({0.1, 1, 10}) == false && spaced_like_powers({0.1, 1, 10, 100}));
  EXPECT_FALSE(spaced_like_powers({-1, 1, 10, 1000}));
  const std::vector<double> one = cell_edges({3}, false);
  EXPECT_TRUE(one.size() == 2 && one[0] < 3 && one[1] > 3);
}

struct DrawnCell {
  double left, top, right, bottom;
  std::string fill;
};
std::vector<DrawnCell> cells_of(const std::string& svg) {
  std::vector<DrawnCell> cells;
  const std::size_t begin = svg.find("<g class=\"cells\"");
  const std::string part = svg.substr(begin, svg.find("</g>", begin) - begin);
  const std::regex path("<path fill=\"([^\"]+)\" d=\"([^\"]+)\""), cell("M([0-9.]+) ([0-9.]+)H([0-9.]+)V([0-9.]+)");
  for (std::sregex_iterator at(part.begin(), part.end(), path), end; at != end; ++at) {
    const std::string d = (*at)[2];
    for (std::sregex_iterator c(d.begin(), d.end(), cell); c != end; ++c)
      cells.push_back({std::stod((*c)[1]), std::stod((*c)[2]), std::stod((*c)[3]), std::stod((*c)[4]), (*at)[1]});
  }
  return cells;
}

// Three columns by two rows: 0, 5, 10 below; above a failed run, one whose verdict does not hold, one without a value.
HeatMap small_map() {
  HeatMap map;
  map.title = "a < b";
  map.x_label = {{"x & y [m]"}};
  map.x = {1, 2, 3};
  map.y = {10, 20};
  map.cells = {{0}, {5}, {10}, {NAN, true}, {2.5, false, true}, {NAN}};
  return map;
}

TEST(HeatMap, CellsHaveTheirPlaceAndColor) {
  const std::string svg = draw_heat_map(small_map());
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, HasSubstr("x &amp; y [m]"));
  std::vector<DrawnCell> cells = cells_of(svg);
  ASSERT_EQ(cells.size(), 5U);  // the one without a value is white
  std::ranges::sort(cells, [](const DrawnCell& a, const DrawnCell& b) {
    return std::pair(-a.top, a.left) < std::pair(-b.top, b.left);
  });
  std::vector<std::string> fills;
  for (const DrawnCell& cell : cells) fills.push_back(cell.fill);
  EXPECT_THAT(fills, ElementsAre("#440154", testing::AnyOf("#21918c", "#21908c"), "#fde725", "url(#hatched)",
                                 testing::StartsWith("#3")));
  // Neighbours touch, and rows are of one height.
  EXPECT_NEAR(cells[0].right, cells[1].left, 0.5);
  EXPECT_NEAR(cells[3].bottom, cells[0].top, 0.5);
  EXPECT_EQ(cells[3].left, cells[0].left);
  // The ring is in the middle of its cell.
  std::smatch ring;
  ASSERT_TRUE(
      std::regex_search(svg, ring, std::regex("<g class=\"doubtful\"[^>]*><circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"")));
  EXPECT_NEAR(std::stod(ring[1]), (cells[4].left + cells[4].right) / 2, 0.5);
  EXPECT_NEAR(std::stod(ring[2]), (cells[4].top + cells[4].bottom) / 2, 0.5);
  EXPECT_THAT(svg, Not(HasSubstr("class=\"failed\"")));
}

TEST(HeatMap, ACellWithAValueOfWhichRunsFailedHasACross) {
  HeatMap map = small_map();
  map.cells[0].failed = true;
  EXPECT_THAT(draw_heat_map(map), HasSubstr("class=\"failed\""));
}

TEST(HeatMap, ScalesMayBeLogarithmicOrCut) {
  HeatMap map = small_map();
  map.cells = {{-1}, {10}, {100}, {0}, {1}, {1000}};
  map.logarithmic = true;
  std::set<std::string> fills;
  for (const DrawnCell& cell : cells_of(draw_heat_map(map))) fills.insert(cell.fill);
  // |−1| and 1 have the colour of the lower end, 0 has none, and 10 and 100 divide the scale into thirds.
  EXPECT_EQ(fills.size(), 4U);
  EXPECT_TRUE(fills.contains("#440154") && fills.contains("#fde725"));
  EXPECT_EQ(cells_of(draw_heat_map(map)).size(), 5U);
  map.logarithmic = false;
  map.window = AxisRange{0, 10};
  const std::vector<DrawnCell> cut = cells_of(draw_heat_map(map));
  EXPECT_EQ(std::ranges::count(cut, std::string("#fde725"), &DrawnCell::fill), 3);
  EXPECT_EQ(std::ranges::count(cut, std::string("#440154"), &DrawnCell::fill), 2);
}

TEST(HeatMap, OfEqualOrHugeValuesHasFiniteNumbers) {
  HeatMap map = small_map();
  for (const double value : {0.0, 7.0, 1e300, -1e-300}) {
    map.cells.assign(6, {value});
    const std::string svg = draw_heat_map(map);
    EXPECT_EQ(cells_of(svg).size(), 6U) << value;
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << value;
    EXPECT_THAT(svg, Not(HasSubstr("inf"))) << value;
  }
}

TEST(Histogram, BarsCountTheirNumbers) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(5, 2);
  Histogram histogram;
  for (int k = 0; k < 900; ++k) histogram.numbers.push_back(normal(random));
  for (int k = 0; k < 100; ++k) histogram.doubtful.push_back(normal(random));
  std::vector<double> all = histogram.numbers;
  all.insert(all.end(), histogram.doubtful.begin(), histogram.doubtful.end());
  const std::vector<double> edges = histogram_edges(all);
  EXPECT_EQ(edges.front(), std::ranges::min(all));
  EXPECT_EQ(edges.back(), std::ranges::max(all));
  EXPECT_TRUE(std::ranges::is_sorted(edges));
  // The widest interval that the rule allows for a normal distribution of 1000 numbers is 2·1.349 σ/10.
  EXPECT_NEAR(edges[1] - edges[0], 2 * 1.349 * 2 / 10, 0.1);
  const std::string svg = draw_histogram(histogram);
  // Heights are in proportion to counts: their sums for plain and hatched bars are as 900 to 100.
  const auto heights = [&](const std::string& look) {
    const std::size_t begin = svg.find("<g class=\"bars\" " + look);
    const std::string part = svg.substr(begin, svg.find("</g>", begin) - begin);
    double sum = 0;
    const std::regex height(" height=\"([0-9.]+)\"");
    for (std::sregex_iterator at(part.begin(), part.end(), height), end; at != end; ++at) sum += std::stod((*at)[1]);
    return sum;
  };
  EXPECT_NEAR(heights("fill=\"#56a0d3\"") / heights("fill=\"url(#hatched)\""), 9, 0.1);
}

TEST(Histogram, HasAFewIntervalsWhateverTheNumbers) {
  for (const std::vector<double>& numbers :
       {std::vector<double>{1}, {2, 2, 2}, {0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1e9}, {-1e300, 1e300}}) {
    const std::vector<double> edges = histogram_edges(numbers);
    EXPECT_GE(edges.size(), 2U);
    EXPECT_LE(edges.size(), 61U);
    EXPECT_LT(edges.front(), edges.back());
  }
}

TEST(PointCloud, HasAMarkForEachPoint) {
  const PointCloud cloud{"t", "d", {{"x"}}, {{"y"}}, {0, 1, 2, 3}, {1, NAN, 2, 3}, {false, false, true, false}, {}};
  const std::string svg = draw_point_cloud(cloud);
  const auto count = [&](const std::string& pattern) {
    const std::regex of(pattern);
    return std::distance(std::sregex_iterator(svg.begin(), svg.end(), of), std::sregex_iterator());
  };
  EXPECT_EQ(count("h0"), 2);
  EXPECT_EQ(count("<circle"), 1);
  EXPECT_EQ(count("l6 6m-6 0l6 -6"), 1);
}

}  // namespace
}  // namespace dalembert
