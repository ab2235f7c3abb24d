// SPDX-License-Identifier: Apache-2.0
// What a linearisation, its stability and a search for steady motions are made for.
#pragma once

#include <cstddef>
#include <vector>

#include "dalembert/compile/equation_derivatives.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

struct Symmetry;

struct SteadySystem {
  const Dynamics* dynamics = nullptr;
  const EquationDerivatives* derivatives = nullptr;
  /// nq, or empty: coordinates that do not count, since the rates of the velocities and of those that count contain none of
  /// them. Velocities whose equations stand alone leave all of them out.
  std::vector<bool> left_out = {};
  /// nv, or empty: velocities that the constraints determine from the others. Neither they nor their rates need be constant:
  /// x' and y' of a disk that rolls in a circle (relative.h).
  std::vector<bool> follows = {};
  /// The same system without what drops out with the constraints, or null: its families explain zeros too.
  const SteadySystem* relative = nullptr;
  /// Turns of the whole that do not count (symmetries.h), or null. Not together with the two lists above.
  const std::vector<Symmetry>* symmetries = nullptr;

  std::size_t nq() const { return static_cast<std::size_t>(dynamics->nq()); }
  std::size_t nv() const { return static_cast<std::size_t>(dynamics->nv()); }
  std::size_t m() const { return static_cast<std::size_t>(dynamics->m()); }
  bool leaves_out(std::size_t coordinate) const { return coordinate < left_out.size() && left_out[coordinate]; }
  bool is_cyclic(std::size_t coordinate) const {
    return leaves_out(coordinate) || !derivatives->motion_depends_on(derivatives->columns().q + coordinate);
  }
  /// No function of time is in the equations or the inputs.
  bool is_autonomous() const {
    return !derivatives->motion_depends_on(derivatives->columns().t) && dynamics->has_constant_inputs();
  }
};

}  // namespace dalembert
