// SPDX-License-Identifier: Apache-2.0
// What is doubtful about a consistent start: redundant rows, branches, other assemblies, guesses that were not kept.
#pragma once

#include <string>

#include "apps/dalembert/json.h"
#include "apps/dalembert/start.h"
#include "dalembert/analyze/assembly_proof.h"
#include "dalembert/dynamics/alternatives.h"

namespace dalembert::app {

/// What is known of a list of other assemblies besides its search: whether it was decided that there are no more.
AssemblyProof decide_completeness(const System& system, const Start& start, const Alternatives& others);

/// Other assemblies with what is held; none where the start is not ok.
Alternatives other_assemblies(const System& system, const Start& start, AlternativesEffort effort);

/// Of a start that is ok: W0205 or W0206 where rows depend on each other, W0207 where another assembly is nearer to the
/// guesses or none says which is meant, W0208 where a guess was left far behind.
Diagnostics start_warnings(const System& system, const Start& start, const Alternatives& others);
Diagnostics start_warnings(const System& system, const Start& start);

/// Lines for people, with how far the search went.
std::string describe_alternatives(const System& system, const Start& start, const Alternatives& others,
                                  const AssemblyProof& proof);
/// [{"q": {…}}], the coordinates that are not held.
Json alternatives_json(const System& system, const Start& start, const Alternatives& others);
/// How far the search went: {"starts", "met", …}.
Json alternatives_search_json(const Alternatives& others, const AssemblyProof& proof);

}  // namespace dalembert::app
