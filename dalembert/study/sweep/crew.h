// SPDX-License-Identifier: Apache-2.0
// Processes that make the runs of a study together. Each has the study; process 0 deals out runs, makes some itself, takes what comes back, and is
// the only one that writes and reports. A process may die at any time.
//
// Messages to process 0:       hello (identity of the study, threads, machine), rows, a refusal (why a process takes no part), goodbye.
// Messages to other processes: work (indices), end, and now and then a sign of life.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/study/sweep.h"
#include "dalembert/study/sweep/deal.h"
#include "dalembert/study/sweep/post.h"

namespace dalembert::sweeping {

/// Process 0. All but next() and made_here() belong to the thread that makes it.
class Crew {
 public:
  /// Takes a run that another process made.
  using Take = std::function<void(StudyRun run, const std::string& machine)>;

  /// end() waits so long for goodbyes.
  explicit Crew(Post& post, std::chrono::milliseconds wait = std::chrono::seconds(5));

  int processes() const { return post_.count(); }
  /// Begins with the runs of `deal`, which is for so many processes.
  void begin(const Sweep& sweep, std::string identity, std::unique_ptr<Deal> deal);
  /// The next run to make in this process, or a negative number.
  std::int64_t next();
  /// Notes a run of this process. False if another process has made it already.
  bool made_here(std::int64_t index);
  /// Takes what has come and gives out more. False once all runs are made.
  bool look(const Take& take);
  /// Ends the others, and waits a while for their goodbyes. Answers what is to be said of them: W0446, W0447. A later call does nothing.
  Diagnostics end();

 private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    enum class State { kUnknown, kAtWork, kRefused, kGone } state = State::kUnknown;
    int threads = 1;
    std::string machine, why;
  };
  void hear(const Letter& letter, const Take* take);
  void take_rows(int from, std::string_view rows, const Take& take);
  std::string name_of(int number) const;

  Post& post_;
  const std::chrono::milliseconds wait_;
  std::vector<Member> members_;
  const Sweep* sweep_ = nullptr;
  std::string identity_;
  std::unique_ptr<Deal> deal_;
  Clock::time_point sign_of_life_;
  bool ended_ = false;
};

/// Another process.
class CrewMember {
 public:
  explicit CrewMember(Post& post) : post_(post) {}

  /// Makes runs until process 0 ends it, or `keep_on` returns false. Answers why it ended otherwise: process 0 is dead.
  std::string make_runs(const Sweep& sweep, const std::string& identity, int threads,
                        const std::function<bool()>& keep_on);
  /// Takes no part, and waits for the end. False if process 0 is dead.
  bool refuse(const std::string& why, const std::function<bool()>& keep_on);
  /// Whether one of the others was called.
  bool took_part() const { return took_part_; }

 private:
  Post& post_;
  bool took_part_ = false;
};

}  // namespace dalembert::sweeping
