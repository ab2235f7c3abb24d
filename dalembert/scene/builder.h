// SPDX-License-Identifier: Apache-2.0
// Builds the scene of a model; the member functions are in the order in which they run. For use inside scene only.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dalembert/scene/scene.h"
#include "dalembert/scene/structure.h"

namespace dalembert {

class SceneBuilder {
 public:
  /// `equations` must be on their own overlay: the builder creates expressions in it.
  SceneBuilder(Equations equations, const Dynamics& dynamics, const State& start);
  Scene run();

 private:
  /// How to draw a body as a shape of its own, for bodies that no bar shows.
  struct BodyTracks {
    int center = -1;
    bool rigid = false;      ///< the body can rotate
    int ends[2] = {-1, -1};  ///< in the plane: the ends of the thin rod that has the body's inertia
    std::vector<int> axes;   ///< in space: the ends of the half axes of the ellipsoid with the body's inertia
  };
  /// A wheel or ball: the track of its contact point, and the frame that rolls.
  struct Rolling {
    int contact = -1;
    const Frame* frame = nullptr;
  };

  Expr adopt(const Expr& e) { return graph_.adopt(e); }
  Vector adopt(const Vector& v);
  Frame adopt(const Frame& frame);
  double number(const Expr& constant) const;
  int add_track(const std::string& name, Vector position);
  int find_or_add(const std::string& name, const Vector& position);
  void add_shape(ShapeKind kind, std::vector<int> tracks, const std::string& name = {}, double size = 0);

  // Steps that read what the model states.
  void collect_points();
  void collect_frames();
  void collect_bodies();
  void add_extent_of_body(const Body& body, BodyTracks& made);
  void collect_connections();
  void collect_constraints();
  void collect_forces();
  void collect_torque(std::ptrdiff_t body, Vector torque);
  void collect_power(const Expr& power);
  bool collect_joint_torque(const Expr& coordinate, const Expr& value);
  void collect_generalized_force(const Expr& coordinate, const Expr& value);
  void collect_drawing();
  void stated_wheel(const Constraint& constraint);
  Vector stated_contact(const Constraint& constraint, int& under);
  void stated_ball(const Arguments& given, int center);

  // Steps that infer shapes from how the model moves.
  void sample();
  void find_rolling();
  void find_blades();
  void find_rolling_reactions();
  void find_formula_reactions();
  /// A reaction of some of a constraint's rows at a track; it is named after the rows if they are not all of them.
  void add_reaction(const Constraint& constraint, std::vector<int> rows, int track, std::vector<Vector> directions);
  void find_frictions();
  void find_frame_bodies();
  int joints_of_frame(const std::string& name, int center) const;
  bool is_needle(const BodyTracks& body) const;
  bool depends_on_coordinates(const std::vector<int>& nodes) const;
  std::vector<int> hull_of(std::vector<int> tracks) const;
  std::vector<std::vector<double>> evaluate_at_samples(std::vector<Expr> outputs) const;
  void find_coordinate_springs();
  void draw_bodies();
  /// `origin`: the track of the frame's origin if the nodes are fixed in a frame, else −1.
  void draw_body(const std::vector<int>& nodes, int origin = -1);
  void draw_nodes();
  void choose_labels();
  void choose_traces();
  void drop_unused();
  void make_tape();
  void explain_nothing();

  const ScenePoint& place(int track) const { return samples_.front()[static_cast<std::size_t>(track)]; }
  const SceneStructure::Node& node(int index) const { return structure_.nodes[static_cast<std::size_t>(index)]; }
  int node_of(int track) const { return structure_.node_of[static_cast<std::size_t>(track)]; }
  bool is_contact(int node) const;

  Equations equations_;
  const Model& model_;
  Graph& graph_;
  const Dynamics& dynamics_;
  State start_;
  Scene scene_;
  std::vector<Vector> positions_;            // by track; each has 2 or 3 components
  std::vector<std::vector<Vector>> forces_;  // by force: its vector, or for a reaction the direction of each row
  std::unordered_map<std::string, int> point_track_;
  std::vector<BodyTracks> bodies_;  // one for each body, in the order of the model
  std::vector<bool> joint_;         // by track: a point or frame origin, where bars may end
  std::vector<Rolling> rolling_;
  std::vector<State> states_;
  SampledTracks samples_;
  SceneStructure structure_;
  std::vector<int> bars_at_;                    // by node: number of bars that end there
  std::vector<std::vector<int>> frame_bodies_;  // by rotating frame in space: the nodes fixed in it
  std::vector<std::string> frame_names_;
  std::vector<int> frame_origins_;
  std::unordered_map<std::string, int> frame_track_;
  std::vector<bool> in_frame_;               // by node: fixed in some frame
  std::set<std::vector<int>> drawn_bodies_;  // node lists of the bodies drawn so far
  std::unordered_set<SymbolId> coordinate_symbols_;
};

}  // namespace dalembert
