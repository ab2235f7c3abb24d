// SPDX-License-Identifier: Apache-2.0
// A stored run as it is read back: named columns of equal length.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

struct Trajectory;

struct Table {
  std::vector<std::string> names;            ///< "time", "q/theta", …
  std::vector<std::vector<double>> columns;  ///< [name][row]; NaN where the file has nothing
  std::vector<std::string> units = {};       ///< [name], SI; empty where nothing is known. Without any: no units at all

  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
  /// By full or short name (integrate/trajectory.h, find_series); empty when there is none.
  std::span<const double> series(std::string_view name) const;
};

Table to_table(const Trajectory& trajectory);

}  // namespace dalembert
