// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/partial_run.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dalembert/store/run_files.h"

namespace dalembert {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// x = t³, all other series constant.
void add_rows(Trajectory& path, int count) {
  path.names.coordinates = {"x"};
  path.q.resize(1);
  path.v.resize(1);
  path.a.resize(1);
  for (int i = 0; i < count; ++i) {
    const double t = 0.1 * static_cast<double>(path.time.size());
    path.time.push_back(t);
    path.q[0].push_back(t * t * t);
    path.v[0].push_back(1);
    path.a[0].push_back(0);
    for (auto* energy : {&path.total, &path.kinetic, &path.potential}) energy->push_back(-1.5);
  }
}

class PartialRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "dalembert run XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }
  std::unique_ptr<PartialRun> begin(const std::string& name) const {
    auto run = PartialRun::begin(file(name));
    EXPECT_TRUE(run) << render(run.diagnostics());
    return std::move(run).value();
  }

  std::filesystem::path folder_;
};

// Truth: write_csv of the whole run, byte by byte, though rows are forgotten as soon as they are written.
TEST_F(PartialRunTest, RowsThatAreWrittenMayBeForgotten) {
  Trajectory whole, run;
  const auto partial = begin("run.csv");
  std::size_t most = 0;
  for (int round = 0; round < 10; ++round) {
    add_rows(whole, 9'000);
    Trajectory more = whole;  // the same rows, of which `run` has only the last ones
    for (auto [all, some] : {std::pair(&more.time, &run.time),
                             {&more.total, &run.total},
                             {&more.kinetic, &run.kinetic},
                             {&more.potential, &run.potential}})
      some->insert(some->end(), all->end() - 9'000, all->end());
    run.names = whole.names;
    for (auto [all, some] : {std::pair(&more.q, &run.q), {&more.v, &run.v}, {&more.a, &run.a}}) {
      some->resize(1);
      some->at(0).insert(some->at(0).end(), all->at(0).end() - 9'000, all->at(0).end());
    }
    most = std::max(most, run.size());
    if (partial->add(run)) run.forget_rows();
    EXPECT_EQ(run.rows_of_run(), whole.size());
  }
  EXPECT_LE(most, 20'000u + 9'000u + 2u);
  EXPECT_GT(run.forgotten, 0u);
  EXPECT_TRUE(partial->become(file("run.csv"), run).empty());
  std::ostringstream expected;
  write_csv(whole, expected);
  EXPECT_EQ(text("run.csv"), expected.str());
}

// Truth: write_csv of the whole run, byte by byte, however many rows were added at a time.
TEST_F(PartialRunTest, BecomesTheFileThatWriteCsvWrites) {
  Trajectory path;
  const auto run = begin("run.csv");
  for (const int rows : {1, 20'000, 3, 0, 45'000, 7}) {
    add_rows(path, rows);
    run->add(path);
  }
  EXPECT_TRUE(has("run.csv.partial"));
  EXPECT_FALSE(has("run.csv"));
  // What was due is on disk already: 20,001 rows and then 45,003 more.
  EXPECT_GT(text("run.csv.partial").size(), 65'000u);
  EXPECT_TRUE(run->become(file("run.csv"), path).empty());
  std::ostringstream whole;
  write_csv(path, whole);
  EXPECT_EQ(text("run.csv"), whole.str());
  EXPECT_FALSE(has("run.csv.partial"));
}

// A process that was killed: its file is there, cut off in the middle of a number. The whole rows are kept, under a
// new name each time.
TEST_F(PartialRunTest, KeepsWhatAnEarlierRunLeft) {
  for (const char* kept : {"run.partial.csv", "run.partial-2.csv"}) {
    std::ofstream(file("run.json.partial")) << "time,q/x\n0,1\n0.25,2\n0.5,3.14";
    const auto run = begin("run.json");
    ASSERT_TRUE(run->left());
    EXPECT_EQ(run->left()->rows, 2u);
    EXPECT_EQ(run->left()->until, 0.25);
    EXPECT_EQ(run->left()->path, file(kept));
    EXPECT_EQ(text(kept), "time,q/x\n0,1\n0.25,2\n");
    EXPECT_EQ(text("run.json.partial"), "");
    run->discard();
    EXPECT_FALSE(has("run.json.partial"));
  }
}

// Nothing to keep: no rows, or not even a header.
TEST_F(PartialRunTest, TakesAnEmptyFileOver) {
  for (const char* left : {"", "time,q/x\n", "time,q/x\n0.1"}) {
    std::ofstream(file("run.csv.partial")) << left;
    EXPECT_FALSE(begin("run.csv")->left()) << left;
    EXPECT_EQ(text("run.csv.partial"), "");
    EXPECT_FALSE(has("run.partial.csv"));
  }
}

// Two runs to one output at a time: the second is refused, and the first is not disturbed.
TEST_F(PartialRunTest, IsOfOneRun) {
  Trajectory path;
  const auto first = begin("run.csv");
  add_rows(path, 30'000);
  first->add(path);
  const auto second = PartialRun::begin(file("run.csv"));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.diagnostics()[0].code, "E0501");
  EXPECT_THAT(second.diagnostics()[0].message, HasSubstr("run.csv.partial"));
  EXPECT_TRUE(first->become(file("run.csv"), path).empty());
  EXPECT_TRUE(PartialRun::begin(file("run.csv")));
}

// No folder, or something else in the file's place: said before the run begins.
TEST_F(PartialRunTest, SaysWhatCannotBeWritten) {
  std::filesystem::create_directory(file("run.csv.partial"));
  for (const char* name : {"nowhere/run.csv", "run.csv"}) {
    const auto run = PartialRun::begin(file(name));
    ASSERT_FALSE(run) << name;
    EXPECT_EQ(run.diagnostics()[0].code, "E0501");
  }
}

// The output's place was taken by a folder while the run went on: E0501, and the rows are where the message says.
TEST_F(PartialRunTest, RowsThatCannotBecomeTheOutputStay) {
  Trajectory path;
  const auto run = begin("run.csv");
  add_rows(path, 3);
  std::filesystem::create_directory(file("run.csv"));
  const Diagnostics problems = run->become(file("run.csv"), path);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].code, "E0501");
  ASSERT_EQ(problems[0].notes.size(), 1u);
  EXPECT_THAT(problems[0].notes[0], HasSubstr("t = 0.2 s"));
  EXPECT_THAT(problems[0].notes[0], EndsWith("run.csv.partial`"));
  std::ostringstream whole;
  write_csv(path, whole);
  EXPECT_EQ(text("run.csv.partial"), whole.str());
}

}  // namespace
}  // namespace dalembert
