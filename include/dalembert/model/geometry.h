// SPDX-License-Identifier: Apache-2.0
// Frames, points and bodies: which things move together. C++ programs and model files use the same types; a model file refers to them by name.
//
// A frame is placed in another frame (or in the ground) by an origin and by successive turns, each about an axis of the frame as turned so far. R is the
// matrix whose columns are the frame's axes, o its origin, both along the ground's axes; ω is its angular velocity along its own axes:
//
//   a point v of the frame is at      o + R v
//   placed at u in a parent           o = o_parent + R_parent u
//                                     v = v_parent + ω_parent × u + u̇   (along the parent's axes)
//   one more turn by φ about axis e   R ← R R_e(φ),   ω ← R_e(φ)ᵀ ω + φ̇ e,   v ← R_e(φ)ᵀ v
//
// So velocities in space are passed from joint to joint along moving axes, and R is never differentiated: a chain of N frames costs O(N).
// In the plane a frame is one angle: R = [c −s; s c], ω = dφ/dt. Source: Goldstein, §4.4 and §4.9; Featherstone, §5.3.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/base/source.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// Cartesian components along the ground axes: 2 or 3, the same number everywhere in a model.
using Vector = std::vector<Expr>;

/// A component as it is written: an expression, a coordinate, or a number. A number needs no model.
class Component {
 public:
  template <class T>
  requires std::convertible_to<const T&, const Expr&> Component(const T& expression) : expression_(expression) {}
  template <Number T>
  Component(const T& number) {
    bool finite = true;
    if constexpr (std::is_floating_point_v<T>) finite = std::isfinite(number);
    if (finite)
      number_ = to_rational(number);
    else
      expression_ = Expr::none(Misuse::kNotFinite);
  }
  Expr in(Graph& graph) const { return number_ ? graph.constant(*number_) : expression_; }
  /// The graph of the expression; null for a number.
  Graph* graph() const { return expression_ ? &expression_.graph() : nullptr; }
  const std::optional<Rational>& number() const { return number_; }
  const Expr& expression() const { return expression_; }  ///< null if the component is a number

 private:
  Expr expression_;
  std::optional<Rational> number_;
};

struct Frame;

/// A point that is fixed or moves as its position says. Created by Model::point and Model::rim.
struct Point {
  std::string name;
  Vector position;  ///< components along the ground axes
  Span span = {};
  std::shared_ptr<const Frame> disk = nullptr;  ///< the disk on whose rim the point is the lowest; null: none
};

/// Components as an argument: `{x, 0}`, `{0, -g}`, a Vector, or a point, which means its position.
class Components {
 public:
  Components() = default;
  Components(std::initializer_list<Component> components) : components_(components) {}
  Components(const Vector& vector) : components_(vector.begin(), vector.end()) {}
  Components(const Point& point) : Components(point.position) {
    point_ = point.name;
    disk_ = point.disk;
  }
  bool empty() const { return components_.empty(); }
  Vector in(Graph& graph) const;
  const std::string& point() const { return point_; }                 ///< the point's name; empty for plain components
  const std::shared_ptr<const Frame>& disk() const { return disk_; }  ///< the disk of the point, if it is on a rim

 private:
  std::vector<Component> components_;
  std::string point_;
  std::shared_ptr<const Frame> disk_;
};

/// A turn by an angle about the axis 'x', 'y' or 'z'; counter-clockwise for an observer who looks against the axis.
struct Turn {
  char axis = 'z';
  Expr angle;
  Vector about = {};  ///< another axis, of any length, along the frame's axes; empty: `axis` is used
};

/// The attitude of a frame relative to its parent as a unit quaternion e = (e₀, e₁, e₂, e₃), and its angular velocity relative to the parent,
/// along the frame's axes: ė = ½ e ∘ (0, ω).
struct Quaternion {
  std::array<Expr, 4> e;
  std::array<Expr, 3> omega;
};

/// How a frame is turned relative to its parent: by one angle in the plane, or by successive turns in space, each about an axis of the frame
/// as turned so far (intrinsic): `{{'z', psi}, {'x', theta}, {'z', phi}}` are Euler's angles.
class Rotation {
 public:
  Rotation() = default;
  template <class T>
  requires std::convertible_to<const T&, const Expr&> Rotation(const T& angle) : angle_(angle) {}
  Rotation(std::initializer_list<Turn> turns) : turns_(turns) {}
  Rotation(std::vector<Turn> turns) : turns_(std::move(turns)) {}
  const Expr& angle() const { return angle_; }  ///< the angle in the plane; null: not turned
  Rotation(Quaternion quaternion) : quaternion_(std::move(quaternion)) {}
  const std::vector<Turn>& turns() const { return turns_; }
  const std::optional<Quaternion>& quaternion() const { return quaternion_; }

 private:
  Expr angle_;
  std::vector<Turn> turns_;
  std::optional<Quaternion> quaternion_;
};

/// A set of moving axes. Created by Model::frame; `Frame{}` is the ground.
struct Frame {
  std::string name;
  Vector origin;               ///< o, along the ground axes; empty: the ground's origin
  Expr angle;                  ///< in the plane: angle to the ground; null if the frame never turns
  std::vector<Expr> rotation;  ///< in space: R, 3×3 by rows; empty if the frame never turns
  Vector omega;                ///< in space: ω along the frame's own axes; empty if the frame never turns
  Vector velocity = {};        ///< in space: v = ȯ along the frame's own axes; empty: 0
  Vector carried = {};         ///< in space: v = ȯ along the parent's axes
  /// In space: ω and v along the axes before the last turn, which was about axis number `spin`. For a body that is symmetric about that
  /// axis, such as a wheel, the energy is shorter in these components, since they do not contain the angle of the turn. Empty: no turns.
  Vector omega_before = {}, velocity_before = {};
  std::size_t spin = 0;
  Span span = {};
};

Vector cross(const Vector& a, const Vector& b);  ///< a × b, in space
/// R v: components along the ground axes of a vector given along the frame's axes.
Vector along_ground(const Frame& frame, const Vector& v);
/// Rᵀ v: components along the frame's axes of a vector given along the ground axes.
Vector along_frame(const Frame& frame, const Vector& v);
/// o + R v: the position of the point v of the frame, along the ground axes.
Vector place(const Frame& frame, const Vector& v);
/// The entry R_ij, with i and j from 0; the frame has `size` axes.
Expr rotation_entry(const Frame& frame, Graph& graph, std::size_t i, std::size_t j);
/// The unit vector of the frame's axis 'x', 'y' or 'z', along the ground axes: `axis(sleigh, 'y')`.
Components axis(const Frame& frame, char which);
/// ω along the ground axes (in the plane its only component); `rate` computes the time derivative of an expression. Empty if the frame never turns.
Vector angular_velocity(const Frame& frame, const std::function<Expr(const Expr&)>& rate);
/// The lowest point of the rim of a disk of that radius around the frame's origin; `axis` (of any length, along the frame's axes) is normal
/// to the disk. It is o − r (z − n_z n)/√(1 − n_z²), with n the unit normal and z the upward unit vector, and has no value where the disk
/// lies flat. `up` is +1, or −1 if the third ground axis points down.
Vector lowest_of_rim(const Frame& frame, const Vector& axis, const Expr& radius, int up);
/// A frame with the given origin (along the parent's axes) and rotation relative to its parent. Axes are 'x', 'y' and 'z'.
Frame place_frame(std::string name, const Frame& parent, const Vector& origin, const Rotation& rotation,
                  const std::function<Expr(const Expr&)>& rate);

/// Inertia about the centre of mass: one moment in the plane; in space three principal moments or the whole symmetric tensor, along the axes of
/// the body's frame.
class Inertia {
 public:
  Inertia() = default;
  template <class T>
  requires std::convertible_to<const T&, Component> Inertia(const T& moment) : entries_{Component(moment)} {}
  Inertia(std::initializer_list<Component> principal) : entries_(principal) {}
  Inertia(std::initializer_list<std::initializer_list<Component>> rows);
  Inertia(const Vector& entries) : entries_(entries.begin(), entries.end()) {}  ///< 1, 3 or 9 entries (by rows)
  bool empty() const { return entries_.empty(); }
  Vector in(Graph& graph) const;

 private:
  std::vector<Component> entries_;
};

/// A rigid body or point mass. Created by Model::body.
struct Body {
  std::string name;
  Expr mass, inertia;  ///< inertia in the plane, about the centre of mass; null for a point mass
  Vector position;     ///< position of the centre of mass
  Expr angle;          ///< angle in the plane; null for a point mass
  Span span = {};
  Vector tensor = {};  ///< in space: 3×3 by rows, about the centre of mass, along the frame's axes; empty: a point mass
  Frame frame = {};    ///< in space: the frame that turns with the body
  Vector com = {};     ///< in space: the centre of mass along the frame's axes; empty: only `position` is given
};

/// Fixes the body in the frame, with its centre of mass at `com` along the frame's axes.
void fix_in_frame(Body& body, const Frame& frame, const Vector& com);
/// The motion of a body that is fixed in a frame in space: the velocity of its centre of mass and its angular velocity, along those axes of
/// the frame in which its energy is shortest. An empty vector is 0.
struct Motion {
  Vector velocity, omega;
};
Motion motion_of(const Body& body, const std::function<Expr(const Expr&)>& rate);

}  // namespace dalembert
