// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/least_norm.h"

#include <algorithm>
#include <cstddef>

#include "dalembert/base/numeric.h"

namespace dalembert {

void LeastNorm::apply(const Dynamics& dynamics, const Workspace& workspace, double* lambda) {
  const Pattern& W = dynamics.layout().W;
  range_.resize(dynamics.m(), dynamics.nv());
  for (int j = 0; j < dynamics.nv(); ++j) std::fill_n(range_.column(j), dynamics.m(), 0.0);
  for (std::size_t k = 0; k < W.row.size(); ++k)
    if (dynamics.acts(W.row[k])) range_.column(W.col[k])[W.row[k]] = workspace.W[k];
  const int rank = range_.factor_pivoted(0, static_cast<int>(workspace.basis.rows.size()));
  range_.apply_Qt(lambda);
  std::fill(lambda + rank, lambda + dynamics.m(), 0.0);
  range_.apply_Q(lambda);
}

}  // namespace dalembert
