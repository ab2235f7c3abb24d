// SPDX-License-Identifier: Apache-2.0
// Equations while the contacts keep their states: a closed contact is a bilateral row, an open one is none (theory §8).
#pragma once

#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// `closed`: for each of equations.unilateral whether the contact is closed. The multipliers of open contacts are 0. The model of the
/// result has the rows of the closed contacts as bilateral ones. Built in the graph of the equations, or on an overlay of it.
Equations hold_contacts(const Equations& equations, const std::vector<char>& closed);

}  // namespace dalembert
