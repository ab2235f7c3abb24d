// SPDX-License-Identifier: Apache-2.0
// Reads runs that `simulate -o` wrote, with the units of their series if known.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"
#include "dalembert/study/charts.h"

namespace dalembert::app {

/// A run named after its path; "-" is standard input. Units come from the file or from FILE.units.json beside it.
using RunFile = NamedRun;

/// Whether an operand is a run and not a model, by its suffix: .csv, .json, or that of the file a killed run leaves.
bool is_run_path(const std::string& path);

/// Throws Failure, exit 5: E0502 if the file is not a run or has no rows.
RunFile read_run(const std::string& path);

/// The model of the run given as operand: that of --model; else NAME.toml beside NAME.csv; else the reference model of
/// this name. Throws Failure, exit 2: E0521.
std::string model_of_run(const Arguments& arguments);

/// Throws Failure, exit 2, E0521, if the run lacks a coordinate of the model, because it is a run of another model.
void require_run_of(const RunFile& run, const Names& names);

}  // namespace dalembert::app
