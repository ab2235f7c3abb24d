// SPDX-License-Identifier: Apache-2.0
// The report of simulate about a run, as text and as JSON.
#pragma once

#include <string>

#include "apps/dalembert/start.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/integrate/integrate.h"

namespace dalembert::app {

/// The document of run_json() (report/json_documents.h) if no consistent start was found.
Json no_run_document(const System& system, const ModelStart& start, const Diagnostics& diagnostics);

/// Facts known before the run: name, freedoms, start and multipliers.
std::string describe_setup(const System& system, const ModelStart& start, const IntegrateOptions& options,
                           const Terminal& terminal);
/// Facts known after the run: its end, verdict and cost.
std::string describe_run(const Trajectory& run, const Terminal& terminal);
/// One line such as "verdict: holds".
std::string verdict_line(const Trajectory& run, const Terminal& terminal);

}  // namespace dalembert::app
