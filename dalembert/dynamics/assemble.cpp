// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assemble.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "dalembert/base/numeric.h"
#include "dalembert/base/text.h"
#include "dalembert/dynamics/assembly_angles.h"
#include "dalembert/dynamics/assembly_memory.h"
#include "dalembert/dynamics/assembly_steps.h"
#include "dalembert/dynamics/contact_problem.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/message_names.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/singular_position.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

// Rank tolerance of steps: rows that differ by less count as one. It is looser than kRankTolerance, the tolerance on
// the manifold, since the rows at a poor guess say little about small differences.
constexpr double kStepRank = 100 * kRankTolerance;

// Largest change of an angle in one step, in rad: farther away the linearised constraints say nothing about the
// constraints themselves.
constexpr double kLongestTurn = 1;

constexpr int kRestartsOfLarge = 8;
// Rows whose terms are smaller than this, in SI units, have a tolerance in proportion to them.
constexpr double kSmallTerms = 1e-3;
// The search gives up after this number of multiplications in dense steps.
constexpr double kMostWork = 2.5 * kMostDenseWork;
// The guess of attempt k is moved by up to k times this: angles in rad, other coordinates relative to their magnitude.
constexpr double kAngleSpread = 0.4, kSpread = 0.1;

using Vector = std::vector<double>;

// The row whose residual is largest compared to its tolerance; `ratio` is residual over tolerance.
struct Worst {
  double ratio = 0;
  int row = -1;
  double residual = 0;  // residual of `row`, with its sign
  double largest = 0;   // largest |residual| of all rows, each in its own unit
};

// The velocities that are not held.
assembly::Places free_velocities(const Layout& layout, const std::vector<bool>& hold) {
  std::vector<int> free;
  free.reserve(index(layout.nv));
  for (int i = 0; i < layout.nv; ++i)
    if (hold.empty() || !hold[index(i)]) free.push_back(i);
  return {std::move(free), layout.nv};
}

// The velocities that move no held coordinate.
assembly::Places free_displacements(const Layout& layout, const std::vector<bool>& hold_position) {
  if (layout.v_is_qdot || hold_position.empty()) return free_velocities(layout, hold_position);
  std::vector<bool> hold(index(layout.nv));
  for (std::size_t k = 0; k < layout.N.row.size(); ++k)
    if (hold_position[index(layout.N.row[k])]) hold[index(layout.N.col[k])] = true;
  return free_velocities(layout, hold);
}

// The position problem: the position constraints h, their rows of W, scaled to norm 1 so that they are comparable, and
// steps in the free coordinates.
class PositionProblem {
 public:
  PositionProblem(const Dynamics& dynamics, const State& guess, const AssembleOptions& options, Workspace& workspace,
                  AssemblyMemory& memory)
      : dynamics_(dynamics),
        options_(options),
        workspace_(workspace),
        t_(guess.t),
        guess_(guess.q),
        v_(guess.v),
        free_(free_displacements(dynamics.layout(), options.hold_position)),
        rows_(dynamics.layout().holonomic),
        h_(rows_.size()),
        scale_(rows_.size(), 1.0),
        step_(guess.v.size()),
        angles_(dynamics, workspace_, guess.t, guess.q) {
    if (!nothing_to_do()) steps_ = memory.steps(free_, assembly::Places(rows_, dynamics.m()));
  }

  bool nothing_to_do() const { return rows_.empty() || free_.size() == 0; }
  // Also true once dense steps have cost more than kMostWork.
  bool too_large() const { return !nothing_to_do() && (steps_ == nullptr || work_ > kMostWork); }

  bool start_metric() {
    evaluate_mass(dynamics_, t_, guess_.data(), v_.data(), workspace_);
    return steps_->set_metric(workspace_.M);
  }

  // Computes the position constraints h, the columns of W for the free coordinates, and the scales of the rows. False
  // if a value is not finite.
  bool evaluate(const Vector& q) {
    evaluate_position(dynamics_, t_, q.data(), workspace_);
    evaluate_velocity(dynamics_, t_, q.data(), workspace_);
    h_ = workspace_.h;
    if (!all_finite(h_) || !all_finite(workspace_.W)) return false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double norm2 = 0;
      workspace_.W_rows.for_each(rows_[r], workspace_.W, [&](int i, double w) {
        if (free_.place[index(i)] >= 0) norm2 += w * w;
      });
      scale_[r] = norm2 > 0 ? 1 / std::sqrt(norm2) : 1.0;
    }
    steps_->set_rows(workspace_.W, scale_);
    return true;
  }

  double merit() const { return merit(h_); }
  double merit(const Vector& h) const {
    double sum = 0;
    for (std::size_t r = 0; r < h.size(); ++r) sum += h[r] * h[r] * scale_[r] * scale_[r];
    return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
  }
  double merit_at(const Vector& q) {
    evaluate_position(dynamics_, t_, q.data(), workspace_);
    return merit(workspace_.h);
  }

  // The worst row, measured against the tolerance, or against the round-off of its terms where that is larger. Needs
  // evaluate(q).
  Worst worst(const Vector& q) const {
    Worst result;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double floor = 64 * kEps * position_magnitude(dynamics_, workspace_, r, q.data());
      const double ratio = std::abs(h_[r]) / std::max({options_.tolerance, floor, std::numeric_limits<double>::min()});
      result.largest = std::max(result.largest, std::abs(h_[r]));
      if (result.row < 0 || ratio > result.ratio) result = {ratio, rows_[r], h_[r], result.largest};
    }
    return result;
  }

  bool is_met(const Vector& q) const { return worst(q).ratio <= 1; }
  // The tolerance says nothing of rows whose terms are small, as those of a mechanism of micrometres: they are met where
  // residuals are also small beside their terms, at q or at the first point that was tried. Needs evaluate(q).
  bool is_met_closely(const Vector& q) {
    bool met = true;
    first_size_.resize(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double now = position_magnitude(dynamics_, workspace_, r, q.data());
      if (first_size_[r] == 0) first_size_[r] = now;
      const double size = std::max(now, first_size_[r]);
      const double allowed = std::max(options_.tolerance * std::min(1.0, size / kSmallTerms), 64 * kEps * now);
      met = met && std::abs(h_[r]) <= allowed;
    }
    return met;
  }

  // Computes the step δ of the coordinates from the KKT system  M δ − Wᵀμ = M pull,  W δ = −h.
  bool kkt_step(const Vector* pull, double rank_tolerance) {
    work_ += steps_->work();
    return !too_large() && steps_->factor(rank_tolerance) && steps_->constrained_step(pull, h_, step_);
  }

  Vector moved(const Vector& q, double s) {
    Vector next = q;
    part_ = step_;
    for (double& x : part_) x *= s;
    displace(dynamics_, t_, next.data(), part_.data(), workspace_);
    return next;
  }
  // The displacement from q to the guess.
  Vector to_guess(const Vector& q) {
    Vector away(q.size()), displacement(step_.size());
    for (std::size_t i = 0; i < q.size(); ++i) away[i] = guess_[i] - q[i];
    find_displacement(dynamics_, t_, q.data(), away.data(), workspace_, displacement.data());
    return displacement;
  }
  // The fraction of the step that turns no angle by more than kLongestTurn.
  double allowed_part() {
    const double turn = angles_.turn_beyond(step_, kLongestTurn);
    return turn > 0 ? kLongestTurn / turn : 1;
  }
  // Takes full turns out of the angles of q, which stays on the manifold. True if there were any.
  bool unwind(Vector& q) { return angles_.unwind(q, guess_, free_.chosen); }
  double step_norm() const { return steps_->length(step_); }
  double distance(const Vector& q) { return steps_->length(to_guess(q)); }

  bool newton(Vector& q, int& iterations);
  bool levenberg_marquardt(Vector& q, int& iterations);
  void refine(Vector& q, int& iterations);
  void approach_guess(Vector& q, int& iterations);
  Vector perturbed(int attempt);

 private:
  const Dynamics& dynamics_;
  const AssembleOptions& options_;
  Workspace& workspace_;
  double t_;
  Vector guess_, v_;
  assembly::Places free_;
  std::vector<int> rows_;
  assembly::Steps* steps_ = nullptr;
  double work_ = 0;
  Vector h_, scale_, step_, part_;  // part_: the part of the step that is tried
  Vector first_size_;               // size of the terms of each row where the search began; 0 if it is not known
  assembly::Angles angles_;
};

// Newton's method with backtracking on the scaled residual. False when it stalls or runs out of iterations before the
// tolerance is met.
bool PositionProblem::newton(Vector& q, int& iterations) {
  if (!evaluate(q)) return false;
  for (int k = 0; k < options_.max_iterations; ++k) {
    if (is_met_closely(q)) return true;
    // Far from the solution, directions in which two rows hardly differ lead astray; the
    // looser rank tolerance drops them.
    if (!kkt_step(nullptr, kStepRank)) return is_met(q);
    ++iterations;
    const double before = merit();
    double s = allowed_part();
    const double least = 1e-3 * s;
    Vector next = moved(q, s);
    while (!(merit_at(next) <= (1 - 1e-4 * s) * before)) {
      s /= 2;
      if (s < least) return evaluate(q) && is_met(q);
      next = moved(q, s);
    }
    q = next;
    if (!evaluate(q)) return false;
  }
  return is_met(q);
}

// Levenberg–Marquardt with Nielsen's update of the damping. It makes progress through singular configurations, where
// Newton's step is useless.
bool PositionProblem::levenberg_marquardt(Vector& q, int& iterations) {
  if (!evaluate(q)) return false;
  double damping = 1e-3, growth = 2;
  for (int k = 0; k < 2 * options_.max_iterations; ++k) {
    if (is_met_closely(q)) return true;
    const double before = merit();
    work_ += steps_->work();
    if (too_large() || !steps_->damped_step(damping, h_, step_)) return is_met(q);
    ++iterations;
    if (angles_.turn_beyond(step_, kLongestTurn) > 0 && damping < 1e12) {
      damping *= growth;
      growth *= 2;
      continue;
    }
    double predicted = 0;  // decrease of the squared scaled residual that the linear model predicts
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double row = h_[r] + workspace_.W_rows.dot(rows_[r], workspace_.W, step_.data());
      predicted += (h_[r] * h_[r] - row * row) * scale_[r] * scale_[r];
    }
    const Vector next = moved(q, 1);
    const double after = merit_at(next);
    const double gain = (before * before - after * after) / predicted;
    if (after < before && gain > 0) {
      const bool stalled = after > (1 - 1e-12) * before;
      q = next;
      if (!evaluate(q)) return false;
      if (stalled) break;
      damping = std::max(damping * std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3)), 1e-15);
      growth = 2;
    } else {
      damping *= growth;
      growth *= 2;
      if (damping > 1e12) break;
    }
  }
  return is_met(q);
}

// Takes full Newton steps while they reduce the residual, from the tolerance down to round-off.
void PositionProblem::refine(Vector& q, int& iterations) {
  for (int k = 0; k < 6; ++k) {
    if (!evaluate(q)) return;
    const double before = merit();
    if (before == 0 || !kkt_step(nullptr, kStepRank)) return;
    const Vector next = moved(q, 1);
    if (!(merit_at(next) < before)) {
      evaluate(q);
      return;
    }
    q = next;
    ++iterations;
  }
  evaluate(q);
}

// Moves q along the manifold towards the guess: Gauss–Newton on the distance, with a return to the manifold after each
// step.
void PositionProblem::approach_guess(Vector& q, int& iterations) {
  double best = distance(q);
  for (int k = 0; k < 30; ++k) {
    if (!evaluate(q)) return;
    const Vector pull = to_guess(q);
    if (!kkt_step(&pull, kStepRank) || !(step_norm() > 1e-9 * best)) return;
    const Vector direction = step_;
    bool nearer = false;
    const double longest = allowed_part();
    for (double s = longest; s > 1e-2 * longest && !nearer; s /= 2) {
      step_ = direction;
      Vector next = moved(q, s);
      ++iterations;
      if (!newton(next, iterations)) continue;
      refine(next, iterations);
      const double now = distance(next);
      // Near the end round-off hides the progress in the distance, though the steps still shrink.
      if (now <= best * (1 + 1e-14)) {
        nearer = true;
        best = std::min(now, best);
        q = next;
      }
    }
    if (!nearer) return;
  }
}

// A guess near the user's, further away with each attempt. A low-discrepancy sequence makes it the same in every run.
Vector PositionProblem::perturbed(int attempt) {
  Vector q = guess_, step(step_.size(), 0.0);
  const bool plain = dynamics_.layout().v_is_qdot;
  double golden = 0.5;
  for (const int i : free_.chosen) {
    golden = std::fmod(golden + 0.6180339887498949 * attempt + 0.3247179572447461 * (i + 1), 1.0);
    const double part = (2 * golden - 1) * attempt;
    step[index(i)] = angles_.is_angle(i) ? std::clamp(kAngleSpread * part, -M_PI, M_PI)
                                         : kSpread * part * std::max(1.0, plain ? std::abs(q[index(i)]) : 0.0);
  }
  displace(dynamics_, t_, q.data(), step.data(), workspace_);
  return q;
}

// Finds consistent velocities by a linear solve in the free ones, repeated against round-off. False when the system is
// too large.
bool assemble_velocities(const Dynamics& dynamics, const AssembleOptions& options, AssemblyMemory& memory,
                         Workspace& workspace, Assembly& assembly) {
  State& state = assembly.state;
  const auto free = free_velocities(dynamics.layout(), options.hold_velocity);
  if (free.size() == 0) return true;
  evaluate_mass(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  Vector& residual = workspace.residual;
  if (largest_magnitude(residual) == 0 || !all_finite(residual) || !all_finite(workspace.W)) return true;

  std::vector<int> all(index(dynamics.m()));
  std::iota(all.begin(), all.end(), 0);
  assembly::Steps* const steps = memory.steps(free, assembly::Places(std::move(all), dynamics.m()));
  if (steps == nullptr) return false;
  if (!steps->set_metric(workspace.M)) return true;
  Vector scale(residual.size(), 1.0), step(state.v.size());
  for (std::size_t r = 0; r < scale.size(); ++r) {
    const double norm = workspace.W_rows.norm(static_cast<int>(r), workspace.W);
    if (norm > 0) scale[r] = 1 / norm;
  }
  steps->set_rows(workspace.W, scale);
  if (!steps->factor(0)) return true;
  for (int pass = 0; pass < 3; ++pass) {
    const double before = largest_magnitude(residual);
    if (before == 0 || !steps->constrained_step(nullptr, residual, step)) break;
    for (const int i : free.chosen) state.v[index(i)] += step[index(i)];
    evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);
    if (pass > 0 && !(largest_magnitude(residual) < before)) {
      for (const int i : free.chosen) state.v[index(i)] -= step[index(i)];
      break;
    }
  }
  return true;
}

// The rank of W at a state whose M and W the workspace holds.
int find_rank(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  if (dynamics.kernel().projects()) {
    dynamics.kernel().call(KernelFunction::kVelocityStep,
                           kernel_arguments(dynamics, state.t, state.q.data(), state.v.data(), workspace),
                           workspace.out.data());
    if (trusted(workspace.out.data() + StepPlaces(dynamics.layout(), index(dynamics.m())).trust)) return dynamics.m();
  }
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) return Assembly::kUnknownRank;
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  if (dense->kkt.factor(dense->M.data(), dense->W.data()) == KktStatus::kSingular)
    dense->kkt.factor(dense->identity(), dense->W.data());
  return dense->kkt.rank();
}

// Sets the residuals, worst row, status and rank for assembly.state, without changing the state.
void judge(const Dynamics& dynamics, double tolerance, Workspace& workspace, Assembly& assembly) {
  const Layout& layout = dynamics.layout();
  const State& state = assembly.state;
  evaluate_position(dynamics, state.t, state.q.data(), workspace);
  evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  evaluate_mass(dynamics, state.t, state.q.data(), state.v.data(), workspace);

  assembly.status = AssemblyStatus::kOk;
  assembly.worst_row = -1;
  assembly.worst_residual = 0;
  bool finite = all_finite(workspace.M);
  double worst = 1;
  for (std::size_t k = 0; k < layout.holonomic.size(); ++k) {
    const double value = std::abs(workspace.h[k]);
    finite = finite && std::isfinite(value);
    assembly.position_residual = std::max(assembly.position_residual, value);
    const double allowed = std::max(tolerance, 64 * kEps * position_magnitude(dynamics, workspace, k, state.q.data()));
    if (value > worst * allowed) {
      worst = value / std::max(allowed, std::numeric_limits<double>::min());
      assembly.status = AssemblyStatus::kNoPosition;
      assembly.worst_row = layout.holonomic[k];
      assembly.worst_residual = workspace.h[k];
    }
  }
  for (int r = 0; r < layout.m; ++r) {
    const double value = std::abs(workspace.residual[index(r)]);
    finite = finite && std::isfinite(value);
    assembly.velocity_residual = std::max(assembly.velocity_residual, value);
    const double allowed = std::max(tolerance, 64 * kEps * velocity_magnitude(workspace, r, state.v.data()));
    // A velocity residual means nothing while a position constraint is violated.
    if (assembly.status != AssemblyStatus::kNoPosition && value > worst * allowed) {
      worst = value / std::max(allowed, std::numeric_limits<double>::min());
      assembly.status = AssemblyStatus::kNoVelocity;
      assembly.worst_row = r;
      assembly.worst_residual = workspace.residual[index(r)];
    }
  }
  if (!finite) {
    assembly.status = AssemblyStatus::kNotFinite;
    return;
  }
  assembly.rank = find_rank(dynamics, state, workspace);
}

// The unit with a space before it, such as " m"; empty if there is none.
std::string unit_of(const std::vector<std::string>& units, int i) {
  return index(i) < units.size() && !units[index(i)].empty() && units[index(i)] != "1" ? " " + units[index(i)] : "";
}

}  // namespace

std::string_view to_text(AssemblyStatus status) {
  switch (status) {
    case AssemblyStatus::kOk:
      return "ok";
    case AssemblyStatus::kNoPosition:
      return "no consistent position";
    case AssemblyStatus::kNoVelocity:
      return "no consistent velocity";
    case AssemblyStatus::kNotFinite:
      return "not finite";
    case AssemblyStatus::kTooLarge:
      return "too large";
  }
  return "";
}

namespace {

// Assembles with the rows that act.
Assembly assemble_rows(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                       AssemblyMemory& memory) {
  Assembly assembly;
  assembly.state = guess;
  normalize_quaternions(dynamics.layout(), assembly.state.q.data());

  Workspace& workspace = memory.begin(dynamics);
  PositionProblem problem(dynamics, assembly.state, options, workspace, memory);
  bool too_large = problem.too_large();
  if (!problem.nothing_to_do() && !too_large && problem.start_metric()) {
    Vector& q = assembly.state.q;
    bool found = false;
    Vector best;
    double best_merit = std::numeric_limits<double>::infinity();
    const bool small = dynamics.nv() + dynamics.m() <= kSmallSystem;
    const int restarts = small ? options.restarts : std::min(options.restarts, kRestartsOfLarge);
    for (int attempt = 0; attempt <= restarts && !found && !problem.too_large(); ++attempt) {
      if (attempt > 0) q = problem.perturbed(attempt);
      assembly.attempts = attempt + 1;
      found = problem.newton(q, assembly.iterations) || problem.levenberg_marquardt(q, assembly.iterations);
      const double merit = problem.merit_at(q);
      if (merit < best_merit || best.empty()) {
        best_merit = merit;
        best = q;
      }
    }
    q = best;
    problem.evaluate(q);
    problem.refine(q, assembly.iterations);
    // Full turns of an angle only increase the distance to the guess. Once they are removed, the nearest point may be a
    // different one.
    for (int pass = 0; found && pass < 3; ++pass) {
      if (problem.unwind(q)) problem.refine(q, assembly.iterations);
      problem.approach_guess(q, assembly.iterations);
      if (!problem.unwind(q)) break;
      problem.refine(q, assembly.iterations);
    }
    // Near a singular position, Newton stops as soon as the residual is small enough. W has a different rank there than
    // at the singular position itself, so q is moved to it.
    if (found) reach_singular_position(dynamics, guess.t, q, workspace, options.hold_position);
    too_large = problem.too_large();
  }
  if (dynamics.m() > 0) too_large = !assemble_velocities(dynamics, options, memory, workspace, assembly) || too_large;
  judge(dynamics, options.tolerance, workspace, assembly);
  if (too_large && !assembly.ok() && assembly.status != AssemblyStatus::kNotFinite)
    assembly.status = AssemblyStatus::kTooLarge;

  const auto set_change = [](const Vector& from, const Vector& to, Vector& change) {
    change.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) change[i] = to[i] - from[i];
  };
  set_change(guess.q, assembly.state.q, assembly.moved_q);
  set_change(guess.v, assembly.state.v, assembly.moved_v);
  return assembly;
}

// Reports a contact whose gap is negative.
void judge_gaps(const Dynamics& dynamics, double tolerance, Assembly& assembly) {
  if (!assembly.ok()) return;
  const Penetration found = find_penetration(dynamics, assembly.state, tolerance);
  if (found.row < 0) return;
  assembly.status = AssemblyStatus::kNoPosition;
  assembly.worst_row = found.row;
  assembly.worst_residual = found.gap;
}

}  // namespace

Assembly assemble(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                  AssemblyMemory* memory) {
  AssemblyMemory own;
  // What a large system needs is not kept beyond its start.
  if (memory == nullptr || dynamics.nv() + dynamics.m() > kSmallSystem) memory = &own;
  Assembly assembly = assemble_rows(dynamics, guess, options, *memory);
  if (dynamics.contacts() == nullptr || options.may_penetrate) return assembly;
  // The contact that the state violates most is closed, and the state is assembled again: closing one often opens others.
  const Contacts& contacts = *dynamics.contacts();
  Dynamics closing = dynamics;
  std::vector<char> closed;
  for (std::size_t k = 0; k < contacts.count(); ++k) closed.push_back(dynamics.is_closed(k) ? 1 : 0);
  for (std::size_t round = 0; assembly.ok() && round <= contacts.count(); ++round) {
    const int row = find_penetration(closing, assembly.state, options.tolerance).row;
    if (row < 0) return assembly;
    closed[index(contacts.of_row[index(row)])] = 1;
    closing.set_contacts(closed);
    assembly = assemble_rows(closing, guess, options, *memory);
  }
  judge_gaps(dynamics, options.tolerance, assembly);
  return assembly;
}

Assembly check_consistency(const Dynamics& dynamics, const State& state, double tolerance) {
  Assembly assembly;
  assembly.state = state;
  assembly.moved_q.assign(state.q.size(), 0.0);
  assembly.moved_v.assign(state.v.size(), 0.0);
  Workspace workspace(dynamics);
  judge(dynamics, tolerance, workspace, assembly);
  judge_gaps(dynamics, tolerance, assembly);
  return assembly;
}

namespace {

// Whether the row of a position constraint contains held coordinates only.
bool is_of_held_alone(const Layout& layout, int row, const std::vector<bool>& held) {
  if (!layout.v_is_qdot) return false;
  for (std::size_t k = 0; k < layout.W.row.size(); ++k)
    if (layout.W.row[k] == row && !(index(layout.W.col[k]) < held.size() && held[index(layout.W.col[k])])) return false;
  return true;
}

}  // namespace

Diagnostic explain_failure(const Dynamics& dynamics, const Assembly& assembly, const AssembleOptions& options) {
  const Names& names = dynamics.names();
  const int row = assembly.worst_row;
  const std::string tolerance = to_text(options.tolerance, 3);
  const std::string residual = to_text(std::abs(assembly.worst_residual), 4);

  std::vector<std::string> held;
  const bool position = assembly.status == AssemblyStatus::kNoPosition;
  const std::vector<bool>& hold = position ? options.hold_position : options.hold_velocity;
  for (std::size_t i = 0; i < hold.size(); ++i)
    if (hold[i])
      held.push_back(position ? name_of(names.coordinates, static_cast<int>(i), "coordinate") : names.velocity(i));

  Diagnostic diagnostic;
  if (position) {
    diagnostic = error(
        "E0302", fmt::format("no consistent start: position constraint `{}` has a residual of {}{} (tolerance {})",
                             name_of(names.rows, row, "row"), residual, unit_of(names.row_units, row), tolerance));
    if (!held.empty()) diagnostic.notes.push_back(fmt::format("held while searching: {}", join_words(held)));
    const bool contact = dynamics.contacts() != nullptr && dynamics.contacts()->of_row[index(row)] >= 0;
    if (contact)
      diagnostic.notes.push_back(
          fmt::format("`{}` is one-sided: its gap must not be negative", name_of(names.rows, row, "row")));
    diagnostic.help.push_back(
        held.empty() ? "give starting values nearer to a configuration that closes the mechanism"
        : is_of_held_alone(dynamics.layout(), row, hold)
            ? "nothing but held coordinates is in this constraint: give them values that satisfy it, or hold fewer"
            : "hold fewer coordinates, or give the others values nearer to a solution");
  } else if (assembly.status == AssemblyStatus::kNoVelocity) {
    // The rate of a position constraint has the unit of the constraint per second.
    const bool holonomic = std::find(dynamics.layout().holonomic.begin(), dynamics.layout().holonomic.end(), row) !=
                           dynamics.layout().holonomic.end();
    const std::string unit = unit_of(names.row_units, row);
    diagnostic =
        error("E0301", fmt::format("initial state violates velocity constraint `{}` by {}{} (tolerance {})",
                                   name_of(names.rows, row, "row"), residual,
                                   !holonomic ? unit : (unit.empty() ? std::string(" 1/s") : unit + "/s"), tolerance));
    if (!held.empty()) diagnostic.notes.push_back(fmt::format("held: {}", join_words(held)));
    diagnostic.help.push_back(held.empty() ? "the velocity constraints contradict each other at this position"
                                           : "hold fewer velocities, so that the others can satisfy the constraint");
  } else if (assembly.status == AssemblyStatus::kTooLarge) {
    diagnostic =
        error("E0302", fmt::format("no consistent start was looked for: constraint `{}` has a residual of {}, and the "
                                   "constraints couple too many coordinates with each other",
                                   name_of(names.rows, row, "row"), residual));
    diagnostic.help.push_back("start from a state that satisfies the constraints");
  } else {
    diagnostic = error("E0303", "the model is not finite at the initial state");
    diagnostic.help.push_back(
        "start where every term of the model is defined (no division by zero, no root of a negative number)");
  }
  return diagnostic;
}

}  // namespace dalembert
