// SPDX-License-Identifier: Apache-2.0
// Names the kind of slip that turns the right formula into the claimed one. Inside analyze only.
#pragma once

#include <string>

#include "dalembert/algebra/canonical.h"
#include "dalembert/expr/print.h"
#include "dalembert/model/model.h"

namespace dalembert {

/// "the sign is wrong: the claim is -1 times the correct formula", "a part has the factor 3: … should be …", "a part is
/// missing: …", "sin and cos are exchanged: … should be …"; empty when it is none of these.
std::string name_slip(Canonicalizer& canonicalizer, const Expr& correct, const Expr& claimed, Notation notation);

/// "the entry is in N, the claim in N*m", "the claim's terms do not have one unit"; empty where neither is known.
/// `claimed` is the formula as it was written; a number may have any unit.
std::string name_unit_slip(const Model& model, const Expr& correct, const Expr& claimed, bool energy);

}  // namespace dalembert
