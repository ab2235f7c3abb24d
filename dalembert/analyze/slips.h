// SPDX-License-Identifier: Apache-2.0
// What kind of slip makes one formula of another. Inside analyze only.
#pragma once

#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// "the sign is wrong: the claim is -1 times the correct formula", "m*g*p3 has the factor 3", "a term is
/// missing: …", "sin and cos are exchanged in …"; empty when it is none of these.
std::string name_slip(Canonicalizer& canonicalizer, const Expr& correct, const Expr& claimed, Notation notation);

/// "the entry is in N, the claim in N*m", "the claim's terms do not have one unit"; empty where neither is known to be
/// so. The formula claimed is the one that was written; a number has any unit.
std::string name_unit_slip(const Model& model, const Expr& correct, const Expr& claimed, bool energy);

}  // namespace dalembert
