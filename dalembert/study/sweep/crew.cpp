// SPDX-License-Identifier: Apache-2.0
#if !defined(__wasi__)  // WebAssembly has neither threads nor processes here
#include "dalembert/study/sweep/crew.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/study/sweep/sweep_run.h"
#include "dalembert/study/threads.h"

namespace dalembert::sweeping {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Kinds of messages: their first letter.
struct Kind {
  static constexpr char hello = 'h', rows = 'r', refusal = 'n', goodbye = 'b', work = 'w', end = 'e', alive = 'a';
};

constexpr auto kSignOfLife = 1s;       // between signs of life of process 0
constexpr auto kPatience = 60s;        // without one
constexpr auto kFirstPatience = 600s;  // before the first one: process 0 reads and derives its model
constexpr auto kBetweenLooks = 2ms;    // between looks for messages
constexpr auto kBetweenRows = 20ms;    // between messages with rows

// Messages are numbers as they are in memory: the processes of a study run on machines of one kind.
template <typename T>
void put_value(std::string& text, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <typename T>
bool take_value(std::string_view& text, T& value) {
  if (text.size() < sizeof value) return false;
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
  return true;
}

void put_text(std::string& to, std::string_view text) {
  put_value(to, static_cast<std::uint64_t>(text.size()));
  to += text;
}
bool take_text(std::string_view& from, std::string& text) {
  std::uint64_t size = 0;
  if (!take_value(from, size) || size > from.size()) return false;
  text = from.substr(0, size);
  from.remove_prefix(size);
  return true;
}

void put_run(std::string& text, const StudyRun& run) {
  put_value(text, run.index);
  for (const double value : run.measures) put_value(text, value);
  put_value(text, run.holds);
  put_value(text, run.status);
  put_value(text, run.error);
  put_value(text, run.seconds);
  put_text(text, run.reason);
}
// The measures have their number already; the values are those of the study.
bool take_run(std::string_view& text, StudyRun& run) {
  bool taken = take_value(text, run.index);
  for (double& value : run.measures) taken = taken && take_value(text, value);
  return taken && take_value(text, run.holds) && take_value(text, run.status) && take_value(text, run.error) &&
         take_value(text, run.seconds) && take_text(text, run.reason);
}

}  // namespace

Crew::Crew(Post& post, std::chrono::milliseconds wait)
    : post_(post), wait_(wait), members_(static_cast<std::size_t>(post.count())) {}

void Crew::begin(const Sweep& sweep, std::string identity, std::unique_ptr<Deal> deal) {
  sweep_ = &sweep;
  identity_ = std::move(identity);
  deal_ = std::move(deal);
}

std::int64_t Crew::next() {
  const std::vector<std::int64_t> taken = deal_->take(0, 1);
  return taken.empty() ? -1 : taken.front();
}

bool Crew::made_here(std::int64_t index) { return deal_->made(0, index); }

std::string Crew::name_of(int number) const {
  const std::string& machine = members_[static_cast<std::size_t>(number)].machine;
  return machine.empty() ? fmt::format("process {}", number) : fmt::format("process {} on {}", number, machine);
}

void Crew::take_rows(int from, std::string_view rows, const Take& take) {
  StudyRun run;
  run.measures.resize(sweep_->measures().size());
  while (!rows.empty() && take_run(rows, run)) {
    if (!deal_->made(from, run.index)) continue;
    run.values = sweep_->values(run.index);
    take(run, members_[static_cast<std::size_t>(from)].machine);
  }
}

void Crew::hear(const Letter& letter, const Take* take) {
  if (letter.text.empty() || letter.from <= 0 || letter.from >= processes()) return;
  Member& member = members_[static_cast<std::size_t>(letter.from)];
  std::string_view text = std::string_view(letter.text).substr(1);
  switch (letter.text.front()) {
    case Kind::hello: {
      std::string identity;
      if (!take_text(text, identity) || !take_value(text, member.threads) || !take_text(text, member.machine)) return;
      if (ended_ || identity == identity_) {
        member.state = Member::State::kAtWork;
      } else {
        member.state = Member::State::kRefused;
        member.why = "its model, its options or its program are not those of process 0";
        post_.send(letter.from, std::string(1, Kind::end));
      }
      break;
    }
    case Kind::rows:
      if (take != nullptr && member.state == Member::State::kAtWork) take_rows(letter.from, text, *take);
      break;
    case Kind::refusal:
      member.state = Member::State::kRefused;
      take_text(text, member.machine);
      member.why = text;
      break;
    case Kind::goodbye:
      if (member.state != Member::State::kRefused) member.state = Member::State::kGone;
      break;
    default:
      break;
  }
}

bool Crew::look(const Take& take) {
  while (const std::optional<Letter> letter = post_.receive()) hear(*letter, &take);
  const bool alive = Clock::now() - sign_of_life_ > kSignOfLife;
  if (alive) sign_of_life_ = Clock::now();
  for (int k = 1; k < processes(); ++k) {
    const Member& member = members_[static_cast<std::size_t>(k)];
    if (alive) post_.send(k, std::string(1, Kind::alive));
    if (member.state != Member::State::kAtWork) continue;
    const std::int64_t wanted = deal_->wanted(k, member.threads);
    if (wanted == 0) continue;
    std::string work(1, Kind::work);
    for (const std::int64_t index : deal_->take(k, wanted)) put_value(work, index);
    if (work.size() > 1) post_.send(k, std::move(work));
  }
  return !deal_->done();
}

Diagnostics Crew::end() {
  if (std::exchange(ended_, true)) return {};
  for (int k = 1; k < processes(); ++k) post_.send(k, std::string(1, Kind::end));
  const auto silent = [](const Member& member) {
    return member.state == Member::State::kUnknown || member.state == Member::State::kAtWork;
  };
  const Clock::time_point until = Clock::now() + wait_;
  while (std::any_of(members_.begin() + 1, members_.end(), silent) && Clock::now() < until) {
    if (const std::optional<Letter> letter = post_.receive())
      hear(*letter, nullptr);
    else
      std::this_thread::sleep_for(kBetweenLooks);
  }
  Diagnostics problems;
  for (int k = 1; k < processes(); ++k) {
    const Member& member = members_[static_cast<std::size_t>(k)];
    if (member.state == Member::State::kRefused)
      problems.push_back(warning("W0446", fmt::format("{} took no part: {}", name_of(k), member.why)));
    else if (silent(member))
      problems.push_back(warning("W0447", fmt::format("{} does not answer: others made its runs", name_of(k))));
  }
  return problems;
}

namespace {

// What a process that is not 0 has to do and has done, for its threads.
class Desk {
 public:
  void add(std::string_view work) {
    const std::lock_guard<std::mutex> hold(mutex_);
    for (std::int64_t index = 0; take_value(work, index);) waiting_.push_back(index);
    changed_.notify_all();
  }
  // Waits until there is work; false if the thread should end.
  bool wait(const std::atomic<bool>& stopped) {
    std::unique_lock<std::mutex> hold(mutex_);
    while (!stopped && waiting_.empty()) changed_.wait_for(hold, 20ms);
    return !stopped;
  }
  // The next run, or a negative number: what was begun is then finished and sent, before process 0 gives out more.
  std::int64_t next() {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (waiting_.empty()) return -1;
    const std::int64_t index = waiting_.front();
    waiting_.pop_front();
    return index;
  }
  void put(const StudyRun& run) {
    const std::lock_guard<std::mutex> hold(mutex_);
    put_run(rows_, run);
  }
  std::string take_rows() {
    const std::lock_guard<std::mutex> hold(mutex_);
    return std::exchange(rows_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::int64_t> waiting_;
  std::string rows_;
};

}  // namespace

std::string CrewMember::make_runs(const Sweep& sweep, const std::string& identity, int threads,
                                  const std::function<bool()>& keep_on) {
  took_part_ = true;
  std::string hello(1, Kind::hello);
  put_text(hello, identity);
  put_value(hello, threads);
  put_text(hello, machine_name());
  post_.send(0, std::move(hello));
  Desk desk;
  std::string why;
  const auto send_rows = [&] {
    if (const std::string rows = desk.take_rows(); !rows.empty()) post_.send(0, std::string(1, Kind::rows) + rows);
  };
  Clock::time_point heard = Clock::now(), sent = heard;
  auto patience = kFirstPatience;
  const auto look = [&] {
    while (const std::optional<Letter> letter = post_.receive()) {
      heard = Clock::now();
      patience = kPatience;
      if (letter->text.front() == Kind::end) return false;
      if (letter->text.front() == Kind::work) desk.add(std::string_view(letter->text).substr(1));
    }
    const Clock::time_point now = Clock::now();
    if (now - sent > kBetweenRows) {
      sent = now;
      send_rows();
    }
    if (now - heard > patience) why = "process 0 gives no sign of life";
    return why.empty() && keep_on();
  };
  {
    Threads makers(threads, [&](int, const std::atomic<bool>& stopped) {
      Sweep::Worker worker(sweep);
      while (desk.wait(stopped))
        worker.run_all([&] { return stopped ? -1 : desk.next(); }, [&](const StudyRun& run) { desk.put(run); },
                       [&] { return !stopped; });
    });
    makers.wait(look, kBetweenLooks);
  }
  send_rows();
  post_.send(0, std::string(1, Kind::goodbye));
  return why;
}

bool CrewMember::refuse(const std::string& why, const std::function<bool()>& keep_on) {
  took_part_ = true;
  std::string refusal(1, Kind::refusal);
  put_text(refusal, machine_name());
  post_.send(0, refusal + why);
  Clock::time_point heard = Clock::now();
  while (keep_on() && Clock::now() - heard < kFirstPatience) {
    if (const std::optional<Letter> letter = post_.receive()) {
      heard = Clock::now();
      if (letter->text.front() == Kind::end) return true;
    } else {
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  return false;
}

}  // namespace dalembert::sweeping
#endif
