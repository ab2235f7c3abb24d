// SPDX-License-Identifier: Apache-2.0
// The options of `draw` and `animate` for pictures, and the scene that they show.
#pragma once

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/pictures.h"

namespace dalembert::app {

/// Reads --view and --forces. Throws Failure, exit 2: E0403.
PictureOptions picture_options(const Arguments& arguments);

/// The scene of the system; warns of what is not drawn. Throws Failure, exit 1: E0520 if there is nothing to draw.
Scene scene_at(const System& system, const State& start, Terminal& terminal);

}  // namespace dalembert::app
