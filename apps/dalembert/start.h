// SPDX-License-Identifier: Apache-2.0
// The consistent start that check, assemble and simulate speak of.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "dalembert/report/run_json.h"
#include "dalembert/study/model_start.h"

namespace dalembert::app {

using Start = ModelStart;

/// E0506 where a spline that constraints and energies may contain has no samples between two times.
void require_samples(const System& system, double from, double to);

/// Assembles from the model's initial values. Throws Failure, exit 1, E0506.
Start find_start(const System& system);

/// 1 where the prescribed coordinates are wrong, 3 where no start was found.
int exit_code_of_start(const Diagnostic& failure);

/// "held  theta = 1.0472 rad …", "moved  phi by …": lines for people.
std::string describe_start(const System& system, const Start& start);

}  // namespace dalembert::app
