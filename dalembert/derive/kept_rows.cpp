// SPDX-License-Identifier: Apache-2.0
#include "dalembert/derive/kept_rows.h"

#include <algorithm>
#include <utility>

namespace dalembert {

void keep(SparseMatrix& matrix, const std::vector<int>& place, bool rows, int count) {
  SparseMatrix kept;
  kept.rows = rows ? count : matrix.rows;
  kept.cols = rows ? matrix.cols : count;
  for (std::size_t k = 0; k < matrix.value.size(); ++k) {
    const int now = place[static_cast<std::size_t>(rows ? matrix.row[k] : matrix.col[k])];
    if (now < 0) continue;
    kept.row.push_back(rows ? now : matrix.row[k]);
    kept.col.push_back(rows ? matrix.col[k] : now);
    kept.value.push_back(matrix.value[k]);
  }
  matrix = std::move(kept);
}

void keep_rows(Equations& eq, const std::vector<int>& place) {
  const auto count = static_cast<int>(std::ranges::count_if(place, [](int now) { return now >= 0; }));
  for (SparseMatrix* matrix : {&eq.W, &eq.Wdot}) keep(*matrix, place, true, count);
  for (SparseMatrix* matrix : {&eq.Phi, &eq.load}) keep(*matrix, place, false, count);
  for (std::vector<Expr>* list : {&eq.h, &eq.a, &eq.gamma, &eq.lambda}) keep(*list, place);
  keep(eq.rows, place);
  std::vector<int> holonomic;
  for (const int row : eq.holonomic)
    if (const int now = place[static_cast<std::size_t>(row)]; now >= 0) holonomic.push_back(now);
  eq.holonomic = std::move(holonomic);
}

}  // namespace dalembert
