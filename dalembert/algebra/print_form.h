// SPDX-License-Identifier: Apache-2.0
// Canonical forms as a person writes them.
#pragma once

#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// How far the terms of a form are gathered.
enum class Gathering {
  kNone,    ///< a sum of products
  kFactors  ///< common factors outside, like parts of the state gathered: `L1^2*(m1 + 4*m2) + I1`
};

/// The order of terms and factors is that of textbooks and does not depend on how the form came about: accelerations, then
/// velocities, then the rest; in a product masses, inertias, other parameters, coordinates, velocities, functions.
std::string print(Canonicalizer& canonicalizer, const Polynomial& form, Gathering gathering, Notation notation);

}  // namespace dalembert
