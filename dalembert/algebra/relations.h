// SPDX-License-Identifier: Apache-2.0
// Identities between functions that canonical forms keep apart, for the zero test alone: printed forms do not change.
//
//   exp(Σ c m) = Π exp(m/D)^(cD), D the common denominator of all multiples of m; exp(c log v) = v^c
//   sinh, cosh, tanh by exp
//   log v = log w + log(v/w) where log w is in the form too, so that w > 0; log of a number by its primes
//   |u| = √(u²); max(u, v) = (u + v + |u − v|)/2; √A √B = √(A B)
//   sign(u)² f = f where f vanishes with u
//
// Each holds wherever both sides have a value, given that all functions of the form have one.
#pragma once

#include "dalembert/algebra/canonical.h"

namespace dalembert {

/// The same function as `form`, wherever that has a value, with these identities used once; nothing where none applies
/// or the result would be too large. What is zero by them becomes zero after a few rounds.
std::optional<Polynomial> with_relations(Canonicalizer& canonicalizer, const Polynomial& form);

}  // namespace dalembert
