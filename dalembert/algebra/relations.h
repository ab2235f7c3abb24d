// SPDX-License-Identifier: Apache-2.0
// Identities between functions that canonical forms do not know. Only the zero test uses them; printed forms do not change.
//
//   exp(Σ c m) = Π exp(m/D)^(cD), D the common denominator of all multiples of m; exp(c log v) = v^c
//   sinh, cosh, tanh by exp
//   log v = log w + log(v/w) if log w occurs in the form too, so that w > 0; log of a number by its prime factors
//   |u| = √(u²); max(u, v) = (u + v + |u − v|)/2; √A √B = √(A B)
//   sign(u)² f = f if f vanishes where u does
//
// Each identity holds wherever both sides have a value, provided that all functions in the form have one.
#pragma once

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// `form` with these identities applied once: an equal function wherever `form` has a value. Nothing if no identity applies or the result
/// would be too large. A form that is zero by these identities becomes zero after a few rounds.
std::optional<Polynomial> with_relations(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert
