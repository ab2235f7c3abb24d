// SPDX-License-Identifier: Apache-2.0
// Recognizes common mistakes, where the claim is the right formula of another quantity. Inside analyze only.
#pragma once

#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/analyze/audit/reduced_claims.h"
#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// Names the quantity of which the claimed formula is the right one; empty where it is none of the following. On the
/// left is the entry that was claimed (derive/equations.h), on the right what the formula is instead:
///
///   Sdot, Wdot   S or W itself, not differentiated, or W differentiated twice
///   gamma        γ with Ẅ where Ẇ belongs
///   F[r]         ∂P/∂r of the power P = F·q̇, where ∂P/∂ṙ belongs
///   Pc           λ h, where the power is λ ḣ
std::string name_cause(const Equations& equations, const ReducedClaims& reduced, Canonicalizer& canonicalizer,
                       const EntryName& entry, const Expr& claimed, Notation notation);

}  // namespace dalembert
