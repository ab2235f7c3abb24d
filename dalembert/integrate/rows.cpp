// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert::integration {
namespace {

// A multiplier is round-off if in one of its equations its force is at most this part of the forces there.
constexpr double kNoForce = 1e-11;
constexpr double kNoWeight = 1e-9;  // an entry of a row that is never above this part of its largest one is round-off
constexpr std::size_t kInstantsOfForces = 32;  // rows of the run at which forces are compared

// Whether a word of the name of a row is that of a rope, or of something that things touch.
bool sounds_one_sided(const std::string& row) {
  static constexpr std::string_view kWords[] = {"rope",  "string",  "cable",  "wire",    "cord",    "chain", "tether",
                                                "strap", "contact", "ground", "floor",   "wall",    "stop",  "table",
                                                "slope", "ramp",    "plane",  "surface", "support", "hoop"};
  std::string word;
  for (std::size_t i = 0; i <= row.size(); ++i) {
    const char c = i < row.size() ? row[i] : '_';
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      word += static_cast<char>(c | 0x20);
      continue;
    }
    if (std::ranges::find(kWords, word) != std::end(kWords)) return true;
    word.clear();
  }
  return false;
}

}  // namespace

Rows::Rows(StepMaker& maker, Trajectory& path, Judge& judge, Leaps& leaps, Integrals* integrals, RunFor purpose)
    : Observer(maker, path),
      judge_(judge),
      started_at_(maker.step.t),
      leaps_(leaps),
      recorder_(maker.dynamics, maker.options, maker.motion.workspace, maker.step.t, path, purpose) {
  if (integrals != nullptr) recorder_.read(*integrals);
}

void Rows::begin() {
  recorder_.reserve();
  const double t = step_.t, *y = step_.y.data();
  // An output list need not contain the start.
  if (options_.output_times.empty() || options_.output_times.front() == t) {
    record(t, y, qdd(), motion_.lambda().data(), motion_.workspace.kkt.rank(), motion_.workspace.loss);
    if (!options_.output_times.empty()) recorder_.advance();
  }
  std::copy(motion_.lambda().begin(), motion_.lambda().end(), step_.lambda.begin());
  if (!options_.find_peaks) return;
  const std::size_t multipliers = path_.lambda.size() + path_.friction.size();
  if (multipliers + path_.outputs.size() == 0) return;
  peaks_ = std::make_unique<PeakSearch>(sought_peaks(multipliers), multipliers);
  begin_peaks(t, y, qdd());
}

// Multipliers have no corners within a step.
std::vector<PeakSearch::Seek> Rows::sought_peaks(std::size_t multipliers) const {
  const bool all = options_.peaks_of.empty();
  std::vector<PeakSearch::Seek> series(multipliers + path_.outputs.size(), {.min = all, .max = all});
  for (const IntegrateOptions::PeakOf& of : options_.peaks_of) {
    PeakSearch::Seek& seek = series[multipliers + index(of.output)];
    seek.min |= of.min;
    seek.max |= of.max;
  }
  const std::vector<Bends>& bends = dynamics_.layout().output_bends;
  for (std::size_t i = 0; i < series.size(); ++i)
    series[i].smooth =
        i < multipliers || (i - multipliers < bends.size() &&
                            bends[i - multipliers] <= (series[i].min ? Bends::kNowhere : Bends::kUpward));
  return series;
}

void Rows::begin_peaks(double t, const double* y, const double* qdd) {
  if (peaks_) peaks_->begin(t, values_with_peaks(t, y, qdd, step_.lambda.data()));
}

void Rows::bend_peaks() {
  if (peaks_) peaks_->bend();
}

// Checks and records a row of the output. `loss` is that of the KKT solve that λ comes from.
bool Rows::record(double t, const double* y, const double* qdd, const double* lambda, int rank, double loss) {
  const bool finite = judge_.check(t, y);
  // The run continues with the kernel's λ; the recorded λ is refined.
  if (loss > kLosesDigits && rank == m_ && !manifold_.deficient() && !motion_.sliding()) {
    refined_.assign(lambda, lambda + step_.lambda.size());
    refined_qdd_.assign(qdd, qdd + nv_);
    refine_kkt(dynamics_, t, y, y + nq_, motion_.workspace, refined_qdd_.data(), refined_.data());
    lambda = refined_.data();
  }
  recorder_.add(
      {t, y, y + nq_, qdd, lambda, (maker_.with_power ? y[ny_] : 0.0) + judge_.quality.given_by_events(), rank},
      judge_.quality.energy(), judge_.quality.conserved());
  return finite;
}

// Records the point in Step::out and Step::slope.
bool Rows::record_looked_at(double t) {
  return record(t, step_.out.data(), step_.slope.data() + nq_, motion_.lambda().data(), motion_.workspace.kkt.rank(),
                motion_.workspace.loss);
}

// Records the output rows within the step, by the continuous extension.
bool Rows::look_within() {
  const double h = step_.length;
  bool dense = false;
  for (double t = recorder_.next(); maker_.direction * (t - step_.t1) < 0; t = recorder_.next()) {
    if (!dense) {
      if (!method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), h))
        return fail(fmt::format("the equations cannot be evaluated for output {}", when(t)));
      dense = true;
    }
    method().interpolate((t - step_.t) / h, step_.y.data(), step_.out.data());
    const bool projected = manifold_.project(t, step_.out.data());
    const double correction = largest_magnitude(motion_.workspace.dv);
    if (!projected || !manifold_.evaluate(t, step_.out.data(), step_.slope.data()))
      return fail(fmt::format("the state cannot be brought onto the constraints {}", when(t)));
    judge_.quality.note_rank(t);
    // Near a singular position even the most precise row may be off the manifold by more than the tolerance.
    const double excess = judge_.quality.residual_excess();
    const bool replaced = step_.near_singular && leaps_.replace_noise(t, h, correction);
    if (!record_looked_at(t)) return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
    if (replaced) judge_.quality.put_back_excess(excess);
    recorder_.advance();
  }
  if (peaks_) look_for_peaks(dense);
  // This row has the state before events set it; the next row has the state after. With rates of outputs it has the outputs before any change.
  const bool has_sides = step_.jumps || (options_.output_rates && step_.ends_at_change);
  if (!has_sides || !(recorder_.every_step() || recorder_.next() == step_.t1)) return true;
  const double* y = step_.y1.data();
  return record(step_.t1, y, qdd1(), step_.lambda.data(), step_.rank, step_.loss) ||
         fail(fmt::format("the energy or a residual is not finite {}", when(step_.t1)));
}

bool Rows::arrive() {
  const double t1 = step_.t1;
  if (step_.changed) begin_peaks(t1, step_.y1.data(), qdd1());
  const bool every_step = recorder_.every_step();
  const bool at_output = !every_step && recorder_.next() == t1;
  const bool at_end = step_.stops || (options_.output_times.empty() && t1 == options_.until);
  const bool finite = every_step || at_output || at_end
                          ? record(t1, step_.y1.data(), qdd1(), step_.lambda.data(), step_.rank, step_.loss)
                          : judge_.check(t1, step_.y1.data());
  if (at_output) recorder_.advance();
  return finite || fail(fmt::format("the energy or a residual is not finite {}", when(t1)));
}

const std::vector<double>& Rows::values_with_peaks(double t, const double* y, const double* qdd, const double* lambda) {
  peak_values_.assign(lambda, lambda + path_.lambda.size() + path_.friction.size());
  if (path_.outputs.empty()) return peak_values_;
  evaluate_inputs(dynamics_, t, motion_.workspace);
  const std::vector<double>& outputs = recorder_.outputs({t, y, y + nq_, qdd, lambda});
  peak_values_.insert(peak_values_.end(), outputs.begin(), outputs.end());
  return peak_values_;
}

// Values of the series near the middle of the step, where Hermite polynomials give the state. It is not projected.
const std::vector<double>& Rows::values_about_middle(double h) {
  static const std::vector<double> kUnknown;
  const std::vector<double>&y0 = step_.y, &y1 = step_.y1;
  std::vector<double>& y = step_.out;
  const double *f0 = method().first_slope(), *f1 = method().last_slope();
  for (std::size_t i = 0; i < index(ny_); ++i) y[i] = (y0[i] + y1[i]) / 2 + h / 8 * (f0[i] - f1[i]);
  if (dynamics_.layout().v_is_qdot)
    for (std::size_t i = 0, k = index(nq_); i < index(nq_); ++i, ++k) {
      y[i] = (y0[i] + y1[i]) / 2 + 5 * h / 32 * (f0[i] - f1[i]) + h * h / 64 * (f0[k] + f1[k]);
      y[k] = 1.875 * (y1[i] - y0[i]) / h - 0.4375 * (f0[i] + f1[i]) + h / 32 * (f1[k] - f0[k]);
    }
  manifold_.forget_residuals();
  const double t = step_.t + h / 2;
  if (!motion_.evaluate(t, y.data(), step_.slope.data())) return kUnknown;
  return values_with_peaks(t, y.data(), step_.slope.data() + nq_, motion_.lambda().data());
}

// Whether rows are redundant, and a multiplier would be a new peak that is round-off.
bool Rows::is_noise(double t, const double* y, const std::vector<double>& values) {
  redundant_ = redundant_ || manifold_.rank() < m_ - dynamics_.idle_rows();
  if (!redundant_) return false;
  for (std::size_t i = 0; i < path_.lambda.size(); ++i)
    if (peaks_->exceeds(i, values[i])) return leaps_.shares_are_noise(t, y);
  return false;
}

// Takes multipliers, and outputs that contain them, out of the values at the end of the step where they are round-off.
bool Rows::leave_out_noise() {
  if (!is_noise(step_.t1, step_.y1.data(), end_values_)) return false;
  const std::size_t count = path_.lambda.size();
  ++noisy_;
  std::fill_n(end_values_.begin(), count, std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> values = end_values_, none(step_.lambda.size(), 0.0);
  const std::vector<double>& without = values_with_peaks(step_.t1, step_.y1.data(), qdd1(), none.data());
  for (std::size_t i = count + path_.friction.size(); i < values.size(); ++i)
    if (without[i] != values[i]) end_values_[i] = std::numeric_limits<double>::quiet_NaN();
  return true;
}

// Searches the step, whose end is evaluated, for peaks. `dense`: the continuous extension exists already.
void Rows::look_for_peaks(bool dense) {
  const double t1 = step_.t1, h = step_.length;
  std::vector<double>& end = end_values_;
  end = values_with_peaks(t1, step_.y1.data(), qdd1(), step_.lambda.data());
  // Near a singular position the multipliers within the step are dominated by round-off. Multipliers of open contacts are 0 throughout the step.
  const bool idle = path_.outputs.empty() && path_.friction.empty() && dynamics_.idle_rows() == m_;
  if (leave_out_noise() || step_.near_singular || step_.leaps || idle) return peaks_->begin(t1, end);
  const auto within = [&](double theta, std::vector<double>& values) {
    dense = dense || method().make_dense(motion_, step_.t, step_.y.data(), step_.y1.data(), h);
    if (!dense) return false;
    const double t = step_.t + theta * h;
    std::vector<double>&y = step_.out, &slope = step_.slope;
    method().interpolate(theta, step_.y.data(), y.data());
    if (!manifold_.project(t, y.data()) || !manifold_.evaluate(t, y.data(), slope.data())) return false;
    values = values_with_peaks(t, y.data(), slope.data() + nq_, motion_.lambda().data());
    return !is_noise(t, y.data(), values);
  };
  // The search keeps a copy of the values about the middle before it asks for others.
  peaks_->step(t1, values_about_middle(h), end, std::cref(within));
}

void Rows::finish(bool broken_off) {
  if (broken_off && (path_.time.empty() || path_.time.back() != step_.t) &&
      manifold_.evaluate(step_.t, step_.y.data(), step_.slope.data())) {
    step_.out = step_.y;
    record_looked_at(step_.t);
  }
  if (!peaks_) return;
  path_.peaks = peaks_->found();
  if (noisy_ > 0)
    path_.verdict.warnings.push_back(
        fmt::format("the peaks of multipliers leave out {} step{}, so close to a singular position that round-off "
                    "decides how redundant "
                    "rows share their load; rows of the output show what was found there",
                    noisy_, noisy_ == 1 ? "" : "s"));
  warn_of_turns();
}

// Whether the multiplier of a row is round-off all along the run: its largest force beside the forces F − B − G + Wᵀλ in an equation of motion that it
// is in. So it is where the row is an equation that the motion satisfies by itself, as that of a coordinate without inertia.
bool Rows::is_round_off(int row) {
  const Extremes& peak = path_.peaks[index(row)];
  const double largest = std::max(std::abs(peak.min), std::abs(peak.max));
  Workspace workspace(dynamics_);
  const std::size_t rows = path_.time.size(), every = std::max<std::size_t>(1, rows / kInstantsOfForces);
  std::vector<double> q(path_.q.size()), v(path_.v.size()), force(v.size());
  std::vector<double> most_force(v.size()), most_weight(v.size());  // of each equation, at any of the instants
  for (std::size_t k = 0; k < rows; k += every) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = path_.q[i][k];
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = path_.v[i][k];
    evaluate_inputs(dynamics_, path_.time[k], workspace);
    evaluate_rates(dynamics_, path_.time[k], q.data(), v.data(), workspace);
    for (std::size_t i = 0; i < force.size(); ++i) force[i] = std::abs(workspace.f[i]);
    for (int r = 0; r < m_; ++r)
      if (r != row)
        workspace.W_rows.for_each(r, workspace.W,
                                  [&](int i, double w) { force[index(i)] += std::abs(w * path_.lambda[index(r)][k]); });
    for (std::size_t i = 0; i < force.size(); ++i) most_force[i] = std::max(most_force[i], force[i]);
    workspace.W_rows.for_each(row, workspace.W, [&](int i, double w) {
      most_weight[index(i)] = std::max(most_weight[index(i)], std::abs(w));
    });
  }
  const double heaviest = *std::ranges::max_element(most_weight);
  for (std::size_t i = 0; i < most_weight.size(); ++i)
    if (most_weight[i] > kNoWeight * heaviest && most_weight[i] * largest <= kNoForce * most_force[i]) return true;
  return false;
}

// A bilateral row that looks like a contact or a rope should perhaps be one: by its name, or because its λ had one sign in the first quarter of the
// run and has another one later.
void Rows::warn_of_turns() {
  for (std::size_t r = 0; r < path_.peaks.size(); ++r) {
    double& turn = path_.peaks[r].t_turn;
    if (std::isnan(turn)) continue;
    const int row = static_cast<int>(r);
    const std::string name = r < path_.names.constraint_rows() ? name_of(path_.names.rows, row, "row") : "";
    const bool alone = name.find_first_of(".[") == std::string::npos;
    const bool late = std::abs(turn - started_at_) > std::abs(options_.until - started_at_) / 4;
    if (name.empty() || std::ranges::find(path_.holonomic, row) == path_.holonomic.end() ||
        std::ranges::find(path_.contact_rows, row) != path_.contact_rows.end() ||
        !((alone && late) || sounds_one_sided(name)) || is_round_off(row)) {
      turn = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    path_.verdict.warnings.push_back(fmt::format(
        "the multiplier of `{}` changes its sign near t = {} s: a contact or a rope would open there. If it is one, "
        "state it as one-sided (`unilateral`, `at_most`, `contact`)",
        name, to_text(turn, 3)));
  }
}

}  // namespace dalembert::integration
