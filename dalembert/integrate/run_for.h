// SPDX-License-Identifier: Apache-2.0
// Private to integrate: what a run is made for.
#pragma once

namespace dalembert::integration {

/// A run for its states has no verdict: the states of its rows, and its status, are all that is read. It
/// has no names.
enum class RunFor { kVerdict, kStates };

}  // namespace dalembert::integration
