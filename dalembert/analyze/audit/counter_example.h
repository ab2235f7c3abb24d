// SPDX-License-Identifier: Apache-2.0
// A point at which two formulas differ, in the form that is shown to the user.
#pragma once

#include "dalembert/analyze/audit.h"

namespace dalembert {

struct Difference;

/// The counterexample for a difference that compare.h found, in the order of a state: coordinates, velocities, …, parameters.
CounterExample counter_example(Graph& graph, const Difference& found, Notation notation);

}  // namespace dalembert
