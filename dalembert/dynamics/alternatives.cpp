// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/alternatives.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/assembly_angles.h"
#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {
namespace {

using Vector = std::vector<double>;

// So many guesses all over the place, and two for each free coordinate: its mirror image and half a turn away.
constexpr int kScattered = 12;
// Coordinates and rows, together, up to which that is cheap.
constexpr int kLargest = 60;
// Assemblies that differ by less in every coordinate, relative to its size, are the same.
constexpr double kSame = 1e-6;
// Rows are independent on the free coordinates beyond this.
constexpr double kIndependent = 1e-6;

// Whether the rows with a position level leave the free coordinates no freedom.
bool is_isolated(const Dynamics& dynamics, const State& state, const std::vector<int>& free) {
  Workspace workspace(dynamics);
  evaluate_velocity(dynamics, state.t, state.q.data(), workspace);
  std::vector<int> place(index(dynamics.nq()), -1);
  for (std::size_t k = 0; k < free.size(); ++k) place[index(free[k])] = static_cast<int>(k);
  const std::vector<int>& rows = dynamics.layout().holonomic;
  HouseholderQr qr;
  qr.resize(static_cast<int>(free.size()), static_cast<int>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double* column = qr.column(static_cast<int>(k));
    std::fill(column, column + free.size(), 0.0);
    const double norm = workspace.W_rows.norm(rows[k], workspace.W);
    workspace.W_rows.for_each(rows[k], workspace.W, [&](int j, double w) {
      if (place[index(j)] >= 0) column[place[index(j)]] = norm > 0 ? w / norm : 0;
    });
  }
  return qr.factor_pivoted(kIndependent, static_cast<int>(rows.size())) == static_cast<int>(free.size());
}

}  // namespace

Alternatives find_alternatives(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                               const Assembly& found) {
  Alternatives result;
  const auto n = index(dynamics.nq());
  result.angle.assign(n, false);
  if (!dynamics.layout().v_is_qdot) return result;
  std::vector<int> free;
  for (std::size_t i = 0; i < n; ++i)
    if (options.hold_position.empty() || !options.hold_position[i]) free.push_back(static_cast<int>(i));
  if (free.empty() || dynamics.layout().holonomic.empty() || dynamics.nv() + dynamics.m() > kLargest) return result;
  if (!is_isolated(dynamics, found.state, free)) return result;

  Workspace workspace(dynamics);
  assembly::Angles angles(dynamics, workspace, guess.t, found.state.q);
  for (const int i : free) result.angle[index(i)] = angles.is_angle(i);
  const auto size = [&](int i) {
    return result.angle[index(i)] ? 1.0
                                  : std::max({std::abs(found.state.q[index(i)]), std::abs(guess.q[index(i)]), 1e-3});
  };
  const auto try_from = [&](const Vector& q) {
    State start = guess;
    start.q = q;
    AssembleOptions once = options;
    once.restarts = 0;
    Assembly other = assemble(dynamics, start, once);
    if (other.status == AssemblyStatus::kNoPosition || other.status == AssemblyStatus::kNotFinite) return;
    angles.unwind(other.state.q, found.state.q, free);
    const auto same = [&](const Vector& known) {
      return std::all_of(free.begin(), free.end(),
                         [&](int i) { return std::abs(other.state.q[index(i)] - known[index(i)]) <= kSame * size(i); });
    };
    if (same(found.state.q) || std::any_of(result.q.begin(), result.q.end(), same)) return;
    result.q.push_back(std::move(other.state.q));
  };

  for (const int i : free) {
    Vector q = found.state.q;
    q[index(i)] = -q[index(i)];
    try_from(q);
    if (!result.angle[index(i)]) continue;
    q[index(i)] = found.state.q[index(i)] + M_PI;
    try_from(q);
  }
  Vector mirrored = found.state.q;
  for (const int i : free) mirrored[index(i)] = -mirrored[index(i)];
  try_from(mirrored);
  try_from(guess.q);
  for (int k = 1; k <= kScattered; ++k) {
    Vector q = found.state.q;
    double golden = 0.5;
    for (const int i : free) {
      golden = std::fmod(golden + 0.6180339887498949 * k + 0.3247179572447461 * (i + 1), 1.0);
      q[index(i)] = result.angle[index(i)] ? (2 * golden - 1) * M_PI : q[index(i)] + (4 * golden - 2) * size(i);
    }
    try_from(q);
  }
  return result;
}

}  // namespace dalembert
