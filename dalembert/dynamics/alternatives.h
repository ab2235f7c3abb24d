// SPDX-License-Identifier: Apache-2.0
// Other assemblies than the one that was found: loops close in more than one way.
#pragma once

#include <vector>

#include "dalembert/dynamics/assemble.h"

namespace dalembert {

struct Alternatives {
  std::vector<std::vector<double>> q;  ///< n each; angles within half a turn of the assembly that was found
  /// Per coordinate: whether full turns of it change no position constraint.
  std::vector<bool> angle;
};

/// Assemblies that are isolated, as many as some fixed guesses lead to: where the coordinates that are held leave no
/// freedom of position. None are looked for elsewhere, or in systems of more than 60 coordinates and rows. `found` must
/// be ok.
Alternatives find_alternatives(const Dynamics& dynamics, const State& guess, const AssembleOptions& options,
                               const Assembly& found);

}  // namespace dalembert
