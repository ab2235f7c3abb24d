// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/assemble.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/dynamics/kkt.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

using Vector = std::vector<double>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// What is left of a residual in multiples of what is allowed, and where it is largest.
struct Worst {
  double ratio = 0;
  int row = -1;
  double residual = 0;  // of that row
  double largest = 0;   // max |r_j| in whatever unit
};

// Writes the entries of a sparse matrix whose row and column have a place (not -1) into a dense one with `columns`.
void spread(const Pattern& pattern, const Vector& values, const std::vector<int>& row_place,
            const std::vector<int>& column_place, std::size_t columns, Vector& dense) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int i = row_place[index(pattern.row[k])], j = column_place[index(pattern.col[k])];
    if (i >= 0 && j >= 0) dense[index(i) * columns + index(j)] = values[k];
  }
}

// Places of the chosen ones among themselves; -1: not chosen.
std::vector<int> places(const std::vector<int>& chosen, int count) {
  std::vector<int> place(index(count), -1);
  for (std::size_t i = 0; i < chosen.size(); ++i) place[index(chosen[i])] = static_cast<int>(i);
  return place;
}

// The position problem seen on the free coordinates only: rows of W, metric and h as the KKT core wants them.
class PositionProblem {
 public:
  PositionProblem(const Dynamics& dynamics, const State& guess, const AssembleOptions& options)
      : dynamics_(dynamics),
        options_(options),
        workspace_(dynamics),
        t_(guess.t),
        guess_(guess.q),
        v_(guess.v),
        n_(dynamics.n()),
        m_(static_cast<int>(dynamics.layout().holonomic.size())) {
    for (int i = 0; i < n_; ++i)
      if (options.hold_position.empty() || !options.hold_position[index(i)]) free_.push_back(i);
    place_ = places(free_, n_);
    row_place_ = places(dynamics.layout().holonomic, dynamics.m());
    const std::size_t f = free_.size();
    solver_.emplace_back(static_cast<int>(f), m_);
    W_.resize(index(m_) * f);
    metric_.assign(f * f, 0.0);
    h_.resize(index(m_));
    scale_.assign(index(m_), 1.0);
    step_.resize(f);
    force_.resize(f);
    lambda_.resize(index(m_));
  }

  bool start_metric() {
    evaluate_mass(dynamics_, t_, guess_.data(), v_.data(), workspace_);
    spread(dynamics_.layout().M, workspace_.M, place_, place_, free_.size(), metric_);
    return all_finite(metric_);
  }

  // h, W on the free coordinates, and row scales that make all rows comparable; false if not finite.
  bool evaluate(const Vector& q) {
    evaluate_position(dynamics_, t_, q.data(), workspace_);
    evaluate_velocity(dynamics_, t_, q.data(), workspace_);
    const std::size_t f = free_.size();
    h_ = workspace_.h;
    spread(dynamics_.layout().W, workspace_.W, row_place_, place_, f, W_);
    for (std::size_t r = 0; r < index(m_); ++r) {
      double norm2 = 0;
      for (std::size_t i = 0; i < f; ++i) norm2 += W_[r * f + i] * W_[r * f + i];
      scale_[r] = norm2 > 0 ? 1 / std::sqrt(norm2) : 1.0;
      if (!std::isfinite(h_[r]) || !std::isfinite(norm2)) return false;
    }
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

  // Against the tolerance, or against round-off of the terms where that is larger; needs evaluate(q).
  Worst worst(const Vector& q) const {
    Worst result;
    for (std::size_t r = 0; r < index(m_); ++r) {
      const double floor = 64 * kEps * position_magnitude(workspace_, dynamics_.layout().holonomic[r], q.data());
      const double ratio = std::abs(h_[r]) / std::max({options_.tolerance, floor, std::numeric_limits<double>::min()});
      result.largest = std::max(result.largest, std::abs(h_[r]));
      if (result.row < 0 || ratio > result.ratio)
        result = {ratio, dynamics_.layout().holonomic[r], h_[r], result.largest};
    }
    return result;
  }

  // The KKT step  M δ − Wᵀμ = force,  W δ = −h  with `force` = M (pull) where a pull is given.
  bool kkt_step(const Vector* pull, double rank_tolerance) {
    const std::size_t f = free_.size();
    KktStatus status = solver_[0].factor(metric_.data(), W_.data(), rank_tolerance);
    if (status == KktStatus::kSingular) {
      // No inertia in some free direction: the plain metric from here on.
      std::fill(metric_.begin(), metric_.end(), 0.0);
      for (std::size_t i = 0; i < f; ++i) metric_[i * f + i] = 1;
      status = solver_[0].factor(metric_.data(), W_.data(), rank_tolerance);
    }
    if (status != KktStatus::kOk) return false;
    std::fill(force_.begin(), force_.end(), 0.0);
    if (pull != nullptr)
      for (std::size_t i = 0; i < f; ++i)
        for (std::size_t j = 0; j < f; ++j) force_[i] += metric_[i * f + j] * (*pull)[index(free_[j])];
    status = solver_[0].solve(force_.data(), h_.data(), step_.data(), lambda_.data());
    return status != KktStatus::kNotFinite;
  }

  // Damped least squares: (Ŵᵀ Ŵ + μ N) δ = −Ŵᵀ ĥ, N the diagonal of the metric in the rows' scale.
  bool damped_step(double damping) {
    const std::size_t f = free_.size();
    normal_.resize(static_cast<int>(f));
    double largest = 0;
    for (std::size_t i = 0; i < f; ++i) largest = std::max(largest, metric_[i * f + i]);
    for (std::size_t i = 0; i < f; ++i) {
      for (std::size_t j = i; j < f; ++j) {
        double sum = 0;
        for (std::size_t r = 0; r < index(m_); ++r) sum += W_[r * f + i] * W_[r * f + j] * scale_[r] * scale_[r];
        normal_.row(static_cast<int>(i))[j] = sum;
      }
      const double weight = largest > 0 ? std::max(metric_[i * f + i] / largest, 1e-6) : 1.0;
      normal_.row(static_cast<int>(i))[i] += damping * weight;
      double sum = 0;
      for (std::size_t r = 0; r < index(m_); ++r) sum -= W_[r * f + i] * h_[r] * scale_[r] * scale_[r];
      step_[i] = sum;
    }
    if (!(normal_.factor() > 0)) return false;
    normal_.solve_forward(step_.data());
    normal_.solve_backward(step_.data());
    return std::all_of(step_.begin(), step_.end(), [](double x) { return std::isfinite(x); });
  }

  Vector moved(const Vector& q, double s) const {
    Vector next = q;
    for (std::size_t i = 0; i < free_.size(); ++i) next[index(free_[i])] += s * step_[i];
    return next;
  }
  double step_norm() const {
    double sum = 0;
    const std::size_t f = free_.size();
    for (std::size_t i = 0; i < f; ++i)
      for (std::size_t j = 0; j < f; ++j) sum += step_[i] * metric_[i * f + j] * step_[j];
    return std::sqrt(std::max(sum, 0.0));
  }
  double distance(const Vector& q) const {
    double sum = 0;
    const std::size_t f = free_.size();
    for (std::size_t i = 0; i < f; ++i)
      for (std::size_t j = 0; j < f; ++j) {
        const int k = free_[i], l = free_[j];
        sum += (q[index(k)] - guess_[index(k)]) * metric_[i * f + j] * (q[index(l)] - guess_[index(l)]);
      }
    return std::sqrt(std::max(sum, 0.0));
  }

  bool newton(Vector& q, int& iterations);
  bool levenberg_marquardt(Vector& q, int& iterations);
  void refine(Vector& q, int& iterations);
  void approach_guess(Vector& q, int& iterations);
  Vector perturbed(int attempt) const;
  bool nothing_to_do() const { return m_ == 0; }
  bool nothing_free() const { return free_.empty(); }

 private:
  const Dynamics& dynamics_;
  const AssembleOptions& options_;
  Workspace workspace_;
  double t_;
  Vector guess_, v_;
  int n_, m_;
  std::vector<int> free_, place_, row_place_;
  std::vector<KktSolver> solver_;  // one, made when the number of free coordinates is known
  SkylineLdlt normal_;
  Vector W_, metric_, h_, scale_, step_, force_, lambda_;
};

// Newton with backtracking on the scaled residual. False when it stalls or runs out of iterations above the tolerance.
bool PositionProblem::newton(Vector& q, int& iterations) {
  if (!evaluate(q)) return false;
  for (int k = 0; k < options_.max_iterations; ++k) {
    if (worst(q).ratio <= 1) return true;
    // While far away, directions in which rows hardly differ only lead astray.
    if (!kkt_step(nullptr, 1e-8)) return false;
    ++iterations;
    const double before = merit();
    double s = 1;
    Vector next = moved(q, s);
    while (!(merit_at(next) <= (1 - 1e-4 * s) * before)) {
      s /= 2;
      if (s < 1e-3) return false;
      next = moved(q, s);
    }
    q = next;
    if (!evaluate(q)) return false;
  }
  return worst(q).ratio <= 1;
}

// Gains through singular configurations, where Newton's step is useless. Nielsen's update of the damping.
bool PositionProblem::levenberg_marquardt(Vector& q, int& iterations) {
  if (!evaluate(q)) return false;
  double damping = 1e-3, growth = 2;
  for (int k = 0; k < 2 * options_.max_iterations; ++k) {
    if (worst(q).ratio <= 1) return true;
    const double before = merit();
    if (!damped_step(damping)) return false;
    ++iterations;
    double predicted = 0;  // of ½ĥ²: ½ δᵀ(μ N δ − ĝ) is enough to be positive; the ratio uses the linear model
    for (std::size_t r = 0; r < index(m_); ++r) {
      double row = h_[r];
      for (std::size_t i = 0; i < free_.size(); ++i) row += W_[r * free_.size() + i] * step_[i];
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
  return worst(q).ratio <= 1;
}

// Full Newton steps while they help: from the tolerance down to round-off.
void PositionProblem::refine(Vector& q, int& iterations) {
  for (int k = 0; k < 6; ++k) {
    if (!evaluate(q)) return;
    const double before = merit();
    if (before == 0 || !kkt_step(nullptr, 1e-8)) return;
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

// Along the manifold towards the guess: Gauss–Newton on the distance, pulled back onto the manifold after each step.
void PositionProblem::approach_guess(Vector& q, int& iterations) {
  double best = distance(q);
  for (int k = 0; k < 30; ++k) {
    if (!evaluate(q)) return;
    Vector pull(index(n_), 0.0);
    for (int i : free_) pull[index(i)] = guess_[index(i)] - q[index(i)];
    if (!kkt_step(&pull, 1e-8) || !(step_norm() > 1e-9 * best)) return;
    const Vector direction = step_;
    bool nearer = false;
    for (double s = 1; s > 1e-2 && !nearer; s /= 2) {
      step_ = direction;
      Vector next = moved(q, s);
      ++iterations;
      if (!newton(next, iterations)) continue;
      refine(next, iterations);
      const double now = distance(next);
      // Near the end the distance no longer shows the progress that the shrinking steps make.
      if (now <= best * (1 + 1e-14)) {
        nearer = true;
        best = std::min(now, best);
        q = next;
      }
    }
    if (!nearer) return;
  }
}

// Guesses near the user's, the same in every run: a low-discrepancy sequence, further away with each attempt.
Vector PositionProblem::perturbed(int attempt) const {
  Vector q = guess_;
  double golden = 0.5;
  for (int i : free_) {
    golden = std::fmod(golden + 0.6180339887498949 * attempt + 0.3247179572447461 * (i + 1), 1.0);
    q[index(i)] += (2 * golden - 1) * 0.1 * attempt * std::max(1.0, std::abs(q[index(i)]));
  }
  return q;
}

// Velocities: one linear solve on the free ones, repeated once against round-off.
void assemble_velocities(const Dynamics& dynamics, const AssembleOptions& options, Assembly& assembly) {
  const int n = dynamics.n(), m = dynamics.m();
  State& state = assembly.state;
  Workspace workspace(dynamics);
  std::vector<int> free;
  for (int i = 0; i < n; ++i)
    if (options.hold_velocity.empty() || !options.hold_velocity[index(i)]) free.push_back(i);
  const std::size_t f = free.size();
  evaluate_mass(dynamics, state.t, state.q.data(), state.v.data(), workspace);
  evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);

  Vector metric(f * f), W(index(m) * f), zero(f, 0.0), step(f), lambda(index(m));
  const std::vector<int> place = places(free, n);
  spread(dynamics.layout().M, workspace.M, place, place, f, metric);
  std::vector<int> all_rows(index(m));
  std::iota(all_rows.begin(), all_rows.end(), 0);
  spread(dynamics.layout().W, workspace.W, all_rows, place, f, W);
  KktSolver solver(static_cast<int>(f), m);
  KktStatus status = solver.factor(metric.data(), W.data());
  if (status == KktStatus::kSingular) {
    std::fill(metric.begin(), metric.end(), 0.0);
    for (std::size_t i = 0; i < f; ++i) metric[i * f + i] = 1;
    status = solver.factor(metric.data(), W.data());
  }
  for (int pass = 0; pass < 3 && status == KktStatus::kOk; ++pass) {
    double before = 0, after = 0;
    for (double x : workspace.residual) before = std::max(before, std::abs(x));
    if (before == 0 ||
        solver.solve(zero.data(), workspace.residual.data(), step.data(), lambda.data()) == KktStatus::kNotFinite)
      break;
    for (std::size_t i = 0; i < f; ++i) state.v[index(free[i])] += step[i];
    evaluate_velocity_residual(dynamics, state.t, state.q.data(), state.v.data(), workspace);
    for (double x : workspace.residual) after = std::max(after, std::abs(x));
    if (pass > 0 && !(after < before)) {
      for (std::size_t i = 0; i < f; ++i) state.v[index(free[i])] -= step[i];
      break;
    }
  }
}

// The rank of W at a state whose M and W the workspace holds.
int find_rank(const Dynamics& dynamics, const State& state, Workspace& workspace) {
  if (dynamics.kernel().solves_kkt()) {
    dynamics.kernel().call(KernelFunction::kVelocityStep,
                           kernel_arguments(dynamics, state.t, state.q.data(), state.v.data(), workspace),
                           workspace.out.data());
    if (trusted(workspace.out.data() + 2 * dynamics.m() + dynamics.n())) return dynamics.m();
  }
  DenseWorkspace* dense = workspace.dense(dynamics);
  if (dense == nullptr) return Assembly::kUnknownRank;
  dense->spread_M(workspace.M);
  dense->spread_W(workspace.W);
  if (dense->kkt.factor(dense->M.data(), dense->W.data()) == KktStatus::kSingular)
    dense->kkt.factor(dense->identity(), dense->W.data());
  return dense->kkt.rank();
}

// Residuals, worst row, status and rank of assembly.state as it stands.
void judge(const Dynamics& dynamics, double tolerance, Assembly& assembly) {
  const Layout& layout = dynamics.layout();
  const State& state = assembly.state;
  Workspace workspace(dynamics);
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
    const double allowed =
        std::max(tolerance, 64 * kEps * position_magnitude(workspace, layout.holonomic[k], state.q.data()));
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
    const double allowed =
        std::max(tolerance, 64 * kEps * velocity_magnitude(workspace, r, state.v.data()));
    // Velocities mean nothing while positions do not fit.
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

std::string name_of(const std::vector<std::string>& names, int i, const char* kind) {
  return index(i) < names.size() ? names[index(i)] : fmt::format("{} {}", kind, i + 1);
}

// " m", or nothing.
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
  }
  return "";
}

Assembly assemble(const Dynamics& dynamics, const State& guess, const AssembleOptions& options) {
  Assembly assembly;
  assembly.state = guess;

  PositionProblem problem(dynamics, guess, options);
  if (!problem.nothing_to_do() && !problem.nothing_free() && problem.start_metric()) {
    Vector& q = assembly.state.q;
    bool found = false;
    Vector best;
    double best_merit = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt <= options.restarts && !found; ++attempt) {
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
    if (found) problem.approach_guess(q, assembly.iterations);
  }
  if (dynamics.m() > 0) assemble_velocities(dynamics, options, assembly);
  judge(dynamics, options.tolerance, assembly);

  for (std::size_t i = 0; i < guess.q.size(); ++i) {
    assembly.moved_q.push_back(assembly.state.q[i] - guess.q[i]);
    assembly.moved_v.push_back(assembly.state.v[i] - guess.v[i]);
  }
  return assembly;
}

Assembly check_consistency(const Dynamics& dynamics, const State& state, double tolerance) {
  Assembly assembly;
  assembly.state = state;
  assembly.moved_q.assign(state.q.size(), 0.0);
  assembly.moved_v.assign(state.v.size(), 0.0);
  judge(dynamics, tolerance, assembly);
  return assembly;
}

Diagnostic explain_failure(const Dynamics& dynamics, const Assembly& assembly, const AssembleOptions& options) {
  const Names& names = dynamics.names();
  const int row = assembly.worst_row;
  const std::string tolerance = to_text(options.tolerance, 3);
  const std::string residual = to_text(std::abs(assembly.worst_residual), 4);

  std::vector<std::string> held;
  const bool position = assembly.status == AssemblyStatus::kNoPosition;
  const std::vector<bool>& hold = position ? options.hold_position : options.hold_velocity;
  for (std::size_t i = 0; i < hold.size(); ++i)
    if (hold[i]) held.push_back(name_of(names.coordinates, static_cast<int>(i), "coordinate") + (position ? "" : "'"));

  Diagnostic diagnostic;
  if (position) {
    diagnostic = error(
        "E0302", fmt::format("no consistent start: position constraint `{}` is left at {}{} (tolerance {})",
                             name_of(names.rows, row, "row"), residual, unit_of(names.row_units, row), tolerance));
    if (!held.empty()) diagnostic.notes.push_back(fmt::format("held while searching: {}", join_words(held)));
    diagnostic.help.push_back(held.empty() ? "give starting values nearer to a configuration that closes the mechanism"
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
  } else {
    diagnostic = error("E0303", "the model is not finite at the initial state");
    diagnostic.help.push_back(
        "start where every term of the model is defined (no division by zero, no root of a negative number)");
  }
  return diagnostic;
}

}  // namespace dalembert
