// SPDX-License-Identifier: Apache-2.0
// Frames, points and bodies: what moves with what. The same for C++ and for model files, which only name things.
//
// A frame is placed in another (or in the ground) by an origin and by turns about axes, each axis that of the turns
// before it. With R the matrix whose columns are the frame's axes along the ground's, o its origin along the ground's
// axes and ω its angular velocity along its own axes:
//
//   a point v of the frame is at      o + R v
//   placed at u in a parent           o = o_parent + R_parent u
//                                     v = v_parent + ω_parent × u + u̇   (along the parent's axes)
//   one more turn by φ about axis e   R ← R R_e(φ),   ω ← R_e(φ)ᵀ ω + φ̇ e,   v ← R_e(φ)ᵀ v
//
// So velocities in space go from joint to joint along the axes that move, and nothing differentiates R: a chain of N
// frames costs O(N). In the plane a frame is one angle: R = [c −s; s c], ω = dφ/dt. Source: Goldstein, §4.4 and §4.9;
// Featherstone, §5.3.
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

/// Cartesian components along the ground axes; 2 or 3 of them, all of one size within a model.
using Vector = std::vector<Expr>;

/// A component as it is written: an expression, a coordinate, or a number, which needs no model.
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
  /// Null for a number.
  Graph* graph() const { return expression_ ? &expression_.graph() : nullptr; }
  const std::optional<Rational>& number() const { return number_; }
  const Expr& expression() const { return expression_; }  ///< null for a number

 private:
  Expr expression_;
  std::optional<Rational> number_;
};

struct Frame;

/// Something fixed, or moving as its position says. Made by Model::point and Model::rim.
struct Point {
  std::string name;
  Vector position;  ///< along the ground axes
  Span span = {};
  std::shared_ptr<const Frame> disk = nullptr;  ///< on whose rim it is the lowest point; null: on none
};

/// Components as an argument: `{x, 0}`, `{0, -g}`, a Vector, or a point, which says where it is.
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
  const std::shared_ptr<const Frame>& disk() const { return disk_; }  ///< the point's

 private:
  std::vector<Component> components_;
  std::string point_;
  std::shared_ptr<const Frame> disk_;
};

/// By an angle about an axis, 'x', 'y' or 'z'; counter-clockwise for someone who looks against the axis.
struct Turn {
  char axis = 'z';
  Expr angle;
  Vector about = {};  ///< another axis, of any length, along the frame's axes; empty: `axis` says which
};

/// The attitude of a frame against its parent as a unit quaternion e = (e₀, e₁, e₂, e₃), and the components of the angular
/// velocity of one against the other along the frame's axes: ė = ½ e ∘ (0, ω).
struct Quaternion {
  std::array<Expr, 4> e;
  std::array<Expr, 3> omega;
};

/// How a frame is turned against its parent: by one angle in the plane, or by turns in space, in this order, each about
/// an axis of the frame as turned so far (intrinsic): `{{'z', psi}, {'x', theta}, {'z', phi}}` are Euler's angles.
class Rotation {
 public:
  Rotation() = default;
  template <class T>
  requires std::convertible_to<const T&, const Expr&> Rotation(const T& angle) : angle_(angle) {}
  Rotation(std::initializer_list<Turn> turns) : turns_(turns) {}
  Rotation(std::vector<Turn> turns) : turns_(std::move(turns)) {}
  const Expr& angle() const { return angle_; }  ///< in the plane; null: not turned
  Rotation(Quaternion quaternion) : quaternion_(std::move(quaternion)) {}
  const std::vector<Turn>& turns() const { return turns_; }
  const std::optional<Quaternion>& quaternion() const { return quaternion_; }

 private:
  Expr angle_;
  std::vector<Turn> turns_;
  std::optional<Quaternion> quaternion_;
};

/// Axes that move. Made by Model::frame; `Frame{}` is the ground.
struct Frame {
  std::string name;
  Vector origin;               ///< o, along the ground axes; empty: the ground's
  Expr angle;                  ///< in the plane: against the ground; null where nothing turns
  std::vector<Expr> rotation;  ///< in space: R, 3×3 by rows; empty where nothing turns
  Vector omega;                ///< in space: ω along the frame's own axes; empty where nothing turns
  Vector velocity = {};        ///< in space: v = ȯ along the frame's own axes; empty: the ground's
  Vector carried = {};         ///< in space: the same v along the parent's axes
  /// In space: ω and v along the axes before the last turn, which leaves the axis `spin` where it is. What is the same
  /// all round that axis, such as the energy of a wheel, is shorter in these: the angle is not in it. Empty: no turns.
  Vector omega_before = {}, velocity_before = {};
  std::size_t spin = 0;
  Span span = {};
};

/// R v: components along the frame's axes as components along the ground's.
Vector along_ground(const Frame& frame, const Vector& v);
/// Rᵀ v: the other way.
Vector along_frame(const Frame& frame, const Vector& v);
/// o + R v: where the point v of the frame is.
Vector place(const Frame& frame, const Vector& v);
/// R_ij, i and j from 0; the frame has `size` axes.
Expr rotation_entry(const Frame& frame, Graph& graph, std::size_t i, std::size_t j);
/// The unit vector of the frame's axis 'x', 'y' or 'z', along the ground axes: `axis(sleigh, 'y')`.
Components axis(const Frame& frame, char which);
/// ω along the ground axes (in the plane its only component); `rate` gives the time derivative of an expression. Empty
/// where nothing turns.
Vector angular_velocity(const Frame& frame, const std::function<Expr(const Expr&)>& rate);
/// The lowest point of the rim of a disk of that radius about the frame's origin, `axis` (of any length, along the
/// frame's axes) being normal to it. With n the axis and z the upward unit vector, o − r (z − n_z n)/√(1 − n_z²): none
/// where the disk lies flat. `up`: +1, or −1 where the third ground axis points down.
Vector lowest_of_rim(const Frame& frame, const Vector& axis, const Expr& radius, int up);
/// The frame at `origin` (along the parent's axes) and turned against it. Axes are 'x', 'y' and 'z'.
Frame place_frame(std::string name, const Frame& parent, const Vector& origin, const Rotation& rotation,
                  const std::function<Expr(const Expr&)>& rate);

/// About the centre of mass: one moment in the plane; the principal moments or the whole symmetric tensor in space,
/// along the axes of the body's frame.
class Inertia {
 public:
  Inertia() = default;
  template <class T>
  requires std::convertible_to<const T&, Component> Inertia(const T& moment) : entries_{Component(moment)} {}
  Inertia(std::initializer_list<Component> principal) : entries_(principal) {}
  Inertia(std::initializer_list<std::initializer_list<Component>> rows);
  Inertia(const Vector& entries) : entries_(entries.begin(), entries.end()) {}  ///< 1, 3 or 9 (by rows)
  bool empty() const { return entries_.empty(); }
  Vector in(Graph& graph) const;

 private:
  std::vector<Component> entries_;
};

/// Made by Model::body.
struct Body {
  std::string name;
  Expr mass, inertia;  ///< in the plane: about the centre of mass; null for a point mass
  Vector position;     ///< of the centre of mass
  Expr angle;          ///< in the plane; null for a point mass
  Span span = {};
  Vector tensor = {};  ///< in space: 3×3 by rows, about the centre of mass, along the frame's axes; empty: a point mass
  Frame frame = {};    ///< in space: the axes that the body turns with
  Vector com = {};     ///< in space: the centre of mass along the frame's axes; empty: `position` says where it is
};

/// Fixes the centre of mass of `body` at `com` along the frame's axes.
void fix_in_frame(Body& body, const Frame& frame, const Vector& com);
/// Of a body that is fixed in a frame in space: ṙ of its centre of mass and ω, along whichever axes of the frame make
/// its energy shortest. Empty: where nothing moves, or turns.
struct Motion {
  Vector velocity, omega;
};
Motion motion_of(const Body& body, const std::function<Expr(const Expr&)>& rate);

}  // namespace dalembert
