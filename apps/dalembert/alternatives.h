// SPDX-License-Identifier: Apache-2.0
// Other assemblies of a start, as text and JSON.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/start.h"
#include "dalembert/analyze/audit/assembly_proof.h"
#include "dalembert/dynamics/alternatives.h"

namespace dalembert::app {

/// Decides whether the list of other assemblies is complete.
AssemblyProof decide_completeness(const System& system, const ModelStart& start, const Alternatives& others);

/// The alternatives as text, with the extent of the search.
std::string describe_alternatives(const System& system, const ModelStart& start, const Alternatives& others,
                                  const AssemblyProof& proof);
/// [{"q": {…}}] with the coordinates that are not held.
Json alternatives_json(const System& system, const ModelStart& start, const Alternatives& others);
/// Extent of the search: {"starts", "met", …}.
Json alternatives_search_json(const Alternatives& others, const AssemblyProof& proof);

}  // namespace dalembert::app
