// SPDX-License-Identifier: Apache-2.0
// Runs as `simulate -o` wrote them, with the units of their series where these are known.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/store/table.h"

namespace dalembert::app {

struct RunFile {
  std::string path;        ///< "-": standard input
  dalembert::Table table;  ///< units of each series, from the file or FILE.units.json beside it; empty where unknown
  const std::string& unit(std::size_t series) const { return table.units[series]; }
};

/// Whether an operand names a run rather than a model, by its ending: .csv, .json, and what a killed run left.
bool is_run_path(const std::string& path);

/// Throws Failure, exit 5: E0502 where the file is no run, or has no rows.
RunFile read_run(const std::string& path);

/// The model of a run that is the operand: --model; else NAME.toml beside NAME.csv; else the reference model of that
/// name. Throws Failure, exit 2: E0521.
std::string model_of_run(const Arguments& arguments);

/// Throws Failure, exit 2, E0521, where a run lacks a coordinate of the model: it is one of another model.
void require_run_of(const RunFile& run, const Names& names);

/// "lambda.pin.x" and patterns such as "lambda.*", with commas between, but not within brackets.
std::vector<std::string> split_names(const std::string& asked);
/// The series that a name or a pattern (* and ?) means, in the order of the file. Throws Failure, exit 2, E0412, with
/// the nearest name, where there is none, or where a short name has several meanings.
std::vector<std::size_t> find_series_of(const RunFile& run, const std::string& asked);

}  // namespace dalembert::app
