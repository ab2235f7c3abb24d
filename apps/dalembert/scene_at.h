// SPDX-License-Identifier: Apache-2.0
// The scene of a system, and what the options of `draw` and `animate` say of its picture.
#pragma once

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/scene/picture.h"

namespace dalembert::app {

/// --view and --forces. Throws Failure, exit 2: E0403.
PictureOptions picture_options(const Arguments& arguments);

/// Reports what is not drawn. Throws Failure, exit 1: E0520 where there is nothing to draw.
Scene scene_at(const System& system, const State& start, Terminal& terminal);

/// The multipliers at a state; empty where they have no values.
std::vector<double> multipliers_at(const System& system, const State& state);

}  // namespace dalembert::app
