// SPDX-License-Identifier: Apache-2.0
// A point at which two formulas differ, as a person reads it. Inside analyze only.
#pragma once

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/compare.h"

namespace dalembert {

/// In the order of a state: coordinates, velocities, …, then parameters.
CounterExample counter_example(Graph& graph, const Difference& found, Notation notation);

}  // namespace dalembert
