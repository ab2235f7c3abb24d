// SPDX-License-Identifier: Apache-2.0
// Which constraints of velocities are constraints of position in disguise (theory §5).
//
// The distribution Δ of the motions that W q̇ + a = 0 allows, with the direction of time, is spanned by fields that are
// solved for at a generic point. With brackets it grows, Δ^{k+1} = Δ^k + [Δ¹, Δ^k]; where it stops, as many combinations of
// the rows are integrable as dimensions are missing. Ranks are exact (prime_field.h) where the rows are made of sums,
// products, square roots and sines; elsewhere they are those of numbers at a random point.
// Source: A. Isidori, Nonlinear Control Systems, 3rd ed., Springer 1995, ch. 2; Neimark & Fufaev, ch. I.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct FirstIntegral {
  std::string row;
  Expr function;  ///< of q and t: constant along every motion
};

struct Integrability {
  std::string kind;         ///< "holonomic", "nonholonomic", "mixed"; "none" without constraints
  int rank = 0;             ///< of W, at a generic point
  int integrable = 0;       ///< independent combinations of rows that are constraints of position
  std::vector<int> growth;  ///< dim Δ¹, dim Δ², …, without time; the last one does not grow
  bool exact = false;
  bool complete = true;                        ///< whether growth was followed to its end
  std::vector<FirstIntegral> first_integrals;  ///< of Pfaffian rows
  std::shared_ptr<Graph> graph;                ///< of their functions
};

/// Of the rows whose velocities are q̇; `parameters` are the values in use.
Integrability find_integrability(const Equations& equations, const Dynamics& dynamics);

}  // namespace dalembert
