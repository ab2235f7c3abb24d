// SPDX-License-Identifier: Apache-2.0
// What editors show of a model that was read, and of its start.
#pragma once

#include "apps/dalembert/check_model.h"
#include "dalembert/editor/facts.h"

namespace dalembert::app {

/// Units, and the values of parameters.
editor::Facts facts_of_model(const Model& model);
/// With the freedoms, and the values of coordinates, definitions and outputs at the start, where they do not depend on multipliers, velocities of
/// quaternions or samples.
editor::Facts facts_of_start(const Findings& findings);

}  // namespace dalembert::app
