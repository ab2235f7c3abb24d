// SPDX-License-Identifier: Apache-2.0
// What an expression may depend on, given its role in the model (theory §1), and the error message if it depends on something else.
#pragma once

#include <optional>
#include <string_view>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// The role of an expression in the model, and what it may contain besides parameters (docs/notation.md): coordinates q,
/// rates q̇, time t, inputs u, multipliers λ.
enum class Role {
  kGeometry,       // positions, angles, frames: of coordinates q, time t and parameters
  kConstant,       // mass, inertia: of parameters only
  kElement,        // stiffness, rest length, damping: of coordinates q, time t and parameters
  kKinetic,        // T(q, q̇, t)
  kPotential,      // V(q, t)
  kDissipation,    // R(q, q̇, t)
  kLagrangian,     // L(q, q̇, t)
  kHolonomic,      // h(q, t)
  kPfaffian,       // η(q, q̇, t)
  kForce,          // F(q, q̇, t, u)
  kInput,          // u(t)
  kOutput,         // an output: may depend on anything
  kClaim,          // a claim of a hand derivation: anything but integrals over a run
  kDefinition,     // a definition: anything; restrictions apply where it is used
  kInitial,        // an initial value: of parameters only
  kQuasiVelocity,  // Y(q,t) q̇ + y₀(q,t)
  kPrescribed,     // f(t)
  kNormalForce,    // the normal force of a friction: linear in λ; q, q̇, t, u
  kCondition,      // where an event counts: anything
  kRestitution,    // the coefficient of restitution of a contact: of parameters only
};

/// The kind of an input, which determines where it may be used.
enum class InputUse {
  kExpression,  // an expression; may occur in forces only
  kTable,       // samples; may occur in forces only (as a spline it would have time derivatives)
  kSpline,      // a function of time with two time derivatives
  kRate,        // the first time derivative of a spline
  kSecondRate,  // the second time derivative of a spline
};

/// What a message calls an expression of this role: "a mass or an inertia".
std::string_view subject_of(Role role);

/// Why a symbol of `kind`, written as `name`, must not be used in an expression of this role; nothing if it may. `use` is the kind of an
/// input. Errors: E0210 to E0215.
std::optional<Diagnostic> refusal(Role role, SymbolKind kind, std::string_view name, const Span& span,
                                  InputUse use = InputUse::kExpression);

}  // namespace dalembert
