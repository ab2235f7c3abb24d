// SPDX-License-Identifier: Apache-2.0
// The beginning of a run: refuses invalid options and starts, and evaluates the start.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/cubic_spline.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/integrate/run.h"

namespace dalembert::integration {

std::string why_no_start(const Dynamics& dynamics, const State& start) {
  const auto nq = index(dynamics.nq()), nv = index(dynamics.nv());
  if (start.q.size() == nq && start.v.size() == nv) return {};
  return fmt::format("the initial state has {} positions and {} velocities, the system {} coordinates{}",
                     start.q.size(), start.v.size(), nq, nq == nv ? "" : fmt::format(" and {} velocities", nv));
}

bool Run::begin() {
  look_for_code();
  if (std::string why = why_not_possible(); !why.empty()) return fail(std::move(why));
  if (guards_) guards_->look_at_start();
  if (std::string why = why_not_consistent(); !why.empty()) return fail(std::move(why));
  if (!schedule_.too_many().empty())
    return fail(schedule_.too_many() + ": a run ends a step at each; end it earlier, or state a mean value");
  if (!put_on_manifold() || !evaluate_start()) return false;
  warn_of_times();
  rows_.begin();
  if (tangents_) tangents_->begin(path_.verdict.impacts > 0);
  const Step& step = maker_.step;
  maker_.manifold.keep_rows();
  maker_.manifold.use_rows(step.t, step.y.data());
  maker_.growth.start(step.t, step.y.data());
  pace_.begin();
  passages_.begin(pace_.length());
  return true;
}

// Explains why the options or the start are invalid; empty if they are valid.
std::string Run::why_not_possible() const {
  const double t0 = maker_.step.t, until = options_.until;
  if (!(options_.rtol >= 1e-15 && options_.rtol < 1) || !(options_.atol > 0))
    return fmt::format("tolerances must satisfy 1e-15 <= rtol < 1 and atol > 0, not rtol = {}, atol = {}",
                       options_.rtol, options_.atol);
  if (!std::isfinite(until)) return "the end time is not finite";
  if (!options_.adaptive && !(options_.initial_step > 0)) return "fixed steps need initial_step > 0";
  if (!all_finite(maker_.step.y.data(), maker_.step.y.size()))
    return fmt::format("the initial state is not finite {}", when(t0));
  for (const SplineInput& input : maker_.dynamics.splines()) {
    if (input.spline->contains(t0) && input.spline->contains(until)) continue;
    return fmt::format(
        "the samples of `{}` are from {} to {} s, the run from {} to {} s: a spline has no values outside of its "
        "samples",
        name_of(maker_.dynamics.names().inputs, input.input[0], "input"), to_text(input.spline->begin(), 8),
        to_text(input.spline->end(), 8), to_text(t0, 8), to_text(until, 8));
  }
  if (maker_.dynamics.contacts() != nullptr && options_.formulation == Formulation::kReduced)
    return "velocities without multipliers (formulation = \"reduced\") cannot follow contacts that open and close: "
           "leave the "
           "formulation out";
  if (maker_.dynamics.contacts() != nullptr && maker_.direction < 0)
    return "a run backwards in time cannot know the state before an impact: end it after its start, or make the "
           "constraints bilateral";
  for (const Tangent& tangent : options_.tangents)
    if (tangent.q.size() != index(maker_.dynamics.nq()) || tangent.v.size() != index(maker_.dynamics.nv()))
      return fmt::format("the derivatives of the start by `{}` are missing: find_tangents() completes them",
                         tangent.name);
  double last = t0;
  for (const double t : options_.output_times) {
    if (!(maker_.direction * (t - last) >= 0) || !(maker_.direction * (until - t) >= 0))
      return fmt::format("output times must be in order from start to end; {} is not", to_text(t, 8));
    last = t;
  }
  return {};
}

// Explains which constraint the start violates; empty if none. A run corrects only round-off of the start.
std::string Run::why_not_consistent() {
  const Dynamics& dynamics = maker_.dynamics;
  const Names& names = dynamics.names();
  Workspace& workspace = maker_.motion.workspace;
  const double t = maker_.step.t, *q = maker_.step.y.data(), *v = q + dynamics.nq();
  if (dynamics.contacts() != nullptr) {
    const State start{t, {q, v}, {v, v + dynamics.nv()}};
    if (const Penetration below = find_penetration(dynamics, start, options_.start_tolerance); below.row >= 0)
      return fmt::format("the start violates the one-sided constraint `{}`: its gap is {} {}: assemble it first",
                         name_of(names.rows, below.row, "row"), to_text(below.gap, 4), when(t));
  }
  evaluate_position(dynamics, t, q, workspace);
  evaluate_velocity_residual(dynamics, t, q, v, workspace);
  for (int r = 0, k = 0; r < dynamics.m(); ++r) {
    if (index(k) < path_.holonomic.size() && path_.holonomic[index(k)] == r) {
      const double h = workspace.h[index(k)];
      const double terms = position_magnitude(dynamics, workspace, index(k++), q);
      if (!(std::abs(h) <= options_.start_tolerance * std::max(1.0, terms)))
        return fmt::format("the start violates position constraint `{}` by {} {}: assemble it first",
                           name_of(names.rows, r, "row"), to_text(std::abs(h), 4), when(t));
    }
    const double rate = workspace.residual[index(r)];
    if (!(std::abs(rate) <= options_.start_tolerance * std::max(1.0, workspace.W_rows.magnitude(r, workspace.W, v))))
      return fmt::format("the start violates velocity constraint `{}` by {} {}: assemble it first",
                         name_of(names.rows, r, "row"), to_text(std::abs(rate), 4), when(t));
  }
  return {};
}

bool Run::put_on_manifold() {
  Step& step = maker_.step;
  step.before = step.y;
  if (!maker_.manifold.project(step.t, step.y.data())) {
    step.failure = maker_.manifold.status();
    return fail(step.failure == KktStatus::kTooLarge
                    ? fmt::format("{} {}", maker_.why_failed(0), when(step.t))
                    : fmt::format("the start cannot be brought onto the constraints {}", when(step.t)));
  }
  const int count = maker_.dynamics.nq() + maker_.dynamics.nv();
  for (std::size_t i = 0; i < index(count); ++i) judge_.quality.note_moved(std::abs(step.y[i] - step.before[i]));
  return true;
}

// Evaluates branches, accelerations and λ at the start.
bool Run::evaluate_start() {
  Step& step = maker_.step;
  const double t = step.t, *q = step.y.data(), *v = q + maker_.dynamics.nq();
  const Motion& motion = maker_.motion;
  if ((guards_ && !guards_->begin()) || !maker_.manifold.evaluate(t, q, maker_.method().first_slope())) {
    step.failure = motion.status;
    const std::string problem = guards_ ? guards_->problem() : "";
    if (const std::string inertia = maker_.why_no_accelerations(t, q, problem); !inertia.empty())
      return fail(fmt::format("no accelerations exist {}: {}", when(t), inertia));
    return fail(!problem.empty() ? problem : fmt::format("{} {}", maker_.why_failed(0), when(t)));
  }
  if (guards_) guards_->note_end();
  judge_.quality.note_rank(t);
  leaps_.note_end();
  independence_.begin(t, q, v);
  if (motion.status == KktStatus::kInconsistent)
    return fail(
        fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows (left over: "
                    "{})",
                    when(t), to_text(motion.workspace.kkt.residual(), 3)));
  passages_.note_start();
  if (!judge_.check(t, q)) return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
  return true;
}

void Run::warn_of_times() {
  std::vector<std::string>& warnings = path_.verdict.warnings;
  if (pace_.ends().left_out() > 0)
    warnings.push_back(
        fmt::format("the input tables have too many corners for a step to end at each: steps end at {} of them, {} "
                    "smaller ones are left to the error control",
                    pace_.ends().kept(), pace_.ends().left_out()));
  if (!schedule_.given_up().empty())
    warnings.push_back(
        fmt::format("the search for narrow features of {} before the run took too long and was given up: what is "
                    "shorter than a step may be missed; max_step bounds the steps",
                    join_words(schedule_.given_up(), "`", "and")));
}

}  // namespace dalembert::integration
