// SPDX-License-Identifier: Apache-2.0
// Figures of series: ticks, what decimation keeps, where words are, names that nobody would choose.
#include "dalembert/figure/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <regex>

#include "dalembert/figure/decimate.h"

namespace dalembert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// As many decimals as the step needs; large numbers are told in one power of ten.
TEST(Axis, TicksHaveTheDigitsOfTheirStep) {
  EXPECT_THAT(label_ticks(0, 1, 4).texts, ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(label_ticks(-2e6, 2e6, 4).texts, ElementsAre("−2", "−1", "0", "1", "2"));
  EXPECT_EQ(label_ticks(-2e6, 2e6, 4).power, 6);
  EXPECT_EQ(label_ticks(0, 4e-5, 4).power, -5);
  EXPECT_THAT(label_log_ticks(2e-3, 5e2, 9).texts, ElementsAre("10⁻²", "10⁻¹", "10⁰", "10¹", "10²"));
  EXPECT_THAT(label_log_ticks(16, 450, 8).texts, ElementsAre("20", "50", "100", "200"));
  EXPECT_THAT(label_log_ticks(0.3, 0.7, 4).texts, ElementsAre("0.3", "0.4", "0.5", "0.6", "0.7"));
  EXPECT_EQ(figure_number(-1.25e-9, 3), "−1.25×10⁻⁹");
  EXPECT_EQ(figure_number(-0.0, 3), "0");
  // No ticks that differ, but whose texts do not: 1e9 + 0 … 1e9 + 1.
  std::vector<std::string> texts = label_ticks(1e9, 1e9 + 1, 5).texts;
  std::ranges::sort(texts);
  EXPECT_TRUE(std::ranges::adjacent_find(texts) == texts.end());
}

TEST(Axis, MarginsAndRangesOfOddSeries) {
  const std::vector<double> odd{kNaN, 3, -INFINITY, 5, INFINITY};
  EXPECT_EQ(range_of(odd, false).from, 3);
  EXPECT_EQ(range_of(odd, false).to, 5);
  for (const std::vector<double>& values :
       {std::vector<double>{0, 0}, {7, 7}, {1e300, -1e308}, {5e-324, 0}, {1, 1 + 1e-15}, {kNaN}}) {
    const AxisRange range = with_margin(range_of(values, false), 0.06);
    EXPECT_TRUE(std::isfinite(range.from) && std::isfinite(range.to - range.from)) << values[0];
    EXPECT_LT(range.from, range.to) << values[0];
    for (const double value : values)
      if (std::isfinite(value) && std::abs(value) < 1e307) {
        EXPECT_TRUE(range.from <= value && value <= range.to) << value;
      }
  }
}

// Truth: of 99 points each is a dot on a thin line, but for the one without a value; of 100 none is.
TEST(Chart, FewPointsAreShownEach) {
  for (const std::size_t count : {1U, 99U, 100U}) {
    std::vector<double> x(count), y(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = y[i] = static_cast<double>(i);
    if (count > 1) y[50] = kNaN;
    Chart chart;
    chart.panels.push_back({.label = {}, .shorter = {}, .curves = {{x, y, {}}}});
    const std::string svg = draw_chart(chart).svg;
    std::smatch dots;
    const bool few = std::regex_search(svg, dots, std::regex("class=\"rows\"[^>]* d=\"([^\"]*)\""));
    ASSERT_EQ(few, count < 100) << count;
    if (few) EXPECT_EQ(std::ranges::count(dots[1].str(), 'h'), count == 1 ? 1 : 98);
  }
}

// Oracle: the extremes of every pixel column, found by looking at all of its points.
TEST(Decimate, KeepsTheExtremesOfEveryColumn) {
  constexpr int kPoints = 1000000, kColumns = 500;
  std::vector<PixelPoint> points(kPoints);
  std::vector<double> low(kColumns, INFINITY), high(kColumns, -INFINITY);
  for (int i = 0; i < kPoints; ++i) {
    const double x = kColumns * static_cast<double>(i) / kPoints;
    const double y = 100 * std::sin(0.37 * i) * std::cos(1e-5 * i) + (i == 123457 ? 1000 : 0);
    points[static_cast<std::size_t>(i)] = {x, y};
    const auto column = static_cast<std::size_t>(x);
    low[column] = std::min(low[column], y);
    high[column] = std::max(high[column], y);
  }
  const auto pieces = decimate(points);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_LE(pieces[0].size(), 4U * kColumns);
  EXPECT_EQ(pieces[0].front().x, points.front().x);
  EXPECT_EQ(pieces[0].back().x, points.back().x);
  std::vector<double> kept_low(kColumns, INFINITY), kept_high(kColumns, -INFINITY);
  for (const PixelPoint& point : pieces[0]) {
    const auto column = static_cast<std::size_t>(point.x);
    kept_low[column] = std::min(kept_low[column], point.y);
    kept_high[column] = std::max(kept_high[column], point.y);
  }
  EXPECT_EQ(kept_low, low);
  EXPECT_EQ(kept_high, high);
}

// A circle run through a thousand times is drawn about once; backwards in time is a way too.
TEST(Decimate, ClosedCurvesAreDrawnOnce) {
  std::vector<PixelPoint> circle;
  for (int i = 0; i < 200000; ++i)
    circle.push_back(
        {300 + 200 * std::cos(2 * std::numbers::pi * i / 200), 300 + 200 * std::sin(2 * std::numbers::pi * i / 200)});
  std::size_t count = 0;
  for (const auto& piece : decimate(circle)) count += piece.size();
  // 200 stretches a round; round-off may move a point to the next cell, but only so far.
  EXPECT_GE(count, 200U);
  EXPECT_LE(count, 2000U);
  const auto back = decimate({{3, 0}, {2, 1}, {1, 0}});
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].size(), 3U);
}

TEST(Decimate, GapsStayGaps) {
  const auto pieces = decimate({{0, 1}, {10, 2}, {20, kNaN}, {30, 3}, {40, 1e300}, {50, 5}});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].size(), 2U);
  EXPECT_EQ(pieces[2].front().x, 50);
  // Every second value missing: no more pieces than there are columns.
  std::vector<PixelPoint> sieve;
  for (int i = 0; i < 100000; ++i) sieve.push_back({i / 1000.0, i % 2 ? kNaN : i});
  EXPECT_LE(decimate(sieve).size(), 101U);
  EXPECT_TRUE(decimate({}).empty());
}

TEST(RichText, SeriesAsMathematicsWritesThem) {
  EXPECT_EQ(plain_text(typeset_series("q/theta1")), "θ_1");
  EXPECT_EQ(plain_text(typeset_series("v/theta")), "θ\u0307");
  EXPECT_EQ(plain_text(typeset_series("a/x")), "x\u0308");
  EXPECT_EQ(plain_text(with_unit(typeset_series("lambda/pin.x"), "N")), "λ_pin,x [N]");
  EXPECT_EQ(plain_text(typeset_series("lambda/pin[1]")), "λ_pin,1");
  EXPECT_EQ(plain_text(typeset_series("F/alpha")), "F_α");
  EXPECT_EQ(plain_text(typeset_series("energy/kinetic")), "T");
  EXPECT_EQ(plain_text(typeset_series("output/reach")), "reach");
  EXPECT_EQ(plain_text(typeset_series("v/reach")), "reach′");
  EXPECT_EQ(plain_text(typeset_series("time")), "t");
  EXPECT_EQ(typeset_unit("kg*m/s^2"), "kg·m/s²");
  EXPECT_EQ(plain_text(with_unit({{"x"}}, "1")), "x");
  EXPECT_EQ(svg_text(typeset_series("q/theta1"), 10),
            "<tspan font-style=\"italic\">θ</tspan><tspan font-size=\"7.2\" dy=\"2.40\">1</tspan>");
}

// Every open tag is closed, attributes are quoted, no bare & or <: enough to tell XML from what hostile names make of it.
bool well_formed(const std::string& xml) {
  static const std::regex kToken(
      R"(<(/?)([A-Za-z]+)((?:\s+[A-Za-z:_-]+="[^"<]*")*)\s*(/?)>|(&(?:lt|gt|amp|quot);|[^<&]))", std::regex::optimize);
  std::vector<std::string> open;
  auto at = xml.cbegin();
  for (std::smatch match; at != xml.cend(); at = match[0].second) {
    if (!std::regex_search(at, xml.cend(), match, kToken, std::regex_constants::match_continuous)) return false;
    if (!match[2].matched) {
      const auto c = static_cast<unsigned char>(*match[0].first);
      if (c < 0x20 && c != '\n' && c != '\t') return false;
      continue;
    }
    const std::string name = match[2].str();
    if (match[1].length() > 0) {
      if (open.empty() || open.back() != name) return false;
      open.pop_back();
    } else if (match[4].length() == 0) {
      open.push_back(name);
    }
  }
  return open.empty();
}

// Curves that cross and end together.
struct Sample {
  std::vector<double> t;
  std::vector<std::vector<double>> y;
  explicit Sample(std::size_t curves) : y(curves) {
    for (int i = 0; i <= 400; ++i) {
      t.push_back(0.025 * i);
      for (std::size_t c = 0; c < curves; ++c)
        y[c].push_back((1 + static_cast<double>(c)) * std::sin(t.back() * (1 + 0.2 * static_cast<double>(c))));
    }
  }
  Chart chart(std::size_t panels) const {
    Chart chart;
    chart.x_label = with_unit(typeset_series("time"), "s");
    chart.x_unit = "s";
    for (std::size_t p = 0; p < panels; ++p) {
      chart.panels.push_back({with_unit(typeset_series("v/theta"), "rad/s"), {{"rad/s"}}, {}});
      for (std::size_t c = 0; c < y.size(); ++c)
        chart.panels[p].curves.push_back({t, y[c], typeset_series("lambda/pin[" + std::to_string(c) + "]")});
    }
    return chart;
  }
};

void expect_no_overlap(const ChartDrawing& drawing) {
  for (std::size_t i = 0; i < drawing.labels.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(drawing.labels[i].overlaps(drawing.labels[j])) << "labels " << j << " and " << i;
}

// The boxes are those that the texts take with the widest of the fonts; the page is as large as its labels need.
TEST(Chart, NoLabelOverlapsAnotherOrLeavesThePage) {
  for (const std::size_t curves : {1U, 2U, 5U, 30U})
    for (const std::size_t panels : {1U, 2U, 4U})
      for (const bool peaks : {false, true}) {
        const Sample sample(curves);
        Chart chart = sample.chart(panels);
        chart.mark_peaks = peaks;
        const ChartDrawing drawing = draw_chart(chart);
        SCOPED_TRACE(std::to_string(curves) + " curves, " + std::to_string(panels) + " panels");
        expect_no_overlap(drawing);
        std::smatch size;
        ASSERT_TRUE(std::regex_search(drawing.svg, size, std::regex("viewBox=\"0 0 ([0-9]+) ([0-9]+)\"")));
        for (const Box& box : drawing.labels) {
          EXPECT_GE(box.left, 0);
          EXPECT_GE(box.top, 0);
          EXPECT_LE(box.right, std::stod(size[1].str()));
          EXPECT_LE(box.bottom, std::stod(size[2].str()));
        }
      }
}

// One power of ten above each axis, beside everything else.
TEST(Chart, PowersOfTenAndLogarithms) {
  Sample sample(2);
  for (double& y : sample.y[0]) y *= 1e7;
  Chart chart = sample.chart(3);
  const ChartDrawing linear = draw_chart(chart);
  expect_no_overlap(linear);
  EXPECT_THAT(linear.svg, HasSubstr("×10"));
  chart.log_y = true;
  const ChartDrawing logarithmic = draw_chart(chart);
  expect_no_overlap(logarithmic);
  EXPECT_THAT(logarithmic.svg, HasSubstr("magnitude of "));
  EXPECT_THAT(logarithmic.svg, Not(HasSubstr("nan")));
}

// Extremes of curves lie within the frame, and not on it: the least distance is 6 % of the range at each end.
TEST(Chart, CurvesKeepAwayFromTheFrame) {
  const Sample sample(1);
  const ChartDrawing drawing = draw_chart(sample.chart(1));
  const Box& frame = drawing.frames.at(0);
  std::smatch path;
  ASSERT_TRUE(
      std::regex_search(drawing.svg, path, std::regex("<g class=\"curves\"[^>]*>\\s*<path[^>]* d=\"([^\"]*)\"")));
  const std::string d = path[1].str();
  const std::regex point("[ML]([-0-9.]+) ([-0-9.]+)");
  double top = INFINITY, bottom = -INFINITY;
  for (auto it = std::sregex_iterator(d.begin(), d.end(), point); it != std::sregex_iterator(); ++it) {
    top = std::min(top, std::stod((*it)[2].str()));
    bottom = std::max(bottom, std::stod((*it)[2].str()));
  }
  const double room = 0.06 / 1.12 * (frame.bottom - frame.top);
  EXPECT_NEAR(top, frame.top + room, 0.02);
  EXPECT_NEAR(bottom, frame.bottom - room, 0.02);
}

TEST(Chart, HostileNamesStayText) {
  const Sample sample(2);
  for (const std::string& name :
       {std::string("<script>alert(1)</script>"), std::string("a\"b'c&d]]></svg>"), std::string("\x01\x02\x1f\x7f"),
        std::string("\xff\xfe\xc3"), std::string(10000, 'x'), std::string("\u202e\u05d0\u05d1"),
        std::string("🛷🛷"), std::string("\\href{javascript:0}{x}"), std::string("")}) {
    Chart chart = sample.chart(1);
    chart.title = chart.description = name;
    for (ChartCurve& curve : chart.panels[0].curves) curve.name = typeset_series("q/" + name);
    chart.panels[0].label = typeset_series(name);
    const ChartDrawing drawing = draw_chart(chart);
    EXPECT_TRUE(well_formed(drawing.svg)) << name.substr(0, 40);
    EXPECT_THAT(drawing.svg, Not(HasSubstr("<script")));
  }
  EXPECT_FALSE(well_formed("<a><b></a>"));
}

TEST(Chart, SeriesWithoutNumbersOrWithOneValue) {
  const std::vector<double> t{0, 1, 2}, nothing{kNaN, kNaN, kNaN}, one{kNaN, 4, kNaN}, same{2, 2, 2};
  for (const std::vector<double>* y : {&nothing, &one, &same}) {
    Chart chart;
    chart.panels.push_back({{{"y"}}, {{"y"}}, {{t, *y, {}}}});
    chart.mark_peaks = true;
    const ChartDrawing drawing = draw_chart(chart);
    EXPECT_TRUE(well_formed(drawing.svg));
    EXPECT_THAT(drawing.svg, Not(HasSubstr("nan")));
  }
}

TEST(Chart, MarksRunsAndHasANote) {
  const std::vector<double> x{0, 1, 2}, y{1, kNaN, 3};
  Chart chart;
  chart.panels = {{{{"y"}}, {{"y"}}, {{x, y, {}}}, {{1, kNaN}, {2, 3}, {9, 9}}}};
  chart.note = "× failed: 1 run";
  const ChartDrawing drawing = draw_chart(chart);
  EXPECT_THAT(drawing.svg, HasSubstr("× failed: 1 run"));
  std::smatch cross, ring;
  ASSERT_TRUE(std::regex_search(drawing.svg, cross, std::regex("class=\"cross\" d=\"M([0-9.]+) ([0-9.]+)")));
  ASSERT_TRUE(std::regex_search(drawing.svg, ring, std::regex("class=\"ring\" cx=\"([0-9.]+)\" cy=\"([0-9.]+)\"")));
  // The cross is at the bottom, halfway; the ring at the end of the curve; what is outside has none.
  const Box& frame = drawing.frames[0];
  EXPECT_NEAR(std::stod(cross[1]) + 3, (frame.left + frame.right) / 2, 0.02);
  EXPECT_NEAR(std::stod(cross[2]), frame.bottom - 9, 0.02);
  EXPECT_NEAR(std::stod(ring[1]), frame.right, 0.02);
  EXPECT_EQ(drawing.svg.find("class=\"ring\"", static_cast<std::size_t>(ring.position()) + 5), std::string::npos);
}

}  // namespace
}  // namespace dalembert
