// SPDX-License-Identifier: Apache-2.0
// Private to analyze: which rows W v + a = 0 follow from others, not at one state alone.
#pragma once

#include <optional>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct RowsThatFollow {
  /// For each row, whether its entries of W are a combination of those of the rows before it wherever W has its greatest
  /// rank; decided exactly, in the prime field. Empty where some function has no values there.
  std::vector<bool> in_W;
  /// For such a row, whether its entry of a is the same combination; no value where that is not decided.
  std::vector<std::optional<bool>> with_a;
};

/// All rows, including prescribed coordinates, for the pieces of piecewise functions at `near`.
RowsThatFollow rows_that_follow(const Equations& equations, const Dynamics& dynamics, const State& near);

/// Whether at positions beside the state where W has the rank of the rows `independent`, the entry of a in row j is the same combination as its
/// entries of W: false where it certainly is not at one of them, true where numbers say so at two of them, otherwise no value.
std::optional<bool> agrees_beside(const Equations& equations, const Dynamics& dynamics, const State& near,
                                  const std::vector<int>& independent, int j);

}  // namespace dalembert
