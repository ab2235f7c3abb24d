// SPDX-License-Identifier: Apache-2.0
// [draw]: what pictures show. It has no influence on the motion.
#include <algorithm>

#include <fmt/format.h>

#include "dalembert/model/roles.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

// Indices of the points in a list; unknown names are reported and skipped.
std::vector<int> Loader::points_named(const Node& list) {
  std::vector<int> points;
  for (const Node& item : list.items) {
    const Definition* point = point_named(&item, {});
    if (!point) continue;
    if (const auto found = drawn_points_.find(point->name); found != drawn_points_.end())
      points.push_back(found->second);
  }
  return points;
}

std::optional<Drawing::Circle> Loader::read_circle(const Instance& instance) {
  const Node* at = instance.node->find("at");
  const Definition* point = point_named(at, instance.indices);
  const Written radius = written(instance, "radius");
  const Lowered length = names_.lower(radius, Role::kElement);
  if (!point || !length.value) return std::nullopt;
  const auto place = drawn_points_.find(point->name);
  if (place == drawn_points_.end()) return std::nullopt;
  expect(length, point->place.dimension, "a radius", radius);
  Drawing::Circle circle{place->second, length.value, {}};
  if (!has(instance, "axis")) {
    if (!has(instance, "frame")) return circle;
    report(error("E0012", "`frame` can be used only with `axis`", key_span(instance, "frame")));
    return std::nullopt;
  }
  const Place axis = names_.lower_vector(vector_of(instance, "axis"), Role::kGeometry);
  if (axis.position.empty()) return std::nullopt;
  if (axis.position.size() != 3 || point->place.position.size() != 3) {
    report(error("E0216", "the axis of a circle has 3 components, in a model in space", key_span(instance, "axis")));
    return std::nullopt;
  }
  circle.axis = axis.position;
  if (has(instance, "frame")) {
    const Definition* frame = frame_named(instance.node->find("frame"), instance.indices);
    if (!frame) return std::nullopt;
    circle.axis = along_ground(frame->frame, axis.position);
  }
  return circle;
}

void Loader::read_draw() {
  const Node* draw = section("draw");
  if (!draw || draw->bad) return;
  for (std::size_t i = 0; i < model_.points.size(); ++i)
    drawn_points_.emplace(model_.points[i].name, static_cast<int>(i));
  Drawing& drawing = model_.drawing;
  if (const Node* lines = draw->find("lines"); lines && !lines->bad) {
    drawing.lines.emplace();
    for (const Node& line : lines->items)
      if (std::vector<int> points = points_named(line); points.size() >= 2) drawing.lines->push_back(std::move(points));
  }
  if (const Node* circles = draw->find("circles"); circles && !circles->bad) {
    drawing.circles.emplace();
    for (const Node& item : circles->items)
      for (const Instance& instance : expand(item))
        if (auto circle = read_circle(instance)) drawing.circles->push_back(std::move(*circle));
  }
  if (const Node* trace = draw->find("trace"); trace && !trace->bad) drawing.trace = points_named(*trace);
  if (const Node* labels = draw->find("labels"); labels && !labels->bad) drawing.labels = points_named(*labels);
}

}  // namespace dalembert::modelfile
