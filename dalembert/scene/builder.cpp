// SPDX-License-Identifier: Apache-2.0
// Infers shapes from how a model moves, and completes the scene.
#include "dalembert/scene/builder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "dalembert/dynamics/assemble.h"
#include "dalembert/expr/visit.h"

namespace dalembert {
namespace {

constexpr int kSamples = 7;  // number of sampled configurations, including the start
constexpr std::size_t kMostLabels = 14;

ScenePoint cross(const ScenePoint& a, const ScenePoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double extent(const std::vector<ScenePoint>& at) {
  double size = 0;
  for (std::size_t k = 0; k < 3 && !at.empty(); ++k) {
    const auto [low, high] = std::ranges::minmax(at, {}, [k](const ScenePoint& p) { return p[k]; });
    size = std::hypot(size, high[k] - low[k]);
  }
  return size;
}

}  // namespace

SceneBuilder::SceneBuilder(Equations equations, const Dynamics& dynamics, const State& start)
    : equations_(std::move(equations)),
      model_(*equations_.model),
      graph_(*equations_.graph),
      dynamics_(dynamics),
      start_(start) {}

Scene SceneBuilder::run() {
  scene_.name = model_.name;
  scene_.description = model_.description;
  scene_.space = model_.space();
  if (scene_.space == 0) {
    explain_nothing();
    scene_.tape = std::make_shared<const Tape>();
    return std::move(scene_);
  }
  scene_.simplified = model_.bodies.size() + model_.points.size() > kDetailed;
  if (scene_.space == 3 && !model_.gravity_field.empty()) scene_.up = number(model_.gravity_field[2]) > 0 ? -1 : 1;
  for (const Expr& q : equations_.q) coordinate_symbols_.insert(q.symbol());
  collect_points();
  collect_drawing();
  collect_frames();
  collect_bodies();
  collect_connections();
  collect_constraints();
  collect_forces();
  make_tape();
  sample();
  structure_ = find_structure(samples_, scene_.size);
  bars_at_.assign(structure_.nodes.size(), 0);
  for (const SceneShape& shape : scene_.shapes)
    if (shape.kind == ShapeKind::kBar)
      for (std::size_t k = 0; k < shape.tracks.size(); ++k)
        bars_at_[static_cast<std::size_t>(node_of(shape.tracks[k]))] += k > 0 && k + 1 < shape.tracks.size() ? 2 : 1;
  find_rolling();
  find_blades();
  find_rolling_reactions();
  find_formula_reactions();
  find_frictions();
  find_frame_bodies();
  draw_bodies();
  draw_nodes();
  find_coordinate_springs();
  choose_labels();
  choose_traces();
  drop_unused();
  make_tape();
  explain_nothing();
  return std::move(scene_);
}

// Compiles all tracks and forces into one tape. Where q̇ is not the velocity of the motion, it becomes N v + n₀.
void SceneBuilder::make_tape() {
  std::vector<Expr> outputs;
  for (const Vector& position : positions_) outputs.insert(outputs.end(), position.begin(), position.end());
  for (const std::vector<Vector>& force : forces_)
    for (const Vector& vector : force) outputs.insert(outputs.end(), vector.begin(), vector.end());
  for (const auto& replacements :
       {motion_of_coordinates(equations_), frictions_of_model(equations_), actuation_multipliers(equations_)})
    if (!replacements.empty()) outputs = substitute(outputs, replacements);
  scene_.tape = std::make_shared<const Tape>(dalembert::make_tape(outputs));
}

// Samples the start and nearby configurations that satisfy the constraints. The random numbers are the same every time.
void SceneBuilder::sample() {
  SceneEvaluator evaluator(scene_, dynamics_);
  const auto take = [&](const State& state) {
    SceneInstant instant = evaluator.at(state);
    const auto finite = [](const ScenePoint& p) { return std::isfinite(p[0] + p[1] + p[2]); };
    if (!std::ranges::all_of(instant.at, finite)) return false;
    samples_.push_back(std::move(instant.at));
    states_.push_back(state);
    return true;
  };
  if (!take(start_)) {
    samples_.emplace_back(scene_.tracks.size());
    states_.push_back(start_);
  }
  scene_.size = extent(samples_.front());
  if (!(scene_.size > 0)) scene_.size = 1;
  std::minstd_rand random(20260101);
  std::uniform_real_distribution<double> uniform(-1, 1);
  AssembleOptions options;
  options.restarts = 2;
  options.max_iterations = 40;
  for (int attempt = 0; attempt < 2 * kSamples && static_cast<int>(samples_.size()) < kSamples; ++attempt) {
    State guess = start_;
    guess.t += 0.13 * attempt;
    // A mechanism with many coordinates usually has many small parts, so each coordinate is varied less.
    const double large = guess.q.size() > 60 ? 60.0 / static_cast<double>(guess.q.size()) : 1;
    const double reach = (attempt < kSamples ? 1 : 0.2) * large;
    for (std::size_t i = 0; i < guess.q.size(); ++i) {
      const std::optional<Dimension>& dimension = model_.coordinates[i].dimension;
      const bool length = dimension && !dimension->dimensionless();
      guess.q[i] += reach * uniform(random) * (length ? 0.35 * scene_.size : 0.6);
    }
    if (dynamics_.m() > 0 || !equations_.quaternions.empty()) {
      const Assembly assembly = assemble(dynamics_, guess, options);
      if (!assembly.ok() && assembly.status != AssemblyStatus::kNoVelocity) continue;
      guess = assembly.state;
    }
    // A prescribed coordinate is a joint all the same. Where no loop must close, it is varied too, so that the joint is
    // found.
    if (equations_.holonomic.empty())
      for (const Prescribed& one : model_.prescribed)
        guess.q[static_cast<std::size_t>(one.coordinate)] += 0.6 * large * uniform(random);
    take(guess);
  }
  // A single configuration does not tell which points move together.
  if (samples_.size() < 3) {
    scene_.doubts.push_back(warning("W0602", "no other configurations than the start were found: bars may be missing"));
    scene_.simplified = true;
  }
}

bool SceneBuilder::is_contact(int index) const {
  return std::ranges::any_of(rolling_, [&](const Rolling& one) { return node_of(one.contact) == index; });
}

// Finds what rolls in space: a contact that keeps its distance from the origin of a rotating frame. It is on a disk if
// it stays in a plane of that frame, otherwise on a ball.
void SceneBuilder::find_rolling() {
  if (scene_.space != 3) return;
  std::set<std::string> drawn;
  for (const Rolling& one : rolling_) {
    if (one.frame->rotation.empty() || !drawn.insert(one.frame->name).second) continue;
    const double height = place(one.contact)[2];
    if (std::ranges::all_of(samples_, [&](const std::vector<ScenePoint>& sample) {
          return std::abs(sample[static_cast<std::size_t>(one.contact)][2] - height) < 1e-6 * scene_.size;
        }))
      scene_.floor = height;
    const Frame frame = adopt(*one.frame);
    // The contact in components of the rotating frame, in each configuration.
    Vector arm;
    for (std::size_t k = 0; k < 3; ++k)
      arm.push_back(positions_[static_cast<std::size_t>(one.contact)][k] - frame.origin[k]);
    std::vector<Expr> outputs = along_frame(frame, arm);
    outputs = substitute(outputs, motion_of_coordinates(equations_));
    Scene probe;
    probe.space = 3;
    probe.tracks.resize(1);
    probe.tape = std::make_shared<const Tape>(dalembert::make_tape(outputs));
    SceneEvaluator evaluator(probe, dynamics_);
    std::vector<ScenePoint> arms;
    for (const State& state : states_) arms.push_back(evaluator.at(state).at.front());
    const double radius = distance(arms.front(), {});
    const auto same = [&](const ScenePoint& a) { return std::abs(distance(a, {}) - radius) < 1e-6 * radius; };
    if (!(radius > 0) || !std::ranges::all_of(arms, same)) continue;
    // The normal of the plane through all arms. If the arms span space, the shape is a ball.
    ScenePoint normal{};
    for (const ScenePoint& a : arms)
      if (const ScenePoint n = cross(arms.front(), a); distance(n, {}) > distance(normal, {})) normal = n;
    const double length = distance(normal, {});
    if (!(length > 1e-6 * radius * radius)) continue;
    bool flat = true;
    for (const ScenePoint& a : arms)
      flat = flat && std::abs(a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2]) < 1e-5 * radius * length;
    const ScenePoint first = arms.front();
    ScenePoint second = cross(normal, first);
    for (double& component : second) component /= length;
    for (double& component : normal) component *= radius / length;
    std::vector<int> tracks{add_track("", frame.origin)};
    for (const ScenePoint& v : flat ? std::vector{first, second} : std::vector{first, second, normal}) {
      Vector along;
      for (const double component : v) along.push_back(graph_.constant(to_rational(component)));
      Vector end = along_ground(frame, along);
      for (std::size_t k = 0; k < 3; ++k) end[k] = end[k] + frame.origin[k];
      tracks.push_back(add_track("", std::move(end)));
    }
    add_shape(flat ? ShapeKind::kDisk : ShapeKind::kEllipsoid, std::move(tracks), one.frame->name);
  }
}

void SceneBuilder::draw_bodies() {
  // Bars are drawn neither between points that only time moves, for they tell nothing about the mechanism, nor to a
  // contact.
  if (!model_.drawing.lines) {
    for (std::size_t f = 0; f < frame_bodies_.size(); ++f)
      if (frame_bodies_[f].size() > 1) draw_body(frame_bodies_[f], frame_origins_[f]);
    for (const std::vector<int>& body : structure_.bodies)
      if (std::ranges::any_of(body, [&](int index) { return !in_frame_[static_cast<std::size_t>(index)]; }))
        draw_body(body);
  }
  // Draw the bodies that no shape shows yet.
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyTracks& body = bodies_[b];
    const std::string& name = model_.bodies[b].name;
    if (!body.rigid) continue;
    const bool round = std::ranges::any_of(scene_.shapes, [&](const SceneShape& shape) {
      return (shape.kind == ShapeKind::kDisk || shape.kind == ShapeKind::kEllipsoid || shape.kind == ShapeKind::kRing ||
              shape.kind == ShapeKind::kCircle) &&
             shape.tracks.front() < static_cast<int>(samples_.front().size()) &&
             node_of(shape.tracks.front()) == node_of(body.center);
    });
    const bool rolls = std::ranges::any_of(rolling_, [&](const Rolling& one) {
      return one.frame->name == model_.bodies[b].frame.name && !one.frame->name.empty() &&
             std::ranges::any_of(scene_.shapes, [&](const SceneShape& s) { return s.name == one.frame->name; });
    });
    if (round || rolls) continue;
    // In space a single bar does not show the extent of a body that has at most one joint, so it is drawn as an
    // ellipsoid.
    const bool barred =
        bars_at_[static_cast<std::size_t>(node_of(body.center))] > 0 || model_.drawing.lines.has_value();
    if (scene_.space == 2 ? barred : barred && joints_of_frame(model_.bodies[b].frame.name, body.center) > 1) continue;
    if (body.ends[0] >= 0)
      add_shape(ShapeKind::kBar, {body.ends[0], body.ends[1]}, name);
    else if (!body.axes.empty() && !scene_.simplified && !is_needle(body)) {
      std::vector<int> tracks{body.center};
      tracks.insert(tracks.end(), body.axes.begin(), body.axes.end());
      add_shape(ShapeKind::kEllipsoid, std::move(tracks), name);
    }
  }
}

void SceneBuilder::draw_body(const std::vector<int>& nodes, int origin) {
  std::vector<int> corners, moving;
  bool center = false;
  std::string name;
  for (const int index : nodes) {
    const std::vector<int>& tracks = node(index).tracks;
    const bool joint = std::ranges::any_of(tracks, [&](int t) { return joint_[static_cast<std::size_t>(t)]; });
    bool of_body = false;
    for (const BodyTracks& body : bodies_) {
      if (!std::ranges::count(tracks, body.center)) continue;
      of_body = true;
      if (body.rigid) name = scene_.tracks[static_cast<std::size_t>(body.center)].name;
    }
    if ((!joint && !of_body) || is_contact(index)) continue;
    if (of_body && !joint) center = true;
    corners.push_back(tracks.front());
    if (!node(index).fixed) moving.push_back(index);
  }
  if (corners.size() < 2 || moving.empty()) return;
  // Points that only time moves, such as two contacts with the ground, do not form a body.
  if (!depends_on_coordinates(moving)) return;
  // In space, bars to a centre of mass that is off the line of two joints would only confuse.
  if (scene_.space == 3 && center) {
    std::vector<int> joints;
    for (const int track : corners)
      if (std::ranges::any_of(node(node_of(track)).tracks, [&](int t) { return joint_[static_cast<std::size_t>(t)]; }))
        joints.push_back(track);
    // A centre of mass off the line of the joints is joined to its frame's origin instead.
    if (joints.size() >= 2) {
      std::vector<int> line = joints;
      const double free = 0.05 * scene_.size;
      for (const int track : corners) {
        if (std::ranges::count(joints, track) > 0 || origin < 0) continue;
        line.push_back(track);
        const int middle = node_of(track);
        const bool own = std::ranges::any_of(model_.bodies, [&](const Body& body) {
          return frame_track_.contains(body.frame.name) && frame_track_.at(body.frame.name) == origin &&
                 node_of(bodies_[static_cast<std::size_t>(&body - model_.bodies.data())].center) == middle;
        });
        if (own && sort_along_line(samples_.front(), line) > free && distance(place(origin), place(track)) > free)
          add_shape(ShapeKind::kBar, {origin, track}, name);
      }
      corners = joints;
    }
  }
  // Two frames may share the joint line about which one of them turns: draw it once.
  std::vector<int> at_nodes;
  for (const int track : corners) at_nodes.push_back(node_of(track));
  std::ranges::sort(at_nodes);
  if (!drawn_bodies_.insert(at_nodes).second) return;
  const double off = sort_along_line(samples_.front(), corners);
  const double length = distance(place(corners.front()), place(corners.back()));
  for (const int index : nodes) ++bars_at_[static_cast<std::size_t>(index)];
  if (corners.size() == 2 || off < 0.02 * length) {
    add_shape(ShapeKind::kBar, corners, name);
    return;
  }
  if (scene_.space == 2) corners = hull_of(std::move(corners));
  add_shape(ShapeKind::kPlate, corners, name);
}

void SceneBuilder::draw_nodes() {
  std::vector<bool> used(structure_.nodes.size(), false), middle(structure_.nodes.size(), false);
  std::vector<bool> on_surface(structure_.nodes.size(), false);
  for (const SceneShape& shape : scene_.shapes) {
    if (shape.kind == ShapeKind::kSurface) {
      on_surface[static_cast<std::size_t>(node_of(shape.tracks[1]))] = true;
      continue;
    }
    for (const int track : shape.tracks)
      if (track < static_cast<int>(samples_.front().size())) {
        used[static_cast<std::size_t>(node_of(track))] = true;
        if (shape.kind == ShapeKind::kCircle || shape.kind == ShapeKind::kRing)
          middle[static_cast<std::size_t>(node_of(track))] = true;
      }
  }
  std::vector<std::vector<int>> of_node(structure_.nodes.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    of_node[static_cast<std::size_t>(node_of(bodies_[b].center))].push_back(static_cast<int>(b));
  for (std::size_t i = 0; i < structure_.nodes.size(); ++i) {
    const SceneStructure::Node& here = structure_.nodes[i];
    const int track = here.tracks.front();
    const int bars = bars_at_[i];
    bool point_mass = false, rigid = false;
    int body = -1;
    for (const int b : of_node[i]) {
      (bodies_[static_cast<std::size_t>(b)].rigid ? rigid : point_mass) = true;
      body = b;
    }
    const bool joint = std::ranges::any_of(here.tracks, [&](int t) { return joint_[static_cast<std::size_t>(t)]; });
    if (!joint && !point_mass && !rigid && !(here.fixed && used[i])) continue;
    const bool alone = bars == 0 && !used[i];
    // A frame's origin with nothing else at its place gets no mark.
    const bool named = std::ranges::any_of(
        here.tracks, [&](int t) { return !scene_.tracks[static_cast<std::size_t>(t)].name.empty(); });
    if (alone && !named) continue;
    const auto add = [&](ShapeKind kind) {
      add_shape(kind, {track}, body >= 0 ? model_.bodies[static_cast<std::size_t>(body)].name : "");
      scene_.shapes.back().direction = here.direction;
    };
    if (here.fixed || (joint && !point_mass && !rigid && !depends_on_coordinates({static_cast<int>(i)}))) {
      if (bars == 0 && (scene_.simplified || middle[i] || on_surface[i])) continue;
      add(bars > 0 ? ShapeKind::kSupport : ShapeKind::kFixed);
      continue;
    }
    if (here.on_line && (point_mass || (alone && !rigid)) && !is_contact(static_cast<int>(i))) {
      add(ShapeKind::kRail);
      add(ShapeKind::kBlock);
      if (bars > 0) add(ShapeKind::kPin);
      continue;
    }
    if (here.on_line && joint && bars > 0 && scene_.space == 2 && !rigid) add(ShapeKind::kRail);
    if (point_mass)
      add(ShapeKind::kMass);
    else if (rigid && !scene_.simplified)
      add(ShapeKind::kCenter);
    if (bars > 1 && joint && !point_mass && !scene_.simplified)
      add(ShapeKind::kPin);
    else if (alone && joint && !point_mass && !rigid && !model_.drawing.lines)
      add(ShapeKind::kDot);
  }
}

// Draws springs and dampers on a coordinate that displaces one block by the same distance: they reach from a wall to
// the block.
void SceneBuilder::find_coordinate_springs() {
  for (const Connection& connection : model_.connections) {
    if (connection.coordinate < 0) continue;
    const auto i = static_cast<std::size_t>(connection.coordinate);
    int found = -1;
    for (const SceneShape& shape : scene_.shapes)
      if (shape.kind == ShapeKind::kBlock) {
        const SceneStructure::Node& node = structure_.nodes[static_cast<std::size_t>(node_of(shape.tracks[0]))];
        bool follows = true;
        for (std::size_t s = 1; s < samples_.size(); ++s) {
          double along = 0;
          for (std::size_t k = 0; k < 3; ++k)
            along += (samples_[s][static_cast<std::size_t>(shape.tracks[0])][k] - place(shape.tracks[0])[k]) *
                     node.direction[k];
          follows =
              follows && std::abs(std::abs(along) - std::abs(states_[s].q[i] - states_[0].q[i])) < 1e-7 * scene_.size;
        }
        if (follows) found = shape.tracks[0];
      }
    if (found < 0) {
      scene_.doubts.push_back(warning(
          "W0603",
          fmt::format("the {} on the coordinate `{}` is not drawn: no block moves along with it",
                      connection.kind == Connection::kSpring ? "spring" : "damper", model_.coordinates[i].name)));
      continue;
    }
    // The wall is placed beyond the position of the block at coordinate value zero, by the length of a spring.
    const SceneStructure::Node& node = structure_.nodes[static_cast<std::size_t>(node_of(found))];
    double sign = 1, reach = std::abs(states_[0].q[i]);
    for (std::size_t s = 1; s < samples_.size(); ++s) {
      double along = 0;
      for (std::size_t k = 0; k < 3; ++k)
        along += (samples_[s][static_cast<std::size_t>(found)][k] - place(found)[k]) * node.direction[k];
      if (std::abs(along) > 0) sign = along * (states_[s].q[i] - states_[0].q[i]) > 0 ? 1 : -1;
    }
    if (!(reach > 0)) reach = 0.3 * scene_.size;
    Vector wall = positions_[static_cast<std::size_t>(found)];
    for (std::size_t k = 0; k < wall.size(); ++k)
      wall[k] =
          graph_.constant(to_rational(place(found)[k] - sign * node.direction[k] * (states_[0].q[i] + 3 * reach)));
    const int end = add_track("", std::move(wall));
    add_shape(connection.kind == Connection::kSpring ? ShapeKind::kSpring : ShapeKind::kDamper, {end, found});
    add_shape(ShapeKind::kFixed, {end});
    scene_.shapes.back().direction = node.direction;
  }
}

void SceneBuilder::choose_labels() {
  const Drawing& drawing = model_.drawing;
  if (drawing.labels) {
    for (const int point : *drawing.labels) scene_.tracks[static_cast<std::size_t>(point)].label = true;
    return;
  }
  if (scene_.simplified) return;
  std::vector<int> points, bodies;
  // Each node is labelled with the shortest name of its points, or with the name of its body if it has no named point.
  for (const SceneStructure::Node& node : structure_.nodes) {
    int best = -1;
    for (const int track : node.tracks) {
      const std::string& name = scene_.tracks[static_cast<std::size_t>(track)].name;
      const bool point = point_track_.contains(name) && point_track_.at(name) == track;
      if (!point || name.empty()) continue;
      if (best < 0 || name.size() < scene_.tracks[static_cast<std::size_t>(best)].name.size()) best = track;
    }
    if (best >= 0) points.push_back(best);
    if (best < 0)
      for (const BodyTracks& body : bodies_)
        if (std::ranges::count(node.tracks, body.center)) bodies.push_back(body.center);
  }
  if (points.size() > kMostLabels) return;
  if (points.size() + bodies.size() <= kMostLabels) points.insert(points.end(), bodies.begin(), bodies.end());
  for (const int track : points) scene_.tracks[static_cast<std::size_t>(track)].label = true;
}

// Unless the model states what to trace: point masses and contacts that are not drawn as blocks.
void SceneBuilder::choose_traces() {
  if (model_.drawing.trace) {
    scene_.traces = *model_.drawing.trace;
    return;
  }
  if (scene_.simplified) return;
  std::set<int> nodes;
  for (const SceneShape& shape : scene_.shapes)
    if (shape.kind == ShapeKind::kMass || shape.kind == ShapeKind::kBlade)
      if (nodes.insert(node_of(shape.tracks[0])).second) scene_.traces.push_back(shape.tracks[0]);
  for (const Rolling& one : rolling_)
    if (nodes.insert(node_of(one.contact)).second) scene_.traces.push_back(one.contact);
}

// Removes tracks that nothing refers to, so that they are not evaluated.
void SceneBuilder::drop_unused() {
  std::vector<bool> used(scene_.tracks.size(), false);
  const auto use = [&](int track) { used[static_cast<std::size_t>(track)] = true; };
  for (const SceneShape& shape : scene_.shapes) std::ranges::for_each(shape.tracks, use);
  for (const SceneForce& force : scene_.forces) {
    use(force.track);
    if (force.opposite >= 0) use(force.opposite);
  }
  std::ranges::for_each(scene_.traces, use);
  for (std::size_t i = 0; i < used.size(); ++i)
    if (scene_.tracks[i].label) used[i] = true;
  std::vector<int> place(used.size(), -1);
  std::vector<SceneTrack> tracks;
  std::vector<Vector> positions;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    place[i] = static_cast<int>(tracks.size());
    tracks.push_back(scene_.tracks[i]);
    positions.push_back(positions_[i]);
  }
  const auto move = [&](int& track) { track = place[static_cast<std::size_t>(track)]; };
  for (SceneShape& shape : scene_.shapes) std::ranges::for_each(shape.tracks, move);
  for (SceneForce& force : scene_.forces) {
    move(force.track);
    if (force.opposite >= 0) move(force.opposite);
  }
  std::ranges::for_each(scene_.traces, move);
  scene_.tracks = std::move(tracks);
  positions_ = std::move(positions);
}

void SceneBuilder::explain_nothing() {
  if (!scene_.empty()) return;
  Diagnostic nothing = error(
      "E0520", fmt::format("there is nothing to draw of `{}`: it states energies, and no body or point", model_.name));
  nothing.help.push_back("say where something is: `[[point]]` with `name = \"P\"` and `at = [\"x\", \"y\"]`");
  nothing.help.push_back(
      "and what to show of it: `[draw]` with `lines = [[\"O\", \"P\"]]` or `circles = [{at = \"P\", radius = \"r\"}]`");
  scene_.doubts.push_back(std::move(nothing));
}

Scene scene_of(const Equations& equations, const Dynamics& dynamics, const State& start) {
  return SceneBuilder(on_overlay(equations), dynamics, start).run();
}

}  // namespace dalembert
