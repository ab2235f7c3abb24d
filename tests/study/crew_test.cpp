// SPDX-License-Identifier: Apache-2.0
// Runs of a study by several processes, here threads with messages in memory: whoever dies, and whenever, the rows are those of one process.
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dalembert/modelfile/load.h"
#include "dalembert/study/sweep/crew.h"
#include "dalembert/study/sweep/sweep_run.h"
#include "folder.h"
#include "source_tree.h"

namespace dalembert {
namespace {

using sweeping::Crew;
using sweeping::CrewMember;
using sweeping::Deal;
using sweeping::Letter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Deal deal_of(std::int64_t runs, int processes) {
  return {0, 1, runs, [](std::int64_t) { return false; }, runs, processes};
}

TEST(Deal, GivesNewRunsInAscendingOrder) {
  Deal deal(
      1, 3, 11, [](std::int64_t index) { return index == 4; }, 3, 2);  // 1, 7, 10
  EXPECT_THAT(deal.take(0, 2), ElementsAre(1, 7));
  EXPECT_THAT(deal.take(1, 2), ElementsAre(10));
}

// Process 1 dies with what it has: process 0 makes all of it, and is told of each run once.
TEST(Deal, GivesAgainWhatHasNotComeBack) {
  Deal deal = deal_of(6, 2);
  EXPECT_THAT(deal.take(1, 5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_TRUE(deal.made(1, 1));
  EXPECT_THAT(deal.take(0, 1), ElementsAre(5));
  EXPECT_THAT(deal.take(0, 2), ElementsAre(0, 2));
  EXPECT_THAT(deal.take(0, 9), ElementsAre(3, 4));
  EXPECT_THAT(deal.take(0, 9), IsEmpty());
  for (const std::int64_t index : {5, 0, 2, 3}) EXPECT_TRUE(deal.made(0, index));
  EXPECT_FALSE(deal.made(1, 2)) << "made by process 0";
  EXPECT_FALSE(deal.done());
  EXPECT_TRUE(deal.made(1, 4)) << "it was not dead";
  EXPECT_TRUE(deal.done());
}

TEST(Deal, KnowsNothingOfRunsThatWereNotDealt) {
  Deal deal = deal_of(3, 1);
  EXPECT_FALSE(deal.made(0, 2));
  EXPECT_FALSE(deal.made(0, -1));
}

// Shares grow with what a process has made, and shrink towards the end.
TEST(Deal, GivesMoreToThoseWhoMakeMore) {
  Deal deal = deal_of(100'000, 2);
  EXPECT_EQ(deal.wanted(1, 1), 2);
  for (const std::int64_t index : deal.take(1, 1000)) deal.made(1, index);
  EXPECT_EQ(deal.wanted(1, 1), 500);
  deal.take(1, 500);
  EXPECT_EQ(deal.wanted(1, 1), 0) << "it has enough";
  for (const std::int64_t index : deal.take(0, 98'420)) deal.made(0, index);
  for (std::int64_t index = 1000; index < 1500; ++index) deal.made(1, index);
  EXPECT_EQ(deal.wanted(1, 1), 10) << "an eighth of the last 80";
}

// Messages in memory. A process that is cut off neither sends nor receives.
class Exchange {
 public:
  explicit Exchange(int count) : boxes_(static_cast<std::size_t>(count)), cut_off_(static_cast<std::size_t>(count)) {}
  /// Waits for so many messages to process 0.
  void wait_for(std::size_t count) {
    const auto there = [&] {
      const std::lock_guard<std::mutex> hold(mutex_);
      return boxes_[0].size() >= count;
    };
    while (!there()) std::this_thread::yield();
  }
  void cut_off(int number) { cut_off_[static_cast<std::size_t>(number)] = true; }

  class Place final : public sweeping::Post {
   public:
    Place(Exchange& exchange, int number) : exchange_(exchange), number_(number) {}
    int number() const override { return number_; }
    int count() const override { return static_cast<int>(exchange_.boxes_.size()); }
    void send(int to, std::string text) override { exchange_.put(number_, to, std::move(text)); }
    std::optional<Letter> receive() override { return exchange_.take(number_); }

   private:
    Exchange& exchange_;
    int number_;
  };

 private:
  void put(int from, int to, std::string text) {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (!cut_off_[static_cast<std::size_t>(from)])
      boxes_[static_cast<std::size_t>(to)].push_back({from, std::move(text)});
  }
  std::optional<Letter> take(int number) {
    const std::lock_guard<std::mutex> hold(mutex_);
    std::deque<Letter>& box = boxes_[static_cast<std::size_t>(number)];
    if (cut_off_[static_cast<std::size_t>(number)] || box.empty()) return std::nullopt;
    Letter letter = std::move(box.front());
    box.pop_front();
    return letter;
  }
  std::mutex mutex_;
  std::vector<std::deque<Letter>> boxes_;
  std::vector<std::atomic<bool>> cut_off_;
};

Sweep crew_study(std::int64_t runs) {
  Result<Model> model = load_model_file(source_tree() + "/models/slider-crank.toml", {});
  EXPECT_TRUE(model) << render(model.diagnostics());
  StudyStatement study;
  study.sample.push_back({"L1", MappedText::of("normal(0.15 m, 10 mm)"), {}});
  study.measure.push_back({"peak", MappedText::of("max(abs(lambda(pin[1])))"), {}});
  study.runs = runs;
  IntegrateOptions options;
  options.until = 0.05;
  Result<Sweep> sweep = Sweep::prepare(*model, study, {}, options);
  EXPECT_TRUE(sweep) << render(sweep.diagnostics());
  return *std::move(sweep);
}

std::string read_back(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string text_of(const std::vector<StudyRun>& rows) {
  std::string text;
  for (const StudyRun& row : rows) text += study_row(row) + "\n";
  return text;
}

std::string by_one_process(const Sweep& sweep) {
  std::vector<StudyRun> rows;
  run_sweep(sweep, {.threads = 1}, rows);
  return text_of(rows);
}

// Members of a crew, each in a thread. They are told to end when this goes.
class Members {
 public:
  Members(Exchange& exchange, int count) {
    for (int k = 1; k < count; ++k) places_.emplace_back(std::make_unique<Exchange::Place>(exchange, k));
  }
  ~Members() {
    go_ = false;
    for (std::thread& thread : threads_) thread.join();
  }
  void start(int number, const Sweep& sweep, const std::string& identity, int threads) {
    threads_.emplace_back([this, number, &sweep, identity, threads] {
      CrewMember member(*places_[static_cast<std::size_t>(number - 1)]);
      member.make_runs(sweep, identity, threads, [&] { return go_.load(); });
    });
  }
  void refuse(int number, const std::string& why) {
    threads_.emplace_back([this, number, why] {
      CrewMember member(*places_[static_cast<std::size_t>(number - 1)]);
      member.refuse(why, [&] { return go_.load(); });
    });
  }

 private:
  std::atomic<bool> go_ = true;
  std::vector<std::unique_ptr<Exchange::Place>> places_;
  std::vector<std::thread> threads_;
};

TEST(Crew, MakesTheRowsOfOneProcess) {
  const Sweep sweep = crew_study(400);
  const std::string identity = study_head(sweep, {}).mark.identity;
  Exchange exchange(3);
  Exchange::Place first(exchange, 0);
  Members members(exchange, 3);
  members.start(1, sweep, identity, 1);
  members.start(2, sweep, identity, 3);
  exchange.wait_for(2);
  Crew crew(first, std::chrono::minutes(1));
  std::vector<StudyRun> rows;
  const SweepOutcome outcome = run_sweep(sweep, {.threads = 1, .crew = &crew}, rows);
  EXPECT_THAT(outcome.warnings, IsEmpty()) << render(outcome.warnings);
  EXPECT_EQ(outcome.count.ok, 400);
  EXPECT_EQ(text_of(rows), by_one_process(sweep));
}

// A member that is cut off when it has work, one with another study, and one that could not read its model.
TEST(Crew, DoesWithoutThoseThatFail) {
  const Sweep sweep = crew_study(300);
  const std::string identity = study_head(sweep, {}).mark.identity;
  Exchange exchange(4);
  Exchange::Place first(exchange, 0);
  Members members(exchange, 4);
  members.start(1, sweep, identity, 1);
  members.start(2, sweep, "another study", 1);
  members.refuse(3, "there is no file");
  exchange.wait_for(3);
  Crew crew(first, std::chrono::milliseconds(200));
  const Folder folder;
  SweepJob job{.threads = 1, .crew = &crew, .output = folder.file("study.csv")};
  job.progress = [&](const SweepCount& count) {
    if (count.made() > 50) exchange.cut_off(1);
    return true;
  };
  const Result<SweepOutcome> outcome = run_sweep(sweep, job);
  ASSERT_TRUE(outcome) << render(outcome.diagnostics());
  EXPECT_EQ(outcome->count.ok, 300);
  const std::string said = render(outcome->warnings);
  EXPECT_THAT(said, HasSubstr("W0447]: process 1 on "));
  EXPECT_THAT(said, HasSubstr("took no part: its model, its options or its program are not those of process 0"));
  EXPECT_THAT(said, HasSubstr("took no part: there is no file"));
  const std::string whole = folder.file("whole.csv");
  ASSERT_TRUE(run_sweep(sweep, {.threads = 1, .output = whole}));
  EXPECT_EQ(read_back(folder.file("study.csv")), read_back(folder.file("whole.csv")));
}

// What the crew left when it was interrupted is in no order; a later call by one process goes on from there, and the bytes are the same.
TEST(Crew, LeavesRowsThatOneProcessGoesOnFrom) {
  const Sweep sweep = crew_study(300);
  const std::string identity = study_head(sweep, {}).mark.identity;
  const Folder folder;
  SweepJob job{.threads = 1, .output = folder.file("study.csv")};
  {
    Exchange exchange(3);
    Exchange::Place first(exchange, 0);
    Members members(exchange, 3);
    members.start(1, sweep, identity, 2);
    members.start(2, sweep, identity, 1);
    exchange.wait_for(2);
    Crew crew(first);
    job.crew = &crew;
    job.progress = [&](const SweepCount& count) { return count.made() < 60; };
    const Result<SweepOutcome> outcome = run_sweep(sweep, job);
    ASSERT_TRUE(outcome && outcome->interrupted);
  }
  job.crew = nullptr;
  job.progress = {};
  const Result<SweepOutcome> outcome = run_sweep(sweep, job);
  ASSERT_TRUE(outcome) << render(outcome.diagnostics());
  EXPECT_GE(outcome->count.earlier, 60);
  EXPECT_EQ(outcome->count.made(), 300);
  ASSERT_TRUE(run_sweep(sweep, {.threads = 1, .output = folder.file("whole.csv")}));
  EXPECT_EQ(read_back(folder.file("study.csv")), read_back(folder.file("whole.csv")));
}

// A message that no member would send, cut short or of no kind, is no reason to fall.
TEST(Crew, PassesOverMessagesThatMakeNoSense) {
  const Sweep sweep = crew_study(5);
  Exchange exchange(2);
  Exchange::Place first(exchange, 0), second(exchange, 1);
  for (const char* text : {"", "h", "habc", "r", "rabcdefgh", "n", "zzz", "b"}) second.send(0, text);
  Crew crew(first);
  std::vector<StudyRun> rows;
  run_sweep(sweep, {.threads = 1, .crew = &crew}, rows);
  EXPECT_EQ(text_of(rows), by_one_process(sweep));
}

}  // namespace
}  // namespace dalembert
