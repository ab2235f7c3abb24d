// SPDX-License-Identifier: Apache-2.0
// Frames, points and bodies as C++ programs state them.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dalembert/model/model.h"
#include "dalembert/model/roles.h"

namespace dalembert {
namespace {

// The eigenvalues of a symmetric 3×3 matrix, ascending, by Jacobi's rotations (Golub & Van Loan, 4th ed., §8.5.3).
std::array<double, 3> principal_moments(std::vector<double> A) {
  const auto a = [&](std::size_t i, std::size_t j) -> double& { return A[3 * i + j]; };
  for (int sweep = 0; sweep < 20; ++sweep) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (a(p, q) == 0) continue;
        const double angle = std::atan2(2 * a(p, q), a(q, q) - a(p, p)) / 2, c = std::cos(angle), s = std::sin(angle);
        for (std::size_t k = 0; k < 3; ++k) {
          const double kp = a(k, p), kq = a(k, q);
          a(k, p) = c * kp - s * kq, a(k, q) = s * kp + c * kq;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double pk = a(p, k), qk = a(q, k);
          a(p, k) = c * pk - s * qk, a(q, k) = s * pk + c * qk;
        }
      }
    }
  }
  std::array<double, 3> moments{a(0, 0), a(1, 1), a(2, 2)};
  std::ranges::sort(moments);
  return moments;
}

// Why no body can have this tensor of inertia (by rows); empty if one can. The round-off of its entries and of Jacobi's rotations is a few eps
// times its size; the tolerance of 1e-12 is far above that and far below any measurement error.
std::string why_no_body_has(const std::vector<double>& tensor) {
  if (!std::ranges::all_of(tensor, [](double x) { return std::isfinite(x); })) return {};  // reported elsewhere
  const auto [least, middle, most] = principal_moments(tensor);
  const double tiny = 1e-12 * (std::abs(least) + std::abs(most));
  if (least < -tiny) return fmt::format("one of its principal moments is {:.10g}, below 0", least);
  if (least + middle < most - tiny)
    return fmt::format("its principal moments {:.10g}, {:.10g} and {:.10g} violate the triangle inequality", least,
                       middle, most);
  return {};
}

}  // namespace

Frame Model::frame(const std::string& frame_name, const FrameDescription& stated) {
  const Vector given = stated.origin.in(*graph);
  Rotation rotation = stated.rotate;
  std::vector<Expr> turned;
  if (rotation.angle().misuse() != Misuse::kEmpty) turned.push_back(rotation.angle());
  for (const Turn& turn : rotation.turns()) turned.push_back(turn.angle);
  Frame made = stated.parent;
  made.name = frame_name;
  if ((!given.empty() && (!same_space(given) || !takes(Role::kGeometry, given))) || !takes(Role::kGeometry, turned))
    return made;
  if (!stated.quaternion.empty()) {
    if (!rotation.turns().empty() || rotation.angle() || !are_a_quaternion(frame_name, stated.quaternion)) {
      if (diagnostics_.empty() || diagnostics_.back().code != "E0251")
        problem("E0012", fmt::format("the frame `{}` has both a quaternion and a rotation", frame_name));
      return made;
    }
    if (space_ == 0) space_ = 3;
    rotation = quaternion(frame_name, coordinate_index(stated.quaternion[0].name));
  }
  const bool axes = std::ranges::all_of(
      rotation.turns(), [](const Turn& turn) { return turn.axis == 'x' || turn.axis == 'y' || turn.axis == 'z'; });
  if (!axes || !agree(rotation)) {
    problem("E0225",
            axes ? fmt::format("the frame `{}` has a rotation that does not fit a model in {} dimensions", frame_name,
                               space_)
                 : fmt::format("the frame `{}` turns about an axis that is none of x, y and z", frame_name),
            "in the plane a frame turns by one angle, in space by turns about axes: {{'z', psi}, {'x', theta}}");
    return made;
  }
  // A frame without an origin has its parent's origin.
  const Vector origin = given.empty() ? Vector(static_cast<std::size_t>(space_), graph->constant(0)) : given;
  made = place_frame(frame_name, stated.parent, origin, rotation, [this](const Expr& e) { return dot(e); });
  made.span = here;
  add_frame(made);
  return made;
}

// Whether the rotation has the right number of components. If no vector was given before, it sets the number for the model.
bool Model::agree(const Rotation& rotation) {
  const int wanted = rotation.angle() ? 2 : rotation.turns().empty() && !rotation.quaternion() ? 0 : 3;
  if (space_ == 0) space_ = wanted;
  return wanted == 0 || wanted == space_;
}

// Whether these are four consecutive coordinates of this model that belong to no other frame.
bool Model::are_a_quaternion(const std::string& frame_name, const std::vector<Coordinate>& four) {
  const int first = four.empty() ? -1 : coordinate_index(four[0].name);
  bool good = four.size() == 4 && first >= 0;
  for (std::size_t i = 0; good && i < 4; ++i) good = coordinate_index(four[i].name) == first + static_cast<int>(i);
  if (good &&
      std::ranges::none_of(quaternions, [&](const FrameQuaternion& q) { return std::abs(q.first - first) < 4; }))
    return true;
  problem("E0251",
          good ? fmt::format("the coordinates of `{}` already describe the attitude of another frame", frame_name)
               : fmt::format("the quaternion of `{}` needs four consecutive coordinates", frame_name),
          "declare them in a row: `coordinates = [\"e0\", \"e1\", \"e2\", \"e3\"]`, the scalar first");
  return false;
}

Quaternion Model::quaternion(const std::string& frame_name, int first) {
  Quaternion made;
  for (std::size_t i = 0; i < 4; ++i) made.e[i] = coordinates[static_cast<std::size_t>(first) + i].q;
  for (std::size_t i = 0; i < 3; ++i)
    made.omega[i] = graph->add_symbol({fmt::format("{}.omega.{}", frame_name, "xyz"[i]),
                                       SymbolKind::kQuasiVelocity,
                                       static_cast<int>(3 * quaternions.size() + i),
                                       {}});
  quaternions.push_back({frame_name, first, made.omega, here});
  return made;
}

std::vector<VelocityPlace> Model::velocity_places() const {
  std::vector<int> beginning(coordinates.size(), -1);  // by coordinate: the quaternion that begins with it; -1: none
  for (std::size_t k = quaternions.size(); k-- > 0;)
    beginning[static_cast<std::size_t>(quaternions[k].first)] = static_cast<int>(k);
  std::vector<VelocityPlace> places;
  for (int i = 0; i < static_cast<int>(coordinates.size()); ++i) {
    const int quaternion = beginning[static_cast<std::size_t>(i)];
    if (quaternion < 0) {
      places.push_back({i});
      continue;
    }
    for (int axis = 0; axis < 3; ++axis) places.push_back({i, quaternion, axis});
    i += 3;
  }
  return places;
}

std::string Model::velocity_name(const VelocityPlace& place) const {
  if (place.quaternion < 0) return coordinates[static_cast<std::size_t>(place.coordinate)].name + "'";
  return fmt::format("{}.omega.{}", quaternions[static_cast<std::size_t>(place.quaternion)].frame, "xyz"[place.axis]);
}

Point Model::point(const std::string& point_name, const Components& position) {
  Point made{point_name, position.in(*graph), here};
  if (same_space(made.position) && takes(Role::kGeometry, made.position)) points.push_back(made);
  return made;
}

Point Model::point(const std::string& point_name, const Frame& frame, const Components& at) {
  return point(point_name, place(frame, at.in(*graph)));
}

Point Model::rim(const std::string& point_name, const Frame& disk, const Components& axis, const Component& radius) {
  const Vector normal = axis.in(*graph);
  const Expr r = radius.in(*graph);
  Point made{point_name, disk.origin, here};
  if (!same_space(normal) || !takes(Role::kConstant, normal) || !takes(Role::kConstant, {r})) return made;
  double length = 0;
  for (const Expr& component : normal) length += std::abs(value_of(component));
  if (normal.size() != 3 || !(length > 0) || !std::isfinite(length)) {
    problem("E0252", fmt::format("the rim `{}` needs a disk in space and an axis that is not 0", point_name));
    return made;
  }
  if (!(value_of(r) > 0)) {
    problem("E0252",
            fmt::format("the radius of the rim `{}` must be positive, and is {:.6g}", point_name, value_of(r)));
    return made;
  }
  made.position = lowest_of_rim(disk, normal, r, gravity_field.empty() ? 1 : upward(gravity_field.back()));
  made.disk = std::make_shared<const Frame>(disk);
  if (same_space(made.position) && takes(Role::kGeometry, made.position)) points.push_back(made);
  return made;
}

Body Model::body(const std::string& body_name, const Component& mass, const Components& position) {
  return body(body_name, {.mass = mass, .position = position});
}

Body Model::body(const std::string& body_name, const Component& mass, const Component& inertia,
                 const Components& position, const Expr& angle) {
  return body(body_name, {.mass = mass, .inertia = inertia, .position = position, .angle = angle});
}

Body Model::body(const std::string& body_name, const BodyDescription& stated) {
  Body made{body_name, stated.mass.in(*graph), {}, stated.position.in(*graph), stated.angle, here};
  if (stated.frame.has_value() != stated.position.empty()) {
    problem("E0012", fmt::format("the body `{}` needs exactly one of `frame` and `position`", body_name));
    return made;
  }
  if (stated.frame) {
    const Vector com = stated.com.in(*graph);
    const std::size_t size = stated.frame->origin.empty()
                                 ? std::max(com.size(), static_cast<std::size_t>(std::max(space_, 2)))
                                 : stated.frame->origin.size();
    fix_in_frame(made, *stated.frame, com.empty() ? Vector(size, graph->constant(0)) : com);
  }
  if (!give_inertia(made, stated.inertia.in(*graph))) return made;
  add_bodies({made});
  return made;
}

bool Model::give_inertia(Body& body, const Vector& entries) {
  const auto wrong = [&](const char* what) {
    problem("E0225", fmt::format("the inertia of `{}` {}", body.name, what),
            "in the plane it is one moment, in space [Ixx, Iyy, Izz] or a symmetric 3x3 matrix along the frame's axes");
    return false;
  };
  std::vector<double> values;
  for (const Expr& entry : entries)
    if (is_sound("an inertia", entry)) values.push_back(value_of(entry));
  if (values.size() != entries.size()) return false;
  if (entries.empty()) return true;
  if (body.position.size() == 2) {
    if (entries.size() != 1) return wrong("has more than one entry, in the plane");
    body.inertia = entries[0];
    return true;
  }
  if (entries.size() != 3 && entries.size() != 9) return wrong("has neither 3 nor 9 entries, in space");
  if (body.frame.rotation.empty()) {
    // The inertia of a body that cannot turn has no effect.
    if (body.frame.name.empty()) return wrong("needs a frame that says how the body turns");
    return true;
  }
  body.tensor = entries;
  if (entries.size() == 3) {
    body.tensor.assign(9, graph->constant(0));
    for (std::size_t i = 0; i < 3; ++i) body.tensor[4 * i] = entries[i];
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!body.tensor[3 * i + j].same(body.tensor[3 * j + i])) {
        body.tensor.clear();
        return wrong("is not symmetric");
      }
  if (values.size() == 3) values = {values[0], 0, 0, 0, values[1], 0, 0, 0, values[2]};
  const std::string fault = why_no_body_has(values);
  if (fault.empty()) return true;
  problem("E0250", fmt::format("no body has the inertia of `{}`: {}", body.name, fault),
          "it is taken about the centre of mass, along the frame's axes; a product of inertia is the entry of the "
          "matrix, minus the integral of x y");
  body.tensor.clear();
  return false;
}

}  // namespace dalembert
