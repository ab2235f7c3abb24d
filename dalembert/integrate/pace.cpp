// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/pace.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "dalembert/integrate/step_size.h"

namespace dalembert::integration {
namespace {

// Corners of tables may end one in this many of the allowed steps.
constexpr std::int64_t kStepsPerKink = 10;
// Kinks whose size is below this times rtol are ignored.
constexpr double kNoKink = 0.01;

StepEnds step_ends(const Dynamics& dynamics, const Schedule& schedule, double start, const IntegrateOptions& options) {
  double fixed = 0;
  if (!options.adaptive)
    fixed = options.max_step > 0 ? std::min(options.initial_step, options.max_step) : options.initial_step;
  std::vector<Kink> kinks = dynamics.find_kinks(start, options.until);
  // Corners that change an input by far less than the tolerance, such as those of a smooth curve in many samples, do
  // not disturb a step.
  if (options.adaptive) std::erase_if(kinks, [&](const Kink& kink) { return kink.size < kNoKink * options.rtol; });
  // A step always ends where a branch changes.
  for (const Schedule::Switch& change : schedule.switches())
    kinks.push_back({change.time, std::numeric_limits<double>::infinity()});
  const double direction = options.until < start ? -1 : 1;
  std::sort(kinks.begin(), kinks.end(),
            [&](const Kink& a, const Kink& b) { return direction * (a.time - b.time) < 0; });
  const auto most = schedule.switches().size() +
                    static_cast<std::size_t>(std::max<std::int64_t>(options.max_steps, 0) / kStepsPerKink);
  return StepEnds(start, options.until, fixed, std::move(kinks), most);
}

}  // namespace

Pace::Pace(StepMaker& maker, Schedule& schedule)
    : maker_(maker),
      schedule_(schedule),
      ends_(step_ends(maker.dynamics, schedule, maker.step.t, maker.options)),
      stop_(maker.options.until) {}

void Pace::begin() { length_ = maker_.options.initial_step > 0 ? maker_.options.initial_step : first_step(); }

// The initial step of Hairer, Nørsett & Wanner, II.4: an explicit Euler step of this length
// changes state and slope little.
double Pace::first_step() const {
  const IntegrateOptions& options = maker_.options;
  Step& step = maker_.step;
  const int count = maker_.dynamics.nq() + maker_.dynamics.nv();
  const double* f0 = maker_.method().first_slope();
  const auto scale = [&](std::size_t i) { return options.atol + options.rtol * std::abs(step.y[i]); };
  double d0 = 0, d1 = 0, d2 = 0;
  for (std::size_t i = 0; i < index(count); ++i) {
    d0 += std::pow(step.y[i] / scale(i), 2);
    d1 += std::pow(f0[i] / scale(i), 2);
  }
  const double root = std::sqrt(std::max<double>(1, count));
  d0 = std::sqrt(d0) / root;
  d1 = std::sqrt(d1) / root;
  const double span = std::abs(options.until - step.t);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min(h, span);
  for (std::size_t i = 0; i < index(maker_.motion.size()); ++i) step.y1[i] = step.y[i] + maker_.direction * h * f0[i];
  if (maker_.motion.evaluate(step.t + maker_.direction * h, step.y1.data(), step.slope.data())) {
    for (std::size_t i = 0; i < index(count); ++i) d2 += std::pow((step.slope[i] - f0[i]) / scale(i), 2);
    d2 = std::sqrt(d2) / root / h;
  }
  const double steepest = std::max(d1, d2);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : rough_power(0.01 / steepest, 1.0 / maker_.method().facts().order);
  return std::min({100 * h, h1, span});
}

bool Pace::choose() {
  const IntegrateOptions& options = maker_.options;
  Step& step = maker_.step;
  double& h = length_;
  if (options.max_step > 0) h = std::min(h, options.max_step);
  if (options.adaptive) h = std::min(h, schedule_.longest_step(step.t));
  const bool stops = maker_.direction * (ends_.next() - stop_) > 0;
  step.latest = stops ? stop_ : ends_.next();
  const double left = std::abs(step.latest - step.t);
  const double smallest = 16 * kEps * std::max(std::abs(step.t), std::abs(options.until) * 1e-8);
  ends_here_ = !options.adaptive || h >= left * (1 - 1e-12);
  // Of fixed steps the regular length `h` is tested: a corner or the end may be nearer than `smallest`.
  if (h < smallest && !(options.adaptive && ends_here_)) return false;
  allowed_ = h;
  cut_ = ends_here_ || 2 * h > left;
  if (ends_here_)
    h = left;
  else if (cut_)
    h = left / 2;  // two equal steps to the end, so that neither is tiny
  step.length = maker_.direction * h;
  step.t1 = ends_here_ ? step.latest : step.t + step.length;
  return true;
}

void Pace::reject() {
  const Step& step = maker_.step;
  const bool judged = step.failure == KktStatus::kOk && !step.projection_failed && std::isfinite(step.error);
  length_ *= maker_.control.after_rejection(maker_.method().facts(), step.error, judged);
}

bool Pace::reach_end() {
  if (maker_.step.t1 != ends_.next()) return false;
  const bool corner = ends_.next_is_corner();
  ends_.advance();
  return corner;
}

void Pace::accept(bool cut) {
  Step& step = maker_.step;
  if (cut) maker_.control.restart();
  if (cut || !maker_.options.adaptive) {
    length_ = allowed_;
    return;
  }
  const double h = std::abs(step.length);
  length_ = h * maker_.control.after_step(maker_.method().facts(), h, step.error, cut_ ? std::max(h, allowed_) : h);
  // A step that a corner shortened says little about the next one, which may be as long as
  // was allowed before the corner.
  if (ends_here_ && maker_.control.grows_most()) length_ = std::max(length_, allowed_);
  if (step.next_length > 0) length_ = std::exchange(step.next_length, 0.0);
}

}  // namespace dalembert::integration
