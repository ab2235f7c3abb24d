// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/project.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/kinematics.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/residual.h"
#include "dalembert/dynamics/residual_size.h"

namespace dalembert {
namespace {

constexpr int kIterations = 6;
using Size = ResidualSize;

Size measure(const double* residual, const double* magnitude, std::size_t rows) {
  Size size;
  for (std::size_t r = 0; r < rows; ++r) size.add(residual[r], magnitude[r]);
  return size;
}

class Projector {
 public:
  Projector(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace, Projection& result)
      : dynamics_(dynamics),
        layout_(dynamics.layout()),
        w_(workspace),
        t_(t),
        q_(q),
        v_(v),
        nq_(index(layout_.nq)),
        nv_(index(layout_.nv)),
        m_(index(layout_.m)),
        m_h_(layout_.holonomic.size()),
        result_(result) {}

  bool once() {
    normalize_quaternions(layout_, q_);
    if (m_ == 0) return true;
    if (!asks_kernel()) return false;
    if (m_h_ > 0) {
      if (!ask(KernelFunction::kPositionStep, m_h_)) return false;
      displace(dynamics_, t_, q_, w_.step.data(), w_);
    }
    if (!ask(KernelFunction::kVelocityStep, m_)) return false;
    for (std::size_t i = 0; i < nv_; ++i) v_[i] += w_.step[i];
    return true;
  }

  void run() {
    clear_few(w_.dq);
    clear_few(w_.dv);
    normalize_quaternions(layout_, q_);
    if (m_ == 0) {
      result_.ok = true;
      return;
    }
    const bool ask = asks_kernel();
    if (m_h_ > 0 && !(ask && positions_by_kernel()) && !positions_densely()) return;
    if (!(ask && velocities_by_kernel()) && !velocities_densely()) return;
    result_.ok = std::isfinite(result_.position_residual) && std::isfinite(result_.velocity_residual);
  }

 private:
  void keep_position(const Size& size) {
    result_.position_residual = size.largest;
    result_.position_roundoff = size.roundoff;
  }
  void keep_velocity(const Size& size) {
    result_.velocity_residual = size.largest;
    result_.velocity_roundoff = size.roundoff;
  }

  // Projection by the kernel, which returns the residual, the size of its terms, the step and its trust. False, with
  // the state restored, when a step cannot be trusted.
  bool positions_by_kernel();
  bool velocities_by_kernel();
  void ask_for_velocities();
  bool asks_kernel() const { return dynamics_.kernel().projects() && w_.basis.all && w_.position_basis.all; }
  bool ask(KernelFunction function, std::size_t rows);
  void change(double* x, std::size_t size, std::vector<double>& before, std::vector<double>& displacement);
  void move_positions(bool first);
  void take_back_positions(bool first);
  void change_velocities(bool first);
  void take_back_velocities(bool first);
  std::vector<double>& kept(bool first) { return first ? w_.start : w_.before; }
  bool give_up(int steps, double* x, std::size_t size, std::vector<double>& displacement);

  // Projection by the dense solver. False when it fails.
  bool positions_densely();
  bool velocities_densely();
  bool make_dense();
  Size measure_positions();
  Size measure_velocities();
  bool factor(KktSolver& solver, const RowBasis& basis, BasisSolver* some, const double* W, const double* residual);
  bool solve(KktSolver& solver, const RowBasis& basis, BasisSolver* some, const double* residual);

  const Dynamics& dynamics_;
  const Layout& layout_;
  Workspace& w_;
  const double t_;
  double *q_, *v_;
  const std::size_t nq_, nv_, m_, m_h_;
  DenseWorkspace* dense_ = nullptr;
  double off_ = 0;  // relative distance of the positions from the manifold, see Size::scaled
  // Whether the kernel has already computed the step of the velocities, and whether that step can be trusted.
  bool asked_ = false, trust_velocities_ = false;
  Projection& result_;  // the caller's: a copy would wait for what was just written
};

// One call of the kernel, which leaves [residual, magnitude, step, trust] in workspace.out. True if the step can be
// trusted.
bool Projector::ask(KernelFunction function, std::size_t rows) {
  call_kernel(dynamics_, function, t_, q_, v_, w_, w_.out.data());
  const double *step = w_.out.data() + 2 * rows, *trust = step + nv_;
  const bool finite = copy_finite(step, nv_, w_.step.data());
  return finite && trusted(trust);
}

// Adds workspace.step to x and to `displacement`; keeps the old x in `before`.
inline void Projector::change(double* x, std::size_t size, std::vector<double>& before,
                              std::vector<double>& displacement) {
  for (std::size_t i = 0; i < size; ++i) {
    const double value = x[i], step = w_.step[i];
    before[i] = value;
    x[i] = value + step;
    displacement[i] += step;
    one_by_one(i);
  }
}

// Moves the positions by workspace.step. Keeps the old ones in workspace.before, or in
// workspace.start for the first step.
void Projector::move_positions(bool first) {
  std::vector<double>& before = kept(first);
  if (layout_.v_is_qdot) return change(q_, nq_, before, w_.dq);
  copy_few(q_, nq_, before.data());
  displace(dynamics_, t_, q_, w_.step.data(), w_);
  for (std::size_t i = 0; i < nq_; ++i) w_.dq[i] += q_[i] - before[i];
}

void Projector::take_back_positions(bool first) {
  copy_few(kept(first).data(), nq_, q_);
  for (std::size_t i = 0; i < nq_; ++i) w_.dq[i] = q_[i] - w_.start[i];
}

void Projector::change_velocities(bool first) { change(v_, nv_, kept(first), w_.dv); }

void Projector::take_back_velocities(bool first) {
  copy_few(kept(first).data(), nv_, v_);
  for (std::size_t i = 0; i < nv_; ++i) w_.dv[i] = v_[i] - w_.start[i];
}

// Restores the state after `steps` steps.
bool Projector::give_up(int steps, double* x, std::size_t size, std::vector<double>& displacement) {
  if (steps > 0) copy_few(w_.start.data(), size, x);
  std::fill(displacement.begin(), displacement.end(), 0.0);
  result_.iterations -= steps;
  ++w_.fallbacks;
  return false;
}

bool Projector::positions_by_kernel() {
  bool trust = ask(KernelFunction::kPositionStep, m_h_);
  // The size of the terms hardly changes along the way, so it is not recomputed for each residual.
  copy_few(w_.out.data() + m_h_, m_h_, w_.magnitude.data());
  copy_few(w_.out.data(), m_h_, w_.h.data());
  if (!layout_.v_is_qdot) copy_few(w_.magnitude.data(), m_h_, w_.h_size.data());
  Size size = measure(w_.h.data(), w_.magnitude.data(), m_h_);
  result_.position_roundoff_before = size.roundoff;
  for (int k = 0; k < kIterations && size.needs_step(); ++k) {
    if (k > 0) {
      trust = ask(KernelFunction::kPositionStep, m_h_);
      copy_few(w_.out.data() + m_h_, m_h_, w_.magnitude.data());
    }
    if (!trust) return give_up(k, q_, nq_, w_.dq);
    ++result_.iterations;
    move_positions(k == 0);
    // The first step is usually the last one. So the call that computes the step of the velocities also returns h.
    if (k == 0)
      ask_for_velocities();
    else
      evaluate_position(dynamics_, t_, q_, w_);
    const Size next = measure(w_.h.data(), w_.magnitude.data(), m_h_);
    // No improvement means that round-off is reached: keep the state before the step.
    if (!next.better_than(size)) {
      take_back_positions(k == 0);
      evaluate_position(dynamics_, t_, q_, w_);
      asked_ = false;
      break;
    }
    const bool stuck = next.roundoff > 0.5 * size.roundoff && next.roundoff < 10;
    size = next;
    if (stuck) break;
    asked_ = asked_ && !size.needs_step();
  }
  keep_position(size);
  return true;
}

// Computes the step of the velocities, and W, a and h at the present positions.
void Projector::ask_for_velocities() {
  trust_velocities_ = ask(KernelFunction::kVelocityStep, m_);
  asked_ = true;
  const VelocityStepPlaces at(layout_);
  const double* out = w_.out.data();
  copy_few(out + at.W, w_.W.size(), w_.W.data());
  copy_few(out + at.a, m_, w_.a.data());
  copy_few(out + at.h, m_h_, w_.h.data());
  if (!layout_.v_is_qdot) copy_few(out + at.h + m_h_, m_h_, w_.h_size.data());
}

// Problem (2) of project.h is linear in the velocities, so further steps only remove round-off.
bool Projector::velocities_by_kernel() {
  if (!asked_) ask_for_velocities();
  Size size = measure(w_.out.data(), w_.out.data() + m_, m_);
  result_.velocity_roundoff_before = size.roundoff;
  bool measured = false;
  for (int k = 0; k < 3 && size.needs_step(); ++k) {
    if (k > 0) trust_velocities_ = ask(KernelFunction::kVelocityStep, m_);
    if (!trust_velocities_) return give_up(k, v_, nv_, w_.dv);
    ++result_.iterations;
    change_velocities(k == 0);
    measure_rows(dynamics_, q_, v_, w_);
    const Size next = measure_velocities();
    measured = next.better_than(size);
    if (!measured) {
      take_back_velocities(k == 0);
      break;
    }
    size = next;
  }
  if (!measured) measure_rows(dynamics_, q_, v_, w_);
  keep_velocity(size);
  result_.measured = true;
  return true;
}

// Projection by the dense solver.

bool Projector::make_dense() {
  if (dense_ != nullptr) return true;
  dense_ = w_.dense(dynamics_);
  if (dense_ == nullptr) {
    result_.status = KktStatus::kTooLarge;
    return false;
  }
  evaluate_mass(dynamics_, t_, q_, v_, w_);
  dense_->spread_M(w_.M);
  return true;
}

// Uses the W of the last evaluate_velocity().
Size Projector::measure_positions() {
  Size size;
  double length = 0;
  for (std::size_t i = 0; i < nq_; ++i) length = std::hypot(length, q_[i]);
  for (std::size_t k = 0; k < m_h_; ++k) {
    const int row = layout_.holonomic[k];
    size.add(w_.h[k], position_magnitude(dynamics_, w_, k, q_));
    if (w_.h[k] != 0)
      size.scaled = std::max(size.scaled, std::abs(w_.h[k]) / std::max(w_.W_rows.norm(row, w_.W) * length,
                                                                       std::numeric_limits<double>::min()));
  }
  return size;
}

Size Projector::measure_velocities() {
  Size size;
  for (std::size_t r = 0; r < m_; ++r) size.add(w_.residual[r], w_.row_sizes[r].velocity);
  return size;
}

// Factors in the mass metric, or with the identity where a direction in null(W) has no inertia. The
// rank tolerance grows with the distance from the manifold: rows that differ by less than that distance
// may be dependent on the manifold.
bool Projector::factor(KktSolver& solver, const RowBasis& basis, BasisSolver* some, const double* W,
                       const double* residual) {
  if (some != nullptr) some->gather(basis, W, residual, nv_);
  KktSolver& used = some == nullptr ? solver : some->kkt;
  const double* rows = some == nullptr ? W : some->W.data();
  const double tolerance = some == nullptr ? std::clamp(100 * off_, kRankTolerance, 1e-4) : kRankTolerance;
  KktStatus status = used.factor(dense_->M.data(), rows, tolerance);
  if (status == KktStatus::kSingular) status = used.factor(dense_->identity(), rows, tolerance);
  return status == KktStatus::kOk;
}

// Computes in workspace.step the step that removes `residual`, with the present factors.
bool Projector::solve(KktSolver& solver, const RowBasis& basis, BasisSolver* some, const double* residual) {
  if (some == nullptr)
    return solver.solve(w_.zero.data(), residual, w_.step.data(), w_.multipliers.data()) != KktStatus::kNotFinite;
  for (std::size_t k = 0; k < basis.rows.size(); ++k) some->values[k] = residual[basis.rows[k]];
  return some->kkt.solve(w_.zero.data(), some->values.data(), w_.step.data(), some->lambda.data()) !=
         KktStatus::kNotFinite;
}

bool Projector::positions_densely() {
  if (!make_dense()) return false;
  evaluate_velocity(dynamics_, t_, q_, w_);
  evaluate_position(dynamics_, t_, q_, w_);
  dense_->spread_W(w_.W);
  const RowBasis& basis = w_.position_basis;
  BasisSolver* some = basis.all ? nullptr : &dense_->position_basis();
  KktSolver& solver = dense_->position();
  const auto factor_rows = [&] { return factor(solver, basis, some, dense_->W_position(), w_.h.data()); };

  Size size = measure_positions();
  off_ = size.scaled;
  result_.position_roundoff_before = size.roundoff;
  if (size.needs_step() && !factor_rows()) return false;
  for (int k = 0; k < kIterations && size.needs_step(); ++k) {
    if (!solve(solver, basis, some, w_.h.data())) return false;
    ++result_.iterations;
    move_positions(k == 0);
    evaluate_position(dynamics_, t_, q_, w_);
    const Size next = measure_positions();
    // No improvement means that round-off is reached.
    if (!next.better_than(size)) {
      take_back_positions(k == 0);
      break;
    }
    const bool stuck = next.roundoff > 0.5 * size.roundoff;
    size = next;
    off_ = size.scaled;
    if (size.roundoff < 10) {
      if (stuck) break;
      continue;
    }
    // Each step is the least change from its own starting point, as in the kernel's steps.
    evaluate_mass(dynamics_, t_, q_, v_, w_);
    evaluate_velocity(dynamics_, t_, q_, w_);
    dense_->spread_M(w_.M);
    dense_->spread_W(w_.W);
    if (!factor_rows()) return false;
  }
  keep_position(size);
  return true;
}

bool Projector::velocities_densely() {
  evaluate_velocity(dynamics_, t_, q_, w_);
  measure_rows(dynamics_, q_, v_, w_);
  Size size = measure_velocities();
  result_.velocity_roundoff_before = size.roundoff;
  if (size.needs_step()) {
    if (!make_dense()) return false;
    if (result_.iterations > 0) {
      // The positions have moved, so M is evaluated again.
      evaluate_mass(dynamics_, t_, q_, v_, w_);
      dense_->spread_M(w_.M);
    }
    dense_->spread_W(w_.W);
    BasisSolver* some = w_.basis.all ? nullptr : &dense_->basis();
    if (!factor(dense_->kkt, w_.basis, some, dense_->W.data(), w_.residual.data())) return false;
    for (int k = 0; k < 3 && size.needs_step(); ++k) {
      if (!solve(dense_->kkt, w_.basis, some, w_.residual.data())) return false;
      ++result_.iterations;
      change_velocities(k == 0);
      measure_rows(dynamics_, q_, v_, w_);
      const Size next = measure_velocities();
      if (!next.better_than(size)) {
        take_back_velocities(k == 0);
        break;
      }
      size = next;
    }
  }
  keep_velocity(size);
  return true;
}

}  // namespace

namespace {

// Brings sticking frictions to rest.
void stop_what_sticks(const Dynamics& dynamics, double t, const double* q, double* v, Workspace& workspace) {
  FrictionSystem* friction = workspace.friction.get();
  if (friction == nullptr || !friction->held || !friction->sticks()) return;
  for (int pass = 0; pass < 3; ++pass) {
    friction->evaluate(dynamics, t, q, v, workspace);
    if (!friction->find_stop(workspace.basis, workspace.step.data())) return;
    for (std::size_t i = 0; i < workspace.step.size(); ++i) {
      v[i] += workspace.step[i];
      workspace.dv[i] += workspace.step[i];
    }
  }
}

}  // namespace

Projection project(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace) {
  Projection projection;
  Projector(dynamics, t, q, v, workspace, projection).run();
  if (workspace.friction) {
    stop_what_sticks(dynamics, t, q, v, workspace);
    projection.measured = false;
  }
  return projection;
}

bool project_once(const Dynamics& dynamics, double t, double* q, double* v, Workspace& workspace) {
  Projection projection;
  const bool done = Projector(dynamics, t, q, v, workspace, projection).once();
  if (workspace.friction) stop_what_sticks(dynamics, t, q, v, workspace);
  return done;
}

Projection project(const Dynamics& dynamics, State& state) {
  Workspace workspace(dynamics);
  return project(dynamics, state.t, state.q.data(), state.v.data(), workspace);
}

}  // namespace dalembert
