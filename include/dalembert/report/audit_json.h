// SPDX-License-Identifier: Apache-2.0
// The verdicts on a model's claims as JSON: what `dalembert audit --json` prints.
#pragma once

#include <string>

#include "dalembert/analyze/audit.h"
#include "dalembert/analyze/compare_models.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

Json audit_json(const std::string& model, const AuditReport& report);
/// The verdicts of a comparison of two models as JSON: what `dalembert audit A --against B --json` prints.
Json comparison_json(const std::string& model, const std::string& other, const ModelComparison& comparison);

/// The inequalities that a verdict assumes: "where y != 0 and m1 != m2". Assumed signs are in the verdict's note
/// instead.
std::string describe_conditions(const AuditedClaim& claim);

}  // namespace dalembert
