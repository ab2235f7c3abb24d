// SPDX-License-Identifier: Apache-2.0
// Whether two models state the same: a file and a program that say it in other words.
#pragma once

#include <cstddef>

#include "dalembert/model/model.h"

namespace dalembert {

/// The same names in the same order, the same parameter values, units where both know them, and expressions that are the same nodes once
/// symbols of the same names are the same: sums may be written in any order, but x + x is not 2*x + 0*y. Where it is drawn
/// and how it starts does not count. O(size). Whether two models move alike is another question (analyze/compare_models.h).
bool same_statements(const Model& a, const Model& b);

/// The same number for models that state the same.
std::size_t hash_of_statements(const Model& model);

}  // namespace dalembert
