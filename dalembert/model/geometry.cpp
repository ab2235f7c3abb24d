// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/geometry.h"

#include <algorithm>

namespace dalembert {
namespace {

constexpr std::size_t kAxes = 3;

Expr inner(const Expr& a0, const Expr& b0, const Expr& a1, const Expr& b1, const Expr& a2, const Expr& b2) {
  return a0.graph().sum(std::array{a0 * b0, a1 * b1, a2 * b2});
}

std::size_t number_of(char axis) { return static_cast<std::size_t>(axis - 'x'); }

// One more turn about an axis of the frame.
void turn(Frame& frame, const Turn& by, const std::function<Expr(const Expr&)>& rate) {
  Graph& graph = by.angle.graph();
  if (frame.rotation.empty()) {
    for (std::size_t i = 0; i < kAxes * kAxes; ++i) frame.rotation.push_back(graph.constant(i % (kAxes + 1) == 0));
    frame.omega.assign(kAxes, graph.constant(0));
  }
  // Axis e stays; the two others, a and b with a × b = e, turn towards each other.
  const std::size_t e = number_of(by.axis), a = (e + 1) % kAxes, b = (e + 2) % kAxes;
  const Expr c = cos(by.angle), s = sin(by.angle);
  for (std::size_t i = 0; i < kAxes; ++i) {
    Expr& along_a = frame.rotation[kAxes * i + a];
    Expr& along_b = frame.rotation[kAxes * i + b];
    const Expr before = along_a;
    along_a = c * before + s * along_b;
    along_b = c * along_b - s * before;
  }
  const Expr before = frame.omega[a];
  frame.omega[a] = c * before + s * frame.omega[b];
  frame.omega[b] = c * frame.omega[b] - s * before;
  frame.omega[e] = frame.omega[e] + rate(by.angle);
}

}  // namespace

Vector Components::in(Graph& graph) const {
  Vector vector;
  for (const Component& component : components_) vector.push_back(component.in(graph));
  return vector;
}

Vector along_ground(const Frame& frame, const Vector& v) {
  if (frame.angle && v.size() == 2) {
    const Expr c = cos(frame.angle), s = sin(frame.angle);
    return {c * v[0] - s * v[1], s * v[0] + c * v[1]};
  }
  if (frame.rotation.empty() || v.size() != kAxes) return v;
  Vector turned;
  const std::vector<Expr>& R = frame.rotation;
  for (std::size_t i = 0; i < R.size(); i += kAxes) turned.push_back(inner(R[i], v[0], R[i + 1], v[1], R[i + 2], v[2]));
  return turned;
}

Vector along_frame(const Frame& frame, const Vector& v) {
  if (frame.angle && v.size() == 2) {
    const Expr c = cos(frame.angle), s = sin(frame.angle);
    return {c * v[0] + s * v[1], c * v[1] - s * v[0]};
  }
  if (frame.rotation.empty() || v.size() != kAxes) return v;
  Vector turned;
  const std::vector<Expr>& R = frame.rotation;
  for (std::size_t j = 0; j < kAxes; ++j)
    turned.push_back(inner(R[j], v[0], R[kAxes + j], v[1], R[2 * kAxes + j], v[2]));
  return turned;
}

Vector place(const Frame& frame, const Vector& v) {
  Vector at = along_ground(frame, v);
  for (std::size_t i = 0; i < at.size() && i < frame.origin.size(); ++i) at[i] = frame.origin[i] + at[i];
  return at;
}

Expr rotation_entry(const Frame& frame, Graph& graph, std::size_t i, std::size_t j) {
  if (!frame.rotation.empty()) return frame.rotation[kAxes * i + j];
  if (!frame.angle) return graph.constant(i == j ? 1 : 0);
  const Expr c = cos(frame.angle), s = sin(frame.angle);
  return i == j ? c : i == 0 ? -s : s;
}

Components axis(const Frame& frame, char which) {
  const std::size_t j = number_of(which), size = frame.angle ? 2 : frame.rotation.empty() ? frame.origin.size() : kAxes;
  Vector unit;
  if (frame.angle || !frame.rotation.empty()) {
    Graph& graph = frame.angle ? frame.angle.graph() : frame.rotation.front().graph();
    for (std::size_t i = 0; i < size; ++i) unit.push_back(rotation_entry(frame, graph, i, j));
    return unit;
  }
  // Axes of a frame that is not turned are numbers.
  const int x = j == 0, y = j == 1, z = j == 2;
  return size == 3 ? Components{x, y, z} : Components{x, y};
}

Vector angular_velocity(const Frame& frame, const std::function<Expr(const Expr&)>& rate) {
  if (frame.angle) return {rate(frame.angle)};
  return frame.rotation.empty() ? Vector{} : along_ground(frame, frame.omega);
}

Frame place_frame(std::string name, const Frame& parent, const Vector& origin, const Rotation& rotation,
                  const std::function<Expr(const Expr&)>& rate) {
  Frame frame = parent;
  frame.name = std::move(name);
  if (const Expr& angle = rotation.angle()) frame.angle = parent.angle ? parent.angle + angle : angle;
  frame.origin = place(parent, origin);
  for (const Turn& by : rotation.turns()) turn(frame, by, rate);
  return frame;
}

Inertia::Inertia(std::initializer_list<std::initializer_list<Component>> rows) {
  for (const auto& row : rows) entries_.insert(entries_.end(), row.begin(), row.end());
}

Vector Inertia::in(Graph& graph) const {
  Vector entries;
  for (const Component& entry : entries_) entries.push_back(entry.in(graph));
  return entries;
}

}  // namespace dalembert
