// SPDX-License-Identifier: Apache-2.0
// What a page needs to run a model again with other parameters: the model as code, and where its results belong.
#pragma once

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/scene/scene.h"
#include "dalembert/store/json_value.h"
#include "dalembert/store/table.h"

namespace dalembert {

/// `live` of a report document: code, parameters, the start of the run, and of each series of `rows` (but the time) what
/// computes it. `scene` may be null. Null where a page could not be trusted to repeat the run: where code cannot be made
/// (E0532) or would be longer than kLongestLiveCode, where branches are chosen on the way (conditions, kinks, frictions,
/// samples), and where the run has no second row, goes backwards in time or does not begin with a whole state.
Json live_json(const Equations& equations, const Dynamics& dynamics, const Scene* scene, const Table& rows);

inline constexpr std::size_t kLongestLiveCode = 400'000;  ///< characters

}  // namespace dalembert
