// SPDX-License-Identifier: Apache-2.0
// What holds at every state of a model, for canonical forms of what is derived from it.
#pragma once

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// Attitudes are of norm 1; a disk that touches the ground with the lowest point of its rim does not lie flat, so the sign of
/// its rise has the square 1.
StateRelations state_relations(const Equations& equations);
StateRelations state_relations(const Model& model);

}  // namespace dalembert
