// SPDX-License-Identifier: Apache-2.0
#include "dalembert/integrate/implicit_derivatives.h"

#include <algorithm>
#include <span>

#include "dalembert/base/numeric.h"
#include "dalembert/dynamics/friction_parts.h"

namespace dalembert::integration {

ImplicitDerivatives::ImplicitDerivatives(const RunDerivatives& functions, const Layout& layout)
    : layout_(layout),
      nv_(index(layout.nv)),
      m_(index(layout.m)),
      m_h_(layout.holonomic.size()),
      k_(index(layout.frictions)),
      residuals_(functions.pattern(Part::kResiduals)),
      rows_(functions.pattern(Part::kRows)),
      part_of_velocity_(nv_),
      part_of_row_(m_),
      part_of_friction_(k_),
      change_(nv_, m_, k_),
      change_of_rows_(m_),
      change_of_speeds_(k_),
      result_(nv_ + m_ + k_) {
  for (std::vector<double>* group : {&change_.forces, &change_.rows, &change_.sticking, &change_.normal, &change_.speed,
                                     &change_.mu, &change_.viscous})
    for (double& value : *group) place_.push_back(&value);
  for (const FrictionPart& part : find_friction_parts(layout)) {
    const int number = static_cast<int>(unknowns_of_part_.size());
    std::vector<int>& unknowns = unknowns_of_part_.emplace_back(part.velocities);
    for (const int i : part.velocities) part_of_velocity_[index(i)] = number;
    for (const int r : part.rows) part_of_row_[index(r)] = number, unknowns.push_back(layout.nv + r);
    for (const int j : part.frictions)
      part_of_friction_[index(j)] = number, unknowns.push_back(layout.nv + layout.m + j);
  }
  const int v = layout.nv, m = layout.m, k = layout.frictions, levels = static_cast<int>(m_h_);
  slopes_ = make(residuals_, v + m + k, [&](int row) {
    return row < v       ? part_of_velocity_[index(row)]
           : row < v + m ? part_of_row_[index(row - v)]
                         : part_of_friction_[index((row - v - m) % k)];
  });
  position_ =
      make(rows_, v, [&](int row) { return row < levels ? part_of_row_[index(layout_.holonomic[index(row)])] : -1; });
  velocity_ = make(rows_, v, [&](int row) {
    return row < levels       ? -1
           : row < levels + m ? part_of_row_[index(row - levels)]
                              : part_of_friction_[index(row - levels - m)];
  });
}

// A column of a Jacobian with `rows` rows has entries in the parts in which the source has some: those of its row i are in take(i), or nowhere for −1.
template <class Take>
ImplicitDerivatives::Jacobian ImplicitDerivatives::make(const Pattern& source, int rows, const Take& take) const {
  Jacobian made;
  made.pattern = {rows, source.cols, {}, {}};
  for (std::size_t e = 0; e < source.row.size(); ++e)
    if (take(source.row[e]) >= 0) made.entry.push_back(e);
  std::ranges::stable_sort(made.entry, {}, [&](std::size_t e) { return source.col[e]; });
  for (std::size_t first = 0; first < made.entry.size();) {
    const int number = source.col[made.entry[first]];
    Column& column = made.columns.emplace_back();
    column.first = first;
    std::vector<int> parts;
    for (; first < made.entry.size() && source.col[made.entry[first]] == number; ++first)
      parts.push_back(take(source.row[made.entry[first]]));
    column.end = first;
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    for (const int part : parts)
      for (const int unknown : unknowns_of_part_[index(part)])
        if (unknown < rows) column.rows.push_back(unknown);
    for (const int row : column.rows) {
      made.pattern.row.push_back(row);
      made.pattern.col.push_back(number);
    }
  }
  return made;
}

bool ImplicitDerivatives::find_slopes(const double* residuals, FrictionSystem& friction, double* out,
                                      std::size_t stride) {
  if (friction.determines() == FrictionSolver::Determines::kNothing) return false;
  for (const Column& column : slopes_.columns) {
    const std::span entries = std::span(slopes_.entry).subspan(column.first, column.end - column.first);
    for (const std::size_t e : entries) *place_[index(residuals_.row[e])] = residuals[e];
    const bool found = friction.differentiate(change_, result_.data(), result_.data() + nv_);
    for (const std::size_t e : entries) *place_[index(residuals_.row[e])] = 0;
    if (!found) return false;
    for (const int row : column.rows) {
      *out = result_[index(row)];
      out += stride;
    }
  }
  return true;
}

bool ImplicitDerivatives::find_step(Part part, const double* rows, const RowBasis& basis, FrictionSystem& friction,
                                    double* out) {
  const bool positions = part == Part::kPositionStep;
  if (positions) {
    acting_.all = false;
    acting_.rows.clear();
    for (const int row : layout_.holonomic)
      if (friction.acts[index(row)] != 0) acting_.rows.push_back(row);
  }
  if (!friction.prepare_step(positions ? acting_ : basis, !positions)) return false;
  const Jacobian& to = jacobian(part);
  const auto place = [&](std::size_t e) -> double& {
    const std::size_t row = index(rows_.row[e]);
    if (positions) return change_of_rows_[index(layout_.holonomic[row])];
    return row - m_h_ < m_ ? change_of_rows_[row - m_h_] : change_of_speeds_[row - m_h_ - m_];
  };
  for (const Column& column : to.columns) {
    const std::span entries = std::span(to.entry).subspan(column.first, column.end - column.first);
    for (const std::size_t e : entries) place(e) = rows[e];
    friction.find_step(change_of_rows_.data(), change_of_speeds_.data(), result_.data());
    for (const std::size_t e : entries) place(e) = 0;
    for (const int row : column.rows) *out++ = result_[index(row)];
  }
  return true;
}

}  // namespace dalembert::integration
