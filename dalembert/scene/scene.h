// SPDX-License-Identifier: Apache-2.0
// What there is to see of a model: shapes that refer to points ("tracks"), and where these are at an instant.
//
// What the model states is drawn as stated: springs, dampers, wheels that do not skid, forces. What it only implies is
// found: configurations that satisfy the constraints are looked at, and
//   tracks that are one point in all of them        are one node (a pin, where bars meet);
//   nodes that keep their distances from each other are one rigid body: a bar, or a plate where they are no line;
//   a node that stays where it is                   is fixed to the ground;
//   a node that keeps to a straight line            runs on a rail.
// So it does not matter whether a linkage is stated by frames, by coordinates of bodies or by formulas alone.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/tape/tape.h"

namespace dalembert {

using ScenePoint = std::array<double, 3>;  ///< m; in the plane the third is 0

/// Beside each: its tracks.
enum class ShapeKind {
  kBar,        ///< along a line: two or more
  kPlate,      ///< the corners of a rigid body
  kPin,        ///< one: bars turn about it
  kSupport,    ///< one: a pin on the ground
  kFixed,      ///< one: a point of the ground
  kMass,       ///< one: a point mass
  kCenter,     ///< one: a centre of mass
  kBlock,      ///< one: it slides along `direction`
  kRail,       ///< one: on what it slides, along `direction`
  kSpring,     ///< two
  kDamper,     ///< two
  kBlade,      ///< two: the contact, and another point across which it does not move
  kCircle,     ///< its centre; in space a ball
  kRing,       ///< its centre, and a point on its axis, `size` is the radius
  kDisk,       ///< its centre, and two points of the rim a quarter turn apart
  kEllipsoid,  ///< its centre, and the ends of its three half axes
  kDot,        ///< one: a point with a name
};
std::string_view to_text(ShapeKind kind);

struct SceneShape {
  ShapeKind kind = ShapeKind::kBar;
  std::vector<int> tracks;
  std::string name = {};      ///< of what it shows
  double size = 0;            ///< m: radius of a circle
  ScenePoint direction = {};  ///< of rails and blocks: a unit vector
};

struct SceneTrack {
  std::string name;    ///< of the point or body; empty: none
  bool label = false;  ///< it bears its name
};

/// A force that acts at a track. A reaction is the sum of multipliers times directions (theory §2: Wᵀλ).
struct SceneForce {
  std::string name;  ///< of the constraint; empty for an applied force
  int track = 0;
  std::string unit;       ///< "N"; empty where the model has no units
  std::vector<int> rows;  ///< of a reaction: whose multipliers, each with a direction; empty: an applied force
  bool turns = false;     ///< it is a torque; in the plane the first component is all of it
};

struct SceneInstant {
  double t = 0;
  std::vector<ScenePoint> at;     ///< of each track
  std::vector<ScenePoint> force;  ///< of each force; NaN where it has no value
};

struct Scene {
  std::string name, description;
  int space = 2;                ///< 2 or 3; 0: there is nothing to draw
  double size = 1;              ///< m: how large the mechanism is
  int up = 1;                   ///< in space: -1 where the third axis points down
  ScenePoint gravity{};         ///< its direction, a unit vector; 0 where there is none
  std::optional<double> floor;  ///< in space: the height at which something rolls
  bool simplified = false;      ///< more than kDetailed nodes: bars alone
  std::vector<SceneTrack> tracks;
  std::vector<SceneForce> forces;
  std::vector<SceneShape> shapes;
  std::vector<int> traces;           ///< tracks whose path is shown
  Diagnostics doubts;                ///< what is not drawn, and why
  std::shared_ptr<const Tape> tape;  ///< of (q, q̇, t, inputs, parameters): tracks, then directions of forces

  bool empty() const { return shapes.empty(); }
};

/// Beyond so many bodies and points a scene is made of bars, springs and masses alone.
inline constexpr std::size_t kDetailed = 120;

/// What to draw of a model whose start is `start`, on the constraints. Time O(tracks); rigid bodies are looked for among
/// all pairs of up to 400 nodes, beyond among neighbours.
Scene scene_of(const Equations& equations, const Dynamics& dynamics, const State& start);

/// Evaluates all tracks and forces of a scene at once. Both must outlive it; it belongs to one thread.
class SceneEvaluator {
 public:
  SceneEvaluator(const Scene& scene, const Dynamics& dynamics);
  /// `lambda`: multipliers of the rows; empty: reactions are NaN.
  SceneInstant at(const State& state, std::span<const double> lambda = {});

 private:
  const Scene& scene_;
  const Dynamics& dynamics_;
  std::vector<double> work_, kernel_work_, u_, out_, qd_, lambda_;
};

}  // namespace dalembert
