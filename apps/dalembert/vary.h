// SPDX-License-Identifier: Apache-2.0
// linearize --vary: eigenvalues as functions of a parameter or an initial value.
#pragma once

#include <string>

#include "apps/dalembert/terminal.h"
#include "dalembert/study/linearization.h"

namespace dalembert::app {

/// `range`: NAME=FROM:TO:STEP, in SI. Throws Failure: E0403, exit 2.
Variation vary_as_asked(const std::string& range, const LinearizedModel& from);

std::string variation_text(const Variation& variation, const Terminal& terminal);

}  // namespace dalembert::app
