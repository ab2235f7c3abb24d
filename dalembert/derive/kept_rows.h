// SPDX-License-Identifier: Apache-2.0
// Equations of which some constraint rows are left out.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// Keeps the rows, or the columns, whose new index in `place` is not negative; there are `count` of them.
void keep(SparseMatrix& matrix, const std::vector<int>& place, bool rows, int count);

/// Keeps the entries whose new index is not negative.
template <class T>
void keep(std::vector<T>& list, const std::vector<int>& place) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (place[i] >= 0) list[count++] = list[i];
  list.resize(count);
}

/// Keeps the constraint rows whose new index is not negative, with their multipliers. One-sided rows and frictions are left as they are.
void keep_rows(Equations& equations, const std::vector<int>& place);

}  // namespace dalembert
