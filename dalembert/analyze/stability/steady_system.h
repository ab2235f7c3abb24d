// SPDX-License-Identifier: Apache-2.0
// The system whose linearisation, stability and steady motions are computed.
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
  /// nq flags, or empty: coordinates that do not count, because neither the rates of the velocities nor those of the
  /// other coordinates depend on them. Where the equations of the velocities contain no coordinate, all are left out.
  std::vector<bool> left_out = {};
  /// nv flags, or empty: velocities that the constraints determine from the others. Neither they nor their rates need
  /// be constant: x' and y' of a disk that rolls in a circle (relative.h).
  std::vector<bool> follows = {};
  /// The same system without the coordinates that only the constraints contain (relative.h), or null. Its families
  /// explain zero eigenvalues too.
  const SteadySystem* relative = nullptr;
  /// Symmetries that turn the whole system (symmetries.h), or null: a motion along them counts as steady. Not together
  /// with the two lists above.
  const std::vector<Symmetry>* symmetries = nullptr;

  std::size_t nq() const { return static_cast<std::size_t>(dynamics->nq()); }
  std::size_t nv() const { return static_cast<std::size_t>(dynamics->nv()); }
  std::size_t m() const { return static_cast<std::size_t>(dynamics->m()); }
  bool leaves_out(std::size_t coordinate) const { return coordinate < left_out.size() && left_out[coordinate]; }
  bool is_cyclic(std::size_t coordinate) const {
    return leaves_out(coordinate) || !derivatives->motion_depends_on(derivatives->columns().q + coordinate);
  }
  /// Whether neither the equations nor the inputs depend on time, with the values that the parameters have in the equations of `derivatives`.
  bool is_autonomous() const {
    return !derivatives->motion_depends_on(derivatives->columns().t) && !derivatives->inputs_depend_on_time() &&
           !dynamics->has_tables();
  }
};

}  // namespace dalembert
