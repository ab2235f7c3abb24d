// SPDX-License-Identifier: Apache-2.0
// Routines of generated code that compute the derivatives of others, for optimisers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dalembert/codegen/code_model.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

/// A routine whose results are the first outputs of a kernel function, and the routine ROUTINE_derivatives of its Jacobian's entries.
struct DerivativeRoutine {
  std::string routine, parameters;
  Tape tape;         ///< writes the entries
  std::string text;  ///< of the public routine, which calls kernel_ROUTINE_derivatives
  Pattern pattern;   ///< rows: results of the routine, one after the other; columns: its arguments, then p
};

/// Those of accelerations, outputs, energies and position residuals, as far as the model has them, they are not longer than generated Jacobians may be, and
/// nothing in them is decided (contacts, friction).
std::vector<DerivativeRoutine> derivative_routines(const Equations& equations, const Layout& layout, bool solves_kkt);

}  // namespace dalembert
