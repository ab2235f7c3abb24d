// SPDX-License-Identifier: Apache-2.0
// Integrals over a run in exported code (docs/decisions/0069): they follow the coordinates in q, as states whose rates are the integrands. So steps
// integrate them by the rule of the motion, and every copy of a state has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/compile/compile.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The equations in which each integral that an output or event reads is an entry of q, after the coordinates. Layout::integrals of their kernel
/// counts them; Layout::nq, the rows and all other functions know of the coordinates alone.
Equations with_integral_states(Equations equations);

/// arguments_of(), with the integrals of the equations' kernel after the coordinates.
std::vector<KernelArgument> code_arguments(const Equations& equations, const std::vector<SymbolKind>& kinds);

/// The text of routines for a model with these integrals, or for one without: in it nq counts the entries of q, nz those that are integrals.
/// `forces`: the array with the multipliers, then the forces of frictions.
std::string integral_text(std::string_view text, const Layout& layout, std::string_view forces = "multipliers");

}  // namespace dalembert
