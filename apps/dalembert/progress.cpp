// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dalembert/base/text.h"

namespace dalembert::app {
namespace {

std::string duration(double seconds) {
  const long whole = std::lround(std::clamp(seconds, 0.0, 1e8));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60) : fmt::format("{} s", whole);
}

}  // namespace

Progress::Progress(Terminal& terminal, double begin, double end, std::string unit, std::int64_t most_steps)
    : terminal_(terminal),
      begin_(begin),
      end_(end),
      most_steps_(most_steps),
      unit_(std::move(unit)),
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
  draw(reached, elapsed);
}

void Progress::draw(double reached, double elapsed) {
  const double in_time = end_ == begin_ ? 1 : std::clamp((reached - begin_) / (end_ - begin_), 0.0, 1.0);
  const double in_steps = static_cast<double>(steps_) / static_cast<double>(most_steps_);
  const double fraction = std::max(in_time, in_steps);
  const auto filled = static_cast<std::size_t>(fraction * 24);
  const std::string eta =
      fraction > 0 ? fmt::format("  {} left", duration(elapsed * (1 - fraction) / fraction)) : std::string();
  // At this pace the step limit will end the run before its final time.
  const std::string limit =
      in_steps > in_time ? fmt::format(", {} of at most {} steps", steps_, most_steps_) : std::string();
  terminal_.show_line(fmt::format("[{}{}] {:3.0f} %  {} of {} {}{}{}", std::string(filled, '='),
                                  std::string(24 - filled, ' '), 100 * fraction, to_text(reached, 4), to_text(end_, 4),
                                  unit_, limit, eta));
}

}  // namespace dalembert::app
