// SPDX-License-Identifier: Apache-2.0
// Lets a page run a model again with other values: the model as code, what can be changed, and the series that its results belong to.
#pragma once

#include <string>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/assemble.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/run_files.h"

namespace dalembert {

/// `live` of a report document: code, what can be changed (parameters, inputs, initial values), the start of the run, and for each series
/// of `rows` except the time the result that it shows. `scene` may be null. `held`: what assembly keeps of the start. Returns null where a
/// page cannot repeat the run: where code cannot be generated (E0532, E0536) or would be longer than kLongestLiveCode, where the run has fewer
/// than two rows, goes backwards in time, or does not begin with a complete state. `refused`, if not null, then receives the reason in words.
Json live_json(const Equations& equations, const Dynamics& dynamics, const Scene* scene, const Table& rows,
               const AssembleOptions& held, std::string* refused = nullptr);

inline constexpr std::size_t kLongestLiveCode = 400'000;  ///< largest number of characters of generated code

}  // namespace dalembert
