// SPDX-License-Identifier: Apache-2.0
// Makes the runs of a study: one after the other, or several at once in lanes (integrate/lane_runs.h).
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "dalembert/analyze/run_options.h"
#include "dalembert/compile/lane_code.h"
#include "dalembert/integrate/branches.h"
#include "dalembert/integrate/lane_runs.h"
#include "dalembert/integrate/method.h"
#include "dalembert/study/changing_system.h"
#include "dalembert/study/sweep/sweep_parts.h"

namespace dalembert {

using integration::Integration;
using integration::kLanes;

namespace {

constexpr std::size_t kRowsInMemory = 4096;  // of a run
// Code in lanes is made by the worker that has made this number of evaluations without it: so long it would have taken to gain by the code what
// making it costs, some 30 ms. The rows have the same bits either way.
constexpr std::int64_t kEvaluationsAlone = 500'000;

// Number of runs in lanes that may have been begun and are not handed on: so many may wait for an earlier one.
constexpr std::size_t kMostWaiting = 1000;

using Clock = std::chrono::steady_clock;

// Hands runs on in the order in which they were begun.
class InOrder {
 public:
  explicit InOrder(const std::function<void(StudyRun)>& take) : take_(take) {}

  bool is_full() const { return runs_.size() >= kMostWaiting; }
  void begin(std::int64_t index) { runs_.push_back({index, false, {}}); }
  /// Nothing: the run gives no row.
  void end(std::int64_t index, std::optional<StudyRun> made) {
    const auto run = std::ranges::find(runs_, index, &Begun::index);
    run->ended = true;
    run->made = std::move(made);
    for (; !runs_.empty() && runs_.front().ended; runs_.pop_front())
      if (runs_.front().made) take_(*std::move(runs_.front().made));
  }

 private:
  struct Begun {
    std::int64_t index;
    bool ended;
    std::optional<StudyRun> made;
  };
  std::deque<Begun> runs_;
  const std::function<void(StudyRun)>& take_;
};

}  // namespace

const std::shared_ptr<const LaneCode>& Sweep::Parts::lane_code() const {
  std::call_once(once_, [this] { lane_code_ = make_lane_code(system->dynamics); });
  return lane_code_;
}

// A system whose quantities change from run to run, and the run that it makes now.
struct Sweep::Worker::Seat {
  const Sweep::Parts& study;
  const Sweep& sweep;
  ChangingSystem changing;
  // The run.
  StudyRun made;
  Clock::time_point begun;
  IntegrateOptions options;
  std::optional<State> from;
  integration::SpareParts spare;
  std::optional<Integration> integration;
  bool stopped = false;  // the run, or the second one that names its error

  explicit Seat(const Sweep& of) : study(*of.parts_), sweep(of), changing(*study.system, study.quantities) {}

  /// Begins a run. False if it ended at once.
  bool begin(std::int64_t index, const std::function<bool()>& keep_on);
  /// The row of the run, whose integration has ended; nothing if it was stopped. `runs` were made at once.
  std::optional<StudyRun> end(std::size_t runs);
};

bool Sweep::Worker::Seat::begin(std::int64_t index, const std::function<bool()>& keep_on) {
  begun = Clock::now();
  made = {};
  made.index = index;
  made.values = sweep.values(index);
  made.measures.assign(study.measures.names().size(), std::numeric_limits<double>::quiet_NaN());
  integration.reset();
  stopped = false;
  changing.set(made.values);
  from = changing.start(made.reason);
  if (!from) return false;
  options = study.options;
  // What is recorded between steps changes the last bits of a run with branches, and `simulate` records each step.
  const Dynamics& dynamics = changing.system().dynamics;
  study.measures.ask(changing.model(), from->t, integration::may_switch(dynamics), options);
  if (keep_on)
    options.progress = [this, &keep_on](const RunPoint&) {
      stopped = stopped || !keep_on();
      return !stopped;
    };
  options.take_rows = [](const Trajectory& run) { return run.size() > kRowsInMemory; };
  integration.emplace(dynamics, *from, options, &spare);
  return integration->run() != nullptr;
}

std::optional<StudyRun> Sweep::Worker::Seat::end(std::size_t runs) {
  if (integration) {
    std::unique_ptr<Trajectory> path = integration->take();
    const Trajectory& run = *path;
    if (run.status == RunStatus::kStopped || stopped) return std::nullopt;
    made.evaluations = run.evaluations;
    made.status = run.status;
    made.reason = run.reason;
    made.holds = run.verdict.holds;
    if (run.verdict.error.estimated) made.error = run.verdict.error.relative;
    if (run.status == RunStatus::kOk) {
      made.measures = study.measures.of(run, changing.model(), from->t);
      if (!made.holds && !run.verdict.reasons.empty()) made.reason = run.verdict.reasons.front();
      if (made.reason.empty()) made.reason = changing.doubt(*from);
    }
    spare.leave(integration::RunFor::kVerdict, std::move(path));
  }
  made.seconds = std::chrono::duration<double>(Clock::now() - begun).count() / static_cast<double>(runs);
  return std::move(made);
}

// Lanes hold the systems of their runs, so a seat stays with its lane.
struct Sweep::Worker::Parts {
  std::array<std::unique_ptr<Seat>, kLanes> seats;
  std::int64_t evaluations = 0;
};

Sweep::Worker::Worker(const Sweep& sweep) : sweep_(sweep), parts_(std::make_unique<Parts>()) {
  parts_->seats[0] = std::make_unique<Seat>(sweep);
}
Sweep::Worker::~Worker() = default;
Sweep::Worker::Worker(Worker&&) noexcept = default;

std::optional<StudyRun> Sweep::Worker::run(std::int64_t index, const std::function<bool()>& keep_on) {
  Seat& seat = *parts_->seats[0];
  if (seat.begin(index, keep_on)) {
    Integration& all = *seat.integration;
    for (; all.run() != nullptr; all.next()) all.run()->loop();
  }
  std::optional<StudyRun> made = seat.end(1);
  if (made) parts_->evaluations += made->evaluations;
  return made;
}

void Sweep::Worker::run_all(const std::function<std::int64_t()>& next, const std::function<void(StudyRun)>& take,
                            const std::function<bool()>& keep_on) {
  const Sweep::Parts& study = *sweep_.parts_;
  const Dynamics& dynamics = study.system->dynamics;
  const bool may_share = !integration::may_switch(dynamics) && dynamics.layout().v_is_qdot;
  while (!may_share || parts_->evaluations < kEvaluationsAlone || study.lane_code() == nullptr) {
    const std::int64_t index = next();
    if (index < 0) return;
    if (std::optional<StudyRun> made = run(index, keep_on)) take(*std::move(made));
  }
  for (std::unique_ptr<Seat>& seat : parts_->seats)
    if (seat == nullptr) seat = std::make_unique<Seat>(sweep_);
  InOrder rows(take);
  const auto end = [&](std::size_t lane) {
    Seat& seat = *parts_->seats[lane];
    const std::int64_t index = seat.made.index;
    rows.end(index, seat.end(kLanes));
  };
  bool any_left = true;
  const auto begin = [&](std::size_t lane) -> Integration* {
    while (any_left && !rows.is_full()) {
      const std::int64_t index = next();
      any_left = index >= 0;
      if (!any_left) break;
      rows.begin(index);
      Seat& seat = *parts_->seats[lane];
      if (seat.begin(index, keep_on)) return &*seat.integration;
      end(lane);
    }
    return nullptr;
  };
  integration::LaneSteps steps(study.lane_code(), dynamics, explicit_tableau(study.options.method));
  integration::run_in_lanes(steps, begin, end);
}

}  // namespace dalembert
