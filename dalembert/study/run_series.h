// SPDX-License-Identifier: Apache-2.0
// Runs with names, and which of their series a name or a pattern means.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/store/table.h"

namespace dalembert {

struct NamedRun {
  std::string name;        ///< the path of a file, or what else it is called
  Table table;             ///< with units of each series; empty where unknown
  std::string label = {};  ///< in figures; empty: the name, of a path the file's
  const std::string& unit(std::size_t series) const { return table.units[series]; }
};

/// Those of what every run measures in the same unit, where the table has none.
void add_known_units(Table& table);

/// E0521 where a run lacks a coordinate of the model: it is one of another model.
Diagnostics check_run_of(const NamedRun& run, const Names& names);

/// "lambda.pin.x" and patterns such as "lambda.*", with commas between, but not within brackets.
std::vector<std::string> split_names(const std::string& asked);
/// The series that a name or a pattern (* and ?) means, in the order of the run. E0412, with the nearest name, where there
/// is none, or where a short name has several meanings.
Result<std::vector<std::size_t>> find_series_of(const NamedRun& run, const std::string& asked);

}  // namespace dalembert
