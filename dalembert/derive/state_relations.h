// SPDX-License-Identifier: Apache-2.0
// Identities that hold at every state of a model, for canonical forms of expressions derived from it.
#pragma once

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"

namespace dalembert {

/// Quaternions of attitudes have norm 1. A disk that touches the ground with the lowest point of its rim does not lie
/// flat, so the sign of its inclination is ±1, and its square is 1.
StateRelations state_relations(const Equations& equations);
StateRelations state_relations(const Model& model);

}  // namespace dalembert
