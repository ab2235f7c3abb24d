// SPDX-License-Identifier: Apache-2.0
// The phase portrait of a flow in a plane, (ẋ, ẏ) = f(x, y): the data that a figure is drawn from.
//
// Everything is computed from values of f (and of an energy). Trajectories take Runge–Kutta steps of equal length on
// the picture and start in each cell that no other has passed. Equilibria are found by Newton's method from a grid;
// lines of equilibria are followed to the edge. Whether they are stable is not decided here: PlaneFlow::judge says it. Level curves of the energy are cut from the cells of a grid. The
// accuracy is that of a drawing. Sources: Jobard & Lefer; Lorensen & Cline (squares for cubes).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace dalembert {

using PlanePoint = std::array<double, 2>;

enum class PlaneStability { kStable, kUnstable, kUndecided };

struct PlaneFlow {
  std::array<double, 2> from{}, to{};  ///< ends of the window, (x, y) each
  /// (ẋ, ẏ) = f(x, y); no value where the system has no state.
  std::function<std::optional<PlanePoint>(const PlanePoint&)> rate;
  /// The stability of the equilibrium at a point; no value where there is none. Empty: all are undecided.
  std::function<std::optional<PlaneStability>(const PlanePoint&)> judge = {};
  /// A function that is constant along trajectories; may be empty.
  std::function<std::optional<double>(const PlanePoint&)> energy = {};
  /// The trajectory from a point for a given time, where f jumps so that steps along f are not enough; may be empty.
  /// Such trajectories are not followed backwards.
  std::function<std::vector<PlanePoint>(const PlanePoint&, double)> forward = {};
};

struct PlaneEquilibrium {
  PlanePoint at{};
  PlaneStability stability = PlaneStability::kUndecided;
};

/// A part of a line of equilibria that have the same stability.
struct PlaneFamily {
  std::vector<PlanePoint> points;
  PlaneStability stability = PlaneStability::kUndecided;
};

struct PhasePortrait {
  std::vector<PlanePoint> field_at, field;  ///< a grid of points, and f at each of them
  std::vector<std::vector<PlanePoint>> trajectories;
  std::vector<PlaneEquilibrium> equilibria;
  std::vector<PlaneFamily> families;
  std::vector<std::vector<PlanePoint>> energy;    ///< level curves of the energy
  std::vector<std::vector<PlanePoint>> sticking;  ///< lines on which friction holds the motion
};

PhasePortrait make_phase_portrait(const PlaneFlow& flow);

}  // namespace dalembert
