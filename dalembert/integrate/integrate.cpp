// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/integrate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"
#include "dalembert/integrate/runge_kutta.h"

namespace dalembert {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kSafety = 0.9;
// Residuals below this many units of round-off are no sign of an error.
constexpr double kNoise = 100;
// Rows of W nearer to dependence than this are worth a warning.
constexpr double kNearlySingular = 1e-5;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double norm(const double* x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

const Tableau& tableau_of(Method method) {
  return method == Method::kDopri5 ? dormand_prince_54() : dormand_prince_853();
}

std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  return index(i) < names.size() ? names[index(i)] : fmt::format("{} {}", kind, i + 1);
}

// y = (q, v, w): q' = v, v' = q̈, w' = F·v − λᵀa − ∂L/∂t where the power balance is kept.
class Motion final : public RightHandSide {
 public:
  Motion(const Dynamics& dynamics, bool with_power)
      : workspace(dynamics), dynamics_(dynamics), with_power_(with_power), lambda_(index(dynamics.m())) {}

  bool evaluate(double t, const double* y, double* dydt) override {
    const int n = dynamics_.n();
    ++evaluations;
    const double *q = y, *v = y + n;
    std::copy(v, v + n, dydt);
    status = solve_kkt(dynamics_, t, q, v, workspace, dydt + n, lambda_.data());
    if (status == KktStatus::kSingular || status == KktStatus::kNotFinite) return false;
    if (with_power_) dydt[2 * n] = power(t, q, v);
    return true;
  }

  // dE/dt at a state whose λ stands in lambda().
  double power(double t, const double* q, const double* v) {
    const Energy e = energy(dynamics_, t, q, v, workspace);
    evaluate_velocity(dynamics_, t, q, workspace);
    double result = e.power - e.partial_t;
    for (std::size_t r = 0; r < lambda_.size(); ++r) result -= lambda_[r] * workspace.a[r];
    return result;
  }

  const std::vector<double>& lambda() const { return lambda_; }

  Workspace workspace;
  KktStatus status = KktStatus::kOk;
  std::int64_t evaluations = 0;

 private:
  const Dynamics& dynamics_;
  bool with_power_;
  std::vector<double> lambda_;
};

class Run {
 public:
  Run(const Dynamics& dynamics, const State& start, const IntegrateOptions& options)
      : dynamics_(dynamics),
        options_(options),
        n_(dynamics.n()),
        m_(dynamics.m()),
        with_power_(options.power_balance && !dynamics.layout().conservative),
        size_(2 * n_ + (with_power_ ? 1 : 0)),
        motion_(dynamics, with_power_),
        method_(tableau_of(options.method), size_),
        t_(start.t),
        direction_(options.until < start.t ? -1 : 1),
        y_(index(size_)),
        y1_(index(size_)),
        before_(index(size_)),
        out_(index(size_)),
        slope_(index(size_)),
        lambda_(index(m_)),
        conserved_(index(dynamics.layout().conserved)),
        conserved_start_(conserved_.size()),
        conserved_drift_(conserved_.size()),
        conserved_largest_(conserved_.size()),
        outputs_(index(dynamics.layout().outputs)),
        ambiguous_(index(m_), false) {
    independent_.reserve(index(m_));
    std::copy(start.q.begin(), start.q.end(), y_.begin());
    std::copy(start.v.begin(), start.v.end(), y_.begin() + n_);
  }

  Trajectory run();

 private:
  bool begin();
  bool loop();
  bool fail(std::string reason) {
    path_.status = RunStatus::kFailed;
    path_.reason = std::move(reason);
    return false;
  }
  std::string when(double t) const { return fmt::format("at t = {} s", to_text(t, 8)); }
  double first_step();
  bool project_state(double t, double* y);
  double displacement_error() const;
  void note_rank(double t);
  bool check(double t, const double* y);
  bool record(double t, const double* y, const double* qdd, const double* lambda, int rank);
  void keep_rows();
  void use_rows(double t, const double* y);
  void reserve();
  bool record_between(double t1, double h);
  double next_output() const;
  void finish();
  std::string why_step_failed(double h) const;

  const Dynamics& dynamics_;
  const IntegrateOptions& options_;
  const int n_, m_;
  const bool with_power_;
  const int size_;
  Motion motion_;
  RungeKutta method_;
  double t_;
  const double direction_;
  std::vector<double> y_, y1_, before_, out_, slope_, lambda_;

  // What the verdict is made of.
  Energy energy_;
  double energy_start_ = 0, energy_deviation_ = 0, balance_deviation_ = 0, largest_kinetic_ = 0;
  double residual_excess_ = 0;
  std::vector<double> conserved_, conserved_start_, conserved_drift_, conserved_largest_, outputs_;
  std::vector<int> independent_;  // rows of W, at the last point on the manifold
  bool deficient_ = false;        // whether they are fewer than m
  std::vector<bool> ambiguous_;   // rows whose λ was not unique somewhere
  int min_rank_ = 0;
  double least_independence_ = 1, least_independent_at_ = 0;
  bool started_ = false;
  int stiff_ = 0, not_stiff_ = 0;
  bool warned_stiff_ = false;
  double moved_at_start_ = 0;
  std::size_t next_time_ = 0;
  KktStatus failure_ = KktStatus::kOk;  // of a stage, in the last rejected try
  bool projection_failed_ = false;
  bool position_corrected_ = false, velocity_corrected_ = false;  // by more than round-off, in the last projection
  double last_error_ = 0;

  Trajectory path_;
};

// Positions and velocities back onto the manifold. False when the residuals stay far above what the tolerance allows.
bool Run::project_state(double t, double* y) {
  const Projection projection = project(dynamics_, t, y, y + n_, motion_.workspace);
  if (!projection.ok) return false;
  // In units of round-off of the rows' terms: anything between arithmetic and tolerance is judged later, in check().
  const double allowed = (options_.rtol + 1e3 * kEps) / kEps;
  // Corrections of the last digits say nothing about the error of the step.
  position_corrected_ = projection.position_roundoff_before > kNoise;
  velocity_corrected_ = projection.velocity_roundoff_before > kNoise;
  return projection.position_roundoff <= allowed || projection.position_residual <= options_.atol;
}

// The displacement y₁ − before_ in the norm of the error control.
double Run::displacement_error() const {
  // No component can be put back more precisely than the largest one that it is tied to.
  double floor[2] = {0, 0};
  for (std::size_t i = 0; i < index(2 * n_); ++i)
    floor[i / index(n_)] = std::max(floor[i / index(n_)], 64 * kEps * std::abs(y1_[i]));
  double sum = 0;
  for (std::size_t i = 0; i < index(2 * n_); ++i) {
    if (!(i < index(n_) ? position_corrected_ : velocity_corrected_)) continue;
    const double scale =
        options_.atol + options_.rtol * std::max(std::abs(y_[i]), std::abs(y1_[i])) + floor[i / index(n_)];
    sum += (y1_[i] - before_[i]) * (y1_[i] - before_[i]) / (scale * scale);
  }
  return n_ == 0 ? 0 : std::sqrt(sum / (2 * n_));
}

// After a KKT solve at a point of the manifold: the rank found there bounds the rank off the manifold nearby.
void Run::note_rank(double t) {
  Workspace& workspace = motion_.workspace;
  const int rank = workspace.kkt.rank();
  min_rank_ = started_ ? std::min(min_rank_, rank) : rank;
  if (rank < m_) {
    for (int r = 0; r < m_; ++r)
      if (!workspace.kkt.lambda_unique(r)) ambiguous_[index(r)] = true;
  } else if (workspace.kkt.independence() < least_independence_) {
    least_independence_ = workspace.kkt.independence();
    least_independent_at_ = t;
  }
}

// After a KKT solve at a point of the manifold: which rows are independent there.
void Run::keep_rows() {
  independent_.clear();
  for (int k = 0; k < motion_.workspace.kkt.rank(); ++k)
    independent_.push_back(motion_.workspace.kkt.independent_row(k));
  std::sort(independent_.begin(), independent_.end());
}

// The step that starts here is made with those rows alone (see RowBasis); `t`, `y` is the point they belong to.
void Run::use_rows(double t, const double* y) {
  Workspace& workspace = motion_.workspace;
  deficient_ = static_cast<int>(independent_.size()) < m_;
  workspace.basis.set_all();
  workspace.position_basis.set_all();
  if (!deficient_) return;
  workspace.basis.set(independent_);
  if (dynamics_.layout().holonomic.empty()) return;
  evaluate_mass(dynamics_, t, y, y + n_, workspace);
  evaluate_velocity(dynamics_, t, y, workspace);
  if (workspace.position.factor(workspace.M.data(), workspace.W_position.data()) == KktStatus::kSingular)
    workspace.position.factor(workspace.identity.data(), workspace.W_position.data());
  workspace.position_basis.set(workspace.position);
}

// Residuals, energy and conserved quantities of a point; false when something is not finite.
bool Run::check(double t, const double* y) {
  Workspace& workspace = motion_.workspace;
  const Layout& layout = dynamics_.layout();
  const double *q = y, *v = y + n_;
  Verdict& verdict = path_.verdict;
  evaluate_position(dynamics_, t, q, workspace);
  evaluate_velocity_residual(dynamics_, t, q, v, workspace);
  bool finite = true;
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) {
    const double value = std::abs(workspace.h[k]);
    const double* row = workspace.W_position.data() + k * index(n_);
    finite = finite && std::isfinite(value);
    verdict.max_position_residual = std::max(verdict.max_position_residual, value);
    const double allowed =
        options_.atol + options_.rtol * row_magnitude(row, q, n_) + kNoise * kEps * norm(row, n_) * norm(q, n_);
    residual_excess_ = std::max(residual_excess_, value / allowed);
  }
  for (std::size_t r = 0; r < index(m_); ++r) {
    const double value = std::abs(workspace.residual[r]);
    const double* row = workspace.W.data() + r * index(n_);
    const double terms = row_magnitude(row, v, n_) + std::abs(workspace.a[r]);
    finite = finite && std::isfinite(value);
    verdict.max_velocity_residual = std::max(verdict.max_velocity_residual, value);
    // W itself carries the round-off of q.
    const double roundoff = kEps * (norm(row, n_) * norm(v, n_) + std::abs(workspace.a[r])) * (1 + norm(q, n_));
    residual_excess_ = std::max(residual_excess_, value / (options_.atol + options_.rtol * terms + kNoise * roundoff));
  }

  energy_ = energy(dynamics_, t, q, v, workspace, conserved_.data());
  if (!started_) {
    energy_start_ = energy_.total;
    conserved_start_ = conserved_;
  }
  const double change = energy_.total - energy_start_, work = with_power_ ? y[2 * n_] : 0;
  finite = finite && std::isfinite(change);
  energy_deviation_ = std::max(energy_deviation_, std::abs(change));
  balance_deviation_ = std::max(balance_deviation_, std::abs(change - work));
  largest_kinetic_ = std::max(largest_kinetic_, std::abs(energy_.kinetic));
  for (std::size_t i = 0; i < conserved_.size(); ++i) {
    conserved_drift_[i] = std::max(conserved_drift_[i], std::abs(conserved_[i] - conserved_start_[i]));
    conserved_largest_[i] = std::max(conserved_largest_[i], std::abs(conserved_[i]));
  }
  return finite;
}

// A row of the output; checks it as well.
bool Run::record(double t, const double* y, const double* qdd, const double* lambda, int rank) {
  Workspace& workspace = motion_.workspace;
  const Layout& layout = dynamics_.layout();
  const bool finite = check(t, y);
  path_.time.push_back(t);
  for (int i = 0; i < n_; ++i) {
    path_.q[index(i)].push_back(y[i]);
    path_.v[index(i)].push_back(y[n_ + i]);
    path_.a[index(i)].push_back(qdd[i]);
  }
  for (std::size_t r = 0; r < index(m_); ++r) {
    path_.lambda[r].push_back(lambda[r]);
    path_.residual[r].push_back(workspace.residual[r]);
  }
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k)
    path_.residual[index(layout.holonomic[k])].back() = workspace.h[k];
  path_.kinetic.push_back(energy_.kinetic);
  path_.potential.push_back(energy_.potential);
  path_.total.push_back(energy_.total);
  path_.work.push_back(with_power_ ? y[2 * n_] : 0.0);
  for (std::size_t i = 0; i < conserved_.size(); ++i) path_.conserved[i].push_back(conserved_[i]);
  for (std::size_t i = 0; i < index(layout.inputs); ++i) path_.u[i].push_back(workspace.u[i]);
  path_.rank.push_back(rank);
  if (layout.outputs > 0) {
    dynamics_.kernel().call(KernelFunction::kOutputs,
                            {.t = t,
                             .q = y,
                             .v = y + n_,
                             .qdd = qdd,
                             .lambda = lambda,
                             .u = workspace.u.data(),
                             .p = dynamics_.parameters().data(),
                             .work = workspace.work.data()},
                            outputs_.data());
    for (std::size_t i = 0; i < outputs_.size(); ++i) path_.outputs[i].push_back(outputs_[i]);
  }
  return finite;
}

// The next requested output time, or infinity when every accepted step (or nothing more) is asked for.
double Run::next_output() const {
  if (!options_.output_times.empty())
    return next_time_ < options_.output_times.size() ? options_.output_times[next_time_]
                                                     : direction_ * std::numeric_limits<double>::infinity();
  if (options_.output_step > 0) {
    // Counted, not summed up; the last one is drawn to the end of the run when it is there but for round-off.
    const double t = path_.time.front() + direction_ * options_.output_step * static_cast<double>(next_time_ + 1);
    return std::abs(t - options_.until) <= 1e-6 * options_.output_step ? options_.until : t;
  }
  return direction_ * std::numeric_limits<double>::infinity();
}

// Output rows inside the step from t_ to t1, by the continuous extension.
bool Run::record_between(double t1, double h) {
  bool dense = false;
  for (double t = next_output(); direction_ * (t - t1) < 0; t = next_output()) {
    if (!dense) {
      if (!method_.make_dense(motion_, t_, y_.data(), y1_.data(), h))
        return fail(fmt::format("the equations cannot be evaluated for output {}", when(t)));
      dense = true;
    }
    method_.interpolate((t - t_) / h, y_.data(), out_.data());
    const bool projected = project_state(t, out_.data());
    motion_.workspace.basis.all = true;  // on the manifold all rows count: rank and least-norm λ
    const bool evaluated = projected && motion_.evaluate(t, out_.data(), slope_.data());
    motion_.workspace.basis.all = !deficient_;
    if (!evaluated) return fail(fmt::format("the state cannot be brought onto the constraints {}", when(t)));
    note_rank(t);
    if (!record(t, out_.data(), slope_.data() + n_, motion_.lambda().data(), motion_.workspace.kkt.rank()))
      return fail(fmt::format("the energy or a residual is not finite {}", when(t)));
    ++next_time_;
  }
  return true;
}

// Hairer, Nørsett & Wanner, II.4: a step that makes an explicit Euler step and its change of slope small.
double Run::first_step() {
  const std::size_t count = index(2 * n_);
  const double* f0 = method_.first_stage();
  const auto scale = [&](std::size_t i) { return options_.atol + options_.rtol * std::abs(y_[i]); };
  double d0 = 0, d1 = 0, d2 = 0;
  for (std::size_t i = 0; i < count; ++i) {
    d0 += std::pow(y_[i] / scale(i), 2);
    d1 += std::pow(f0[i] / scale(i), 2);
  }
  const double root = std::sqrt(std::max<double>(1, 2 * n_));
  d0 = std::sqrt(d0) / root;
  d1 = std::sqrt(d1) / root;
  const double span = std::abs(options_.until - t_);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min(h, span);
  for (std::size_t i = 0; i < index(size_); ++i) y1_[i] = y_[i] + direction_ * h * f0[i];
  if (motion_.evaluate(t_ + direction_ * h, y1_.data(), slope_.data())) {
    for (std::size_t i = 0; i < count; ++i) d2 += std::pow((slope_[i] - f0[i]) / scale(i), 2);
    d2 = std::sqrt(d2) / root / h;
  }
  const double steepest = std::max(d1, d2);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / steepest, 1.0 / method_.tableau().order);
  return std::min({100 * h, h1, span});
}

bool Run::begin() {
  const Names& names = dynamics_.names();
  path_.names = names;
  path_.holonomic = dynamics_.layout().holonomic;
  path_.q.resize(index(n_));
  path_.v.resize(index(n_));
  path_.a.resize(index(n_));
  path_.lambda.resize(index(m_));
  path_.residual.resize(index(m_));
  path_.u.resize(index(dynamics_.layout().inputs));
  path_.outputs.resize(outputs_.size());
  path_.conserved.resize(conserved_.size());

  if (!(options_.rtol >= 1e-15 && options_.rtol < 1) || !(options_.atol > 0))
    return fail(fmt::format("tolerances must satisfy 1e-15 <= rtol < 1 and atol > 0, not rtol = {}, atol = {}",
                            options_.rtol, options_.atol));
  if (!std::isfinite(options_.until)) return fail("the end time is not finite");
  if (!options_.adaptive && !(options_.initial_step > 0)) return fail("fixed steps need initial_step > 0");
  for (double y : y_)
    if (!std::isfinite(y)) return fail(fmt::format("the initial state is not finite {}", when(t_)));
  double last = t_;
  for (double t : options_.output_times) {
    if (!(direction_ * (t - last) >= 0) || !(direction_ * (options_.until - t) >= 0))
      return fail(fmt::format("output times must run from start to end in order; {} does not", to_text(t, 8)));
    last = t;
  }

  // The start must be consistent: it is not this function's to repair beyond the last digits.
  Workspace& workspace = motion_.workspace;
  evaluate_position(dynamics_, t_, y_.data(), workspace);
  evaluate_velocity_residual(dynamics_, t_, y_.data(), y_.data() + n_, workspace);
  for (int r = 0, k = 0; r < m_; ++r) {
    const double* row = workspace.W.data() + index(r) * index(n_);
    if (index(k) < path_.holonomic.size() && path_.holonomic[index(k)] == r) {
      const double h = workspace.h[index(k++)];
      if (!(std::abs(h) <= options_.start_tolerance * std::max(1.0, row_magnitude(row, y_.data(), n_))))
        return fail(fmt::format("the start violates position constraint `{}` by {} {}: assemble it first",
                                name_of(names.rows, r, "row"), to_text(std::abs(h), 4), when(t_)));
    }
    const double rate = workspace.residual[index(r)];
    if (!(std::abs(rate) <= options_.start_tolerance * std::max(1.0, row_magnitude(row, y_.data() + n_, n_))))
      return fail(fmt::format("the start violates velocity constraint `{}` by {} {}: assemble it first",
                              name_of(names.rows, r, "row"), to_text(std::abs(rate), 4), when(t_)));
  }
  before_ = y_;
  if (!project_state(t_, y_.data()))
    return fail(fmt::format("the start cannot be brought onto the constraints {}", when(t_)));
  for (std::size_t i = 0; i < index(2 * n_); ++i)
    moved_at_start_ = std::max(moved_at_start_, std::abs(y_[i] - before_[i]));

  if (!motion_.evaluate(t_, y_.data(), method_.first_stage())) {
    failure_ = motion_.status;
    return fail(fmt::format("{} {}", why_step_failed(0), when(t_)));
  }
  note_rank(t_);
  if (motion_.status == KktStatus::kInconsistent)
    return fail(
        fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows "
                    "(left over: {})",
                    when(t_), to_text(workspace.kkt.residual(), 3)));
  if (!check(t_, y_.data())) return fail(fmt::format("the energy or a residual is not finite {}", when(t_)));
  started_ = true;

  // An output list need not contain the start.
  reserve();
  if (options_.output_times.empty() || options_.output_times.front() == t_) {
    record(t_, y_.data(), method_.first_stage() + n_, motion_.lambda().data(), workspace.kkt.rank());
    if (!options_.output_times.empty()) ++next_time_;
  }
  keep_rows();
  use_rows(t_, y_.data());
  return true;
}

// Where the number of output rows is known, their memory is taken at once.
void Run::reserve() {
  double rows = static_cast<double>(options_.output_times.size());
  if (rows == 0 && options_.output_step > 0) rows = std::abs(options_.until - t_) / options_.output_step;
  if (rows == 0 || rows > 1e7) return;
  const auto count = static_cast<std::size_t>(rows) + 3;
  path_.rank.reserve(count);
  for (std::vector<double>* x : {&path_.time, &path_.kinetic, &path_.potential, &path_.total, &path_.work})
    x->reserve(count);
  for (auto* group :
       {&path_.q, &path_.v, &path_.a, &path_.lambda, &path_.residual, &path_.u, &path_.outputs, &path_.conserved})
    for (std::vector<double>& x : *group) x.reserve(count);
}

std::string Run::why_step_failed(double h) const {
  const Names& names = dynamics_.names();
  if (failure_ == KktStatus::kSingular) return "the mass matrix is singular on the motions that the constraints allow";
  if (failure_ == KktStatus::kNotFinite) return "the equations of motion are not finite";
  if (projection_failed_) return "the state cannot be brought back onto the constraints";
  const int worst = method_.worst_component();
  const std::string coordinate = name_of(names.coordinates, worst % std::max(n_, 1), "coordinate");
  return fmt::format("the error of `{}{}` stays above the tolerance (step {} s, error {} times what is allowed)",
                     coordinate, worst >= n_ ? "'" : "", to_text(h, 3), to_text(last_error_, 3));
}

bool Run::loop() {
  const Tableau& tableau = method_.tableau();
  const double exponent = 1.0 / (tableau.error_order + 1) - 0.75 * tableau.beta;
  double h = options_.initial_step > 0 ? options_.initial_step : first_step();
  double error_before = 1e-4;
  bool rejected_last = false;
  int since_progress = 0;

  for (std::int64_t tries = 0; direction_ * (options_.until - t_) > 0; ++tries) {
    if (options_.progress && ++since_progress >= options_.progress_every) {
      since_progress = 0;
      if (!options_.progress(t_)) {
        path_.status = RunStatus::kStopped;
        path_.reason = fmt::format("stopped {}", when(t_));
        return false;
      }
    }
    if (tries >= options_.max_steps)
      return fail(fmt::format("{} steps were not enough: stopped {} of {} s", options_.max_steps, when(t_),
                              to_text(options_.until, 8)));

    if (options_.max_step > 0) h = std::min(h, options_.max_step);
    const double left = std::abs(options_.until - t_);
    // The last two steps share what is left, so that none is tiny.
    const bool ends_here = h >= left * (1 - 1e-12);
    if (ends_here)
      h = left;
    else if (options_.adaptive && 2 * h > left)
      h = left / 2;
    const double smallest = 16 * kEps * std::max(std::abs(t_), std::abs(options_.until) * 1e-8);
    if (h < smallest && !ends_here)
      return fail(fmt::format("the step size became too small {}: {}", when(t_), why_step_failed(h)));

    const double step = direction_ * h;
    const double t1 = ends_here ? options_.until : t_ + step;
    failure_ = KktStatus::kOk;
    projection_failed_ = false;

    Workspace& workspace = motion_.workspace;
    double error = 0;
    bool possible = method_.advance(motion_, t_, y_.data(), step, y1_.data());
    if (!possible) failure_ = motion_.status;
    if (possible && !method_.error_needs_last_stage() && options_.adaptive)
      error = method_.error(y_.data(), y1_.data(), step, 2 * n_, options_.rtol, options_.atol);
    if (possible && error <= 1) {
      before_ = y1_;
      if (!project_state(t1, y1_.data())) {
        possible = false;
        projection_failed_ = true;
      } else {
        // On the manifold all rows count, and the rank is decided afresh.
        workspace.basis.all = true;
        if (!motion_.evaluate(t1, y1_.data(), method_.last_stage())) {
          possible = false;
          failure_ = motion_.status;
        } else if (options_.adaptive) {
          if (method_.error_needs_last_stage())
            error = method_.error(y_.data(), y1_.data(), step, 2 * n_, options_.rtol, options_.atol);
          error = std::hypot(error, displacement_error());
        }
        workspace.basis.all = !deficient_;
      }
    }

    if (!possible || !(error <= 1)) {
      ++path_.rejected;
      last_error_ = error;
      if (!options_.adaptive)
        return fail(fmt::format("the step could not be made {}: {}", when(t_), why_step_failed(h)));
      h *= possible && std::isfinite(error)
               ? std::max(tableau.smallest_factor, kSafety * std::pow(error, -1.0 / (tableau.error_order + 1)))
               : 0.25;
      rejected_last = true;
      continue;
    }

    // Accepted. λ and rank of this point are kept aside: output points before it use the same workspace.
    ++path_.steps;
    note_rank(t1);
    const KktStatus status = motion_.status;
    const int rank = workspace.kkt.rank();
    std::copy(motion_.lambda().begin(), motion_.lambda().end(), lambda_.begin());
    keep_rows();
    const double stiffness = method_.stiffness(y1_.data(), h);
    if (!warned_stiff_ && (path_.steps % 1000 == 0 || stiff_ > 0)) {
      // Hairer & Wanner II, IV.2: fifteen hits, not interrupted by six misses.
      if (stiffness > tableau.stability) {
        not_stiff_ = 0;
        if (++stiff_ == 15) {
          warned_stiff_ = true;
          path_.verdict.warnings.push_back(
              fmt::format("the equations look stiff {}: stability, not accuracy, sets the step", when(t_)));
        }
      } else if (++not_stiff_ == 6) {
        stiff_ = not_stiff_ = 0;
      }
    }
    if (!record_between(t1, step)) return false;
    const bool every_step = options_.output_times.empty() && !(options_.output_step > 0);
    const bool at_output = !every_step && next_output() == t1;
    const bool at_end = options_.output_times.empty() && t1 == options_.until;
    const bool finite = every_step || at_output || at_end
                            ? record(t1, y1_.data(), method_.last_stage() + n_, lambda_.data(), rank)
                            : check(t1, y1_.data());
    if (at_output) ++next_time_;

    t_ = t1;
    std::swap(y_, y1_);
    use_rows(t_, y_.data());
    method_.shift();
    if (!finite) return fail(fmt::format("the energy or a residual is not finite {}", when(t_)));
    if (status == KktStatus::kInconsistent)
      return fail(
          fmt::format("redundant constraints contradict each other {}: no acceleration satisfies all rows", when(t_)));

    if (options_.adaptive) {
      // PI control (II.4, IV.2): the last error tempers the growth.
      const double allowed = std::max(error, 1e-10);
      double factor = kSafety * std::pow(allowed, -exponent) * std::pow(error_before, tableau.beta);
      factor = std::clamp(factor, tableau.smallest_factor, tableau.largest_factor);
      if (rejected_last) factor = std::min(factor, 1.0);
      h *= factor;
      error_before = std::max(error, 1e-4);
      rejected_last = false;
    } else {
      h = options_.initial_step;
    }
  }
  return true;
}

void Run::finish() {
  // What was reached is kept, also when the run broke off between output rows.
  const bool broken_off = started_ && path_.status != RunStatus::kOk;
  if (broken_off && (path_.time.empty() || path_.time.back() != t_) &&
      (motion_.workspace.basis.all = true, motion_.evaluate(t_, y_.data(), slope_.data())))
    record(t_, y_.data(), slope_.data() + n_, motion_.lambda().data(), motion_.workspace.kkt.rank());

  Verdict& verdict = path_.verdict;
  const Names& names = dynamics_.names();
  verdict.conservative = dynamics_.layout().conservative;
  verdict.rows = m_;
  verdict.min_rank = min_rank_;
  verdict.residual_excess = residual_excess_;
  // Where nothing moves and the energy is zero, atol joules stand in for a scale.
  verdict.energy_scale = std::max({std::abs(energy_start_), largest_kinetic_, options_.atol});
  const double scale = verdict.energy_scale;
  verdict.energy_drift = energy_deviation_ / scale;
  verdict.power_balance_error = with_power_ || verdict.conservative ? balance_deviation_ / scale : 0;
  verdict.drift_limit = std::max(1e-12, options_.rtol * std::clamp(static_cast<double>(path_.steps), 100.0, 1e6));
  bool holds = path_.status == RunStatus::kOk && started_ && residual_excess_ <= 10;
  holds = holds && (verdict.conservative ? verdict.energy_drift : verdict.power_balance_error) <= verdict.drift_limit;
  if (verdict.conservative) verdict.conserved.push_back({"energy", verdict.energy_drift});
  for (std::size_t i = 0; i < conserved_.size(); ++i) {
    const double size = std::max(conserved_largest_[i], options_.atol / options_.rtol);
    verdict.conserved.push_back(
        {name_of(names.conserved, static_cast<int>(i), "quantity"), conserved_drift_[i] / size});
    holds = holds && verdict.conserved.back().drift <= verdict.drift_limit;
  }
  verdict.holds = holds;

  std::vector<std::string> rows;
  for (int r = 0; r < m_; ++r)
    if (ambiguous_[index(r)]) rows.push_back(name_of(names.rows, r, "row"));
  if (!rows.empty())
    verdict.warnings.push_back(
        fmt::format("lambda of {} {} not unique: the constraints are redundant there (rank {} of {}); the least-norm "
                    "values are given",
                    join_words(rows), rows.size() == 1 ? "is" : "are", min_rank_, m_));
  if (least_independence_ < kNearlySingular)
    verdict.warnings.push_back(
        fmt::format("nearly singular configuration {}: a constraint row is within {} of following from the others "
                    "(sine of the angle between "
                    "them), so lambda is badly determined there",
                    when(least_independent_at_), to_text(least_independence_, 2)));
  if (moved_at_start_ > 1e3 * options_.atol)
    verdict.warnings.push_back(
        fmt::format("the start was off the constraints and was moved by up to {}", to_text(moved_at_start_, 3)));
}

Trajectory Run::run() {
  const auto begin_time = std::chrono::steady_clock::now();
  if (begin() && loop()) path_.status = RunStatus::kOk;
  finish();
  path_.evaluations = motion_.evaluations;
  path_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_time).count();
  return std::move(path_);
}

}  // namespace

std::string_view to_text(Method method) { return tableau_of(method).name; }

std::optional<Method> parse_method(std::string_view name) {
  for (Method method : {Method::kDop853, Method::kDopri5})
    if (to_text(method) == name) return method;
  return std::nullopt;
}

std::vector<std::string> method_names() { return {"dop853", "dopri5"}; }

Trajectory integrate(const Dynamics& dynamics, const State& start, const IntegrateOptions& options) {
  if (start.q.size() != index(dynamics.n()) || start.v.size() != index(dynamics.n())) {
    Trajectory path;
    path.status = RunStatus::kFailed;
    path.reason = fmt::format("the initial state has {} positions and {} velocities, the system {} coordinates",
                              start.q.size(), start.v.size(), dynamics.n());
    return path;
  }
  return Run(dynamics, start, options).run();
}

}  // namespace dalembert
