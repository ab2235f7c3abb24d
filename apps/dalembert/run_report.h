// SPDX-License-Identifier: Apache-2.0
// What simulate says about a run, for people and as JSON.
#pragma once

#include <string>

#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::app {

/// run_json (report/run_json.h) where there is no run, because no consistent start was found.
Json no_run_document(const System& system, const Start& start, const Diagnostics& diagnostics);

/// Name, freedoms, start and multipliers: known before the run.
std::string describe_setup(const System& system, const Start& start, const IntegrateOptions& options,
                           const Terminal& terminal);
/// End, verdict and cost.
std::string describe_run(const Trajectory& run, const Terminal& terminal);
/// "verdict: holds"
std::string verdict_line(const Trajectory& run, const Terminal& terminal);

}  // namespace dalembert::app
