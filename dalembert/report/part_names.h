// SPDX-License-Identifier: Apache-2.0
// Names of the parts of equations, such as `Wdot` and `gamma`, as formulas show them.
#pragma once

#include <string>

#include "dalembert/expr/print_formula.h"

namespace dalembert {

/// The symbol of an entry: Ẇ, \dot{W}.
std::string part_name(const std::string& name, Notation notation);
/// The symbol of the whole matrix or vector: in LaTeX bold, unlike its entries.
std::string whole_part_name(const std::string& name, Notation notation);

}  // namespace dalembert
