// SPDX-License-Identifier: Apache-2.0
// Private to integrate: motion along the limits of guards that both sides lead to (Filippov's convex combination).
//
//   q̈ = q̈₀ + Σ_k s_k (q̈_k − q̈₀),   dg_k/dt = 0 for each k,   0 <= s_k <= 1
// with q̈₀ where all guards of the slide are negative and q̈_k where guard k alone is positive: exact where their
// forces add up, as friction in several joints does.
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
  /// To be called when guards of the slide or branches of the system have changed.
  void hold(const Branches& branches);

  /// q̈, λ and, with `power` not null, dE/dt of the combination.
  KktStatus solve(double t, const double* q, const double* v, Workspace& workspace, double* qdd, double* lambda,
                  double* power);
  const std::vector<double>& shares() const { return share_; }  ///< of the last solve, one for each guard of the slide
  /// How far the shares of the last solve lie outside of [0, 1], which does most, and its share.
  double outside(std::size_t& guard, double& share) const;

 private:
  struct Side {
    Dynamics system;
    std::vector<double> qdd, lambda, rates;
    double power = 0;
  };

  std::vector<std::size_t> guards_;
  std::vector<Side> sides_;  // all negative, then each alone positive
  const Switching* switching_ = nullptr;
  std::vector<double> share_, matrix_, scratch_guards_, work_;
};

}  // namespace dalembert::integration
