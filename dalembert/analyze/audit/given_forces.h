// SPDX-License-Identifier: Apache-2.0
// Equations in which forces that depend on multipliers are given: their symbols are free. Inside analyze only.
//
//   M q̈ + B + G = F + Φ ℓ − Cᵀ f + Wᵀλ
//
// A motion with the forces of the model is one with ℓ = λ in which each friction f obeys its law with the N that λ makes (theory §8). So two models that move the
// same for all f and ℓ, and whose λ and N are then the same, have the same motions, and the same states without any motion or with several.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

struct GivenForces {
  Equations equations;                 ///< without frictions and Φ: F has the symbols of f and ℓ
  std::vector<FrictionLaw> frictions;  ///< their laws, with the multipliers of `equations`
  std::vector<Expr> loads;             ///< by row: ℓ; null where it has none
  std::vector<bool> acts;              ///< by row: whether a force depends on the multiplier
};

/// `of_all`: every row has an ℓ, whether or not forces depend on it. Built on an overlay of the graph of the equations, or in it where it is one.
GivenForces with_given_forces(const Equations& equations, bool of_all);

/// Whether friction i is one of the two directions of a friction in a plane.
bool in_plane(const GivenForces& forces, std::size_t i);

/// Writes the multipliers of equations as the functions of the state and the given forces that they are.
class SolvedLoads {
 public:
  /// The equations must outlive this.
  explicit SolvedLoads(const Equations& equations) : eq_(equations) {}
  /// An expression without multipliers; null where they have no closed form that is short enough.
  Expr of(const Expr& expression);

 private:
  const Equations& eq_;
  std::optional<ClosedForm> form_;
  bool tried_ = false;
};

}  // namespace dalembert
