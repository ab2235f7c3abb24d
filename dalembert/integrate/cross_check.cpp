// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/cross_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/integrate/final_error.h"
#include "dalembert/integrate/method.h"

namespace dalembert::integration {
namespace {

// The error of the state y of a run is at most this multiple of its difference to y₂, the state of the second run, if
// the error of y₂ is at most half that of y. The tolerance of the second run asks for a tenth.
constexpr double kFromDifference = 2;
// Newton's iterations, and steps that end where conditions change, leave errors that do not shrink with the tolerances
// and that both runs may share. Then kFromBoth times the difference is added to the error, up to kMostOfBoth of the
// motion.
constexpr double kFromBoth = 4, kMostOfBoth = 1e-6;
// Two runs may agree by chance in one component, but hardly in all. So the relative error of each component is taken to
// be at least kByChance times the worst one (with 0.3 the error of one run in 5,000 was 1.05 times the named error,
// tests/judge/judge_verdicts.py). kRoundoffOfRuns is the round-off added to each error,
// in units of eps times the value.
constexpr double kByChance = 0.5, kRoundoffOfRuns = 16;
// Relative round-off of derivatives by finite differences; the error of a derivative is at least this.
constexpr double kRoundoffOfDerivatives = 1e-11;
// Errors of derivatives are relative to the derivative, or to this fraction of (size of the motion)/(size of the quantity) where that is larger.
constexpr double kLeastDerivative = 1e-3;
// A hundredth of the tolerances asks for 1.8 times the steps of order 8. Below this ratio something else has set the steps of both runs, as
// near a singular position, and the second one need not be better.
constexpr double kMoreSteps = 1.3;
constexpr double kTighter = 0.1, kLeastRtol = 1e-15;
// An integral may differ by this multiple of its tolerance, or of the relative error of the motion: errors of forces are larger than those of the motion.
constexpr double kIntegralTolerances = 1e3, kIntegralOfMotion = 100;
// Factor on the tolerances of a second run that decides about a verdict. That run must be far more accurate also at
// loose tolerances, to which errors are only roughly proportional.
constexpr double kMuchTighter = 0.01;
// An unasked second run may take kMostOfFirst times the steps of the first, plus kFewTries. A hundredth of
// the tolerances takes 1.8 times the steps with order 8, 2.6 times with order 5. If these tolerances are
// below the round-off of the accelerations, as in long chains at rest, steps follow noise, and a hundred
// times as many steps would be needed.
constexpr std::int64_t kMostOfFirst = 8, kFewTries = 200;
// A run is little work if evaluations times the operations of one of them are at most this. A kernel that does not say its operations counts
// kOperationsOfEntry, as shipped models have them, for each entry of M and W, velocity and multiplier.
constexpr double kLittleWork = 1.5e8, kOperationsOfEntry = 10;

// An impact takes about as long as this number of evaluations of the equations.
constexpr std::int64_t kEvaluationsOfImpact = 40;

// The same run, for its end alone, or for every row of a cross-check.
IntegrateOptions options_again(const IntegrateOptions& options, const Trajectory& path) {
  IntegrateOptions again = options;
  again.error_estimate = again.second_run = again.cross_check = again.find_peaks = false;
  again.recorded = {};
  again.take_rows = {};
  again.max_step = 0;
  again.power_balance = false;
  again.output_step = 0;
  again.output_times = {path.time.back()};
  if (options.cross_check) {
    again.output_times.clear();
    for (double t : path.time)
      if (again.output_times.empty() || t != again.output_times.back()) again.output_times.push_back(t);
  }
  // An event that ends both runs does so at an instant of its own in each.
  again.until = path.ended_by_event() ? options.until : path.time.back();
  // Halve the longest step too, since something other than the tolerances may have kept the steps short.
  for (const StepHistory::Stretch& stretch : path.step_lengths.stretches())
    again.max_step = std::max(again.max_step, stretch.longest / 2);
  if (!options.adaptive) again.initial_step = options.initial_step / 2;
  again.max_steps =
      options.max_steps < std::numeric_limits<std::int64_t>::max() / 16 ? 16 * options.max_steps : options.max_steps;
  if (!options.cross_check)
    again.max_steps = std::min(again.max_steps, kMostOfFirst * (path.steps + path.rejected) + kFewTries);
  return again;
}

// What round-off of the instants of events may have made of both runs alike: a change by the rates over some units of round-off of the time
// for each event.
double error_of_instants(const Trajectory& path, std::size_t component) {
  constexpr double kUnits = 4;
  const auto events = std::ranges::count_if(path.events, [](const RunEvent& event) {
    return event.kind == RunEventKind::kEvent || event.kind == RunEventKind::kStop;
  });
  if (events == 0) return 0;
  const std::size_t n = path.q.size(), last = path.size() - 1;
  double rate = 0;
  if (component >= n)
    rate = std::abs(path.a[component - n][last]);
  else
    for (std::size_t i = 0; i < path.v.size(); ++i)
      if (path.v.size() != n || i == component) rate = std::max(rate, std::abs(path.v[i][last]));
  return kUnits * kEps * std::abs(path.time[last]) * rate * static_cast<double>(events);
}

FinalError error_of_end(const Trajectory& path, const Trajectory& second, Method method) {
  const Verdict& verdict = path.verdict;
  const std::size_t n = path.q.size(), last = path.size() - 1;
  std::vector<double> errors(n + path.v.size());
  const bool alike = static_cast<double>(second.steps) < kMoreSteps * static_cast<double>(path.steps);
  double relative = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const auto& [one, two] =
        i < n ? std::pair(path.q[i][last], second.q[i].back()) : std::pair(path.v[i - n][last], second.v[i - n].back());
    errors[i] = kFromDifference * std::abs(one - two) + kRoundoffOfRuns * kEps * std::abs(one);
    errors[i] += error_of_instants(path, i);
    if (may_be_implicit(method) || verdict.switches > 0 || alike)
      errors[i] += std::min(kFromBoth * std::abs(one - two), kMostOfBoth * verdict.motion[i]);
    if (verdict.motion[i] > 0) relative = std::max(relative, errors[i] / verdict.motion[i]);
  }
  // The differences decide which coordinate is the worst, since kByChance makes several errors equal.
  const std::vector<double> differences = errors;
  for (std::size_t i = 0; i < errors.size(); ++i)
    errors[i] = std::max(errors[i], kByChance * relative * verdict.motion[i]);
  FinalError error;
  error.estimated = true;
  error.method = "cross-check";
  summarize_errors(path.names, n, verdict.motion, errors, differences, error);
  return error;
}

// Compares every row of both runs.
void look_along(const Trajectory& path, const Trajectory& second, FinalError& error) {
  const std::vector<double>& motion = path.verdict.motion;
  const std::size_t n = path.q.size();
  double along = error.largest, relative_along = 0;
  if (n > 0 && motion[error.worst] > 0) relative_along = error.q[error.worst] / motion[error.worst];
  for (std::size_t row = 0, k = 0; row < path.size() && k < second.size(); ++row) {
    if (path.time[row] != second.time[k]) ++k;
    if (k == second.size()) break;
    // Where an event sets the state, one run may have jumped and the other not yet.
    const auto same = [&](std::size_t other) { return other < path.size() && path.time[other] == path.time[row]; };
    if (same(row + 1) || same(row - 1)) continue;
    double share = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = kFromDifference * std::abs(path.q[i][row] - second.q[i][k]);
      along = std::max(along, difference);
      if (motion[i] > 0) share = std::max(share, difference / motion[i]);
    }
    relative_along = std::max(relative_along, share);
    if (share > kDigitsLost && !error.lost_at) error.lost_at = path.time[row];
    if (share <= kDigitsLost) error.lost_at.reset();
  }
  error.along = along;
  error.relative_along = relative_along;
}

// Sets the errors of integrals over the run from those of the second run, and warns of those that neither the tolerance nor the error of the motion
// explains: one of the runs has missed a part of the integrand.
void judge_integrals(const IntegrateOptions& options, const Verdict& second, Verdict& verdict) {
  for (std::size_t i = 0; i < verdict.integrals.size() && i < second.integrals.size(); ++i) {
    IntegralAtEnd& one = verdict.integrals[i];
    const IntegralAtEnd& other = second.integrals[i];
    one.error = kFromDifference * std::abs(one.value - other.value) + other.quadrature +
                kRoundoffOfRuns * kEps * std::abs(one.value);
    const double size = std::max(one.size, other.size);
    const double allowed = std::max(kIntegralTolerances * (options.rtol * size + options.atol),
                                    kIntegralOfMotion * verdict.error.relative * size);
    if (one.error > allowed)
      verdict.warnings.push_back(fmt::format(
          "`{}` is uncertain by about {}: a second run differs by more than the tolerance explains. Steps "
          "may pass over a part of its integrand (`max_step` bounds them), or its conditions hang on round-off",
          one.name, to_text(one.error, 2)));
  }
}

// The size of a quantity: of a parameter its value; 1 if that is 0, and for initial values.
double size_of_quantity(const Dynamics& dynamics, const Tangent& quantity) {
  double size = 1;
  for (const auto& [parameter, rate] : quantity.parameters)
    if (const double value = std::abs(dynamics.parameters()[index(parameter)]); value > 0) size = value;
  return size;
}

// Sets Sensitivity::error from the derivatives of the second run in the last row.
void judge_sensitivities(const Dynamics& dynamics, const IntegrateOptions& options, const Trajectory& second,
                         Trajectory& path) {
  for (std::size_t k = 0; k < path.sensitivities.size(); ++k) {
    Sensitivity& by = path.sensitivities[k];
    const Sensitivity& other = second.sensitivities[k];
    const double change = size_of_quantity(dynamics, options.tangents[k]);
    by.error = 0;
    bool known = true;
    const double* motion = path.verdict.motion.data();
    for (const auto& [one, two] : {std::pair(&by.q, &other.q), std::pair(&by.v, &other.v)}) {
      double size = 0, difference = 0;
      for (std::size_t i = 0; i < one->size(); ++i) {
        size = std::max({size, std::abs((*one)[i].back()), kLeastDerivative * *motion++ / change});
        difference = std::max(difference, kFromDifference * std::abs((*one)[i].back() - (*two)[i].back()));
        known = known && std::isfinite((*one)[i].back()) && std::isfinite((*two)[i].back());
      }
      if (size > 0) by.error = std::max(by.error, difference / size + kRoundoffOfDerivatives);
    }
    if (!known) by.error = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

double factor_of_second_run(double rtol) { return std::max(kMuchTighter, kLeastRtol / rtol); }

double error_of_gradient(const Dynamics& dynamics, std::span<const Tangent> tangents, const Gradient& one,
                         const Gradient& second) {
  double size = 0, difference = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    const double first = one.by[k].value, other = second.by[k].value, change = size_of_quantity(dynamics, tangents[k]);
    if (!std::isfinite(first) || !std::isfinite(other)) continue;
    size = std::max(size, std::abs(first) * change);
    difference = std::fmax(difference, kFromDifference * std::abs(first - other) * change);
  }
  return size > 0 ? difference / size + kRoundoffOfDerivatives : difference;
}

bool was_little_work(const Dynamics& dynamics, const Trajectory& path) {
  const Layout& layout = dynamics.layout();
  const std::size_t entries = layout.M.row.size() + layout.W.row.size() + index(layout.nv + layout.multipliers());
  const double operations =
      std::max(static_cast<double>(dynamics.kernel().operations()), kOperationsOfEntry * static_cast<double>(entries));
  const auto solves = static_cast<double>(path.evaluations + kEvaluationsOfImpact * path.verdict.impacts);
  return solves * operations <= kLittleWork;
}

CrossCheck::CrossCheck(const Dynamics& dynamics, const State& start, const IntegrateOptions& options,
                       const Trajectory& path, SpareParts& spare)
    : dynamics_(dynamics),
      start_(start),
      options_(options),
      spare_(spare),
      again_(options_again(options, path)),
      unasked_(!options.cross_check && path.verdict.error.relative <= kDigitsLost) {
  if (options.adaptive && kTighter * options.rtol >= kLeastRtol) {
    tighter_ = {kTighter};
    const double most = factor_of_second_run(options.rtol);
    if (!options.cross_check && most < kTighter) tighter_.insert(tighter_.begin(), most);
  } else if (options.adaptive) {
    again_.method = options.method == Method::kDop853 ? Method::kDopri5 : Method::kDop853;
  }
  make_run();
}

CrossCheck::~CrossCheck() {
  if (second_ != nullptr) spare_.leave(RunFor::kStates, std::move(second_));
}

void CrossCheck::make_run() {
  again_.rtol = tighter_[tried_] * options_.rtol;
  again_.atol = tighter_[tried_] * options_.atol;
  run_ = std::make_unique<Run>(dynamics_, start_, again_, spare_, RunFor::kStates);
}

bool CrossCheck::next() {
  second_ = run_->finish();
  const std::optional<AdjointRest> rest = run_->rest_of_gradients();
  run_ = nullptr;
  find_earlier_gradients(dynamics_, start_, again_, rest, *second_);
  const bool enough =
      (second_->status == RunStatus::kOk && second_->size() > 0) || second_->status == RunStatus::kStopped || unasked_;
  if (enough || ++tried_ == tighter_.size()) return false;
  make_run();
  return true;
}

bool CrossCheck::judge(Trajectory& path) const {
  Verdict& verdict = path.verdict;
  if (second_->status != RunStatus::kOk || second_->size() == 0) {
    if (!unasked_)
      verdict.warnings.push_back(fmt::format("the second run that was to check this one did not reach its end{}{}",
                                             second_->reason.empty() ? "" : ": ", second_->reason));
    return false;
  }
  FinalError error = error_of_end(path, *second_, options_.method);
  if (options_.cross_check) look_along(path, *second_, error);
  if (error.relative > kDigitsLost && !error.lost_at) error.lost_at = verdict.error.lost_at;
  verdict.error = error;
  judge_integrals(options_, second_->verdict, verdict);
  judge_sensitivities(dynamics_, options_, *second_, path);
  for (std::size_t f = 0; f < path.gradients.size(); ++f)
    path.gradients[f].error = error_of_gradient(dynamics_, options_.tangents, path.gradients[f], second_->gradients[f]);
  return true;
}

}  // namespace dalembert::integration
