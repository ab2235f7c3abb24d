// SPDX-License-Identifier: Apache-2.0
// Figures as SVG: where things are, what is escaped, which ticks there are.
#include "dalembert/figure/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Figure, TicksAreRound) {
  EXPECT_THAT(axis_ticks(-1, 1, 4), ElementsAre(-1, -0.5, 0, 0.5, 1));
  EXPECT_THAT(axis_ticks(0, 7, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_TRUE(axis_ticks(1, 1, 5).empty());
  EXPECT_TRUE(axis_ticks(0, INFINITY, 5).empty());
  // Never more than about twice as many as asked for, at any scale.
  for (double width = 1e-12; width < 1e12; width *= 3.7) {
    const auto ticks = axis_ticks(-0.3 * width, 0.7 * width, 8);
    EXPECT_GE(ticks.size(), 4U) << width;
    EXPECT_LE(ticks.size(), 16U) << width;
  }
}

// A line from corner to corner of the axes goes from corner to corner of the frame.
TEST(Figure, PointsAreWhereTheAxesSay) {
  Figure figure{.title = "a < b & \"c\"", .description = "d", .x = {{{"x [m]"}}, -2, 2}, .y = {{{"y"}}, 10, 30}};
  figure.curves.push_back({{{{-2, 10}, {2, 30}}}, FigureColor::kBlue, 2, true, "a line"});
  figure.markers.push_back({{{0, 20}}, FigureColor::kOrange, false, ""});
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("x [m]"));
  EXPECT_THAT(svg, HasSubstr("a line"));
  std::smatch frame, line, disk;
  ASSERT_TRUE(std::regex_search(
      svg, frame,
      std::regex(
          "<clipPath id=\"inside\"><rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\"")));
  ASSERT_TRUE(std::regex_search(svg, line, std::regex("d=\"M([0-9.]+) ([0-9.]+)L([0-9.]+) ([0-9.]+)\"")));
  ASSERT_TRUE(std::regex_search(svg, disk, std::regex("<circle cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"")));
  const auto number = [](const std::smatch& match, int k) { return std::stod(match[k].str()); };
  const double left = number(frame, 1), top = number(frame, 2), width = number(frame, 3), height = number(frame, 4);
  // One decimal is written.
  EXPECT_NEAR(number(line, 1), left, 0.11);
  EXPECT_NEAR(number(line, 2), top + height, 0.11);
  EXPECT_NEAR(number(line, 3), left + width, 0.11);
  EXPECT_NEAR(number(line, 4), top, 0.11);
  EXPECT_NEAR(number(disk, 1), left + width / 2, 0.11);
  EXPECT_NEAR(number(disk, 2), top + height / 2, 0.11);
}

TEST(Figure, WhatIsNotFiniteInterruptsACurve) {
  Figure figure{.title = "t", .description = "", .x = {{{"x"}}, 0, 1}, .y = {{{"y"}}, 0, 1}};
  figure.curves.push_back({{{{0, 0}, {0.2, 0.2}, {NAN, 0.3}, {0.6, 0.6}, {1, 1}}}});
  const std::string svg = to_svg(figure);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_TRUE(
      std::regex_search(svg, std::regex("d=\"M[0-9.]+ [0-9.]+L[0-9.]+ [0-9.]+M[0-9.]+ [0-9.]+L[0-9.]+ [0-9.]+\"")));
}

}  // namespace
}  // namespace dalembert
