// SPDX-License-Identifier: Apache-2.0
// Private to integrate: motion along the limits of guards to which both sides lead back
// (Filippov's convex combination).
//
//   q̈ = q̈₀ + Σ_k s_k (q̈_k − q̈₀),   dg_k/dt = 0 for each k,   0 <= s_k <= 1
// with the accelerations q̈₀ when all guards of the slide are negative, and q̈_k when only guard k is positive. This is
// exact where the forces of the guards add up, as friction in several joints does.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/dynamics/kkt.h"
#include "dalembert/integrate/branches.h"

namespace dalembert::integration {

class Slide {
 public:
  bool empty() const { return guards_.empty(); }
  bool contains(std::size_t guard) const;
  void add(std::size_t guard) { guards_.push_back(guard); }
  void remove(std::size_t guard);
  /// Must be called when guards of the slide or branches of the system have changed.
  void hold(const Branches& branches);

  /// Computes q̈ and λ of the slide, the convex combination, and, unless `power` is null, its dE/dt.
  KktStatus solve(double t, const double* q, const double* v, Workspace& workspace, double* qdd, double* lambda,
                  double* power);
  /// Shares s_k of the last solve, one for each guard of the slide.
  const std::vector<double>& shares() const { return share_; }
  /// The largest distance of a share of the last solve outside [0, 1], negative if all are inside; its guard and value.
  double outside(std::size_t& guard, double& share) const;

 private:
  struct Side {
    Dynamics system;
    std::vector<double> qdd, lambda, rates;
    double power = 0;
  };

  std::vector<std::size_t> guards_;
  std::vector<Side> sides_;  // all guards negative, then each guard alone positive
  const Switching* switching_ = nullptr;
  std::vector<double> share_, matrix_, scratch_guards_, work_;
};

}  // namespace dalembert::integration
