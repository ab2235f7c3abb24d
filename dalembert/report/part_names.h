// SPDX-License-Identifier: Apache-2.0
// Names of the parts of equations, `Wdot` and `gamma`, as formulas show them.
#pragma once

#include <string>

#include "dalembert/expr/print.h"

namespace dalembert {

/// Of an entry: Ẇ, \dot{W}.
std::string part_name(const std::string& name, Notation notation);
/// Of the whole matrix or vector: bold in LaTeX, where its entries are not.
std::string whole_part_name(const std::string& name, Notation notation);

}  // namespace dalembert
