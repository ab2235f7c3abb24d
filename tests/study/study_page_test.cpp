// SPDX-License-Identifier: Apache-2.0
// Pages of studies, with rows whose numbers are known from how they were made.
#include "dalembert/study/sweep/study_page.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dalembert {
namespace {

using sweeping::StudyColumn;
using sweeping::StudyHead;
using sweeping::StudyLine;
using sweeping::StudySource;
using ::testing::HasSubstr;
using ::testing::Not;
using ColumnKind = StudyColumn::Kind;

// Runs 0, 1 … of which each seventh failed; the measure is ten times the index.
StudySource rows_of_page(std::int64_t count, const std::string& reason, std::vector<StudyColumn> quantities,
                         const std::string& model = "crank") {
  StudyHead head{{"0123", count, 1, 1}, model, "dalembert 1", std::move(quantities)};
  head.columns.push_back({"peak", "N", ColumnKind::kMeasure, 0});
  std::vector<StudyLine> lines;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool failed = i % 7 == 0;
    StudyLine& line = lines.emplace_back();
    line.index = i;
    for (std::size_t k = 0; k + 1 < head.columns.size(); ++k) line.values.push_back(static_cast<double>(i) / 8);
    line.values.push_back(failed ? NAN : 10.0 * static_cast<double>(i));
    line.holds = !failed;
    line.status = failed ? "failed" : "ok";
    line.reason = failed ? reason : "";
    line.error = 1e-9;
  }
  return {std::move(head), std::move(lines)};
}

std::string page_of(const StudySource& study) {
  const Result<std::string> page = study_page(study, {.command = "dalembert report a.csv"});
  EXPECT_TRUE(page) << render(page.diagnostics());
  return page ? *page : "";
}

TEST(StudyPage, HasNumbersPicturesAndReasons) {
  const std::string page = page_of(rows_of_page(15, "no start", {{"L1", "m", ColumnKind::kVaried, 15}}));
  EXPECT_THAT(page, HasSubstr("15 runs"));
  EXPECT_THAT(page, HasSubstr("3 failed"));
  EXPECT_THAT(page, HasSubstr("12 verdicts hold"));
  EXPECT_THAT(page, HasSubstr("grid of 15 values"));
  // Indices but 0, 7 and 14: the mean is 10·(105 − 21)/12.
  EXPECT_THAT(
      page, HasSubstr("<td class=\"n\">10</td><td class=\"n\">70</td><td class=\"n\">130</td><td class=\"n\">3</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n bad\">3</td><td class=\"n\">0</td><td>no start</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">14</td><td class=\"n\">1.75</td><td>failed</td><td>no start</td>"));
  EXPECT_THAT(page, HasSubstr("<img alt=\"peak of the runs"));
  EXPECT_THAT(page, HasSubstr("dalembert report a.csv"));
}

TEST(StudyPage, SaysThatAllIsWell) {
  StudyHead head{{"0123", 2, 1, 1}, "", "", {{"end", "", ColumnKind::kMeasure, 0}}};
  StudyLine line;
  line.values = {1};
  line.holds = true;
  line.status = "ok";
  const std::string page = page_of({head, {line, line}});
  EXPECT_THAT(page, HasSubstr("Every run came to its end, and every verdict holds."));
  EXPECT_THAT(page, Not(HasSubstr("What was changed")));
}

// Loads nothing, and texts of strangers stay texts.
TEST(StudyPage, HasNoMarkupOfStrangers) {
  const std::string page =
      page_of(rows_of_page(8, "<script>\"&'", {{"<b>", "\"m", ColumnKind::kSampled, 0}}, "</title><script>alert(1)"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;&quot;&amp;"));
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
    return found;
  };
  for (const std::string element : {"table", "div", "section", "figure", "ul", "main", "h3", "tbody"})
    EXPECT_EQ(count("<" + element + ">") + count("<" + element + " "), count("</" + element + ">")) << element;
}

// A page of many runs that failed is no longer than one of a few hundred.
TEST(StudyPage, ListsTheFirstOfManyRuns) {
  const std::string page = page_of(rows_of_page(7000, "no start", {{"k", "", ColumnKind::kSampled, 0}}));
  EXPECT_THAT(page, HasSubstr("1000</td><td class=\"n\">0</td><td>no start"));
  EXPECT_THAT(page, HasSubstr("The first 200 of them."));
  EXPECT_LT(page.size(), 100'000U);
}

TEST(StudyPage, SaysWhyAMeasureHasNoPicture) {
  StudySource all_failed = rows_of_page(1, "no start", {{"k", "", ColumnKind::kVaried, 1}});
  EXPECT_THAT(page_of(all_failed), HasSubstr("No picture: `peak` has no value in any run"));
  const Result<std::string> none = study_page(rows_of_page(0, "", {}));
  EXPECT_THAT(render(none.diagnostics()), HasSubstr("E0502"));
}

}  // namespace
}  // namespace dalembert
