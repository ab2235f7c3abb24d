// SPDX-License-Identifier: Apache-2.0
// What is doubtful about the start of a model, for the command, Python and reports. Inside study and its users.
#pragma once

#include <string>

#include "dalembert/dynamics/alternatives.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// Other assemblies with the same held values; none if the start failed.
Alternatives other_assemblies(const BuiltModel& system, const ModelStart& start, AlternativesEffort effort);

/// Warnings about a start that did not fail: W0333 for rows that hold nothing, W0205 or W0206 if rows are dependent, W0207 if another assembly is nearer to
/// the guesses or no guess selects one, W0208 if the start is far from a guess. Without `others`, those that few starts find are looked for.
Diagnostics start_warnings(const BuiltModel& system, const ModelStart& start, const Alternatives& others);
Diagnostics start_warnings(const BuiltModel& system, const ModelStart& start);

/// Warnings about a run: W0504 for inputs whose samples end before it does, W0305 if it goes backwards.
Diagnostics run_warnings(const Model& model, double from, double until);

/// The value of a coordinate, such as "x = 0.79 m".
std::string value_text(const BuiltModel& system, std::size_t coordinate, double value);

}  // namespace dalembert
