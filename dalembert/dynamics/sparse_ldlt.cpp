// SPDX-License-Identifier: Apache-2.0
#include "dalembert/dynamics/sparse_ldlt.h"
#include "dalembert/base/numeric.h"

#include <algorithm>
#include <utility>

namespace dalembert {
SparseLdlt::SparseLdlt(const Elimination& plan, const std::vector<int>& row, const std::vector<int>& col)
    : order_(plan.order), position_(plan.order.size()), begin_(plan.order.size() + 1) {
  const std::size_t size = order_.size();
  for (std::size_t k = 0; k < size; ++k) position_[index(order_[k])] = static_cast<int>(k);
  for (std::size_t k = 0; k < size; ++k) {
    for (const int i : plan.later[index(order_[k])]) row_.push_back(position_[index(i)]);
    begin_[k + 1] = row_.size();
  }
  L_.resize(row_.size());
  D_.resize(size);
  x_.resize(size);
  first_.resize(size);
  next_.resize(size);
  entry_.resize(size);

  for (std::size_t e = 0; e < row.size(); ++e) {
    const auto [earlier, later] = std::minmax(position_[index(row[e])], position_[index(col[e])]);
    if (earlier == later) {
      slot_.push_back(L_.size() + index(earlier));
      continue;
    }
    const auto begin = row_.begin() + static_cast<std::ptrdiff_t>(begin_[index(earlier)]),
               end = row_.begin() + static_cast<std::ptrdiff_t>(begin_[index(earlier) + 1]);
    slot_.push_back(static_cast<std::size_t>(std::lower_bound(begin, end, later) - row_.begin()));
  }
}

void SparseLdlt::factor(const std::vector<double>& values) {
  const std::size_t size = order_.size();
  std::fill(L_.begin(), L_.end(), 0.0);
  std::fill(D_.begin(), D_.end(), 0.0);
  for (std::size_t e = 0; e < values.size(); ++e)
    (slot_[e] < L_.size() ? L_[slot_[e]] : D_[slot_[e] - L_.size()]) = values[e];
  std::fill(first_.begin(), first_.end(), -1);
  // Puts column k on the list of the row in which its next entry lies.
  const auto wait = [&](int k, std::size_t entry) {
    if (entry == begin_[index(k) + 1]) return;
    entry_[index(k)] = entry;
    int& first = first_[index(row_[entry])];
    next_[index(k)] = first;
    first = k;
  };
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) x_[index(row_[e])] = L_[e];
    double d = D_[j];
    for (int k = first_[j]; k >= 0;) {
      const int following = next_[index(k)];
      const std::size_t entry = entry_[index(k)], end = begin_[index(k) + 1];
      const double factor = L_[entry] * D_[index(k)];
      d -= L_[entry] * factor;
      for (std::size_t e = entry + 1; e < end; ++e) x_[index(row_[e])] -= L_[e] * factor;
      wait(k, entry + 1);
      k = following;
    }
    D_[j] = d;
    for (std::size_t e = begin_[j]; e < begin_[j + 1]; ++e) L_[e] = x_[index(row_[e])] / d;
    wait(static_cast<int>(j), begin_[j]);
  }
}

void SparseLdlt::solve(std::vector<double>& b) {
  const std::size_t size = order_.size();
  for (std::size_t k = 0; k < size; ++k) x_[k] = b[index(order_[k])];
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t e = begin_[k]; e < begin_[k + 1]; ++e) x_[index(row_[e])] -= L_[e] * x_[k];
  for (std::size_t k = size; k-- > 0;) {
    double sum = x_[k] / D_[k];
    for (std::size_t e = begin_[k]; e < begin_[k + 1]; ++e) sum -= L_[e] * x_[index(row_[e])];
    x_[k] = sum;
  }
  for (std::size_t k = 0; k < size; ++k) b[index(order_[k])] = x_[k];
}

}  // namespace dalembert
