// SPDX-License-Identifier: Apache-2.0
// A periodic motion is a zero of the return map less the identity: Newton's method on the states that the constraints allow, in local
// coordinates z of the tangent space. Where nothing gives the period it is an unknown as well, and z is orthogonal to the motion. Steps
// of least norm lead to the nearest of a family of periodic motions. The derivative of the return map is that of the run by its start
// (IntegrateOptions::tangents), with the saltation of events, impacts and frictions.
#include "dalembert/study/cycle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dalembert/analyze/stability/matrix.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/project.h"
#include "dalembert/integrate/integrate.h"
#include "dalembert/integrate/unknown_derivatives.h"
#include "dalembert/study/cycle_size.h"
#include "dalembert/study/eigenvalues.h"
#include "dalembert/study/kept_derivatives.h"
#include "dalembert/study/motion_dependence.h"
#include "dalembert/study/return_map.h"
#include "dalembert/study/section.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// Tolerances of the runs.
constexpr double kRelative = 1e-12, kAbsolute = 1e-14;
// A motion has come back if it differs from its start by less than this, relative to what moves.
constexpr double kReturned = 1e-8;
// Derivatives of two turns differ by less than this, relative to their size, if the turns are the same.
constexpr double kSameMap = 1e-4;
// Newton's method ends at this difference, or where it becomes no smaller.
constexpr double kEnough = 1e-11;
// Passages of a section after which a return is looked for, where one passage does not come back.
constexpr int kMostTurns = 4;
constexpr int kIterations = 40, kHalvings = 8;
// Steps of Newton's method for the instant at which a displaced state meets a contact.
constexpr int kMeetings = 4;
// Displacement of the differences that span the tangent space, relative to the motion.
constexpr double kStep = 1e-6;
// The uncertainty of the multipliers is their difference from those of a turn with this multiple of the tolerances.
constexpr double kLooser = 30;
// Singular values of the derivative below this fraction belong to families of periodic motions.
constexpr double kFamily = 1e-7;
// A multiplier within this of 1 may be that of a conserved quantity.
constexpr double kNearOne = 1e-3;
// A period is compared with its parts up to this one, since it may be a multiple of the shortest period.
constexpr int kMostParts = 100;
// A first return is sought among this many rows of a run.
constexpr int kRows = 4000;
// A period is no shorter than this fraction of the time of the first near return: after next to no time every motion is where it began.
constexpr double kShortest = 0.3;

// Names the multipliers that are 1 because something is conserved, and takes them out of those that are judged.
void name_free(const Dynamics& dynamics, Cycle& cycle) {
  const Names& names = dynamics.names();
  std::vector<std::string> because;
  if (dynamics.layout().conservative && cycle.run.verdict.impacts == 0) because.emplace_back("energy");
  because.insert(because.end(), names.conserved.begin(), names.conserved.end());
  std::ranges::stable_sort(cycle.multipliers, {}, [](const std::complex<double>& m) { return std::abs(m - 1.0); });
  for (const std::string& name : because) {
    if (cycle.multipliers.empty() || !(std::abs(cycle.multipliers.front() - 1.0) < kNearOne)) break;
    cycle.free.push_back({cycle.multipliers.front(), name});
    cycle.multipliers.erase(cycle.multipliers.begin());
  }
  std::ranges::stable_sort(cycle.multipliers, std::greater<>(),
                           [](const std::complex<double>& m) { return std::abs(m); });
}

class Finder {
 public:
  Finder(const BuiltModel& system, const CycleRequest& request)
      : system_(system),
        dynamics_(system.dynamics),
        names_(dynamics_.names()),
        request_(request),
        nq_(static_cast<std::size_t>(dynamics_.nq())),
        nv_(static_cast<std::size_t>(dynamics_.nv())) {
    const MotionDependence dependence = dependence_of(system);
    // With a drive and its period what is driven turns, even where everything else is at rest.
    autonomous_ = !dependence.on_time && (system.model->prescribed.empty() || !request.period);
    for (const bool matters : dependence.on) ignored_.push_back(!matters);
    section_ = section_of(system, request.section);
    options_ = request.run;
    options_.rtol = std::min(options_.rtol, kRelative);
    options_.atol = std::min(options_.atol, kAbsolute);
    options_.error_estimate = options_.second_run = options_.cross_check = options_.find_peaks = false;
    options_.power_balance = false;
    options_.output_step = 0;
    options_.output_times.clear();
    options_.recorded = {};
    options_.take_rows = {};
    derivatives_ = derivatives_along_runs(system, {});
  }

  Result<Cycle> find(const State& start);

 private:
  bool free_period() const { return !section_.any() && !request_.period; }

  Vector y_of(const State& state) const {
    Vector y = state.q;
    y.insert(y.end(), state.v.begin(), state.v.end());
    return y;
  }
  State state_of(const Vector& y) const {
    return {start_time_,
            {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(nq_)},
            {y.begin() + static_cast<std::ptrdiff_t>(nq_), y.end()}};
  }
  std::optional<Vector> turn(const Vector& y, double period, double* seconds = nullptr,
                             std::vector<Vector>* columns = nullptr, double looser = 1);
  Vector difference(const Vector& end, const Vector& start) const;
  // The system with its contacts as they are at y.
  Dynamics held_at(const Vector& y) const { return with_contacts_decided(dynamics_, state_of(y)); }
  Vector slope(const Vector& y) const;
  std::vector<Vector> basis(const Dynamics& held, const Vector& y, std::size_t* stuck = nullptr) const;
  bool shifts(const Vector& y, std::size_t coordinate) const;
  std::size_t closed_rows(const Dynamics& held, const Vector& y) const;
  Vector displaced(const Dynamics& held, const Vector& y, const std::vector<Vector>& columns, const Vector& z) const;
  std::optional<Diagnostic> problem_of_request() const;
  std::optional<Vector> settled(const State& given);
  bool is_allowed(const Vector& y) const;
  bool may_begin(const Vector& y, double seconds);
  bool comes_to_rest(const Vector& y, double period);
  void meet_contacts(const Dynamics& held, Vector& y) const;
  void meet_event(const Dynamics& held, Vector& y) const;
  bool returns_to_event(const Vector& end, double seconds) const;
  bool goes_on(const Vector& y, double period);
  void shorten(const Vector& y, double& period);
  double first_return(const Vector& y);
  double changes_in_turn(double first_return) const;
  std::optional<Matrix> newton_step(const Vector& y, const Vector& end, double period,
                                    const std::vector<Vector>& columns);
  bool newton(Vector& y, double& period);
  bool judge(const Vector& y, double period, Cycle& cycle);
  std::optional<Matrix> derivative(const Vector& y, double period, const std::vector<Vector>& columns, double looser);

  const BuiltModel& system_;
  const Dynamics& dynamics_;
  const Names& names_;
  const CycleRequest& request_;
  const std::size_t nq_, nv_;
  IntegrateOptions options_;
  std::shared_ptr<const RunDerivatives> derivatives_;
  bool autonomous_ = false;
  std::vector<bool> ignored_;  // coordinates on which nothing depends: they need not come back
  Section section_;
  bool on_event_ = false;                               // the event of the section leaves its g at 0
  double start_time_ = 0, changes_ = 0, passages_ = 0;  // changes, passages of the section: along first_return()
  Vector weight_;  // 1 / motion of each coordinate and velocity; 0 for ignored coordinates
  std::string reason_;
  bool begins_ = true;  // whether the run of the last turn has a state
  Vector nearest_;      // the state with the smallest residual, and its period
  double nearest_residual_ = std::numeric_limits<double>::infinity(), nearest_period_ = 0;
};

// The end of a turn from y: after the period, or at the next passage of the section. `columns`, if given, are derivatives of y, and become those of the end.
std::optional<Vector> Finder::turn(const Vector& y, double period, double* seconds, std::vector<Vector>* columns,
                                   double looser) {
  Vector at = y;
  double passed = 0;
  for (int k = 0; k < (section_.any() ? request_.turns : 1); ++k) {
    IntegrateOptions options = options_;
    State start = state_of(at);
    if (!autonomous_) start.t += passed;
    options.until = start.t + (section_.any() ? std::abs(request_.run.until - start_time_) : period);
    options.output_times = {options.until};
    options.stop_event = section_.event;
    options.stop_contact = section_.contact;
    options.rtol *= looser;
    options.atol *= looser;
    if (columns != nullptr) {
      options.derivatives = derivatives_;
      for (const Vector& column : *columns) {
        const State by = state_of(column);
        options.tangents.push_back({.name = "", .q = by.q, .v = by.v});
      }
    }
    const Trajectory run = integrate(dynamics_, start, options);
    if (run.status != RunStatus::kOk || run.size() == 0) {
      reason_ = run.reason;
      begins_ = run.size() > 0;
      return std::nullopt;
    }
    if (section_.any() && run.time.back() >= options.until) {
      reason_ = fmt::format("`{}` does not happen again within {} s", request_.section, to_text(request_.run.until, 6));
      return std::nullopt;
    }
    if (columns != nullptr && !take_last_derivatives(run, *columns)) {
      const auto told = std::ranges::find_if(run.verdict.warnings, integration::says_unknown_derivatives);
      reason_ = told == run.verdict.warnings.end() ? "the run has no derivatives" : *told;
      return std::nullopt;
    }
    at = y_of(run.final_state());
    passed += run.time.back() - start.t;
  }
  if (seconds != nullptr) *seconds = passed;
  return at;
}

// The weighted difference; angles that have made whole turns have come back.
Vector Finder::difference(const Vector& end, const Vector& start) const {
  Vector r(end.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    double change = end[i] - start[i];
    const bool angle = i < nq_ && i < names_.coordinate_units.size() && names_.coordinate_units[i] == "rad";
    if (angle && std::abs(change) > M_PI) change = std::remainder(change, 2 * M_PI);
    r[i] = change * weight_[i];
  }
  return r;
}

Vector Finder::slope(const Vector& y) const {
  const State state = state_of(y);
  const Dynamics held = held_at(y);
  Workspace workspace(held);
  Vector f(nq_ + nv_);
  find_qdot(held, state.t, state.q.data(), state.v.data(), workspace, f.data());
  const KktSolution solution = solve_kkt(held, state);
  std::ranges::copy(solution.qdd, f.begin() + static_cast<std::ptrdiff_t>(nq_));
  return f;
}

Vector Finder::displaced(const Dynamics& held, const Vector& y, const std::vector<Vector>& columns,
                         const Vector& z) const {
  Vector moved = y;
  for (std::size_t k = 0; k < z.size(); ++k)
    for (std::size_t i = 0; i < y.size(); ++i) moved[i] += z[k] * columns[k][i];
  State state = state_of(moved);
  project(held, state);
  moved = y_of(state);
  meet_contacts(held, moved);
  meet_event(held, moved);
  return moved;
}

// Follows the motion from a point just below contacts that open to where they touch, and to the contact that is the section from either
// side. Where nothing depends on time it is the same motion.
void Finder::meet_contacts(const Dynamics& held, Vector& y) const {
  if (!autonomous_ || dynamics_.contacts() == nullptr) return;
  const Dynamics closed = dynamics_.with_all_contacts_closed();
  ContactProblem problem(closed);
  for (int pass = 0; pass < kMeetings; ++pass) {
    problem.measure(start_time_, y.data(), y.data() + nq_);
    double seconds = 0;
    for (std::size_t k = 0; k < dynamics_.contacts()->count(); ++k) {
      if (held.is_closed(k) || !(problem.rate(k) > 0)) continue;
      const double until = -problem.gap(k) / problem.rate(k);
      seconds = static_cast<int>(k) == section_.contact ? until : std::max(seconds, until);
      if (static_cast<int>(k) == section_.contact) break;
    }
    if (seconds == 0) return;
    const Vector f = slope(y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += seconds * f[i];
    State state = state_of(y);
    project(held, state);
    y = y_of(state);
  }
}

// Follows the motion to where g of the section is 0. A state just before it would pass the section at once, which would be no return.
void Finder::meet_event(const Dynamics& held, Vector& y) const {
  if (!on_event_) return;
  for (int pass = 0; pass < kMeetings; ++pass) {
    const std::optional<double> seconds = seconds_to_event(held, state_of(y), section_.event);
    if (!seconds || *seconds == 0) return;
    const Vector f = slope(y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += *seconds * f[i];
    State state = state_of(y);
    project(held, state);
    y = y_of(state);
  }
}

// Whether the event of the section, after which the motion is at `end`, leaves its g at 0; `seconds`: the time of the turn.
bool Finder::returns_to_event(const Vector& end, double seconds) const {
  if (!autonomous_ || section_.event < 0) return false;
  const std::optional<double> off = seconds_to_event(held_at(end), state_of(end), section_.event);
  return off && std::abs(*off) <= kReturned * seconds;
}

// Displacements of the state that span those that the constraints allow, orthonormal in the weighted metric.
// `stuck`: the number of directions that sticking frictions leave out.
std::vector<Vector> Finder::basis(const Dynamics& held, const Vector& y, std::size_t* stuck) const {
  std::vector<Vector> columns;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (weight_[k] == 0) continue;
    Vector unit(y.size());
    unit[k] = 1 / weight_[k];
    // To both sides: to one side alone the curvature of the constraints would tilt the columns by the step.
    Vector moved = displaced(held, y, {unit}, {kStep});
    const Vector back = displaced(held, y, {unit}, {-kStep});
    for (std::size_t i = 0; i < y.size(); ++i) moved[i] = (moved[i] - back[i]) / (2 * kStep);
    columns.push_back(std::move(moved));
  }
  const std::size_t left_out = leave_out_sticking(held, state_of(y), columns);
  if (stuck != nullptr) *stuck = left_out;
  Matrix all(y.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k)
    for (std::size_t i = 0; i < y.size(); ++i) all(i, k) = columns[k][i] * weight_[i];
  std::vector<Vector> chosen;
  if (all.cols == 0 || largest(all) < kDependentColumn)
    return chosen;  // round-off: the constraints leave no displacement
  for (const std::size_t k : pivot_columns(all, kDependentColumn)) add_orthonormal(chosen, columns[k], weight_);
  return chosen;
}

// Whether the constraints let this coordinate change alone.
bool Finder::shifts(const Vector& y, std::size_t coordinate) const {
  Vector unit(y.size());
  unit[coordinate] = 1;
  const Vector moved = displaced(held_at(y), y, {unit}, {kStep});
  return std::abs(moved[coordinate] - y[coordinate] - kStep) <= kDependentColumn * kStep;
}

// The time of the first near return to y; 0 where the motion does not come near it again.
double Finder::first_return(const Vector& y) {
  IntegrateOptions options = options_;
  options.until = start_time_ + std::abs(request_.run.until - start_time_);
  options.output_step = (options.until - start_time_) / kRows;
  const Trajectory run = integrate(dynamics_, state_of(y), options);
  if (run.size() < 3) {
    reason_ = run.reason;
    return 0;
  }
  weight_ = weights_of_motion(run, ignored_);
  changes_ = static_cast<double>(run.verdict.switches);
  passages_ = static_cast<double>(std::ranges::count(run.events, request_.section, &RunEvent::name));
  Vector distance(run.size());
  double farthest = 0;
  for (std::size_t row = 0; row < run.size(); ++row) {
    const Vector r = difference(y_of(run.state(row)), y);
    for (const double x : r) distance[row] = std::max(distance[row], std::abs(x));
    farthest = std::max(farthest, distance[row]);
  }
  bool away = false;
  std::size_t best = 0;
  for (std::size_t row = 1; row + 1 < run.size(); ++row) {
    away = away || distance[row] > farthest / 2;
    if (!away || distance[row] > distance[row - 1] || distance[row] > distance[row + 1]) continue;
    if (best == 0 || distance[row] < distance[best] / 2) best = row;
    if (distance[row] < farthest / 10) break;
  }
  if (best == 0 && reason_.empty())
    reason_ = farthest > 0 ? "the motion does not come near its start again"
                           : "nothing that would have to come back moves: the motion is at rest, or steady";
  return best == 0 ? 0 : run.time[best] - start_time_;
}

// About how many changes a turn has.
double Finder::changes_in_turn(double first_return) const {
  const double part = request_.period.value_or(first_return) / std::abs(request_.run.until - start_time_);
  return changes_ * (section_.any() ? request_.turns / std::max(passages_, 1.0) : part);
}

// Newton's step from y, whose turn ends at `end`: along each column of the basis, and behind them, where the period is free, the part by
// which it changes. The column of the period is the slope at the end; the row that goes with it forbids steps along the motion.
std::optional<Matrix> Finder::newton_step(const Vector& y, const Vector& end, double period,
                                          const std::vector<Vector>& columns) {
  const std::size_t d = columns.size(), size = y.size(), extra = free_period() ? 1 : 0;
  const Vector r = difference(end, y);
  Matrix A(size + extra, d + extra), b(size + extra, 1);
  for (std::size_t i = 0; i < size; ++i) b(i, 0) = -r[i];
  std::vector<Vector> ends = columns;
  if (!turn(y, period, nullptr, &ends)) return std::nullopt;
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = 0; i < size; ++i) A(i, k) = (ends[k][i] - columns[k][i]) * weight_[i];
  if (free_period()) {
    const Vector f0 = slope(y), f1 = slope(end);
    for (std::size_t i = 0; i < size; ++i) A(i, d) = f1[i] * weight_[i] * period;
    double length = 0;
    for (std::size_t i = 0; i < size; ++i) length += std::pow(f0[i] * weight_[i], 2);
    for (std::size_t k = 0; k < d; ++k)
      for (std::size_t i = 0; i < size; ++i)
        A(size, k) += columns[k][i] * f0[i] * weight_[i] * weight_[i] / std::sqrt(std::max(length, 1e-300));
  }
  return solve_least(A, b, kFamily);
}

// `why`: why the last state that was tried does not come back; empty: it does, but no nearer.
std::string no_better_state(const std::string& why) {
  constexpr const char* kNone = "Newton's method finds no state that comes back";
  return why.empty() ? kNone : fmt::format("{}; of the last one that it tried: {}", kNone, why);
}

bool Finder::newton(Vector& y, double& period) {
  double seconds = 0;
  const double shortest = kShortest * period;
  std::optional<Vector> end = turn(y, period, &seconds);
  for (int iteration = 0; iteration < kIterations && end; ++iteration) {
    if (section_.any()) period = seconds;
    const double residual = largest_of(difference(*end, y));
    if (residual < nearest_residual_) {
      nearest_residual_ = residual;
      nearest_ = y;
      nearest_period_ = period;
    }
    if (residual <= kEnough) return true;
    // If the section is a contact that stays closed, it is closed at each return. A state that leaves the contact by little and strikes it at once
    // would be a spurious return.
    if (!on_event_ && returns_to_event(*end, seconds)) {
      on_event_ = true;
      y = *std::move(end);
      end = turn(y, period, &seconds);
      continue;
    }
    const bool stays_closed =
        section_.contact >= 0 && held_at(*end).is_closed(static_cast<std::size_t>(section_.contact));
    if (stays_closed && iteration == 0 && !held_at(y).is_closed(static_cast<std::size_t>(section_.contact))) {
      y = *end;
      end = turn(y, period, &seconds);
      continue;
    }
    const Dynamics held = held_at(stays_closed ? *end : y);
    const std::vector<Vector> columns = basis(held, y);
    if (columns.empty()) return residual <= kReturned;
    const std::optional<Matrix> step = newton_step(y, *end, period, columns);
    if (!step) return false;
    const std::size_t d = columns.size();
    double part = 1;
    bool improved = false;
    reason_.clear();  // from here on why no motion begins or returns at the states that are tried
    for (int halving = 0; halving <= kHalvings && !improved; ++halving, part /= 2) {
      Vector z(d);
      for (std::size_t k = 0; k < d; ++k) z[k] = part * (*step)(k, 0);
      const Vector next = displaced(held, y, columns, z);
      const double next_period = free_period() ? period * (1 + part * (*step)(d, 0)) : period;
      if (free_period() && !(next_period > shortest)) continue;
      double next_seconds = 0;
      begins_ = true;
      std::optional<Vector> next_end = turn(next, next_period, &next_seconds);
      if (!begins_) reason_ = "no motion begins there";
      if (!next_end || !(largest_of(difference(*next_end, next)) < residual)) continue;
      improved = true;
      y = next;
      period = next_period;
      end = std::move(next_end);
      seconds = next_seconds;
    }
    if (!improved) {
      if (residual <= kReturned) return true;
      reason_ = no_better_state(reason_);
      return false;
    }
  }
  return nearest_residual_ <= kReturned && !nearest_.empty();
}

// The derivative of the return map in the coordinates of `columns`.
std::optional<Matrix> Finder::derivative(const Vector& y, double period, const std::vector<Vector>& columns,
                                         double looser) {
  const std::size_t d = columns.size();
  std::vector<Vector> ends = columns;
  if (!turn(y, period, nullptr, &ends, looser)) return std::nullopt;
  Matrix result(d, d);
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t j = 0; j < d; ++j)
      for (std::size_t i = 0; i < y.size(); ++i) result(j, k) += columns[j][i] * ends[k][i] * weight_[i] * weight_[i];
  return result;
}

// The number of independent rows that closed contacts add at y.
std::size_t Finder::closed_rows(const Dynamics& held, const Vector& y) const {
  if (dynamics_.contacts() == nullptr) return 0;
  const Dynamics open = dynamics_.with_contacts(std::vector<char>(dynamics_.contacts()->count(), 0));
  return static_cast<std::size_t>(solve_kkt(held, state_of(y)).rank - solve_kkt(open, state_of(y)).rank);
}

bool Finder::judge(const Vector& y, double period, Cycle& cycle) {
  std::size_t stuck = 0;
  const Dynamics held = held_at(y);
  const std::vector<Vector> columns = basis(held, y, &stuck);
  const std::size_t d = columns.size();
  const std::optional<Matrix> map = derivative(y, period, columns, 1), looser = derivative(y, period, columns, kLooser);
  if (!map || !looser) return false;
  // Displacements along the motion itself are removed, which leaves the space across it. If the section is a contact that closes, displacements are
  // across the motion already.
  const bool meet = on_event_ || (section_.contact >= 0 && !held.is_closed(static_cast<std::size_t>(section_.contact)));
  Matrix across(d, d);
  for (std::size_t k = 0; k < d; ++k) across(k, k) = 1;
  if (autonomous_ && !meet) {
    const Vector f = slope(y);
    Matrix along(1, d);
    double size = 0;
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < y.size(); ++i) along(0, k) += columns[k][i] * f[i] * weight_[i] * weight_[i];
      size += along(0, k) * along(0, k);
    }
    // What is driven moves too, and no displacement is along that.
    double whole = 0;
    for (std::size_t i = 0; i < y.size(); ++i) whole += std::pow(f[i] * weight_[i], 2);
    const bool moves_along = size > kDependentColumn * kDependentColumn * whole;
    if (moves_along) across = null_space(along, kDependentColumn);
    if (moves_along && !section_.any()) cycle.free.push_back({1.0, "time"});
  }
  const Matrix judged = transposed(across) * *map * across, other = transposed(across) * *looser * across;
  cycle.multipliers = multipliers_of(judged);
  cycle.uncertainty = largest_change(cycle.multipliers, multipliers_of(other));
  cycle.uncertainty =
      std::max(cycle.uncertainty,
               uncertainty_of_clusters(cycle.multipliers, sum_of_differences(judged, other), cycle.uncertainty));
  for (std::size_t i = 0; i < nq_; ++i)
    if (ignored_[i] && shifts(y, i)) cycle.free.push_back({1.0, "symmetry: " + names_.coordinates[i]});
  name_free(dynamics_, cycle);
  // A friction that sticks at the start sticks again after a turn, even if it slides at a displaced start. A contact that is closed at the start is
  // closed again, with h = ḣ = 0. Their multipliers are 0, so the list is the same wherever on the motion the start is.
  cycle.multipliers.insert(cycle.multipliers.end(), stuck + 2 * closed_rows(held, y), 0.0);
  if (cycle.multipliers.empty()) return true;  // neighbours repeat themselves as well, or there are none
  const double unsure = std::max(cycle.uncertainty, 1e-7);
  double most = 0;
  for (const std::complex<double>& m : cycle.multipliers) most = std::max(most, std::abs(m));
  if (most < 1 - unsure)
    cycle.stable = true;
  else if (most > 1 + unsure)
    cycle.stable = false;
  return true;
}

std::optional<Diagnostic> Finder::problem_of_request() const {
  if (!request_.section.empty() && !section_.any()) return no_such_section(system_, request_.section);
  if (autonomous_ || request_.period || section_.any()) return std::nullopt;
  Diagnostic problem = error("E0413", "the equations depend on time, and no period is given");
  problem.help.emplace_back("write `--period TIME`, a multiple of that of what drives the model");
  return problem;
}

// Where a run from `given` ends: a motion that comes to its cycle by itself is near it there. Forced motions keep their phase: what is driven is
// set back to where it starts, which after whole periods is where it is, or nothing depends on it.
std::optional<Vector> Finder::settled(const State& given) {
  IntegrateOptions options = options_;
  double seconds = std::abs(request_.run.until - start_time_);
  if (request_.period) seconds = *request_.period * std::max(1.0, std::floor(seconds / *request_.period));
  options.until = start_time_ + seconds;
  options.output_times = {options.until};
  const Trajectory run = integrate(dynamics_, given, options);
  if (run.status != RunStatus::kOk || run.size() == 0) return std::nullopt;
  State state = run.final_state();
  if (const std::vector<int> driven = system_.model->actuated(); !driven.empty()) {
    for (const int i : driven) state.q[static_cast<std::size_t>(i)] = given.q[static_cast<std::size_t>(i)];
    state.t = start_time_;
    project(dynamics_, state);
  }
  std::optional<Vector> y = y_of(state);
  if (may_begin(*y, seconds) && section_.any()) {
    weight_ = weights_of_motion(run, ignored_);
    y = turn(*y, 0);
  }
  return y && may_begin(*y, seconds) ? y : std::nullopt;
}

// Whether a motion may begin at a state of the run that ended after so many seconds: where the constraints depend on time it may be below them at the start.
bool Finder::may_begin(const Vector& y, double seconds) {
  if (autonomous_ || is_allowed(y)) return true;
  reason_ = fmt::format("after {} s the motion is at a state that the constraints forbid at t = {} s{}",
                        to_text(seconds, 6), to_text(start_time_, 6),
                        request_.period ? ": they depend on time, and do not repeat themselves with this period" : "");
  return false;
}

// Whether the state is on the constraints, and above those that are one-sided, at the start.
bool Finder::is_allowed(const Vector& y) const {
  const State state = state_of(y);
  if (dynamics_.contacts() != nullptr && find_penetration(dynamics_, state, options_.start_tolerance).row >= 0)
    return false;
  return check_consistency(held_at(y), state, options_.start_tolerance).ok();
}

// Whether the next turn is the same, and what it makes of neighbours. Equations that depend on time may be others then, and the return was one of the
// state alone: what a parameter drives may rest all the same. The turns differ by what the motion makes of the largest difference that counts as a return.
bool Finder::goes_on(const Vector& y, double period) {
  if (autonomous_) return true;
  const std::vector<Vector> columns = basis(held_at(y), y);
  const std::optional<Matrix> map = derivative(y, period, columns, 1);
  const double grows = 1 + sum_of_magnitudes(map.value_or(Matrix(0, 0)));
  const std::optional<Vector> end = turn(y, period);
  double seconds = period;
  start_time_ += period;
  const std::optional<Vector> next = end ? turn(*end, period, &seconds) : std::nullopt;
  const std::optional<Matrix> next_map = next && map ? derivative(*end, period, columns, 1) : std::nullopt;
  start_time_ -= period;
  if (next_map && sum_of_differences(*map, *next_map) > kSameMap * grows) {
    reason_ = fmt::format(
        "after {} s the state is the same, but the equations depend on time, and the next turn does something else to "
        "neighbours: the period must be one of what drives the model",
        to_text(period, 12));
    return false;
  }
  if (next && largest_of(difference(*next, *end)) <= kReturned * grows &&
      std::abs(seconds - period) <= kReturned * grows * period)
    return true;
  reason_ = fmt::format(
      "after {} s the state is the same, but the equations depend on time, and the next turn is another one",
      to_text(period, 12));
  return false;
}

// Replaces a period that is a multiple of a shorter one by the shortest.
void Finder::shorten(const Vector& y, double& period) {
  IntegrateOptions options = options_;
  options.until = start_time_ + period;
  for (int part = kMostParts; part >= 1; --part) options.output_times.push_back(start_time_ + period / part);
  const Trajectory run = integrate(dynamics_, state_of(y), options);
  for (std::size_t row = 0; row < run.size(); ++row) {
    const double part = std::round(period / (run.time[row] - start_time_));
    if (!(part > 1) || largest_of(difference(y_of(run.state(row)), y)) > kReturned) continue;
    period /= part;
    return;
  }
}

bool Finder::comes_to_rest(const Vector& y, double period) {
  if (!autonomous_) return false;
  double moves = 0;
  const Vector f = slope(y);
  for (std::size_t i = 0; i < f.size(); ++i) moves = std::max(moves, std::abs(f[i] * weight_[i]) * period);
  if (moves >= 1e-4) return false;
  reason_ = "the motion comes to rest";
  return true;
}

Result<Cycle> Finder::find(const State& given) {
  for (auto problem : {problem_of_request(), refuse_to_displace(dynamics_, system_.model->name)})
    if (problem) return *std::move(problem);
  start_time_ = given.t;
  Cycle cycle;
  Vector y = y_of(given);
  double period = request_.period.value_or(0);
  bool found = false;
  for (const bool after_a_run : {false, true}) {
    if (after_a_run) {
      std::optional<Vector> later = settled(given);
      if (!later) break;
      y = *std::move(later);
    }
    const double first = first_return(y);
    if (weight_.empty()) break;
    if (free_period()) {
      if (first == 0) continue;
      period = first;
    }
    if (auto large = refuse_to_displace_changes(dynamics_, system_.model->name, changes_in_turn(first))) return *large;
    found = newton(y, period);
    if (found && (comes_to_rest(y, period) || !goes_on(y, period))) {
      nearest_.clear();
      nearest_residual_ = std::numeric_limits<double>::infinity();
      found = false;
    }
    if (found && free_period()) shorten(y, period);
    if (found) break;
  }
  if (!found && !nearest_.empty()) y = nearest_, period = nearest_period_;
  cycle.state = y.empty() ? given : state_of(y);
  cycle.period = period;
  cycle.residual = nearest_residual_;
  if (!found) {
    cycle.reason = reason_.empty() ? no_better_state("") : reason_;
    if (!autonomous_ && section_.any())
      cycle.reason += "; the equations depend on time, of which the section says nothing: give --period instead";
    return cycle;
  }
  cycle.found = true;
  IntegrateOptions options = request_.run;
  options.until = start_time_ + period;
  options.output_step = 0;
  options.output_times.clear();
  cycle.run = integrate(dynamics_, cycle.state, options);
  if (!judge(y, period, cycle)) cycle.reason = "the multipliers are unknown: " + reason_;
  return cycle;
}

}  // namespace

Result<Cycle> find_cycle(const BuiltModel& system, const State& start, const CycleRequest& request) {
  Result<Cycle> cycle = Finder(system, request).find(start);
  if (!cycle || cycle->found || request.section.empty() || request.turns != 1) return cycle;
  // Perhaps the motion passes the section more than once before it comes back.
  for (int turns = 2; turns <= kMostTurns; ++turns) {
    CycleRequest longer = request;
    longer.turns = turns;
    const Result<Cycle> other = Finder(system, longer).find(start);
    if (!other || !other->found) continue;
    cycle->reason = fmt::format("`{}` happens {} times before the motion repeats itself: write `--turns {}`",
                                request.section, turns, turns);
    break;
  }
  return cycle;
}

}  // namespace dalembert
