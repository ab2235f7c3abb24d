// SPDX-License-Identifier: Apache-2.0
// The phase plane of a motion with two states, as an SVG figure.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "dalembert/store/json_value.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

struct PhasePlotOptions {
  /// Names of the horizontal and the vertical state, "theta,theta'"; default: as found.
  std::optional<std::string> states = {};
  /// Visible ranges of both states, SI; default: equilibria and start.
  std::optional<std::array<double, 2>> right = {}, up = {};
};

struct PhasePlot {
  std::string svg;
  Json json;  ///< output of `plot --phase --json`, with "file" null
};

/// Errors: E0310 if the motion does not have exactly two states or depends on time, E0403 for other names, and those of
/// linearize().
Result<PhasePlot> plot_phase(SystemAt given, const PhasePlotOptions& options);

}  // namespace dalembert
