// SPDX-License-Identifier: Apache-2.0
// Files of studies: NetCDF files hold the rows of the CSV file, however many there are and whatever their dimensions.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/analyze/run_options.h"
#include "dalembert/modelfile/load.h"
#include "dalembert/store/netcdf.h"
#include "dalembert/study/sweep/study_output.h"
#include "dalembert/study/sweep/sweep_run.h"
#include "folder.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using sweeping::StudyColumn;
using sweeping::StudyHead;
using sweeping::StudyLine;
using testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Failed runs are among them: a connecting rod of 1 cm reaches no start.
Sweep sweep_of_rods(bool grid) {
  Result<Model> model = load_model_file(source_tree() + "/models/slider-crank.toml");
  EXPECT_TRUE(model) << render(model.diagnostics());
  StudyStatement study;
  study.vary = {{"L2", MappedText::of("0.01, 0.4, 0.5"), {}}};
  if (!grid) study.vary.clear();
  study.sample = {{"theta'", MappedText::of("uniform(1, 6)"), {}}};
  study.runs = 20;
  study.measure = {{"peak", MappedText::of("max(abs(lambda(pin[1])))"), {}}};
  SimulationSettings settings = model->simulation;
  settings.until = 0.2;
  Result<Sweep> sweep = Sweep::prepare(*model, study, {}, *run_options(settings, *model, 0));
  EXPECT_TRUE(sweep) << render(sweep.diagnostics());
  return *std::move(sweep);
}

struct ReadStudy {
  StudyHead head;
  std::vector<StudyLine> lines;
  std::string problems;
};
ReadStudy read_study(const std::string& path) {
  ReadStudy study;
  const Diagnostics problems = sweeping::visit_study(
      path, [&](const StudyHead& head) { study.head = head; },
      [&](const StudyLine& line) {
        study.lines.push_back(line);
        return true;
      });
  study.problems = render(problems);
  return study;
}

class StudyFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (const Diagnostics missing = require_netcdf("a.nc", ""); !missing.empty()) GTEST_SKIP() << render(missing);
  }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  const Folder folder_;
};

void expect_same(const ReadStudy& a, const ReadStudy& b) {
  ASSERT_EQ(a.problems + b.problems, "");
  EXPECT_EQ(a.head.text(), b.head.text());
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (std::size_t k = 0; k < a.lines.size(); ++k) {
    const StudyLine &x = a.lines[k], &y = b.lines[k];
    ASSERT_THAT(x.values, testing::Pointwise(testing::NanSensitiveDoubleEq(), y.values)) << k;
    ASSERT_THAT(x.error, testing::NanSensitiveDoubleEq(y.error));
    ASSERT_EQ(std::tie(x.index, x.holds, x.status, x.reason), std::tie(y.index, y.holds, y.status, y.reason)) << k;
  }
}

TEST_F(StudyFiles, HoldTheSameRowsAsNetcdfAndAsCsv) {
  for (const bool grid : {true, false}) {
    const Sweep sweep = sweep_of_rods(grid);
    const std::string name = grid ? "grid" : "samples";
    ASSERT_TRUE(run_sweep(sweep, {.output = file(name + ".csv"), .program = "p"}));
    ASSERT_TRUE(run_sweep(sweep, {.output = file(name + ".nc"), .program = "p"}));
    const ReadStudy csv = read_study(file(name + ".csv")), nc = read_study(file(name + ".nc"));
    expect_same(csv, nc);
    EXPECT_EQ(nc.head.model, "slider-crank");
    EXPECT_EQ(nc.head.last_dimension(), "sample");
    if (grid) EXPECT_THAT(nc.lines[0].reason, HasSubstr("no consistent start"));
  }
}

// Blocks are boxes of up to 16,384 rows: shapes below, at and beyond that in each dimension, with lengths that do not divide.
TEST_F(StudyFiles, OfAnyShapeKeepEveryRowInItsPlace) {
  const std::vector<std::vector<std::int64_t>> shapes{{1}, {16'400}, {2, 16'385}, {130, 131}, {9'000, 2}, {7, 11, 250}};
  for (const auto& shape : shapes) {
    StudyHead head{{"id", 1, 1, 1}, "m", "p", {}};
    for (std::size_t k = 0; k < shape.size(); ++k) {
      head.columns.push_back({fmt::format("q{}", k), "", StudyColumn::Kind::kVaried, shape[k]});
      head.mark.runs *= shape[k];
    }
    head.columns.push_back({"y", "N", StudyColumn::Kind::kMeasure, 0});
    const Diagnostics problems = sweeping::write_study(file("a.nc"), head, [&](const sweeping::TakeRow& take) {
      for (std::int64_t i = 0; i < head.mark.runs; ++i) {
        std::string row = std::to_string(i);
        std::vector<std::int64_t> at(shape.size());
        std::int64_t rest = i;
        for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) at[k] = rest % shape[k];
        for (const std::int64_t k : at) row += fmt::format(",{}", k);
        if (!take(row + fmt::format(",{},{},{},1e-9,{}", i * 0.5, i % 2, i % 3 == 0 ? "failed" : "ok",
                                    i % 5 == 0 ? "\"a, b\"" : "")))
          return true;
      }
      return true;
    });
    ASSERT_TRUE(problems.empty()) << render(problems);
    const ReadStudy study = read_study(file("a.nc"));
    ASSERT_EQ(study.problems, "");
    ASSERT_EQ(static_cast<std::int64_t>(study.lines.size()), head.mark.runs);
    for (std::int64_t i = 0; i < head.mark.runs; ++i) {
      const StudyLine& line = study.lines[static_cast<std::size_t>(i)];
      ASSERT_EQ(line.index, i);
      std::int64_t rest = i;
      for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k])
        ASSERT_EQ(line.values[k], static_cast<double>(rest % shape[k])) << i;
      ASSERT_EQ(line.values.back(), static_cast<double>(i) * 0.5);
      ASSERT_EQ(line.holds, i % 2 == 1);
      ASSERT_EQ(line.status, i % 3 == 0 ? "failed" : "ok");
      ASSERT_EQ(line.reason, i % 5 == 0 ? "a, b" : "");
    }
  }
}

TEST_F(StudyFiles, AsNetcdfHaveTheSameBytesByAnyThreadsShardsAndInterruptions) {
  const Sweep sweep = sweep_of_rods(true);
  ASSERT_TRUE(run_sweep(sweep, {.threads = 1, .output = file("whole.nc")}));
  const std::string whole = bytes_of(file("whole.nc"));
  ASSERT_FALSE(whole.empty());
  ASSERT_TRUE(run_sweep(sweep, {.threads = 3, .output = file("three.nc")}));
  EXPECT_EQ(bytes_of(file("three.nc")), whole);
  std::vector<std::string> shards;
  for (int k = 1; k <= 4; ++k) {
    shards.push_back(file(fmt::format("part{}.csv", k)));
    ASSERT_TRUE(run_sweep(sweep, {.shard = k, .shards = 4, .output = shards.back()}));
  }
  const Result<SweepOutcome> merged = merge_sweeps(shards, file("merged.nc"));
  ASSERT_TRUE(merged) << render(merged.diagnostics());
  EXPECT_EQ(merged->count.failed, 20);
  EXPECT_EQ(bytes_of(file("merged.nc")), whole);

  SweepJob job{.threads = 1, .output = file("parts.nc")};
  job.progress = [](const SweepCount& count) { return count.made() - count.earlier < 10; };
  for (int calls = 0; !std::filesystem::exists(file("parts.nc")); ++calls) {
    ASSERT_LT(calls, 60);
    const Result<SweepOutcome> outcome = run_sweep(sweep, job);
    ASSERT_TRUE(outcome) << render(outcome.diagnostics());
  }
  EXPECT_EQ(bytes_of(file("parts.nc")), whole);
  EXPECT_FALSE(std::filesystem::exists(file("parts.nc.parts")));
  // The file counts as made, and its counts are those of its rows.
  const Result<SweepOutcome> again = run_sweep(sweep, {.output = file("parts.nc")});
  ASSERT_TRUE(again) << render(again.diagnostics());
  EXPECT_EQ(again->count.earlier, 60);
  EXPECT_EQ(again->count.failed, 20);
  EXPECT_EQ(again->count.holds, 40);

  std::filesystem::remove(shards[1]);
  shards.erase(shards.begin() + 1);
  EXPECT_THAT(render(merge_sweeps(shards, file("gap.nc")).diagnostics()), HasSubstr("run 1 is in none of the files"));
  EXPECT_FALSE(std::filesystem::exists(file("gap.nc")));
  std::filesystem::remove(shards[0] + ".log");
  EXPECT_THAT(render(merge_sweeps({shards[0]}, file("gap.nc")).diagnostics()), HasSubstr("which columns"));
}

TEST_F(StudyFiles, RefuseNamesThatTheyCannotHold) {
  const auto refusal = [&](const char* name, StudyColumn::Kind kind) {
    StudyHead head{{"id", 2, 1, 1}, "m", "p", {{"k", "", StudyColumn::Kind::kSampled, 0}, {name, "", kind, 0}}};
    return render(sweeping::check_output(file("a.nc"), head));
  };
  EXPECT_THAT(refusal("sample", StudyColumn::Kind::kMeasure), HasSubstr("E0426"));
  EXPECT_THAT(refusal("k", StudyColumn::Kind::kMeasure), HasSubstr("two meanings"));
  EXPECT_THAT(refusal("a/b", StudyColumn::Kind::kMeasure), HasSubstr("cannot be called `a/b`"));
  EXPECT_EQ(refusal("run", StudyColumn::Kind::kMeasure), "");
  EXPECT_EQ(refusal("dot(theta)", StudyColumn::Kind::kSampled), "");
}

// A log that does not fit its rows says so, instead of a file with some of them.
TEST_F(StudyFiles, WithMoreOrFewerRowsThanTheirShapeAreNotWritten) {
  const StudyHead head{{"id", 3, 1, 1}, "m", "p", {{"k", "", StudyColumn::Kind::kVaried, 3}}};
  const auto written = [&](int rows) {
    return render(sweeping::write_study(file("a.nc"), head, [&](const sweeping::TakeRow& take) {
      for (int i = 0; i < rows; ++i)
        if (!take(fmt::format("{0},{0},1,ok,1e-9,", i))) break;
      return true;
    }));
  };
  EXPECT_THAT(written(2), HasSubstr("rows are missing"));
  EXPECT_THAT(written(4), HasSubstr("more rows than"));
  EXPECT_FALSE(std::filesystem::exists(file("a.nc")));
  EXPECT_EQ(written(3), "");
}

TEST_F(StudyFiles, OfAnotherKindAreRefused) {
  std::ofstream(file("run.csv")) << "time,q/theta\n0,1\n";
  EXPECT_THAT(read_study(file("run.csv")).problems, HasSubstr("is no file of `dalembert sweep`"));
  std::ofstream(file("broken.csv")) << "index,k,y,holds,status,error,reason\n0,1,2,1,ok,1e-9,\n1,1,oops,1,ok,1e-9,\n";
  EXPECT_THAT(read_study(file("broken.csv")).problems, HasSubstr("line 3"));
  NetcdfHead head{{{"n", 1}}, {{"x", NetcdfType::kNumber, {0}}}};
  {
    Result<std::unique_ptr<NetcdfWriter>> writer = NetcdfWriter::create(file("other.nc"), "other.nc", head);
    ASSERT_TRUE(writer) << render(writer.diagnostics());
    EXPECT_EQ((*writer)->close(), "");
  }
  EXPECT_THAT(read_study(file("other.nc")).problems, HasSubstr("it lacks error, holds, status or reason"));
}

}  // namespace
}  // namespace dalembert
