// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/manifold.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/dynamics/friction_system.h"
#include "dalembert/dynamics/numbers.h"
#include "dalembert/dynamics/project.h"

namespace dalembert::integration {
namespace {

// Residuals of velocities, in units of round-off, that are round-off of an angle of 1 rad; those of several angles add up.
constexpr double kNoiseOfAngle = 16;

}  // namespace

Manifold::Manifold(const Dynamics& dynamics, const IntegrateOptions& options, Motion& motion)
    : dynamics_(dynamics),
      options_(options),
      motion_(motion),
      nq_(dynamics.nq()),
      nv_(dynamics.nv()),
      m_(dynamics.m()) {
  rows_.reserve(index(m_));
  const std::vector<std::string>& units = dynamics.names().coordinate_units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i] == "rad") angles_.push_back(i);
}

bool Manifold::project(double t, double* y) {
  return keep(dalembert::project(dynamics_, t, y, y + nq_, motion_.workspace), y);
}

bool Manifold::keep(const Projection& projection, const double* y) {
  status_ = projection.status;
  if (!projection.ok) return false;
  measured_ = projection.measured;
  // Allowed residual, in units of the round-off of the rows' terms. Residuals between round-off and the tolerance are
  // judged later, in the verdict.
  const double allowed = (options_.rtol + 1e3 * kEps) / kEps;
  // A correction of round-off says nothing about the error of the step.
  position_corrected_ = projection.position_roundoff_before > kNoise;
  // The round-off of an angle of many turns turns the rows, so that W v changes by some |q| times the round-off of v.
  double noise = kNoise;
  for (const std::size_t i : angles_) noise = std::max(noise, kNoiseOfAngle * std::abs(y[i]));
  velocity_corrected_ = projection.velocity_roundoff_before > noise;
  return projection.position_roundoff <= allowed || projection.position_residual <= options_.atol;
}

bool Manifold::project_by_all_rows(double t, double* y) {
  Workspace& workspace = motion_.workspace;
  const bool all = std::exchange(workspace.basis.all, true);
  const bool all_positions = std::exchange(workspace.position_basis.all, true);
  const bool projected = project(t, y);
  workspace.basis.all = all;
  workspace.position_basis.all = all_positions;
  return projected;
}

double Manifold::displacement(const double* y0, const double* y, const double* before) const {
  double sum = 0;
  const auto add = [&](std::size_t begin, std::size_t count) {
    const double *at_start = y0 + begin, *at_end = y + begin, *was = before + begin;
    // A projection cannot correct a component more precisely than the round-off of the largest component.
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(at_end[i]));
    const double floor = options_.atol + 64 * kEps * most;
    for (std::size_t i = 0; i < count; ++i) {
      const double size = std::max(std::abs(at_start[i]), std::abs(at_end[i]));
      const double ratio = (at_end[i] - was[i]) / (floor + options_.rtol * size);
      sum += ratio * ratio;
    }
  };
  if (position_corrected_) add(0, index(nq_));
  if (velocity_corrected_) add(index(nq_), index(nv_));
  return sum == 0 ? 0 : std::sqrt(sum / (nq_ + nv_));
}

bool Manifold::evaluate(double t, const double* y, double* slope) {
  motion_.workspace.basis.all = true;
  bool evaluated = motion_.evaluate(t, y, slope);
  motion_.workspace.basis.all = !deficient_;
  if (evaluated && !all_finite(slope, index(motion_.size()))) {
    motion_.status = KktStatus::kNotFinite;
    evaluated = false;
  }
  if (motion_.workspace.friction) motion_.workspace.friction->keep_forces();
  return evaluated;
}

void Manifold::keep_rows() {
  const auto& kkt = motion_.workspace.kkt;
  if (kkt.rank() == m_ && rows_.size() == index(m_)) return;
  rows_.clear();
  for (int k = 0; k < kkt.rank(); ++k) rows_.push_back(kkt.independent_row(k));
  std::sort(rows_.begin(), rows_.end());
}

void Manifold::use_rows(double t, const double* y) {
  Workspace& workspace = motion_.workspace;
  deficient_ = rank() < m_;
  workspace.basis.set_all();
  workspace.position_basis.set_all();
  if (!deficient_) return;
  workspace.basis.set(rows_);
  std::erase_if(workspace.basis.rows, [&](int row) { return !dynamics_.acts(row); });
  if (dynamics_.layout().holonomic.empty()) return;
  find_position_basis(dynamics_, t, y, y + nq_, workspace);
}

}  // namespace dalembert::integration
