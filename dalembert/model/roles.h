// SPDX-License-Identifier: Apache-2.0
// What an expression may depend on, by the part it plays in the model (theory §1), and what to say when it does not
// keep to it.
#pragma once

#include <optional>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

enum class Role {
  kGeometry,       // positions, angles, frames: q, t, p
  kConstant,       // mass, inertia: p
  kElement,        // stiffness, rest length, damping: q, t, p
  kKinetic,        // T(q, q̇, t)
  kPotential,      // V(q, t)
  kDissipation,    // R(q, q̇, t)
  kLagrangian,     // L(q, q̇, t)
  kHolonomic,      // h(q, t)
  kPfaffian,       // η(q, q̇, t)
  kForce,          // F(q, q̇, t, u)
  kInput,          // u(t)
  kOutput,         // anything
  kDefinition,     // anything; what it is used in decides
  kInitial,        // an initial value: p
  kQuasiVelocity,  // Y(q,t) q̇ + y₀(q,t)
  kPrescribed,     // f(t)
  kNormalForce,    // of friction: linear in λ; q, q̇, t, u
};

/// What an input is to an expression that contains it.
enum class InputUse {
  kExpression,  // acts through forces
  kTable,       // the same; as a spline it would have time derivatives
  kSpline,      // a function of time with two time derivatives
  kRate,        // the first of them
  kSecondRate,  // the second
};

/// "a mass or an inertia": what a message calls an expression of this role.
std::string_view subject_of(Role role);

/// Why a symbol of `kind`, written as `name`, must not be in an expression of this role; nothing when it may. `use`:
/// of an input. Errors: E0210 to E0215.
std::optional<Diagnostic> refusal(Role role, SymbolKind kind, std::string_view name, const Span& span,
                                  InputUse use = InputUse::kExpression);

}  // namespace dalembert
