// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/integrate/integrate.h"
#include "dalembert/store/file.h"
#include "dalembert/store/run_files.h"
#include "oracles/hand_kernels.h"

namespace dalembert {
namespace {

using namespace oracles;
using testing::HasSubstr;

Trajectory run() {
  const Dynamics dynamics = make_dynamics<SliderCrank>({"theta", "phi", "x"}, {"pin[1]", "pin[2]"});
  return integrate(dynamics, SliderCrank::start(), {.until = 0.3, .output_step = 0.01});
}

// A folder of its own, gone afterwards.
class Store : public testing::Test {
 protected:
  Store() : folder_(std::filesystem::path(testing::TempDir()) / ("store_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Store() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

void expect_same(const Table& table, const Trajectory& path) {
  const auto columns = path.columns();
  ASSERT_EQ(table.names.size(), columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    EXPECT_EQ(table.names[c], columns[c].name);
    ASSERT_EQ(table.columns[c].size(), path.size());
    EXPECT_EQ(std::memcmp(table.columns[c].data(), columns[c].values.data(), path.size() * sizeof(double)), 0)
        << table.names[c];
  }
}

// Truth: what is written is read back bit for bit (shortest round-trip numbers), in the order of docs/command-line.md.
TEST_F(Store, CsvRoundTrips) {
  const Trajectory trajectory = run();
  ASSERT_TRUE(write_csv(trajectory, path("run.csv")).empty());
  const Result<Table> table = read_csv(path("run.csv"));
  ASSERT_TRUE(table);
  expect_same(*table, trajectory);
  EXPECT_EQ(table->series("theta").size(), trajectory.size());
  EXPECT_EQ(table->names.front(), "time");
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Store, JsonRoundTrips) {
  const Trajectory trajectory = run();
  ASSERT_TRUE(write_json(trajectory, path("run.json")).empty());
  const Result<Table> table = read_json(path("run.json"));
  ASSERT_TRUE(table);
  expect_same(*table, trajectory);
  std::ostringstream out;
  write_json(trajectory, out);
  for (const char* part :
       {"\"status\": \"ok\"", "\"holds\": true", "\"conserved\": [", "\"energy/total\": \"J\"", "\"min_rank\": 2"})
    EXPECT_THAT(out.str(), HasSubstr(part));
}

// Truth: RFC 4180: names with commas and quotes are quoted; values that are not numbers survive.
TEST_F(Store, OddNamesAndValues) {
  Trajectory trajectory = run();
  trajectory.names.coordinates[0] = "a,\"b\"";
  trajectory.q[0][1] = std::nan("");
  trajectory.q[0][2] = -INFINITY;
  std::ostringstream out;
  write_csv(trajectory, out);
  const Result<Table> table = parse_csv(make_source("x.csv", out.str()));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->names[1], "q/a,\"b\"");
  EXPECT_TRUE(std::isnan(table->columns[1][1]));
  EXPECT_EQ(table->columns[1][2], -INFINITY);
}

// Truth: files other programs write: carriage returns, a byte order mark, blank lines, spaces, missing values, no last
// line end.
TEST_F(Store, ReadsForeignCsv) {
  const Result<Table> table = parse_csv(make_source("x.csv", "\xEF\xBB\xBFtime,q/x\r\n0, 1\r\n\r\n0.5,\r\n1,+2e-1"));
  ASSERT_TRUE(table) << render(table.diagnostics());
  EXPECT_EQ(table->names, (std::vector<std::string>{"time", "q/x"}));
  EXPECT_EQ(table->rows(), 3u);
  EXPECT_TRUE(std::isnan(table->columns[1][1]));
  EXPECT_EQ(table->columns[1][2], 0.2);
}

// Truth: CONTRIBUTING.md, Failures: an error shows file, line and column of what it is about.
TEST_F(Store, ReadingErrorsHaveAPlace) {
  const auto message = [](const std::string& text) {
    const Result<Table> table = parse_csv(make_source("run.csv", text));
    EXPECT_FALSE(table);
    return table ? std::string() : table.diagnostics()[0].code + " " + render(table.diagnostics());
  };
  EXPECT_THAT(message("time,x\n0,1\n1,abc\n"),
              testing::AllOf(HasSubstr("E0502"), HasSubstr("`abc` is not a number"), HasSubstr("run.csv:3:3")));
  EXPECT_THAT(message("time,x\n0\n"), testing::AllOf(HasSubstr("1 values under 2 names"), HasSubstr("run.csv:2:1")));
  EXPECT_THAT(message("0,1\n2,3\n"), HasSubstr("must name the series"));
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("time,\n1,2\n"), HasSubstr("without a name"));
  EXPECT_FALSE(read_csv(path("missing.csv")));
  EXPECT_THAT(read_csv(path("missing.csv")).diagnostics()[0].message, HasSubstr("No such file"));
  EXPECT_THAT(read_csv(folder_.string()).diagnostics()[0].message, HasSubstr("is a folder"));

  const Result<Table> broken = parse_json(make_source("run.json", "{\"series\":\n {\"time\": [1, 2}}"));
  ASSERT_FALSE(broken);
  EXPECT_THAT(render(broken.diagnostics()), HasSubstr("run.json:2:16"));
  EXPECT_FALSE(parse_json(make_source("run.json", "[1]")));
  EXPECT_FALSE(parse_json(make_source("run.json", R"({"series": {"time": [1], "x": [1, 2]}})")));
  EXPECT_FALSE(parse_json(make_source("run.json", R"({"series": {"time": ["a"]}})")));
  EXPECT_FALSE(parse_json(make_source("run.json", R"({"series": {"time": 3}})")));
}

// Truth: a folder that is not there, a folder in the file's place, a full disk (/dev/full): E0501, and nothing
// half-written.
TEST_F(Store, WritingErrorsAreReported) {
  const Trajectory trajectory = run();
  for (const std::string& where : {path("no/such/folder.csv"), folder_.string(), std::string("/dev/full")}) {
    const Diagnostics diagnostics = write_csv(trajectory, where);
    ASSERT_EQ(diagnostics.size(), 1u) << where;
    EXPECT_EQ(diagnostics[0].code, "E0501");
    EXPECT_THAT(diagnostics[0].message, HasSubstr(where));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// What is written under another name first overwrites nothing: not what a link of that name leads to.
TEST_F(Store, LinksThatWaitAreNotFollowed) {
  std::ofstream(path("precious")) << "precious";
  std::filesystem::create_symlink("precious", path("run.csv." + std::to_string(::getpid()) + ".part"));
  EXPECT_TRUE(write_csv(run(), path("run.csv")).empty());
  std::string kept;
  std::ifstream(path("precious")) >> kept;
  EXPECT_EQ(kept, "precious");
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path("run.csv"))));
}

}  // namespace
}  // namespace dalembert
