// SPDX-License-Identifier: Apache-2.0
// The parts of a system that M, W, Φ, C and ∂N/∂λ of (1) and (2) in friction.h do not couple, and its terms at a point.
#pragma once

#include <vector>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// A part of a system: the places of its velocities, rows and frictions in the system, in ascending order, and of the entries of its
/// matrices in the kernel's packed values.
struct FrictionPart {
  Layout layout;  ///< sizes and patterns of the part alone
  std::vector<int> velocities, rows, frictions;
  std::vector<int> M, W, Phi, C, load;
};
/// The parts of a system, in the order of their first velocities.
std::vector<FrictionPart> find_friction_parts(const Layout& layout);
/// Number of multiplications in one factorisation of all parts.
double friction_work(const Layout& layout);

/// The terms of a system at a point, for one of its parts.
struct FrictionTerms {
  const FrictionPart& part;
  const std::vector<double>&M, &W;  ///< packed, in the patterns of the system's layout
  const std::vector<double>&f, &gamma;
  const double* v;               ///< velocities of the system
  const double* packed;          ///< what the kernel's kFriction writes
  const FrictionPlaces& places;  ///< of the entries of `packed`
  const std::vector<char>&acts,
      &one_sided;  ///< for each row of the system whether it acts, and whether it is a contact
};

}  // namespace dalembert
