// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/sparse_rows.h"

#include <algorithm>

namespace dalembert {

SparseRows::SparseRows(const Pattern& pattern)
    : begin_(static_cast<std::size_t>(pattern.rows) + 1), col_(pattern.col.size()), entry_(pattern.col.size()) {
  for (const int r : pattern.row) ++begin_[static_cast<std::size_t>(r) + 1];
  for (std::size_t r = 1; r < begin_.size(); ++r) begin_[r] += begin_[r - 1];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t k = 0; k < entry_.size(); ++k) entry_[next[static_cast<std::size_t>(pattern.row[k])]++] = k;
  for (std::size_t r = 0; r + 1 < begin_.size(); ++r)
    std::sort(entry_.begin() + static_cast<std::ptrdiff_t>(begin_[r]),
              entry_.begin() + static_cast<std::ptrdiff_t>(begin_[r + 1]),
              [&](std::size_t a, std::size_t b) { return pattern.col[a] < pattern.col[b]; });
  for (std::size_t k = 0; k < entry_.size(); ++k) col_[k] = pattern.col[entry_[k]];
}

}  // namespace dalembert
