// SPDX-License-Identifier: Apache-2.0
// What there is to see of a model: shapes that refer to points ("tracks"), and where these are at an instant.
//
// What the model states is drawn as stated: springs, dampers, wheels that do not skid, forces. What it only implies is
// found by comparing several configurations that satisfy the constraints:
//   tracks that coincide in all of them             form one node (a pin, where bars meet);
//   nodes whose mutual distances are constant       form one rigid body: a bar if they are on a line, else a plate;
//   a node that does not move                       is fixed to the ground;
//   a node that moves on a straight line            runs on a rail.
// So a linkage looks the same whether it is stated by frames, by coordinates of bodies or by formulas alone.
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

using ScenePoint = std::array<double, 3>;  ///< m; in the plane the third component is 0

/// Kinds of shapes, and which points ("tracks") each refers to.
enum class ShapeKind {
  kBar,        ///< two or more tracks along a line
  kPlate,      ///< tracks: the corners of a rigid body
  kPin,        ///< one track: a pin, about which bars turn
  kSupport,    ///< one track: a pin on the ground
  kFixed,      ///< one track: a point of the ground
  kMass,       ///< one track: a point mass
  kCenter,     ///< one track: a centre of mass
  kBlock,      ///< one track: a block that slides along `direction`
  kRail,       ///< one track: a block, whose rail along `direction` is drawn
  kSurface,    ///< three tracks: the foot of what may touch it, a point of it, and one to the right of its free side
  kSpring,     ///< two tracks: the ends of the spring
  kDamper,     ///< two tracks: the ends of the damper
  kBlade,      ///< two tracks: the contact, which cannot move at right angles to the blade, and a point ahead
  kCircle,     ///< one track: the centre; in space the circle is drawn as a ball
  kRing,       ///< two tracks: the centre and a point on the axis; `size` is the radius
  kDisk,       ///< three tracks: the centre and two points of the rim a quarter turn apart
  kEllipsoid,  ///< four tracks: the centre and the ends of the three half axes
  kDot,        ///< one track: a point with a name
};
std::string_view to_text(ShapeKind kind);

struct SceneShape {
  ShapeKind kind = ShapeKind::kBar;
  std::vector<int> tracks;
  std::string name = {};      ///< name of the point, body or constraint that the shape shows
  double size = 0;            ///< m: radius of a circle
  ScenePoint direction = {};  ///< of rails and blocks: a unit vector
};

struct SceneTrack {
  std::string name;    ///< name of the point or body; may be empty
  bool label = false;  ///< the name is shown
};

/// A force that acts at a track. A reaction is the sum of multipliers times directions (theory §2: Wᵀλ).
struct SceneForce {
  std::string name;  ///< name of the constraint; empty for an applied force
  int track = 0;
  std::string unit;  ///< "N"; empty where the model has no units
  std::vector<int>
      rows;  ///< of a reaction: the multipliers (rows, then frictions), each with a direction; empty for an applied force
  bool turns = false;  ///< it is a torque vector; in the plane its first component is the value
  int opposite = -1;   ///< the track at which the opposite force acts, the other end of a rod; −1: none
};

struct SceneInstant {
  double t = 0;
  std::vector<ScenePoint> at;     ///< positions by track
  std::vector<ScenePoint> force;  ///< values by force; NaN where unknown
};

struct Scene {
  std::string name, description;
  int space = 2;                ///< 2 or 3; 0 if there is nothing to draw
  double size = 1;              ///< size of the mechanism, m
  int up = 1;                   ///< in space: -1 where the third axis points down
  ScenePoint gravity{};         ///< unit vector of gravity; 0 without gravity
  std::optional<double> floor;  ///< in space: the height of the floor on which something rolls, m
  bool simplified = false;      ///< more than kDetailed nodes: only bars, springs and masses are drawn
  std::vector<SceneTrack> tracks;
  std::vector<SceneForce> forces;
  std::vector<SceneShape> shapes;
  std::vector<int> traces;           ///< tracks whose path is shown
  Diagnostics doubts;                ///< warnings: what is not drawn, and why
  std::shared_ptr<const Tape> tape;  ///< from (q, q̇, t, inputs, parameters) to tracks and directions of forces

  bool empty() const { return shapes.empty(); }
};

/// With more bodies and points than this, only bars, springs and masses are drawn.
inline constexpr std::size_t kDetailed = 120;

/// The scene of a model. `start` must satisfy the constraints. Time O(tracks); rigid bodies are searched among all
/// pairs of up to 400 nodes, and among neighbours if there are more.
Scene scene_of(const Equations& equations, const Dynamics& dynamics, const State& start);

/// Evaluates all tracks and forces of a scene at once. The scene and the dynamics must outlive it. One evaluator serves
/// one thread.
class SceneEvaluator {
 public:
  SceneEvaluator(const Scene& scene, const Dynamics& dynamics);
  /// `lambda`: multipliers of all rows, then of frictions; those of missing ones are NaN.
  SceneInstant at(const State& state, std::span<const double> lambda = {});

 private:
  const Scene& scene_;
  const Dynamics& dynamics_;
  std::vector<double> work_, kernel_work_, u_, out_, qd_, lambda_;
};

}  // namespace dalembert
