// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/step_maker.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/terms.h"
#include "dalembert/integrate/difference_newton.h"
#include "dalembert/integrate/kkt_newton.h"
#include "dalembert/integrate/method.h"

namespace dalembert::integration {
namespace {

// Allowed error of the work in a step, in units of rtol times the energy that moves. The motion's own errors cause
// errors of the energy of this size.
constexpr double kWorkTolerance = 10;
// The relative error of the work decides about a step if it exceeds both that of the motion and this limit. The limit
// is far below the errors that step control aims at.
constexpr double kDecides = 0.01;
// The work may decide about at most this many more tries than the motion.
constexpr std::int64_t kStepsForWork = 1000;
// Allowed error of the mean share of a slide in a step.
constexpr double kShareResolved = 1e-3;

// The solver of implicit steps: a sparse one if the kernel has derivatives, else one with finite differences.
std::unique_ptr<ShiftedSolver> make_newton(const Dynamics& dynamics, Motion& motion) {
  const Layout& layout = dynamics.layout();
  // The sparse solver has no place for the rows of open contacts.
  if (layout.v_is_qdot && !layout.load_dependent() && dynamics.contacts() == nullptr &&
      dynamics.kernel().linearization() != nullptr)
    return std::make_unique<KktNewton>(dynamics, motion);
  return std::make_unique<DifferenceNewton>(motion, layout.state_size(), motion.size(), motion.room());
}

}  // namespace

StepMaker::StepMaker(const Dynamics& system, const State& start, const IntegrateOptions& chosen, bool power,
                     SpareParts& spare)
    : dynamics(system),
      options(chosen),
      with_power(power),
      direction(chosen.until < start.t ? -1 : 1),
      motion(dynamics, with_power, spare.workspace(dynamics)),
      manifold(dynamics, options, motion),
      step(spare.step()),
      growth(dynamics, motion.workspace, options.atol, options.error_estimate || options.cross_check),
      spare_(spare),
      explicit_(spare.pair(explicit_tableau(options.method), motion.size(), motion.room())),
      method_(&explicit_) {
  step.t = start.t;
  for (std::vector<double>* y : {&step.y, &step.y1, &step.before, &step.out}) y->resize(index(motion.size()));
  step.slope.resize(index(motion.room()));
  step.lambda.resize(index(dynamics.layout().multipliers()));
  std::copy(start.q.begin(), start.q.end(), step.y.begin());
  std::copy(start.v.begin(), start.v.end(), step.y.begin() + dynamics.nq());
}

StepMaker::~StepMaker() { spare_.leave(dynamics, std::move(motion.workspace), std::move(explicit_), std::move(step)); }

// Slides and leaps over singular positions need an explicit method, whose stages can be projected one by one.
void StepMaker::choose_method(bool stiff) {
  const bool implicit = is_implicit(options.method) || stiff;
  // Where `auto` changes to an implicit method, that steps the full state.
  const bool may_reduce = options.formulation == Formulation::kReduced && (!implicit || is_implicit(options.method));
  if (!motion.sliding() && may_reduce) {
    if (reduced_ == nullptr) reduced_ = std::make_unique<ReducedMethod>(options, dynamics, motion);
    return use(*reduced_);
  }
  if (motion.sliding() || !implicit) return use(explicit_);
  if (implicit_ == nullptr) {
    newton_ = make_newton(dynamics, motion);
    implicit_ = make_implicit_method(options, *newton_, motion.size(), motion.room());
  }
  use(*implicit_);
}

void StepMaker::use(OneStepMethod& method) {
  if (method_ == &method) return;
  // The method that made the steps must propagate their errors.
  if (growth.pending()) growth.advance(step.t, step.y.data(), qdd());
  std::copy_n(method_->first_slope(), motion.size(), method.first_slope());
  method.restart();
  control.restart();
  method_ = &method;
}

void StepMaker::begin_tries() {
  step.near_singular = step.leaps = motion.on_manifold = false;
  motion.largest_loss = motion.largest_lambda = motion.largest_grip = 0;
  motion.least_grip = std::numeric_limits<double>::infinity();
}

void StepMaker::set_manifold_tolerance() {
  double size = 1;
  for (int i = 0; i < dynamics.nq(); ++i) size = std::max(size, std::abs(step.y[index(i)]));
  motion.manifold_tolerance = options.atol + options.rtol * size;
}

bool StepMaker::try_step(double t1, double length) {
  return begin_step(t1, length) &&
         end_step(method_->advance(motion, step.t, step.y.data(), step.length, step.y1.data()));
}

bool StepMaker::begin_step(double t1, double length) {
  ++step.tries;
  step.t1 = t1;
  step.length = length;
  step.failure = KktStatus::kOk;
  step.projection_failed = false;
  step.error = 0;
  if (motion.sliding()) {
    motion.shares.clear();
    if (!motion.evaluate(step.t, step.y.data(), step.slope.data())) {
      step.failure = motion.status;
      return false;
    }
  }
  motion.status = KktStatus::kOk;
  return true;
}

bool StepMaker::keep_advance(bool advanced) {
  if (!advanced) {
    step.failure = motion.status;
    // If every stage could be evaluated, it was the equations of the stages that could not be solved.
    if (step.failure == KktStatus::kOk || step.failure == KktStatus::kInconsistent) {
      step.failure = KktStatus::kOk;
      step.error = std::numeric_limits<double>::infinity();
    }
    return false;
  }
  const bool needs_end = method_->error_needs_last_slope();
  if (!needs_end) step.error = embedded_error(step.length);
  if (std::isnan(step.error)) step.failure = KktStatus::kNotFinite;
  return step.error <= 1;
}

bool StepMaker::project_end() {
  copy_few(step.y1.data(), step.y1.size(), step.before.data());
  return keep_projection(manifold.project(step.t1, step.y1.data()));
}

bool StepMaker::keep_projection(bool projected) {
  if (projected) return true;
  if (manifold.status() == KktStatus::kTooLarge) step.failure = manifold.status();
  step.projection_failed = true;
  return false;
}

bool StepMaker::judge_end(bool evaluated, double displacement) {
  if (!evaluated) return false;
  if (method_->error_needs_last_slope()) step.error = embedded_error(step.length);
  if (options.adaptive) step.error = std::sqrt(step.error * step.error + displacement * displacement);
  return step.error <= 1;
}

// The relative error of a step. It is 0 for fixed steps, but the error of their work still counts in the verdict.
double StepMaker::embedded_error(double length) {
  const int count = dynamics.nq() + dynamics.nv();
  const double of_motion = method_->error(step.y.data(), step.y1.data(), length, count, options.rtol, options.atol);
  const double of_work = with_power ? judge_work(length, of_motion) : 0;
  return options.adaptive ? std::max({of_motion, of_work, error_of_shares()}) : 0;
}

// The error that the step adds to the work, relative to the allowed one, a fraction of the energy that moves. The work
// only serves the verdict and must not cost more than the motion. So it may decide about steps as long as these are not
// many more than the steps that the motion decides about. After that its error is only noted.
double StepMaker::judge_work(double length, double of_motion) {
  const int work = dynamics.nq() + dynamics.nv();
  step.work_error = std::abs(method_->component_error(work, length));
  const double allowed = kWorkTolerance * options.rtol * step.work_scale;
  const double error = allowed > 0 ? step.work_error / allowed : 0;
  const bool decides = error > std::max(of_motion, kDecides);
  if (!decides) {
    ++steps_for_motion_;
    return error;
  }
  if (options.adaptive && steps_for_work_ <= kStepsForWork + steps_for_motion_) {
    ++steps_for_work_;
    return error;
  }
  // The power changes too fast for these steps and for their error estimate. This bound
  // holds for any phase of the power.
  if (error > 1) step.work_error = std::max(step.work_error, std::abs(length) * method_->largest_slope(work));
  return 0;
}

// The relative error of the shares of a slide in the last try. If nothing else changes, only the shares
// show how fast the forces change.
double StepMaker::error_of_shares() const {
  if (!motion.sliding()) return 0;
  const std::size_t count = motion.slides();
  double most = 0;
  for (std::size_t k = 0; k < count; ++k)
    most = std::max(most, std::abs(explicit_.quadrature_error(motion.shares.data() + k, count)) / kShareResolved);
  return most;
}

bool StepMaker::evaluate_end() {
  const bool evaluated = manifold.evaluate(step.t1, step.y1.data(), method_->last_slope());
  if (!evaluated) step.failure = motion.status;
  return evaluated;
}

void StepMaker::keep_end() {
  step.status = motion.status;
  step.rank = motion.workspace.kkt.rank();
  copy_few(motion.lambda().data(), step.lambda.size(), step.lambda.data());
  manifold.keep_rows();
}

void StepMaker::reject() {
  manifold.forget_residuals();
  step.rejected_error = step.error;
}

void StepMaker::move_on() {
  step.t = step.t1;
  std::swap(step.y, step.y1);
  manifold.use_rows(step.t, step.y.data());
  const bool implicit = method_->facts().implicit;
  if (growth.enabled()) follow_errors();
  method_->shift();
  if (implicit) return;
  const bool due = growth.due();
  // Errors are followed up to a jump, along the motion before it.
  if ((step.jumps || step.stops) && growth.enabled())
    growth.advance(step.t, step.y_before.data(), step.slope_before.data() + dynamics.nq());
  else if (due)
    growth.advance(step.t, step.y.data(), qdd());
}

// Adds the errors of the step that led from y1 to y (they have been swapped).
void StepMaker::follow_errors() {
  const int count = dynamics.nq() + dynamics.nv();
  double* errors = growth.step_errors();
  if (!step.leaps) {
    method_->add_step_error(step.y1.data(), step.y.data(), step.length, count, errors);
  } else {
    for (std::size_t i = 0; i < index(count); ++i)
      errors[i] += step.error * (options.atol + options.rtol * std::abs(step.y[i]));
  }
  if (method_->facts().implicit) growth.carry(step.t, step.y.data(), *method_);
}

RunPoint StepMaker::point(std::int64_t steps) const {
  const auto nq = index(dynamics.nq()), nv = index(dynamics.nv());
  const std::span<const double> y(step.y);
  return {step.t, y.first(nq), y.subspan(nq, nv), std::span<const double>(qdd(), nv), step.lambda, steps};
}

std::string StepMaker::why_failed(double length) const {
  const Names& names = dynamics.names();
  if (reduced_ != nullptr && reduced_->lost_velocities()) {
    std::string state;
    for (int i = 0; i < dynamics.nq(); ++i)
      state += fmt::format("{}{} = {}", i > 0 ? ", " : "", name_of(names.coordinates, i, "coordinate"),
                           to_text(step.y[index(i)], 6));
    return fmt::format("the quasi-velocities {} no longer determine the velocities, near {}",
                       options.quasi_velocities ? join_words(options.quasi_velocities->names().rows) : "picked", state);
  }
  const FrictionSystem* const friction = motion.workspace.friction.get();
  if (step.failure == KktStatus::kSingular && friction != nullptr && !friction->has_negative_inertia())
    return "the friction leaves no finite forces (a paradox of Painlevé), or the mass matrix is singular on the "
           "motions that the constraints allow";
  if (step.failure == KktStatus::kSingular)
    return "the mass matrix is singular on the motions that the constraints allow";
  if (step.failure == KktStatus::kNotFinite) return "the equations of motion are not finite";
  if (step.failure == KktStatus::kTooLarge) return std::string(to_text(step.failure));
  const bool reduces = method_ == reduced_.get();
  const ShiftedSolver* solver = reduces ? reduced_->solver() : method_ == implicit_.get() ? newton_.get() : nullptr;
  if (solver != nullptr && solver->size() > solver->largest_size())
    return fmt::format(
        "implicit steps need derivatives by differences here, of at most {} coordinates and velocities, and there are "
        "{}{}",
        solver->largest_size(), solver->size(), reduces ? " (formulation `index1` may have exact ones)" : "");
  if (std::isinf(step.rejected_error)) return "the equations of the stages cannot be solved";
  if (step.projection_failed) return "the state cannot be brought back onto the constraints";
  const int worst = method_->worst_component(), nq = dynamics.nq();
  const std::string name =
      worst < nq ? name_of(names.coordinates, worst, "coordinate") : names.velocity(index(worst - nq));
  return fmt::format("the error of `{}` stays above the tolerance (step {} s, error {} times what is allowed)", name,
                     to_text(length, 3), to_text(step.rejected_error, 3));
}

std::string StepMaker::why_no_accelerations(double t, const double* y, const std::string& problem) const {
  // The solver of frictions says of a missing inertia that nothing is consistent.
  const bool frictions = dynamics.layout().frictions > 0;
  if (!frictions && (!problem.empty() || motion.status != KktStatus::kSingular)) return {};
  const double* const v = y + dynamics.nq();
  const Terms terms = evaluate_terms(dynamics, {t, {y, v}, {v, v + dynamics.nv()}});
  const bool negative = motion.workspace.friction != nullptr && motion.workspace.friction->has_negative_inertia();
  return frictions && !negative ? explain_undetermined(dynamics, terms) : explain_no_inertia(dynamics, terms);
}

}  // namespace dalembert::integration
