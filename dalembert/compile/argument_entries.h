// SPDX-License-Identifier: Apache-2.0
// The entries of a tape's argument arrays, by which a Jacobian of it is made.
#pragma once

#include <initializer_list>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/tape/tape_jacobian.h"

namespace dalembert {

/// All entries of the named arrays, one array after the other.
std::vector<ArgumentEntry> entries_of(const Equations& equations, std::initializer_list<TapeArray> arrays);

}  // namespace dalembert
