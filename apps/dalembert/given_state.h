// SPDX-License-Identifier: Apache-2.0
// A model at the state of `--at`, or at its own start, on the constraints.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/failure.h"
#include "apps/dalembert/state_file.h"
#include "apps/dalembert/system.h"
#include "dalembert/study/system_at.h"

namespace dalembert::app {

/// A size limit of a verb, checked as early as possible: on the model before its equations are derived, and on the
/// number of graph parts while they are.
struct SizeLimit {
  std::function<std::optional<Diagnostic>(const Model&)> refuse;
  std::size_t parts = Graph::kNoLimit;
  int exit_code = kExitModel;
};
/// Builds MODEL with the parameters and inputs that --set and the state file of --at give. Returns the file as well, if
/// --at is given; its t, q and qd are not applied yet.
std::pair<System, std::optional<StateFile>> read_given_state(const Arguments& arguments,
                                                             const SizeLimit* limit = nullptr);

/// Throws Failure: errors in the file as in eval; E0301 and E0302 if no consistent state was found.
SystemAt build_system_at(const Arguments& arguments, const SizeLimit* limit = nullptr);

}  // namespace dalembert::app
