// SPDX-License-Identifier: Apache-2.0
// Warnings about a consistent start: redundant rows, branches, other assemblies, guesses that were not kept.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/start.h"
#include "dalembert/analyze/audit/assembly_proof.h"
#include "dalembert/dynamics/alternatives.h"

namespace dalembert::app {

/// Decides whether the list of other assemblies is complete.
AssemblyProof decide_completeness(const System& system, const ModelStart& start, const Alternatives& others);

/// Other assemblies with the same held values; none if the start failed.
Alternatives other_assemblies(const System& system, const ModelStart& start, AlternativesEffort effort);

/// Warnings about a start that did not fail: W0205 or W0206 if rows are dependent, W0207 if another assembly is nearer
/// to the guesses or no guess selects one, W0208 if the start is far from a guess.
Diagnostics start_warnings(const System& system, const ModelStart& start, const Alternatives& others);
Diagnostics start_warnings(const System& system, const ModelStart& start);

/// The alternatives as text, with the extent of the search.
std::string describe_alternatives(const System& system, const ModelStart& start, const Alternatives& others,
                                  const AssemblyProof& proof);
/// [{"q": {…}}] with the coordinates that are not held.
Json alternatives_json(const System& system, const ModelStart& start, const Alternatives& others);
/// Extent of the search: {"starts", "met", …}.
Json alternatives_search_json(const Alternatives& others, const AssemblyProof& proof);

}  // namespace dalembert::app
