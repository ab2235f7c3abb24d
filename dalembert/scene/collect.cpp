// SPDX-License-Identifier: Apache-2.0
// Collects what the model states: points, frames, bodies, springs, constraints, forces and [draw].
#include <algorithm>
#include <cmath>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/constraint_kind.h"
#include "dalembert/model/force_kind.h"
#include "dalembert/scene/builder.h"

namespace dalembert {
namespace {

// Eigenvalues and eigenvectors of a symmetric 3×3 matrix by Jacobi rotations; the eigenvectors are the columns of V.
void find_eigenvectors(double (&A)[3][3], double (&V)[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) V[i][j] = i == j;
  for (int sweep = 0; sweep < 60; ++sweep) {
    int p = 0, q = 1;
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 3; ++j)
        if (std::abs(A[i][j]) > std::abs(A[p][q])) p = i, q = j;
    if (!(std::abs(A[p][q]) > 1e-14 * (std::abs(A[p][p]) + std::abs(A[q][q])))) return;
    const double angle = 0.5 * std::atan2(2 * A[p][q], A[p][p] - A[q][q]), c = std::cos(angle), s = std::sin(angle);
    for (int k = 0; k < 3; ++k) {
      const double x = A[k][p], y = A[k][q];
      A[k][p] = c * x + s * y, A[k][q] = c * y - s * x;
    }
    for (int k = 0; k < 3; ++k) {
      const double x = A[p][k], y = A[q][k];
      A[p][k] = c * x + s * y, A[q][k] = c * y - s * x;
    }
    for (int k = 0; k < 3; ++k) {
      const double x = V[k][p], y = V[k][q];
      V[k][p] = c * x + s * y, V[k][q] = c * y - s * x;
    }
  }
}

}  // namespace

Vector SceneBuilder::adopt(const Vector& v) {
  Vector out;
  for (const Expr& e : v) out.push_back(adopt(e));
  return out;
}

Frame SceneBuilder::adopt(const Frame& frame) {
  Frame out;
  out.name = frame.name;
  out.origin = adopt(frame.origin);
  if (frame.angle) out.angle = adopt(frame.angle);
  out.rotation = adopt(frame.rotation);
  return out;
}

double SceneBuilder::number(const Expr& constant) const { return model_.value_of(constant); }

int SceneBuilder::add_track(const std::string& name, Vector position) {
  scene_.tracks.push_back({name, false});
  positions_.push_back(std::move(position));
  joint_.push_back(false);
  return static_cast<int>(scene_.tracks.size()) - 1;
}

int SceneBuilder::find_or_add(const std::string& name, const Vector& position) {
  if (const auto found = point_track_.find(name); !name.empty() && found != point_track_.end()) return found->second;
  const int track = add_track(name, adopt(position));
  if (!name.empty()) point_track_.emplace(name, track);
  return track;
}

void SceneBuilder::add_shape(ShapeKind kind, std::vector<int> tracks, const std::string& name, double size) {
  scene_.shapes.push_back({kind, std::move(tracks), name, size, {}});
}

void SceneBuilder::collect_points() {
  for (const Point& point : model_.points) {
    const int track = add_track(point.name, adopt(point.position));
    joint_[static_cast<std::size_t>(track)] = true;
    point_track_.emplace(point.name, track);
    if (point.disk) rolling_.push_back({track, point.disk.get()});
  }
}

void SceneBuilder::collect_frames() {
  for (const Frame& frame : model_.frames) {
    if (frame.origin.empty()) continue;
    const int track = add_track("", adopt(frame.origin));
    joint_[static_cast<std::size_t>(track)] = true;
    frame_track_.emplace(frame.name, track);
  }
}

void SceneBuilder::collect_bodies() {
  for (const Body& body : model_.bodies) {
    BodyTracks made;
    made.center = add_track(body.name, adopt(body.position));
    made.rigid = body.inertia || !body.tensor.empty();
    if (made.rigid) add_extent_of_body(body, made);
    bodies_.push_back(made);
  }
}

// The extent of a body from its inertia. In the plane: the thin rod of length 2a with the same moment of inertia, I = m
// (2a)²/12. In space: the homogeneous ellipsoid with the same inertia tensor, a_i² = 5/(2m) (I_j + I_k − I_i).
void SceneBuilder::add_extent_of_body(const Body& body, BodyTracks& made) {
  const double m = number(body.mass);
  if (!(m > 0)) return;
  if (body.inertia) {
    const double half = std::sqrt(3 * number(body.inertia) / m);
    if (!(half > 0) || !std::isfinite(half)) return;
    const Expr angle = adopt(body.angle), a = graph_.constant(to_rational(half));
    const Vector at = positions_[static_cast<std::size_t>(made.center)];
    made.ends[0] = add_track("", {at[0] - a * cos(angle), at[1] - a * sin(angle)});
    made.ends[1] = add_track("", {at[0] + a * cos(angle), at[1] + a * sin(angle)});
    return;
  }
  if (body.frame.rotation.empty()) return;
  double I[3][3], V[3][3];
  for (std::size_t k = 0; k < 9; ++k) I[k / 3][k % 3] = number(body.tensor[k]);
  find_eigenvectors(I, V);
  const double trace = I[0][0] + I[1][1] + I[2][2];
  const Frame frame = adopt(body.frame);
  const Vector center = positions_[static_cast<std::size_t>(made.center)];
  for (int axis = 0; axis < 3; ++axis) {
    const double square = 2.5 / m * (trace - 2 * I[axis][axis]);
    if (!std::isfinite(square)) return made.axes.clear();
    const double length = std::sqrt(std::max(square, 0.0));
    Vector along;
    for (const auto& row : V) along.push_back(graph_.constant(to_rational(length * row[axis])));
    Vector end = along_ground(frame, along);
    for (std::size_t k = 0; k < 3; ++k) end[k] = end[k] + center[k];
    made.axes.push_back(add_track("", std::move(end)));
  }
}

void SceneBuilder::collect_connections() {
  for (const Connection& connection : model_.connections) {
    if (connection.coordinate >= 0) continue;
    const int a = add_track("", adopt(connection.a)), b = add_track("", adopt(connection.b));
    add_shape(connection.kind == Connection::kSpring ? ShapeKind::kSpring : ShapeKind::kDamper, {a, b});
  }
}

// A wheel or blade in the plane, drawn at right angles to the direction in which it cannot move.
void SceneBuilder::stated_wheel(const Constraint& constraint) {
  const Arguments& given = constraint.arguments;
  const int contact = find_or_add(given[0].points[0].name, given[0].points[0].position);
  if (scene_.space == 3 || given.size() < 2 || given[1].expressions.size() != 2) return;
  const Vector n = adopt(given[1].expressions), at = positions_[static_cast<std::size_t>(contact)];
  const int ahead = add_track("", {at[0] + n[1], at[1] - n[0]});
  add_shape(ShapeKind::kBlade, {contact, ahead}, constraint.name);
}

// The ball of a contact, with marks where it turns with a frame; once, however many contacts it has.
void SceneBuilder::stated_ball(const Arguments& given, int center) {
  const auto is_ball = [&](const SceneShape& shape) {
    return (shape.kind == ShapeKind::kCircle || shape.kind == ShapeKind::kDisk) && shape.tracks.front() == center;
  };
  if (std::ranges::any_of(scene_.shapes, is_ball)) return;
  const double radius = given[3].expressions.empty() ? 0 : number(given[3].expressions[0]);
  if (!(radius > 0) || !std::isfinite(radius)) return;
  const Frame frame = adopt(given[4].frame);
  const bool turns = frame.angle || !frame.rotation.empty();
  if (scene_.space == 3 || !turns) return add_shape(ShapeKind::kCircle, {center}, "", radius);
  std::vector<int> tracks{center};
  for (const std::size_t axis : {0U, 1U}) {
    Vector arm(2, graph_.constant(Rational(0)));
    arm[axis] = adopt(given[3].expressions[0]);
    Vector end = along_ground(frame, arm);
    for (std::size_t k = 0; k < 2; ++k) end[k] = end[k] + positions_[static_cast<std::size_t>(center)][k];
    tracks.push_back(add_track("", std::move(end)));
  }
  add_shape(ShapeKind::kDisk, std::move(tracks), frame.name);
}

// The line or plane of a contact, and what may touch it. Returns the direction of its force, which acts at the track `under`.
Vector SceneBuilder::stated_contact(const Constraint& constraint, int& under) {
  const Arguments& given = constraint.arguments;
  const int center = find_or_add(given[0].points[0].name, given[0].points[0].position);
  const int on = find_or_add(given[1].points[0].name, given[1].points[0].position);
  stated_ball(given, center);
  const auto at = [this](int track) { return positions_[static_cast<std::size_t>(track)]; };
  Vector n = adopt(given[2].expressions);
  std::vector<Expr> squares, heights;
  for (const Expr& component : n) squares.push_back(square(component));
  const Expr length = sqrt(graph_.sum(squares));
  for (std::size_t k = 0; k < n.size(); ++k) {
    n[k] = n[k] / length;
    heights.push_back((at(center)[k] - at(on)[k]) * n[k]);
  }
  const Expr height = graph_.sum(heights);
  Vector foot;
  for (std::size_t k = 0; k < n.size(); ++k) foot.push_back(at(center)[k] - height * n[k]);
  under = add_track("", std::move(foot));
  if (scene_.space == 3) {
    if (n[0].is_zero() && n[1].is_zero()) scene_.floor = number(at(on)[2]);
    if (scene_.floor && !std::isfinite(*scene_.floor)) scene_.floor.reset();
    return n;
  }
  // What moves with bodies is drawn with them.
  std::vector<Expr> of_line = at(on);
  of_line.insert(of_line.end(), n.begin(), n.end());
  if (std::ranges::any_of(symbols_in(of_line),
                          [this](SymbolId s) { return graph_.symbol_info(s).kind == SymbolKind::kCoordinate; }))
    return n;
  const int ahead = add_track("", {at(on)[0] + n[1], at(on)[1] - n[0]});
  add_shape(ShapeKind::kSurface, {under, on, ahead}, constraint.name);
  return n;
}

void SceneBuilder::collect_constraints() {
  int row = 0;
  const auto axis = [&](std::size_t k) {
    Vector e(static_cast<std::size_t>(scene_.space), graph_.constant(Rational(0)));
    e[k] = graph_.constant(Rational(1));
    return e;
  };
  for (const Constraint& constraint : model_.constraints) {
    const std::string_view key = constraint.kind->key;
    const Arguments& given = constraint.arguments;
    SceneForce force{constraint.name, -1, {}, {}};
    std::vector<Vector> directions;
    if (!given.empty() && !given[0].points.empty()) {
      const Point& first = given[0].points[0];
      force.track = find_or_add(first.name, first.position);
      if (key == "contact") directions.push_back(stated_contact(constraint, force.track));
      for (std::size_t k = 0; k < constraint.rows.size(); ++k) {
        if (key == "coincide" || key == "no_slip") {
          directions.push_back(axis(static_cast<std::size_t>(constraint.rows[k].name.back() - 'x')));
        } else if (key == "distance") {
          const Vector a = adopt(first.position), b = adopt(given[0].points[1].position);
          Vector d;
          std::vector<Expr> squares;
          for (std::size_t i = 0; i < a.size(); ++i) d.push_back(a[i] - b[i]), squares.push_back(square(d[i]));
          const Expr length = sqrt(graph_.sum(squares));
          for (Expr& component : d) component = component / length;
          directions.push_back(std::move(d));
        } else if (key == "no_skid") {
          directions.push_back(adopt(given[1].expressions));
        }
        force.rows.push_back(row + static_cast<int>(k));
      }
    }
    if (key == "coincide" || key == "distance") {
      const int second = find_or_add(given[0].points[1].name, given[0].points[1].position);
      if (key == "distance") force.opposite = second;
    }
    if (key == "no_skid") stated_wheel(constraint);
    if (key == "no_slip" || key == "no_skid") {
      const Frame& frame = given.back().frame;
      if (!frame.origin.empty()) rolling_.push_back({force.track, &frame});
    }
    row += static_cast<int>(constraint.rows.size());
    if (directions.empty() || directions.size() != force.rows.size()) continue;
    if (model_.has_units) force.unit = "N";
    scene_.forces.push_back(std::move(force));
    forces_.push_back(std::move(directions));
  }
}

void SceneBuilder::collect_torque(std::ptrdiff_t body, Vector torque) {
  torque.resize(static_cast<std::size_t>(scene_.space), graph_.constant(Rational(0)));
  scene_.forces.push_back(
      {"", bodies_[static_cast<std::size_t>(body)].center, model_.has_units ? "N*m" : "", {}, true});
  forces_.push_back({std::move(torque)});
}

// In space: the torque of a generalized force on the first frame that turns with the coordinate about a fixed axis of its own, at the joint.
bool SceneBuilder::collect_joint_torque(const Expr& coordinate, const Expr& value) {
  const auto place = std::ranges::find_if(equations_.q, [&](const Expr& q) { return q.same(coordinate); });
  if (scene_.space != 3 || place == equations_.q.end() || !equations_.v_is_qdot()) return false;
  const Expr rate = equations_.qd[static_cast<std::size_t>(place - equations_.q.begin())];
  for (const Frame& frame : model_.frames) {
    const auto track = frame_track_.find(frame.name);
    if (frame.omega.empty() || frame.rotation.size() != 9 || track == frame_track_.end()) continue;
    // ∂ω/∂q̇, along the axes of the frame.
    Vector own;
    Expr square = graph_.constant(Rational(0));
    for (const Expr& component : adopt(frame.omega)) {
      own.push_back(gradient(component, std::array{rate}).front());
      square = square + own.back() * own.back();
    }
    if (square.is_zero()) continue;
    if (!square.is_constant() || !square.constant().is_one()) return false;
    const std::vector<Expr> rotation = adopt(frame.rotation);
    Vector torque;
    for (std::size_t i = 0; i < 3; ++i)
      torque.push_back(value *
                       (rotation[3 * i] * own[0] + rotation[3 * i + 1] * own[1] + rotation[3 * i + 2] * own[2]));
    scene_.forces.push_back({"", track->second, model_.has_units ? "N*m" : "", {}, true});
    forces_.push_back({std::move(torque)});
    return true;
  }
  return false;
}

// Places a generalized force. For an angle it is a torque on the first body or frame that turns with it; for a length it is a
// force on the first point that moves with it along an axis. In other cases it is not drawn.
void SceneBuilder::collect_generalized_force(const Expr& coordinate, const Expr& value) {
  const auto slope = [&](const Expr& f) { return gradient(f, std::array{coordinate}).front(); };
  const auto is_one = [](const Expr& e) { return e.is_constant() && (e.constant() * e.constant()).is_one(); };
  if (scene_.space == 2)
    for (const Body& body : model_.bodies) {
      if (!body.angle) continue;
      if (const Expr turned = slope(adopt(body.angle)); is_one(turned))
        return collect_torque(&body - model_.bodies.data(), {turned * value});
    }
  if (collect_joint_torque(coordinate, value)) return;
  for (std::size_t track = 0; track < positions_.size(); ++track) {
    Vector force;
    int axes = 0;
    for (const Expr& component : positions_[track]) {
      const Expr moved = slope(component);
      if (!is_one(moved) && !moved.is_zero()) break;
      axes += is_one(moved);
      force.push_back(moved * value);
    }
    if (axes != 1 || force.size() != positions_[track].size()) continue;
    scene_.forces.push_back({"", static_cast<int>(track), model_.has_units ? "N" : "", {}});
    forces_.push_back({std::move(force)});
    return;
  }
}

// Splits a power P = Σ Q_i q̇_i into its generalized forces Q_i.
void SceneBuilder::collect_power(const Expr& power) {
  if (!equations_.v_is_qdot()) return;
  const std::vector<Expr> forces = gradient(power, equations_.qd);
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (!forces[i].is_zero()) collect_generalized_force(equations_.q[i], forces[i]);
}

void SceneBuilder::collect_forces() {
  for (const Force& force : model_.forces) {
    const std::string_view key = force.kind->key();
    if (key == "power") {
      collect_power(adopt(force.arguments[0].expressions[0]));
      continue;
    }
    const std::vector<Expr>& given = force.arguments[1].expressions;
    if (key == "at") {
      const Point& point = force.arguments[0].points[0];
      scene_.forces.push_back({"", find_or_add(point.name, point.position), model_.has_units ? "N" : "", {}});
      forces_.push_back({adopt(given)});
    } else if (key == "body") {
      const auto body = std::ranges::find(model_.bodies, force.arguments[0].body.name, &Body::name);
      if (body != model_.bodies.end()) collect_torque(body - model_.bodies.begin(), adopt(given));
    } else if (key == "coordinate") {
      collect_generalized_force(adopt(force.arguments[0].expressions[0]), adopt(given[0]));
    }
  }
  ScenePoint g{};
  for (std::size_t k = 0; k < model_.gravity_field.size(); ++k) g[k] = number(model_.gravity_field[k]);
  const double size = std::hypot(g[0], g[1], g[2]);
  if (size > 0 && std::isfinite(size)) scene_.gravity = {g[0] / size, g[1] / size, g[2] / size};
}

// Circles and lines that the model asks for in [draw]; lines become bars.
void SceneBuilder::collect_drawing() {
  const Drawing& drawing = model_.drawing;
  if (drawing.circles)
    for (const Drawing::Circle& circle : *drawing.circles) {
      const double radius = number(circle.radius);
      if (!(radius > 0) || !std::isfinite(radius)) {
        scene_.doubts.push_back(warning("W0601", "a circle of `[draw]` has a radius that is no positive number"));
        continue;
      }
      if (circle.axis.empty()) {
        add_shape(ShapeKind::kCircle, {circle.point}, "", radius);
        continue;
      }
      Vector tip = adopt(circle.axis);
      for (std::size_t k = 0; k < tip.size(); ++k)
        tip[k] = positions_[static_cast<std::size_t>(circle.point)][k] + tip[k];
      add_shape(ShapeKind::kRing, {circle.point, add_track("", std::move(tip))}, "", radius);
    }
  if (drawing.lines)
    for (const std::vector<int>& line : *drawing.lines) add_shape(ShapeKind::kBar, line);
}

}  // namespace dalembert
