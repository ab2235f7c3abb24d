// SPDX-License-Identifier: Apache-2.0
#include "dalembert/model/force_kind.h"

#include <algorithm>

namespace dalembert {
namespace {

DimensionTerm energy(const Arguments&) { return Dimension::energy(); }
DimensionTerm power(const Arguments&) { return Dimension::power_unit(); }
// Unit of a force at a point r: J/[r]; on a coordinate q_i: J/[q_i].
DimensionTerm force_along(const Arguments& arguments) {
  return DimensionTerm(Dimension::energy()) / arguments[0].dimension[0];
}

// The generalized force F of a force f at a point r: F = (∂r/∂q)ᵀ f.
std::vector<Contribution> at_point(const Arguments& arguments) {
  const Vector &r = arguments[0].points[0].position, &f = arguments[1].expressions;
  std::vector<Contribution> parts;
  for (std::size_t k = 0; k < r.size(); ++k) parts.push_back({r[k], f[k]});
  return parts;
}

// The generalized force F of a torque τ on a body with angular velocity ω: F = (∂ω/∂q̇)ᵀ τ. In the plane ∂ω/∂q̇ =
// ∂angle/∂q; in space τ is given along the ground axes, ω along the body's.
std::vector<Contribution> on_body(const Arguments& arguments) {
  const Body& body = arguments[0].body;
  const Vector& torque = arguments[1].expressions;
  if (torque.size() == 1) return {{body.angle, torque[0]}};
  const Vector along = along_frame(body.frame, torque);
  std::vector<Contribution> parts;
  for (std::size_t k = 0; k < along.size(); ++k) parts.push_back({body.frame.omega[k], along[k], true});
  return parts;
}

std::vector<Contribution> on_coordinate(const Arguments& arguments) {
  return {{arguments[0].expressions[0], arguments[1].expressions[0]}};
}

// The generalized force F of a power P: F = ∂P/∂q̇.
std::vector<Contribution> by_power(const Arguments& arguments) { return {{arguments[0].expressions[0], {}, true}}; }

const std::vector<ForceKind>& force_table() {
  using enum ArgumentType;
  static const std::vector<ForceKind> kinds{
      {{{"at", kPoint, "the point a force acts at"},
        {"vector", kVector, "the force, along the ground axes", Role::kForce, "a force", force_along, Measure::kForce}},
       at_point},
      {{{"body", kBody, "the body a torque acts on"},
        {"torque", kMoment, "the torque; in space along the ground axes", Role::kForce, "a torque", energy,
         Measure::kForce}},
       on_body},
      {{{"coordinate", kCoordinate, "the coordinate of a generalized force"},
        {"value", kExpression, "the generalized force", Role::kForce, "a force on `{}`", force_along, Measure::kForce}},
       on_coordinate},
      {{{"power", kExpression, "the power of non-conservative forces, linear in the velocities", Role::kForce,
         "the power of a force", power}},
       by_power},
  };
  return kinds;
}

}  // namespace

std::span<const ForceKind> force_kinds() { return force_table(); }

const ForceKind& force_kind(std::string_view key) { return *std::ranges::find(force_table(), key, &ForceKind::key); }

}  // namespace dalembert
