// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/geometry.h"

#include <algorithm>

#include "dalembert/expr/ordered.h"

namespace dalembert {

Vector cross(const Vector& a, const Vector& b) {
  Vector product;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    product.push_back(difference_of_products(a[j], b[k], a[k], b[j]));
  }
  return product;
}

namespace {

constexpr std::size_t kAxes = 3;

Expr inner(const Expr& a0, const Expr& b0, const Expr& a1, const Expr& b1, const Expr& a2, const Expr& b2) {
  return a0.graph().sum(std::array{a0 * b0, a1 * b1, a2 * b2});
}

std::size_t number_of(char axis) { return static_cast<std::size_t>(axis - 'x'); }

Vector sum(const Vector& a, const Vector& b) {
  Vector total;
  for (std::size_t i = 0; i < a.size(); ++i) total.push_back(a[i] + b[i]);
  return total;
}

Vector rates_of(const Vector& v, const std::function<Expr(const Expr&)>& rate) {
  Vector rates;
  for (const Expr& component : v) rates.push_back(rate(component));
  return rates;
}

bool vanishes(const Vector& v) { return std::ranges::all_of(v, &Expr::is_zero); }

// A rotation by an angle about an axis of the frame, or about any other axis; applies it to components of vectors.
class Turning {
 public:
  explicit Turning(const Turn& by) : cosine_(cos(by.angle)), sine_(sin(by.angle)), e_(number_of(by.axis)) {
    if (by.about.empty()) return;
    const Expr length = sqrt(inner(by.about[0], by.about[0], by.about[1], by.about[1], by.about[2], by.about[2]));
    for (const Expr& component : by.about) unit_.push_back(component / length);
    for (std::size_t i = 0; i < kAxes; ++i)
      if (unit_[(i + 1) % kAxes].is_zero() && unit_[(i + 2) % kAxes].is_zero()) along_ = unit_[e_ = i];
    if (along_) unit_.clear(), sine_ = along_ * sine_;
  }
  // R_eᵀ v: the components of v along the turned axes, from those along the axes before. Applied to the rows of R, it gives R R_e.
  Vector along_turned(const Vector& v) const {
    Vector turned = v;
    if (!unit_.empty()) {
      // Rodrigues' formula for −φ: c v + (1 − c) (n·v) n − s n × v.
      const Expr n_v = (1 - cosine_) * inner(unit_[0], v[0], unit_[1], v[1], unit_[2], v[2]);
      const Vector n_x_v = cross(unit_, v);
      for (std::size_t i = 0; i < kAxes; ++i) {
        turned[i] = sum_of_products(cosine_, v[i], n_v, unit_[i]);
        turned[i] = turned[i] - sine_ * n_x_v[i];
      }
      return turned;
    }
    // Axis e is unchanged; the other two, a and b with a × b = e, turn in their plane.
    const std::size_t a = (e_ + 1) % kAxes, b = (e_ + 2) % kAxes;
    turned[a] = sum_of_products(cosine_, v[a], sine_, v[b]);
    turned[b] = difference_of_products(cosine_, v[b], sine_, v[a]);
    return turned;
  }
  // Adds the rate of the turn to the angular velocity: ω + φ̇ e.
  void add_rate(Vector& omega, const Expr& rate) const {
    if (unit_.empty())
      omega[e_] = omega[e_] + (along_ ? along_ * rate : rate);
    else
      for (std::size_t i = 0; i < kAxes; ++i) omega[i] = omega[i] + rate * unit_[i];
  }

  std::size_t axis() const { return unit_.empty() ? e_ : kAxes; }

 private:
  Expr cosine_, sine_;
  std::size_t e_;
  Expr along_;   // ±1 if the axis is given by components and parallel to axis e, else null
  Vector unit_;  // the unit vector of the axis, if it is parallel to none of the three axes; else empty
};

// Makes R and ω explicit (identity and 0) in a frame that has not been turned.
void give_rotation(Frame& frame, Graph& graph) {
  if (!frame.rotation.empty()) return;
  for (std::size_t i = 0; i < kAxes * kAxes; ++i) frame.rotation.push_back(graph.constant(i % (kAxes + 1) == 0));
  frame.omega.assign(kAxes, graph.constant(0));
}

// Turns the frame once more, about one of its axes.
void turn(Frame& frame, const Turn& by, const std::function<Expr(const Expr&)>& rate) {
  give_rotation(frame, by.angle.graph());
  const Turning turning(by);
  const Expr speed = rate(by.angle);
  frame.omega_before = frame.omega;
  turning.add_rate(frame.omega_before, speed);
  frame.velocity_before = frame.velocity;
  frame.spin = turning.axis();
  for (std::size_t i = 0; i < kAxes * kAxes; i += kAxes) {
    const Vector row = turning.along_turned({frame.rotation[i], frame.rotation[i + 1], frame.rotation[i + 2]});
    for (std::size_t j = 0; j < kAxes; ++j) frame.rotation[i + j] = row[j];
  }
  frame.omega = turning.along_turned(frame.omega);
  turning.add_rate(frame.omega, speed);
  frame.velocity = turning.along_turned(frame.velocity);
}

// R of a unit quaternion as a homogeneous polynomial of degree 2: along ė = ½ e ∘ (0, ω) its rate is R [ω]ₓ for any norm of e
// (Goldstein, §4.5).
std::vector<Expr> rotation_of(const std::array<Expr, 4>& e) {
  const auto off = [&](std::size_t i, std::size_t j, std::size_t k, int sign) {
    const Expr first = e[i] * e[j];
    return 2 * (first + sign * (e[0] * e[k]));
  };
  std::vector<Expr> R(kAxes * kAxes);
  for (std::size_t i = 0; i < kAxes; ++i) {
    const std::size_t j = (i + 1) % kAxes, k = (i + 2) % kAxes;
    Expr& diagonal = R[(kAxes + 1) * i] = square(e[0]);
    diagonal = diagonal + square(e[i + 1]);
    diagonal = diagonal - square(e[j + 1]);
    diagonal = diagonal - square(e[k + 1]);
    R[kAxes * i + j] = off(i + 1, j + 1, k + 1, -1);
    R[kAxes * j + i] = off(i + 1, j + 1, k + 1, 1);
  }
  return R;
}

// Turns the frame by a quaternion: R ← R R_e, and vectors along its axes are converted to the new axes.
void turn(Frame& frame, const Quaternion& by) {
  const std::vector<Expr> turned = rotation_of(by.e);
  const bool is_first = frame.rotation.empty();
  Frame own;
  own.rotation = turned;
  const auto along_turned = [&](const Vector& v) { return vanishes(v) ? v : along_frame(own, v); };
  give_rotation(frame, by.e[0].graph());
  if (is_first) {
    frame.rotation = turned;
  } else {
    for (std::size_t i = 0; i < kAxes * kAxes; i += kAxes) {
      const Vector row = along_turned({frame.rotation[i], frame.rotation[i + 1], frame.rotation[i + 2]});
      for (std::size_t j = 0; j < kAxes; ++j) frame.rotation[i + j] = row[j];
    }
  }
  frame.omega = sum(along_turned(frame.omega), {by.omega[0], by.omega[1], by.omega[2]});
  frame.velocity = along_turned(frame.velocity);
}

// The velocity v + ω × u + u̇ of a point u, all along the axes of v and ω; v or ω is empty for the ground.
Vector carried_along(const Vector& v, const Vector& omega, const Vector& u, const Vector& udot) {
  Vector total = v.empty() ? udot : sum(v, udot);
  if (!omega.empty() && !vanishes(u)) total = sum(total, cross(omega, u));
  return total;
}

// Whether the tensor of inertia and the centre of mass are symmetric about an axis.
bool is_symmetric_about(std::size_t axis, const Vector& tensor, const Vector& com) {
  if (axis >= kAxes) return false;
  const std::size_t a = (axis + 1) % kAxes, b = (axis + 2) % kAxes;
  if (!com[a].is_zero() || !com[b].is_zero()) return false;
  if (tensor.empty()) return true;
  for (std::size_t i = 0; i < kAxes; ++i)
    for (std::size_t j = 0; j < kAxes; ++j)
      if (i != j && !tensor[kAxes * i + j].is_zero()) return false;
  return tensor[(kAxes + 1) * a].same(tensor[(kAxes + 1) * b]);
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
    return {difference_of_products(c, v[0], s, v[1]), sum_of_products(s, v[0], c, v[1])};
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
    return {sum_of_products(c, v[0], s, v[1]), difference_of_products(c, v[1], s, v[0])};
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
  // The axes of a frame that is not turned are constant.
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
  frame.omega_before.clear();
  if (const Expr& angle = rotation.angle()) frame.angle = parent.angle ? parent.angle + angle : angle;
  frame.origin = place(parent, origin);
  if (origin.size() == kAxes)
    frame.velocity = frame.carried = carried_along(parent.velocity, parent.omega, origin, rates_of(origin, rate));
  for (const Turn& by : rotation.turns()) turn(frame, by, rate);
  if (rotation.quaternion()) turn(frame, *rotation.quaternion());
  return frame;
}

Vector lowest_of_rim(const Frame& frame, const Vector& axis, const Expr& radius, int up) {
  const Expr length = sqrt(inner(axis[0], axis[0], axis[1], axis[1], axis[2], axis[2]));
  Vector n = along_ground(frame, axis);
  for (Expr& component : n) component = component / length;
  // The unit vector along z − n_z n. If n_z is the sine s of an angle with cosine c, its z component is σc and the others are −σ(s/c) n_i,
  // with σ the sign of c, so no square root is needed.
  const Expr& rise = n[2];
  const bool sine = rise.op() == Op::kSin, cosine = rise.op() == Op::kCos;
  Expr across, climb;
  if (sine || cosine) {
    const Expr lean(&rise.graph(), rise.graph().items(rise.id())[0].node), level = sine ? cos(lean) : sin(lean);
    across = -(sign(level) * rise / level);
    climb = sign(level) * level;
  } else {
    climb = sqrt(1 - square(rise));
    across = -(rise / climb);
  }
  const Expr reach = up * radius;
  Vector lowest;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const Expr down = -(reach * (i == 2 ? climb : across * n[i]));
    lowest.push_back(frame.origin.empty() ? down : frame.origin[i] + down);
  }
  return lowest;
}

void fix_in_frame(Body& body, const Frame& frame, const Vector& com) {
  body.frame = frame;
  body.position = place(frame, com);
  if (com.size() == 2)
    body.angle = frame.angle ? frame.angle : com.front().graph().constant(0);
  else
    body.com = com;
}

Motion motion_of(const Body& body, const std::function<Expr(const Expr&)>& rate) {
  const Frame& frame = body.frame;
  const Vector& com = body.com;
  const bool round = !frame.omega_before.empty() && is_symmetric_about(frame.spin, body.tensor, com);
  const Vector& omega = round ? frame.omega_before : frame.omega;
  const Vector drift = rates_of(com, rate);
  if (vanishes(com) && vanishes(drift)) return {frame.carried, omega};
  return {carried_along(round ? frame.velocity_before : frame.velocity, omega, com, drift), omega};
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
