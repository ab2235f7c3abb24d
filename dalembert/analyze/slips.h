// SPDX-License-Identifier: Apache-2.0
// What kind of slip makes one formula of another. Inside analyze only.
#pragma once

#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// "the sign is wrong: the claim is -1 times the correct formula", "m*g*p3 has the factor 3", "a term is
/// missing: …", "sin and cos are exchanged in …"; empty when it is none of these.
std::string name_slip(Canonicalizer& canonicalizer, const Expr& correct, const Expr& claimed, Notation notation);

}  // namespace dalembert
