// SPDX-License-Identifier: Apache-2.0
// Reads definitions, frames, points and bodies.
#include <fmt/format.h>

#include "dalembert/base/text.h"
#include "dalembert/model/roles.h"
#include "dalembert/modelfile/loader.h"

namespace dalembert::modelfile {

void Loader::declare_definitions() {
  declare_definitions("define", "definition", false);
  declare_definitions("quasi_velocities", "quasi-velocity", true);
}

void Loader::declare_definitions(std::string_view in, std::string_view what, bool quasi_velocities) {
  const Node* define = section(in);
  if (!define) return;
  for (const Entry& entry : define->entries) {
    const Span place = document_.key_span(entry);
    if (!usable_name(entry.key, place, what)) continue;
    if (entry.node.bad) {
      names_.add_silent(entry.key);
      continue;
    }
    const bool taken = names_.name(entry.key).state == Meaning::State::kKnown || names_.integer(entry.key);
    if (taken) {
      Diagnostic problem = error("E0008", fmt::format("the name `{}` is used twice", entry.key), place);
      if (const Span other = names_.declared(entry.key)) problem.secondary.push_back({other, "first used here"});
      report(std::move(problem));
      continue;
    }
    Definition definition;
    definition.name = entry.key;
    definition.span = place;
    definition.value = {&entry.node, {}};
    definition.quasi_velocity = quasi_velocities;
    names_.add_definition(std::move(definition));
  }
}

void Loader::declare_frames() {
  for (const Instance& instance : expand("frame")) {
    Definition frame;
    frame.kind = Definition::Kind::kFrame;
    frame.name = name_of(instance);
    frame.span = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (frame.name == "ground") {
      report(error("E0011", "`ground` cannot name a frame", frame.span, "it is the frame that does not move"));
      continue;
    }
    if (!usable_name(frame.name, frame.span, "frame")) continue;
    if (has(instance, "origin") && !instance.node->find("origin")) frame.state = Definition::State::kFailed;
    if (has(instance, "rotate") && !instance.node->find("rotate")) frame.state = Definition::State::kFailed;
    if (has(instance, "quaternion") && !read_quaternion(instance, frame)) frame.state = Definition::State::kFailed;
    frame.at = vector_of(instance, "origin");
    if (const Node* rotate = instance.node->find("rotate")) {
      if (rotate->is(Node::Type::kArray))
        for (const Node& turn : rotate->items) {
          Definition::WrittenTurn& written = frame.turns.emplace_back();
          written.angle = {&turn.items[1], instance.indices};
          if (turn.items[0].is(Node::Type::kString)) written.axis = turn.items[0].text.text[0];
          for (const Node& component : turn.items[0].items) written.about.push_back({&component, instance.indices});
        }
      else
        frame.rotate = {rotate, instance.indices};
    }
    if (const Node* parent = instance.node->find("parent")) {
      frame.base = text_of(parent, instance.indices).value_or("");
      frame.base_span = parent->text.span();
    }
    names_.add_definition(std::move(frame));
  }
}

// Reads the quaternion of a frame: four consecutive coordinates that belong to no other frame.
bool Loader::read_quaternion(const Instance& instance, Definition& frame) {
  const Node* node = instance.node->find("quaternion");
  if (!node || node->bad) return false;
  if (has(instance, "rotate")) {
    report(error("E0012", "a frame is turned by `rotate` or by a `quaternion`, not by both",
                 key_span(instance, "quaternion")));
    return false;
  }
  std::vector<Coordinate> four;
  for (const Node& item : node->items) {
    const Coordinate* coordinate = coordinate_named(&item, instance.indices);
    if (!coordinate) return false;
    expect_dimension({coordinate->q, dimension_of(*coordinate), false}, {}, "a component of a quaternion",
                     item.text.span(), names_, diagnostics_, Measure::kAngle);
    four.push_back(*coordinate);
  }
  model_.here = document_.span(*node);
  if (!model_.are_a_quaternion(frame.name, four)) return false;
  frame.quaternion = model_.coordinate_index(four[0].name);
  for (const auto& [first, other] : quaternions_) {
    if (std::abs(first - frame.quaternion) >= 4) continue;
    report(error("E0251",
                 fmt::format("the coordinates of `{}` already describe the attitude of `{}`", frame.name, other),
                 document_.span(*node)));
    return false;
  }
  quaternions_.emplace_back(frame.quaternion, frame.name);
  return true;
}

void Loader::declare_points() {
  for (const Instance& instance : expand("point")) {
    Definition point;
    point.kind = Definition::Kind::kPoint;
    point.name = name_of(instance);
    point.span = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (!usable_name(point.name, point.span, "point")) continue;
    if (const Node* rim = instance.node->find("rim")) {
      if (!place_on_rim(instance, *rim, point)) point.state = Definition::State::kFailed;
      names_.add_definition(std::move(point));
      continue;
    }
    point.at = vector_of(instance, "at");
    if (point.at.empty()) {
      point.state = Definition::State::kFailed;
      if (!has(instance, "at") && !has(instance, "rim")) {
        report(error("E0007", "the key `at` is missing", span(instance), fmt::format("where is `{}`?", point.name)));
        diagnostics_.back().help.push_back("write `at = [\"x\", \"y\"]`");
      }
    }
    if (const Node* frame = instance.node->find("frame")) {
      point.base = text_of(frame, instance.indices).value_or("");
      point.base_span = frame->text.span();
    }
    names_.add_definition(std::move(point));
  }
}

bool Loader::place_on_rim(const Instance& instance, const Node& rim, Definition& point) {
  for (const char* other : {"at", "frame"}) {
    if (!has(instance, other)) continue;
    report(error("E0012", fmt::format("`{}` cannot be combined with `rim`", other), key_span(instance, other)));
    return false;
  }
  const Node* frame = rim.find("frame");
  const Node* axis = rim.find("axis");
  if (!frame || !axis || !rim.find("radius")) return false;
  if (axis->items.size() != 3) {
    report(error("E0216", "the axis of a rim has 3 components", document_.span(*axis)));
    return false;
  }
  point.base = text_of(frame, instance.indices).value_or("");
  point.base_span = frame->text.span();
  for (const Node& component : axis->items) point.rim_axis.push_back({&component, instance.indices});
  point.rim_radius = {rim.find("radius"), instance.indices};
  return !point.base.empty();
}

void Loader::read_gravity() {
  // Frames and points are added to the model because they can be drawn.
  for (const Definition* frame : names_.all(Definition::Kind::kFrame))
    if (frame->state == Definition::State::kDone) model_.add_frame(frame->frame);
  for (const Definition* point : names_.all(Definition::Kind::kPoint)) {
    if (point->state != Definition::State::kDone) continue;
    model_.here = point->span;
    model_.point(point->name, point->place.position);
    if (!model_.points.empty() && model_.points.back().name == point->name) model_.points.back().disk = point->disk;
  }
  const Node* gravity = section("gravity");
  if (!gravity) return;
  std::vector<Written> components;
  for (const Node& item : gravity->items) components.push_back({&item, {}});
  const Place field = names_.lower_vector(components, Role::kGeometry);
  if (field.position.empty()) return;
  model_.here = document_.span(*gravity);
  model_.gravity(field.position);
  // For a body at r both m g r and m ṙ² are energies, so g has the unit [r]/s². This is checked for each body when its
  // position is known.
  gravity_ = {field.position[0], field.dimension, false};
}

void Loader::read_bodies() {
  std::vector<Body> bodies;
  std::unordered_map<std::string, Span> seen;
  for (const Instance& instance : expand("body")) {
    const std::string name = name_of(instance);
    const Span place = instance.node->find("name") ? instance.node->find("name")->text.span() : span(instance);
    if (!usable_name(name, place, "body")) continue;
    const auto [first, is_new] = seen.emplace(name, place);
    if (!is_new) {
      Diagnostic problem = error("E0008", fmt::format("the body `{}` is defined twice", name), place);
      problem.secondary.push_back({first->second, "first here"});
      report(std::move(problem));
      continue;
    }
    if (auto body = read_body(instance, name))
      bodies.push_back(std::move(*body));
    else
      failed_bodies_.insert(name);
  }
  model_.add_bodies(std::move(bodies));
}

// Whether the body is placed either in a frame or on the ground, with the keys that belong to it; false if an error was reported.
bool Loader::places_body_well(const Instance& instance, const std::string& name) {
  const bool framed = has(instance, "frame"), placed = has(instance, "position");
  if (framed == placed) {
    Diagnostic problem =
        error("E0012", fmt::format("the body `{}` needs exactly one of `frame` and `position`", name), span(instance));
    problem.help.push_back("write `position = [\"x\", \"y\"]` with `angle`, or `frame = \"…\"` with `com`");
    report(std::move(problem));
    return false;
  }
  for (const char* other : {"com", "angle"}) {
    const bool fits = framed == (std::string_view(other) == "com");
    if (fits || !has(instance, other)) continue;
    report(error("E0012", fmt::format("`{}` cannot be combined with `{}`", other, framed ? "frame" : "position"),
                 key_span(instance, other)));
    return false;
  }
  return true;
}

// Reads a body's centre of mass in its frame, which determines its position; nothing if an error was reported.
std::optional<Place> Loader::place_in_frame(const Instance& instance, Body& body) {
  const Definition* frame = frame_named(instance.node->find("frame"), instance.indices);
  if (!frame) return std::nullopt;
  const bool ground = frame->place.position.empty();
  Place place = names_.lower_vector(vector_of(instance, "com"), Role::kGeometry);
  if (has(instance, "com") && place.position.empty()) return std::nullopt;
  if (!has(instance, "com")) {
    place.position.assign(ground ? 2 : frame->place.position.size(), model_.constant(0));
    place.dimension = ground ? names_.dimensions().fresh() : frame->place.dimension;
  }
  if (!ground && frame->place.position.size() != place.position.size()) {
    report(
        error("E0216",
              fmt::format("{} components in a frame that has {}", place.position.size(), frame->place.position.size()),
              key_span(instance, "com")));
    return std::nullopt;
  }
  if (!ground)
    expect_dimension({place.position[0], place.dimension, false}, frame->place.dimension, "a centre of mass",
                     key_span(instance, "com"), names_, diagnostics_);
  fix_in_frame(body, frame->frame, place.position);
  return place;
}

// Reads a body's position and, in the plane, its angle; nothing if an error was reported.
std::optional<Place> Loader::place_on_ground(const Instance& instance, Body& body) {
  Place place = names_.lower_vector(vector_of(instance, "position"), Role::kGeometry);
  bool good = !place.position.empty();
  if (has(instance, "angle")) {
    const Written angle = written(instance, "angle");
    const Lowered turn = names_.lower(angle, Role::kGeometry);
    expect(turn, {}, "an angle", angle, Measure::kAngle);
    body.angle = turn.value;
    good = good && turn.value;
  } else if (has(instance, "inertia") && place.position.size() != 3) {
    Diagnostic problem =
        error("E0007", "the key `angle` is missing", span(instance), "an inertia without an angle does nothing");
    problem.help.push_back("write `angle = \"theta\"`, or leave `inertia` out for a point mass");
    report(std::move(problem));
    good = false;
  }
  if (!good) return std::nullopt;
  body.position = place.position;
  return place;
}

std::optional<Body> Loader::read_body(const Instance& instance, const std::string& name) {
  if (!places_body_well(instance, name)) return std::nullopt;
  Body body{name, {}, {}, {}, {}, span(instance)};
  const Written mass = written(instance, "mass");
  const Lowered m = names_.lower(mass, Role::kConstant);
  const std::optional<Vector> inertia = read_inertia(instance);

  const std::optional<Place> place =
      has(instance, "frame") ? place_in_frame(instance, body) : place_on_ground(instance, body);
  if (!place || !m.value || !inertia) return std::nullopt;
  const DimensionTerm speed = place->dimension / Dimension::time();
  expect(m, DimensionTerm(Dimension::energy()) / speed.power(2), "a mass", mass);
  if (gravity_.value)
    expect_dimension(gravity_, place->dimension / Dimension::time().power(2), "gravity",
                     document_.span(*section("gravity")), names_, diagnostics_);
  body.mass = m.value;
  model_.here = has(instance, "inertia") ? document_.span(*instance.node->find("inertia")) : body.span;
  if (!model_.give_inertia(body, *inertia)) return std::nullopt;
  model_.here = body.span;
  return body;
}

// Reads one moment, three moments, or three rows of three; nothing if an error was reported.
std::optional<Vector> Loader::read_inertia(const Instance& instance) {
  Vector entries;
  if (!has(instance, "inertia")) return entries;
  const Node* node = instance.node->find("inertia");
  if (!node) return std::nullopt;
  bool good = true;
  const auto read = [&](const Node& item) {
    const Written text{&item, instance.indices};
    const Lowered entry = names_.lower(text, Role::kConstant);
    expect(entry, Dimension::energy() * Dimension::time().power(2), "a moment of inertia", text);
    if (entry.value) entries.push_back(entry.value);
    good = good && entry.value;
  };
  if (!node->is(Node::Type::kArray)) read(*node);
  for (const Node& row : node->items) {
    if (!row.is(Node::Type::kArray)) read(row);
    for (const Node& item : row.items) read(item);
  }
  return good ? std::optional(std::move(entries)) : std::nullopt;
}

}  // namespace dalembert::modelfile
