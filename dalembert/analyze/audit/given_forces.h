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
#include <string>
#include <vector>

#include "dalembert/algebra/canonical.h"
#include "dalembert/derive/equations.h"
#include "dalembert/derive/reduce.h"

namespace dalembert {

/// A one-sided constraint that `GivenForces::equations` have as an open contact.
struct GivenContact {
  std::string name;
  Expr h, rate;      ///< the gap and its rate
  Expr restitution;  ///< null where it is 0
  Expr force;        ///< ℓ_c; null where contacts have no given force
};

struct GivenForces {
  Equations equations;                 ///< without frictions and Φ: F has the symbols of f and ℓ
  std::vector<FrictionLaw> frictions;  ///< their laws, with the multipliers of `equations` and ℓ_c
  std::vector<Expr> loads;             ///< by row: ℓ; null where it has none
  std::vector<bool> acts;              ///< by row: whether a force depends on the multiplier
  std::vector<GivenContact> contacts;  ///< in the order of the model; empty where they are rows of `equations`
};

/// `of_all`: every row has an ℓ, whether or not forces depend on it. Built on an overlay of the graph of the equations, or in it where it is one.
GivenForces with_given_forces(const Equations& equations, bool of_all);

/// The same with all contacts open. `loads`: forces of one of the compared models depend on multipliers, so that contacts have given forces.
GivenForces with_open_contacts(const Equations& equations, bool of_all, bool loads);

/// Whether friction i is one of the two directions of a friction in a plane.
bool in_plane(const GivenForces& forces, std::size_t i);

/// The equations with the forces of their laws at states where every friction slides and every contact is open: f = μ|N| v/|v| + c v. No value where one of these N or a multiplier in
/// a force depends on the frictions, or has no closed form that is short enough. `equations`: those of `forces`, with rows of prescribed coordinates.
std::optional<Equations> while_sliding(const GivenForces& forces, const Equations& equations,
                                       Canonicalizer& canonicalizer);

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
