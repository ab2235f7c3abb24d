// SPDX-License-Identifier: Apache-2.0
// Runs as `simulate -o` wrote them, with the units of their series where these are known.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"
#include "dalembert/study/run_series.h"

namespace dalembert::app {

/// Its name is the path; "-": standard input. Units are from the file or FILE.units.json beside it.
using RunFile = NamedRun;

/// Whether an operand names a run rather than a model, by its ending: .csv, .json, and what a killed run left.
bool is_run_path(const std::string& path);

/// Throws Failure, exit 5: E0502 where the file is no run, or has no rows.
RunFile read_run(const std::string& path);

/// The model of a run that is the operand: --model; else NAME.toml beside NAME.csv; else the reference model of that
/// name. Throws Failure, exit 2: E0521.
std::string model_of_run(const Arguments& arguments);

/// Throws Failure, exit 2, E0521, where a run lacks a coordinate of the model: it is one of another model.
void require_run_of(const RunFile& run, const Names& names);

}  // namespace dalembert::app
