// SPDX-License-Identifier: Apache-2.0
// Which constraints of velocities are constraints of position in disguise (theory §5).
//
// The distribution Δ of the motions that W q̇ + a = 0 allows, with the direction of time, is spanned by fields that are
// solved for at a generic point. With brackets it grows, Δ^{k+1} = Δ^k + [Δ¹, Δ^k]; where it stops, as many combinations of
// the rows are integrable as dimensions are missing (distribution.h).
//
// Ranks are those at a random point of a prime field in which functions are independent symbols (function_field.h): what is
// independent there is independent, what is not is dependent but for a probability of about degree/2⁶¹ (J. T. Schwartz, J. ACM
// 27 (1980) 701-717). Where more may hold between functions, and on the manifold of holonomic rows, numbers with bounds
// (bounded_number.h) must reach the same dimensions, which are then exact as well; else dimensions are theirs.
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
  std::string kind;            ///< "holonomic", "nonholonomic", "mixed", "undecided"; "none" without constraints
  int rank = 0;                ///< of W, at a generic point
  int integrable = 0;          ///< independent combinations of rows that are constraints of position: so many at least,
  int integrable_at_most = 0;  ///< and so many at most; the same where the growth was followed to its end
  std::vector<int> growth;  ///< dim Δ¹, dim Δ², …, without time; the last one does not grow where that is complete
  bool exact = false;       ///< no dimension is one of numbers at a random point
  bool complete = true;     ///< whether growth was followed to its end, or else it would have been too much work
  std::vector<FirstIntegral> first_integrals;  ///< of Pfaffian rows
  std::shared_ptr<Graph> graph;                ///< of their functions
};

/// Of the rows whose velocities are q̇; the values of `dynamics`'s parameters are those in use. What is said holds on the
/// manifold of the holonomic rows near a consistent state `near`, on that side of functions by pieces; without one, on
/// generic levels of these rows.
Integrability find_integrability(const Equations& equations, const Dynamics& dynamics, const State* near = nullptr);

/// By row of W, prescribed coordinates among them, whether it is a combination of the rows before it wherever W has its
/// greatest rank (on this side of functions by pieces): decided exactly, in the prime field. Empty where some function has no
/// values to decide with.
std::vector<bool> rows_that_follow(const Equations& equations, const Dynamics& dynamics, const State& near);

}  // namespace dalembert
