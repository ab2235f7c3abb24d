// SPDX-License-Identifier: Apache-2.0
// Pictures of studies: which kind is drawn of what, with numbers that are known from how the rows were made.
#include "dalembert/study/sweep/study_plot.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/figure/rich_text.h"
#include "dalembert/study/sweep/study_output.h"

namespace dalembert {
namespace {

using sweeping::StudyColumn;
using sweeping::StudyHead;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Kind = StudyColumn::Kind;

class StudyPlots : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "dalembert-plot-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/study.csv"; }

  // A study whose measure `peak` is `value` of the index; runs that are multiples of 7 failed, those with remainder 3 do not hold.
  void make(const std::vector<StudyColumn>& quantities, std::int64_t samples, bool flawless,
            const std::function<double(std::int64_t)>& value) const {
    StudyHead head{{"id", samples, 1, 1}, "m & m", "p", quantities};
    for (const StudyColumn& column : quantities)
      if (column.kind == Kind::kVaried) head.mark.runs *= column.count;
    head.columns.push_back({"peak", "N", Kind::kMeasure, 0});
    std::ofstream(path() + ".log") << head.text();
    const Diagnostics problems = sweeping::write_study(path(), head, [&](const sweeping::TakeRow& take) {
      const std::vector<std::int64_t> shape = head.shape();
      for (std::int64_t i = 0; i < head.mark.runs; ++i) {
        std::vector<std::int64_t> at(shape.size());
        std::int64_t rest = i;
        for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) at[k] = rest % shape[k];
        std::string row = std::to_string(i);
        for (std::size_t k = 0; k < quantities.size(); ++k)
          row += fmt::format(",{}", k < at.size() ? static_cast<double>(at[k]) / 10 : 0.0);
        const bool failed = !flawless && i % 7 == 0, doubtful = !flawless && i % 7 == 3;
        if (!take(row + fmt::format(",{},{},{},1e-9,", failed ? NAN : value(i), failed || doubtful ? 0 : 1,
                                    failed ? "failed" : "ok")))
          break;
      }
      return true;
    });
    EXPECT_TRUE(problems.empty()) << render(problems);
  }
  StudyPlot plot(const StudyPlotRequest& request) const {
    Result<StudyPlot> plot = plot_study(path(), request);
    EXPECT_TRUE(plot) << render(plot.diagnostics());
    return plot ? *std::move(plot) : StudyPlot{};
  }
  std::string refusal(const StudyPlotRequest& request) const {
    const Result<StudyPlot> plot = plot_study(path(), request);
    return plot ? "" : render(plot.diagnostics());
  }

 private:
  std::string folder_;
};

double index_of(std::int64_t i) { return static_cast<double>(i); }
std::size_t occurrences(const std::string& text, const std::string& pattern) {
  const std::regex of(pattern);
  return static_cast<std::size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), of), {}));
}

const StudyColumn kL1{"L1", "m", Kind::kVaried, 5}, kK{"k", "N/m", Kind::kVaried, 4},
    kMass{"mass", "kg", Kind::kSampled, 0};

TEST_F(StudyPlots, OfTwoVariedQuantitiesAreMaps) {
  make({kL1, kK}, 1, false, index_of);
  const StudyPlot map = plot({.measure = "peak"});
  // Of 20 runs 0, 7 and 14 failed, 3, 10 and 17 do not hold; the others' mean is (190 − 21)/17.
  EXPECT_THAT(map.json.text(),
              AllOf(HasSubstr("\"kind\": \"map\""), HasSubstr("\"failed\": 3"), HasSubstr("\"not_holding\": 3"),
                    HasSubstr("\"x\": \"L1\""), HasSubstr("\"y\": \"k\""), HasSubstr("\"unit\": \"N\""),
                    HasSubstr("\"min\": 1,"), HasSubstr("\"max\": 19,"),
                    HasSubstr(fmt::format("\"mean\": {}", (190.0 - 21) / 17))));
  EXPECT_THAT(map.svg, AllOf(HasSubstr("failed: 3 runs"), HasSubstr("verdict does not hold: 3 runs"),
                             HasSubstr("[N/m]"), HasSubstr("m &amp; m: peak over L1 and k")));
  EXPECT_EQ(occurrences(map.svg, "H[0-9.]+V[0-9.]+H[0-9.]+z"), 20U);
  // The other way round on request.
  EXPECT_THAT(plot({.measure = "peak", .x = "k", .y = "L1"}).json.text(), HasSubstr("\"x\": \"k\""));
}

// The quantities of a grid are 0, 0.1, … rad, the measure the index of the run in N: its own unit stays.
TEST_F(StudyPlots, ShowAnglesInDegrees) {
  const StudyColumn angle{"alpha", "rad", Kind::kVaried, 5};
  make({angle, kK}, 1, true, index_of);
  const StudyPlot map = plot({.measure = "peak", .degrees = true});
  EXPECT_THAT(map.svg, AllOf(HasSubstr("[deg]"), HasSubstr("[N/m]")));
  EXPECT_THAT(map.json.text(), AllOf(HasSubstr("\"unit\": \"N\""), HasSubstr("\"max\": 19,")));
  // An angle as the measure: 0.4 rad are 22.918… degrees, and so are the limits that are asked for.
  const StudyPlot points = plot({.measure = "alpha", .x = "k", .range = {{0, 25}}, .degrees = true});
  EXPECT_THAT(points.json.text(), AllOf(HasSubstr("\"unit\": \"deg\""), HasSubstr("\"max\": 22.9183118052329")));
  make({kL1, kK}, 1, true, index_of);
  EXPECT_THAT(refusal({.measure = "peak", .degrees = true}), HasSubstr("`--degrees` has nothing to change"));
  EXPECT_THAT(plot({.measure = "peak"}).svg, Not(HasSubstr("[deg]")));
}

TEST_F(StudyPlots, HaveALineForEachValueOfASecondQuantity) {
  make({kL1, kK}, 1, false, index_of);
  const StudyPlot lines = plot({.measure = "peak", .x = "L1"});
  EXPECT_THAT(lines.json.text(), HasSubstr("\"kind\": \"lines\""));
  EXPECT_EQ(occurrences(lines.svg, "class=\"sample\""), 4U);
  EXPECT_EQ(occurrences(lines.svg, "class=\"cross\""), 3U);  // at three places
  EXPECT_EQ(occurrences(lines.svg, "class=\"ring\""), 3U);
  EXPECT_THAT(lines.svg, AllOf(HasSubstr("= 0.3 N/m"), HasSubstr("× failed: 3 runs")));
  StudyColumn many = kK;
  many.count = 30;
  make({kL1, many}, 1, true, index_of);
  const StudyPlot few = plot({.measure = "peak", .x = "L1"});
  EXPECT_EQ(occurrences(few.svg, "class=\"sample\""), 7U);
  EXPECT_THAT(few.svg, HasSubstr("7 of 30 values of k"));
}

TEST_F(StudyPlots, OfOneVariedQuantityAreALineOrQuantiles) {
  make({kL1}, 1, true, index_of);
  EXPECT_EQ(occurrences(plot({.measure = "peak"}).svg, "class=\"sample\""), 0U);
  // Samples at each point: 101 numbers from 0 to 100, whose 5 % and 95 % quantiles are 5 and 95.
  make({kL1, kMass}, 101, true, [](std::int64_t i) { return static_cast<double>(i % 101); });
  const StudyPlot quantiles = plot({.measure = "peak"});
  EXPECT_EQ(occurrences(quantiles.svg, "class=\"sample\""), 3U);
  EXPECT_THAT(quantiles.svg, AllOf(HasSubstr("95 %"), HasSubstr("median"), HasSubstr("5 %")));
  // The three lines are level, and the middle one is halfway.
  std::vector<double> heights;
  const std::size_t begin = quantiles.svg.find("class=\"curves\"");
  const std::string curves = quantiles.svg.substr(begin, quantiles.svg.find("</g>", begin) - begin);
  const std::regex line("d=\"M[0-9.]+ ([0-9.]+)L");
  for (std::sregex_iterator at(curves.begin(), curves.end(), line), end; at != end; ++at)
    heights.push_back(std::stod((*at)[1]));
  ASSERT_EQ(heights.size(), 3U);
  EXPECT_NEAR(heights[1], (heights[0] + heights[2]) / 2, 0.02);
  EXPECT_LT(heights[0], heights[2]);
}

TEST_F(StudyPlots, OfSamplesAreHistogramsOrPoints) {
  make({kMass}, 100, false, index_of);
  const StudyPlot histogram = plot({.measure = "peak"});
  EXPECT_THAT(histogram.json.text(), AllOf(HasSubstr("\"kind\": \"histogram\""), HasSubstr("\"x\": null")));
  EXPECT_THAT(histogram.svg, AllOf(HasSubstr("85 runs: mean"), HasSubstr("failed: 15 runs")));
  const StudyPlot points = plot({.measure = "peak", .x = "mass"});
  EXPECT_THAT(points.json.text(), HasSubstr("\"kind\": \"points\""));
  EXPECT_EQ(occurrences(points.svg, "h0"), 100U - 15 - 14);
}

// What stands below a histogram fits into the picture, with the longest numbers as well.
TEST_F(StudyPlots, LongNumbersBeginARow) {
  make({kMass}, 1000, true, [](std::int64_t index) { return 1.2345678e-5 * static_cast<double>(index + 1234); });
  const std::string svg = plot({.measure = "peak"}).svg;
  std::smatch size;
  ASSERT_TRUE(std::regex_search(svg, size, std::regex("width=\"([0-9]+)\"")));
  const std::regex text("<text x=\"([0-9.]+)\"[^>]*text-anchor=\"start\"[^>]*>([^<]*)<");
  int texts = 0;
  for (auto at = std::sregex_iterator(svg.begin(), svg.end(), text); at != std::sregex_iterator(); ++at, ++texts)
    EXPECT_LT(std::stod((*at)[1]) + text_width((*at)[2].str(), 12), std::stod(size[1])) << (*at)[2];
  EXPECT_GE(texts, 2);
}

TEST_F(StudyPlots, OfMoreQuantitiesAreMeansOverTheOthers) {
  make({kL1, kK, {"theta'", "rad/s", Kind::kVaried, 3}}, 1, true, index_of);
  EXPECT_THAT(refusal({.measure = "peak"}), AllOf(HasSubstr("E0403"), HasSubstr("-x L1 -y k")));
  EXPECT_THAT(plot({.measure = "peak", .x = "L1", .y = "k"}).svg, HasSubstr("cells are means of 3 runs"));
}

// A thousand values become as many cells as a picture can show.
TEST_F(StudyPlots, OfManyValuesHaveFewerCells) {
  make({{"a", "", Kind::kVaried, 401}, {"b", "", Kind::kVaried, 7}}, 1, true, index_of);
  const StudyPlot map = plot({.measure = "peak"});
  EXPECT_EQ(occurrences(map.svg, "H[0-9.]+V[0-9.]+H[0-9.]+z"), 134U * 7);
  EXPECT_THAT(map.svg, HasSubstr("cells are means of up to 3 runs"));
}

TEST_F(StudyPlots, SayWhatCannotBeDrawn) {
  make({kL1, kMass}, 4, true, index_of);
  EXPECT_THAT(refusal({.measure = "peek"}), AllOf(HasSubstr("E0412"), HasSubstr("did you mean `peak`?")));
  EXPECT_THAT(refusal({.measure = "peak", .x = "L2"}), HasSubstr("did you mean `L1`?"));
  EXPECT_THAT(refusal({.measure = "peak", .y = "L1"}), HasSubstr("`-y` without `-x`"));
  EXPECT_THAT(refusal({.measure = "peak", .x = "L1", .y = "mass"}), HasSubstr("`mass` is not varied on a grid"));
  EXPECT_THAT(refusal({.measure = "peak", .x = "L1", .y = "L1"}), HasSubstr("both axes"));
  EXPECT_THAT(refusal({.measure = "peak", .x = "mass", .logarithmic = true}), HasSubstr("for maps and lines"));
  make({kL1}, 1, true, [](std::int64_t) { return NAN; });
  EXPECT_THAT(refusal({.measure = "peak"}), AllOf(HasSubstr("E0502"), HasSubstr("no value in any run")));
  make({kL1}, 1, true, [](std::int64_t) { return 0.0; });
  EXPECT_THAT(refusal({.measure = "peak", .logarithmic = true}), HasSubstr("it is 0"));
}

TEST_F(StudyPlots, OfAFileWithoutItsLogNeedAxes) {
  make({kL1, kK}, 1, true, index_of);
  std::filesystem::remove(path() + ".log");
  EXPECT_THAT(refusal({.measure = "peak"}), HasSubstr("says what was varied"));
  const StudyPlot map = plot({.measure = "peak", .x = "L1", .y = "k"});
  EXPECT_EQ(occurrences(map.svg, "H[0-9.]+V[0-9.]+H[0-9.]+z"), 20U);
  EXPECT_THAT(map.svg, Not(HasSubstr("[N]")));
}

}  // namespace
}  // namespace dalembert
