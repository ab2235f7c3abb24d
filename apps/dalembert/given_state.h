// SPDX-License-Identifier: Apache-2.0
// A model at the state that `--at` names, or at its start: on the constraints.
#pragma once

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/state_file.h"
#include "apps/dalembert/system.h"
#include "dalembert/study/system_at.h"

namespace dalembert::app {

/// MODEL with what --set and the file of --at say of parameters and inputs.
struct GivenState {
  System system;
  StateFile file;      ///< empty without --at
  bool given = false;  ///< --at was there
};
/// The file is asked first for its parameters and inputs, which belong to the model; t, q and qd are left to the caller.
GivenState read_given_state(const Arguments& arguments);

/// Throws Failure: what eval says of a file that cannot be read, E0301 and E0302 where no consistent state was found.
SystemAt build_system_at(const Arguments& arguments);

}  // namespace dalembert::app
