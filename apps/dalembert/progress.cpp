// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

std::string duration(double seconds) {
  const long whole = std::lround(std::clamp(seconds, 0.0, 1e8));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

// "3521 of 30000 runs, 2510 a second": a run that goes on from an earlier one has its own pace.
std::string work_done(const Work& work, double reached, double elapsed) {
  const std::string total = work.end ? fmt::format(" of {:.0f}", *work.end) : std::string();
  const double pace = (reached - work.begin) / elapsed;
  return fmt::format("{:.0f}{} {}, {:.{}f} a second", reached, total, work.unit, pace, pace < 10 ? 1 : 0);
}

}  // namespace

Progress::Progress(Terminal& terminal, Work work)
    : terminal_(terminal),
      work_(std::move(work)),
      active_(terminal.err_is_terminal() && !terminal.quiet()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { terminal_.clear_line(); }

void Progress::update(double reached) {
  ++steps_;
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < 0.5 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  terminal_.show_line(line(reached, elapsed));
}

std::string Progress::line(double reached, double elapsed) const {
  if (!work_.end) return fmt::format("{}: {}", work_.name, work_done(work_, reached, elapsed));
  const double begin = work_.begin, end = *work_.end;
  const double of_work = end == begin ? 1 : std::clamp((reached - begin) / (end - begin), 0.0, 1.0);
  const double of_steps =
      work_.most_steps > 0 ? static_cast<double>(steps_) / static_cast<double>(work_.most_steps) : 0;
  const double fraction = std::min(std::max(of_work, of_steps), 1.0);
  const auto filled = static_cast<std::size_t>(fraction * 24);
  const std::string eta =
      fraction > 0 ? fmt::format("  {} left", duration(elapsed * (1 - fraction) / fraction)) : std::string();
  // At this pace the step limit will end the run before its final time.
  const std::string limit =
      of_steps > of_work ? fmt::format(", {} of at most {} steps", steps_, work_.most_steps) : std::string();
  const std::string done = work_.unit == "s" ? fmt::format("{} of {} s{}", to_text(reached, 4), to_text(end, 4), limit)
                                             : work_done(work_, reached, elapsed);
  return fmt::format("[{}{}] {:3.0f} %  {}{}", std::string(filled, '='), std::string(24 - filled, ' '), 100 * fraction,
                     done, eta);
}

}  // namespace dalembert::app
