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

Progress::Progress(Terminal& terminal, double begin, double end, std::string unit)
    : terminal_(terminal),
      begin_(begin),
      end_(end),
      unit_(std::move(unit)),
      active_(terminal.err_is_terminal() && !terminal.quiet()),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) terminal_.err("\r\033[K");
}

void Progress::update(double reached) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < 0.5 || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  draw(end_ == begin_ ? 1 : std::clamp((reached - begin_) / (end_ - begin_), 0.0, 1.0), reached, elapsed);
}

void Progress::draw(double fraction, double reached, double elapsed) {
  const auto filled = static_cast<std::size_t>(fraction * 24);
  const std::string eta =
      fraction > 0 ? fmt::format("  {} left", duration(elapsed * (1 - fraction) / fraction)) : std::string();
  terminal_.err(fmt::format("\r[{}{}] {:3.0f} %  {} of {} {}{}\033[K", std::string(filled, '='),
                            std::string(24 - filled, ' '), 100 * fraction, to_text(reached, 4), to_text(end_, 4), unit_,
                            eta));
  drawn_ = true;
}

}  // namespace dalembert::app
