// SPDX-License-Identifier: Apache-2.0
// Whether two models state the same thing, as a file and a program that describe one system.
#pragma once

#include <cstddef>

#include "dalembert/model/model.h"

namespace dalembert {

/// Whether both models have the same names in the same order, the same parameter values, the same units where both have them, and expressions
/// that become the same nodes when symbols of the same names are identified. Sums may be in any order, but x + x is not 2*x + 0*y. Drawings
/// and initial values do not count. O(size). Whether two models move alike is decided in analyze/audit.h.
bool same_statements(const Model& a, const Model& b);

/// Gives the coordinates, parameters, inputs, rows, frictions, quasi-velocities, integrals and outputs of a model that have no dimension that of
/// the same one in `known`, where units were deduced. Nothing happens if their numbers differ.
void adopt_dimensions(Model& model, const Model& known);

/// A hash that is equal for models that state the same.
std::size_t hash_of_statements(const Model& model);

}  // namespace dalembert
