// SPDX-License-Identifier: Apache-2.0
// The consistent start, for check, assemble and simulate.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "dalembert/report/json_documents.h"
#include "dalembert/study/system_at.h"

namespace dalembert::app {

/// E0506 if a spline that constraints or energies contain has no samples somewhere between these times.
void require_samples(const System& system, double from, double to);

/// Assembles from the model's initial values. Throws Failure (exit 1, those of find_model_start()).
ModelStart find_start(const System& system);
/// with_ranks(), which throws Failure (exit 1).
ModelStart find_ranks(const System& system, const ModelStart& start);

/// The exit status for a failed start: 1 if the prescribed coordinates are wrong, 3 if no start was found.
int exit_code_of_start(const Diagnostic& failure);

/// Lines such as "held  theta = 1.0472 rad …" and "moved  phi by …".
std::string describe_start(const System& system, const ModelStart& start);

}  // namespace dalembert::app
