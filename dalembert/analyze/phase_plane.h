// SPDX-License-Identifier: Apache-2.0
// The phase portrait of a flow in a plane, (ẋ, ẏ) = f(x, y): what a figure of it is drawn from.
//
// Everything comes from values of f (and of an energy): trajectories by Runge–Kutta steps of one length on the picture,
// evenly spaced, a seed in each cell that none has passed; equilibria by Newton from a grid, lines of them followed to the
// edge; level curves of the energy through the cells of a grid. Accurate as a drawing is. Sources: Jobard & Lefer;
// Lorensen & Cline (squares for cubes).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace dalembert {

using PlanePoint = std::array<double, 2>;

struct PlaneFlow {
  std::array<double, 2> from{}, to{};                                   ///< the window: x and y
  std::function<std::optional<PlanePoint>(const PlanePoint&)> rate;     ///< nothing where there is no state
  std::function<std::optional<double>(const PlanePoint&)> energy = {};  ///< constant along trajectories; may be empty
  /// The way from a point for so long, where f jumps and steps along it would not do; may be empty. No way leads back.
  std::function<std::vector<PlanePoint>(const PlanePoint&, double)> forward = {};
};

enum class PlaneStability { kStable, kUnstable, kUndecided };

struct PlaneEquilibrium {
  PlanePoint at{};
  PlaneStability stability = PlaneStability::kUndecided;
};

/// A piece of a line of equilibria of one kind.
struct PlaneFamily {
  std::vector<PlanePoint> points;
  PlaneStability stability = PlaneStability::kUndecided;
};

struct PhasePortrait {
  std::vector<PlanePoint> field_at, field;  ///< a grid of points and f there
  std::vector<std::vector<PlanePoint>> trajectories;
  std::vector<PlaneEquilibrium> equilibria;
  std::vector<PlaneFamily> families;
  std::vector<std::vector<PlanePoint>> energy;    ///< level curves
  std::vector<std::vector<PlanePoint>> sticking;  ///< lines on which friction holds the motion
};

PhasePortrait make_phase_portrait(const PlaneFlow& flow);

}  // namespace dalembert
