// SPDX-License-Identifier: Apache-2.0
#include "dalembert/store/run_files.h"

#include "dalembert/integrate/trajectory.h"

namespace dalembert {

std::span<const double> Table::series(std::string_view name) const {
  const auto found = find_series(names, name);
  return found ? std::span<const double>(columns[*found]) : std::span<const double>();
}

Table to_table(const Trajectory& trajectory) {
  Table table;
  for (const Trajectory::Column& column : trajectory.columns()) {
    table.names.push_back(column.name);
    table.columns.emplace_back(column.values.begin(), column.values.end());
    table.units.push_back(column.unit);
  }
  return table;
}

}  // namespace dalembert
