// SPDX-License-Identifier: Apache-2.0
// Named runs, and the series of a run that a name or pattern matches.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/store/table.h"

namespace dalembert {

struct NamedRun {
  std::string name;        ///< the path of its file, or another name
  Table table;             ///< with units of each series; empty if unknown
  std::string label = {};  ///< name in figures; empty: `name`, or the file name of a path
  const std::string& unit(std::size_t series) const { return table.units[series]; }
};

/// Adds units of series that have the same unit in every run (time, energies), where the table has none.
void add_known_units(Table& table);

/// E0521 if the run lacks a coordinate of the model, because it is a run of another model.
Diagnostics check_run_of(const NamedRun& run, const Names& names);

/// Splits "lambda.pin.x, lambda.*" at commas outside brackets.
std::vector<std::string> split_names(const std::string& asked);
/// The series that a name or pattern (with * and ?) matches, in the order of the run. Errors: E0412, with the nearest
/// name, if there is none or if a short name is ambiguous.
Result<std::vector<std::size_t>> find_series_of(const NamedRun& run, const std::string& asked);

}  // namespace dalembert
