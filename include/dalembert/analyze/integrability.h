// SPDX-License-Identifier: Apache-2.0
// Which constraints on velocities are integrable: they are constraints on positions in disguise (theory §5).
//
// The distribution Δ of the motions that W q̇ + a = 0 allows, with the direction of time, is spanned by fields that are
// computed at a generic point. Brackets enlarge it, Δ^{k+1} = Δ^k + [Δ¹, Δ^k]. Where it stops growing, the number of
// dimensions that are missing is the number of integrable combinations of rows (distribution.h).
//
// Ranks are those at a random point of a prime field in which functions are independent symbols (function_field.h).
// Rows that are independent there are independent. Rows that are dependent there are dependent, except with a
// probability of about degree/2⁶¹ (J. T. Schwartz, J. ACM 27 (1980) 701-717). Where more relations may hold between
// functions, and on the manifold of holonomic rows, numbers with error bounds (bounded_number.h) must reach the same
// dimensions, which are then exact as well; otherwise the dimensions found in numbers are given.
// Source: A. Isidori, Nonlinear Control Systems, 3rd ed., Springer 1995, ch. 2; Neimark & Fufaev, ch. I.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct FirstIntegral {
  std::string row;
  Expr function;  ///< function of q and t that is constant along every motion
};

struct Integrability {
  std::string kind;            ///< "holonomic", "nonholonomic", "mixed", "undecided"; "none" without constraints
  int rank = 0;                ///< rank of W at a generic point
  int integrable = 0;          ///< least number of independent combinations of rows that constrain positions
  int integrable_at_most = 0;  ///< upper bound of that number; equal to it where growth was followed to its end
  std::vector<int> growth;  ///< dimensions, time not counted, of Δ¹ (the allowed motions), Δ² (with brackets), …
  bool exact = false;       ///< every dimension is proved, none rests only on numbers at a random point
  bool complete = true;     ///< growth was followed to its end; false where that would have been too much work
  std::vector<FirstIntegral> first_integrals;  ///< first integrals of Pfaffian rows
  std::shared_ptr<Graph> graph;                ///< graph of the functions of first integrals
};

/// The integrability of the rows, with the parameter values of `dynamics`. It holds on the manifold of the holonomic
/// rows near a consistent state `near`, for the pieces of piecewise functions there; without `near`, on generic levels
/// of these rows. First integrals are found only where the velocities are q̇.
Integrability find_integrability(const Equations& equations, const Dynamics& dynamics, const State* near = nullptr);

/// For each row of W, including prescribed coordinates, whether it is a combination of the rows before it wherever W
/// has its greatest rank (for the pieces of piecewise functions at `near`). It is decided exactly, in the prime field.
/// Empty where some function has no values there.
std::vector<bool> rows_that_follow(const Equations& equations, const Dynamics& dynamics, const State& near);

}  // namespace dalembert
