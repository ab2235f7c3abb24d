// SPDX-License-Identifier: Apache-2.0
// Multipliers of dependent rows, from those of a basis of the rows.
//
// Where W has a lower rank than rows, λ is not unique, and the one of least norm is given. A solve with a basis of the rows finds another λ with the same
// forces Wᵀλ. The one of least norm is its projection onto range(W).
#pragma once

#include <vector>

#include "dalembert/dynamics/dense.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/dynamics/workspace.h"

namespace dalembert {

class LeastNorm {
 public:
  /// Replaces λ (m numbers) by the one of least norm. `workspace`: has W at the state, and in its basis the independent rows. The W may be off the
  /// manifold by a little, where its rank is larger: what counts are as many of its directions as the basis has rows. O(m nv rank).
  void apply(const Dynamics& dynamics, const Workspace& workspace, double* lambda);

 private:
  HouseholderQr range_;
};

}  // namespace dalembert
