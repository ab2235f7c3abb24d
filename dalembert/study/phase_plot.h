// SPDX-License-Identifier: Apache-2.0
// The phase plane of a motion with two states, as a figure.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

struct PhasePlotOptions {
  std::optional<std::string> states = {};  ///< "theta,theta'": to the right, up; else as they are found
  std::optional<std::array<double, 2>> right = {}, up = {};  ///< what is looked at, in SI; else equilibria and start
};

struct PhasePlot {
  std::string svg;
  Json json;  ///< what `plot --phase --json` prints, "file" null
};

/// Errors: E0310 where the motion has not two states or depends on time, E0403 for other names, those of linearize().
Result<PhasePlot> plot_phase(SystemAt given, const PhasePlotOptions& options);

}  // namespace dalembert
