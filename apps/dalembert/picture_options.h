// SPDX-License-Identifier: Apache-2.0
// What the options of `draw` and `animate` say of a picture, and the scene that they show.
#pragma once

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/system.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/study/scene_at.h"

namespace dalembert::app {

/// --view and --forces. Throws Failure, exit 2: E0403.
PictureOptions picture_options(const Arguments& arguments);

/// Reports what is not drawn. Throws Failure, exit 1: E0520 where there is nothing to draw.
Scene scene_at(const System& system, const State& start, Terminal& terminal);

}  // namespace dalembert::app
