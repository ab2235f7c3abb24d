// SPDX-License-Identifier: Apache-2.0
// Frames, points and bodies as C++ states them.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/model/model.h"

namespace dalembert {

Frame Model::frame(const std::string& frame_name, const FrameDescription& stated) {
  const Vector given = stated.origin.in(*graph);
  const Rotation& rotation = stated.rotate;
  std::vector<Expr> turned;
  if (rotation.angle().misuse() != Misuse::kEmpty) turned.push_back(rotation.angle());
  for (const Turn& turn : rotation.turns()) turned.push_back(turn.angle);
  Frame made = stated.parent;
  made.name = frame_name;
  if ((!given.empty() && (!same_space(given) || !takes(Role::kGeometry, given))) || !takes(Role::kGeometry, turned))
    return made;
  const bool axes = std::ranges::all_of(
      rotation.turns(), [](const Turn& turn) { return turn.axis == 'x' || turn.axis == 'y' || turn.axis == 'z'; });
  if (!axes || !agree(rotation)) {
    problem("E0225",
            axes ? fmt::format("the frame `{}` is not turned as a model of {} components is", frame_name, space_)
                 : fmt::format("the frame `{}` turns about an axis that is none of x, y and z", frame_name),
            "in the plane a frame turns by one angle, in space by turns about axes: {{'z', psi}, {'x', theta}}");
    return made;
  }
  // A frame without an origin begins where its parent does.
  const Vector origin = given.empty() ? Vector(static_cast<std::size_t>(space_), graph->constant(0)) : given;
  made = place_frame(frame_name, stated.parent, origin, rotation, [this](const Expr& e) { return dot(e); });
  made.span = here;
  add_frame(made);
  return made;
}

// The first rotation may be what says how many components vectors have.
bool Model::agree(const Rotation& rotation) {
  const int wanted = rotation.angle() ? 2 : rotation.turns().empty() ? 0 : 3;
  if (space_ == 0) space_ = wanted;
  return wanted == 0 || wanted == space_;
}

Point Model::point(const std::string& point_name, const Components& position) {
  Point made{point_name, position.in(*graph), here};
  if (same_space(made.position) && takes(Role::kGeometry, made.position)) points.push_back(made);
  return made;
}

Point Model::point(const std::string& point_name, const Frame& frame, const Components& at) {
  return point(point_name, place(frame, at.in(*graph)));
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
    made.frame = *stated.frame;
    const Vector com = stated.com.in(*graph);
    const std::size_t size = made.frame.origin.empty()
                                 ? std::max(com.size(), static_cast<std::size_t>(std::max(space_, 2)))
                                 : made.frame.origin.size();
    made.position = place(made.frame, com.empty() ? Vector(size, graph->constant(0)) : com);
    if (made.frame.rotation.empty() && size == 2) made.angle = made.frame.angle ? made.frame.angle : graph->constant(0);
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
  if (entries.empty()) return true;
  if (body.position.size() == 2) {
    if (entries.size() != 1) return wrong("has more than one entry, in the plane");
    body.inertia = entries[0];
    return true;
  }
  if (entries.size() != 3 && entries.size() != 9) return wrong("is not that of a body in space");
  if (body.frame.rotation.empty()) {
    // Of a body that cannot turn it does nothing.
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
  return true;
}

}  // namespace dalembert
