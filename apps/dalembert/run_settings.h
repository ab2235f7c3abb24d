// SPDX-License-Identifier: Apache-2.0
// The options of a run from the command line and the model's [simulation].
#pragma once

#include "apps/dalembert/arguments.h"
#include "dalembert/integrate/integrate_options.h"
#include "dalembert/model/model.h"

namespace dalembert::app {

/// From the command line, else from [simulation], else the defaults of IntegrateOptions. Throws Failure: E0403, E0410.
IntegrateOptions choose_options(const Arguments& arguments, const Model& model);

}  // namespace dalembert::app
