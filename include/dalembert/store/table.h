// SPDX-License-Identifier: Apache-2.0
// A stored run as it is read: named columns of equal length.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct Trajectory;

struct Table {
  std::vector<std::string> names;            ///< "time", "q/theta", …
  std::vector<std::vector<double>> columns;  ///< [name][row]; NaN where the file has no value
  std::vector<std::string> units = {};       ///< [name], SI; empty if unknown. The vector is empty without units

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// The series with this full or short name (integrate/trajectory.h, find_series); empty if there is none.
  std::span<const double> series(std::string_view name) const;
};

Table to_table(const Trajectory& trajectory);

}  // namespace dalembert
