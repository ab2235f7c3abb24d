// SPDX-License-Identifier: Apache-2.0
// Model: T, V and R from formulas, bodies, springs and dampers.
#include <array>

#include <fmt/format.h>

#include "dalembert/expr/differentiate.h"
#include "dalembert/expr/visit.h"
#include "dalembert/model/model.h"
#include "dalembert/model/roles.h"

namespace dalembert {
namespace {

Expr inner(const Vector& a, const Vector& b) {
  std::vector<Expr> products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
  return products.front().graph().sum(products);
}

Vector difference(const Vector& a, const Vector& b) {
  Vector d;
  for (std::size_t i = 0; i < a.size(); ++i) d.push_back(a[i] - b[i]);
  return d;
}

// ½ ωᵀ I ω, with both along the body's axes, or along others about which its inertia is the same. Off-diagonal entries count twice, as I is symmetric.
Expr rotational_energy(const Body& body, const Vector& w) {
  const Vector& I = body.tensor;
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < 3; ++i) {
    terms.push_back(I[4 * i] / 2 * square(w[i]));
    for (std::size_t j = i + 1; j < 3; ++j) terms.push_back(I[3 * i + j] * w[i] * w[j]);
  }
  return I.front().graph().sum(terms);
}

bool is_zero(const Vector& v) {
  for (const Expr& component : v)
    if (!component.is_zero()) return false;
  return true;
}

}  // namespace

void Model::kinetic(const Expr& energy) {
  if (L)
    return problem("E0218", "`lagrangian` stands alone: kinetic energy beside it would be counted twice or not at all");
  if (takes(Role::kKinetic, {energy})) T = T + energy;
}

void Model::potential(const Expr& energy) {
  if (L)
    return problem("E0218",
                   "`lagrangian` stands alone: potential energy beside it would be counted twice or not at all");
  if (takes(Role::kPotential, {energy})) V = V + energy;
}

void Model::dissipation(const Expr& function) {
  if (takes(Role::kDissipation, {function})) R = R + function;
}

void Model::lagrangian(const Expr& function) {
  if (!T.is_zero() || !V.is_zero() || !bodies.empty())
    return problem("E0218", "`lagrangian` stands alone, without bodies, springs and other energies",
                   "add the Lagrangian's parts as `kinetic` and `potential`");
  if (L) return problem("E0008", "the Lagrangian is given twice");
  if (takes(Role::kLagrangian, {function})) L = function;
}

void Model::gravity(const Components& components) {
  const Vector g = components.in(*graph);
  if (!gravity_field.empty()) return problem("E0008", "gravity is given twice");
  if (!same_space(g) || !takes(Role::kGeometry, g)) return;
  gravity_field = g;
  for (const Body& body : bodies) V = V - body.mass * inner(g, body.position);
}

void Model::add_bodies(std::vector<Body> several) {
  const Span place = here;
  std::vector<Body> sound;
  std::vector<Expr> moving;  // position components and angle of each body, concatenated
  for (Body& body : several) {
    here = body.span;
    if (L) {
      problem("E0218", "`lagrangian` stands alone, without bodies");
      continue;
    }
    if (!same_space(body.position) || !takes(Role::kGeometry, body.position) ||
        !allows(Role::kGeometry, {body.angle}) || !takes(Role::kConstant, {body.mass}) ||
        !allows(Role::kConstant, {body.inertia}) || !takes(Role::kConstant, body.tensor) ||
        (body.inertia && !takes(Role::kGeometry, {body.angle})))
      continue;
    if (body.com.empty()) moving.insert(moving.end(), body.position.begin(), body.position.end());
    if (body.inertia) moving.push_back(body.angle);
    sound.push_back(std::move(body));
  }
  here = place;
  if (sound.empty()) return;

  // One sweep for all bodies: in a chain the positions of later bodies contain those of earlier ones.
  const std::vector<Expr> rates = directional_derivative(moving, rates_);
  std::vector<Expr> kinetic_terms{T}, potential_terms{V};
  std::size_t at = 0;
  for (const Body& body : sound) {
    Motion motion;
    if (!body.com.empty())
      motion = motion_of(body, [this](const Expr& e) { return dot(e); });
    else
      for (std::size_t i = 0; i < body.position.size(); ++i) motion.velocity.push_back(rates[at++]);
    const Vector& velocity = motion.velocity;
    if (!velocity.empty()) kinetic_terms.push_back(body.mass / 2 * inner(velocity, velocity));
    if (body.inertia) kinetic_terms.push_back(body.inertia / 2 * square(rates[at++]));
    if (!body.tensor.empty()) kinetic_terms.push_back(rotational_energy(body, motion.omega));
    if (!gravity_field.empty()) potential_terms.push_back(-(body.mass * inner(gravity_field, body.position)));
  }
  T = graph->sum(kinetic_terms);
  V = graph->sum(potential_terms);
  bodies.insert(bodies.end(), std::make_move_iterator(sound.begin()), std::make_move_iterator(sound.end()));
}

// Adds k/2 (|a − b| − rest)² to V. Without a rest length no square root is taken.
void Model::spring(const Components& from, const Components& to, const Component& constant, const Component& length) {
  const Vector a = from.in(*graph), b = to.in(*graph);
  const Expr stiffness = constant.in(*graph), rest = length.in(*graph);
  if (!same_space(a) || !same_space(b) || !takes(Role::kElement, {stiffness}) || !allows(Role::kElement, {rest}))
    return;
  const Vector d = difference(a, b);
  for (const Expr& component : d)
    if (!is_sound("a spring between two points", component)) return;
  const Expr squared = inner(d, d);
  potential(stiffness / 2 * (!rest || rest.is_zero() ? squared : square(sqrt(squared) - rest)));
  connections.push_back({Connection::kSpring, a, b});
}

void Model::spring(const Coordinate& coordinate, const Component& constant, const Component& value) {
  const Expr stiffness = constant.in(*graph), rest = value.in(*graph);
  if (!takes(Role::kElement, {stiffness}) || !allows(Role::kElement, {rest})) return;
  potential(stiffness / 2 * square(!rest || rest.is_zero() ? coordinate.q : coordinate.q - rest));
  connections.push_back({Connection::kSpring, {}, {}, coordinate_index(coordinate.name)});
}

// Adds R = c/2 (d|d|/dt)², where d|d|/dt = d·ḋ/|d|.
void Model::damper(const Components& from, const Components& to, const Component& constant) {
  const Vector a = from.in(*graph), b = to.in(*graph);
  const Expr damping = constant.in(*graph);
  if (!same_space(a) || !same_space(b) || !takes(Role::kElement, {damping})) return;
  const Vector d = difference(a, b);
  for (const Expr& component : d)
    if (!is_sound("a damper between two points", component)) return;
  if (is_zero(d)) return problem("E0219", "a damper acts between two different points");
  const Vector rate = directional_derivative(d, rates_);
  dissipation(damping / 2 * square(inner(d, rate)) / inner(d, d));
  connections.push_back({Connection::kDamper, a, b});
}

void Model::damper(const Coordinate& coordinate, const Component& constant) {
  const Expr damping = constant.in(*graph);
  if (!takes(Role::kElement, {damping})) return;
  dissipation(damping / 2 * square(coordinate.qd));
  connections.push_back({Connection::kDamper, {}, {}, coordinate_index(coordinate.name)});
}

}  // namespace dalembert
