// SPDX-License-Identifier: Apache-2.0
// Curves as lines of text: where the dots are, how wide the lines are.
#include "dalembert/figure/text_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace dalembert {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Ramp {
  std::vector<double> t{0, 1, 2, 3, 4}, up{0, 1, 2, 3, 4}, down{4, 3, 2, 1, 0};
  Chart chart() const {
    Chart chart;
    chart.x_label = with_unit(typeset_series("time"), "s");
    chart.panels.push_back({with_unit(typeset_series("q/theta"), "rad"), {}, {{t, up, {{"a"}}}, {t, down, {{"b"}}}}});
    return chart;
  }
};

// A ramp begins at the lower left and ends at the upper right; the falling one crosses it.
TEST(TextChart, CurvesAreWhereTheAxesSay) {
  const Ramp ramp;
  const auto lines = lines_of(draw_text(ramp.chart(), {.width = 50, .height = 9, .ascii = true}));
  ASSERT_EQ(lines.size(), 1U + 9 + 3);
  EXPECT_THAT(lines[0], HasSubstr("theta [rad]"));
  EXPECT_THAT(lines[0], HasSubstr("* a"));
  EXPECT_THAT(lines[0], HasSubstr("+ b"));
  const std::size_t side = lines[1].find_first_of("|+");
  EXPECT_EQ(lines[1][side + 1], '+');
  EXPECT_EQ(lines[1].back(), '*');
  EXPECT_EQ(lines[9][side + 1], '*');
  EXPECT_EQ(lines[9].back(), '+');
  EXPECT_THAT(lines[12], HasSubstr("t [s]"));
  for (const std::string& line : lines)
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
}

TEST(TextChart, LinesAreNoWiderThanTheTerminal) {
  const Ramp ramp;
  for (const int width : {1, 40, 61, 80, 200})
    for (const bool ascii : {false, true}) {
      for (const std::string& line : lines_of(draw_text(ramp.chart(), {.width = width, .height = 4, .ascii = ascii}))) {
        const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
        EXPECT_LE(columns, std::max(width, 40)) << line;
      }
    }
  EXPECT_THAT(draw_text(ramp.chart(), {}), HasSubstr("θ [rad]"));
  EXPECT_THAT(draw_text(ramp.chart(), {}), Not(HasSubstr("\033")));
  EXPECT_THAT(draw_text(ramp.chart(), {.color = true}), HasSubstr("\033[34m"));
}

TEST(TextChart, SeriesWithGapsAndWithoutNumbers) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> t{0, 1, 2}, gap{1, none, 1}, nothing{none, none, none};
  for (const std::vector<double>* y : {&gap, &nothing}) {
    Chart chart;
    chart.panels.push_back({{{"y"}}, {}, {{t, *y, {}}}});
    EXPECT_THAT(draw_text(chart, {.height = 3}), Not(HasSubstr("nan")));
  }
}

}  // namespace
}  // namespace dalembert
