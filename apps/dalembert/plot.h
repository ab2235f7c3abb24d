// SPDX-License-Identifier: Apache-2.0
// The three kinds of plots.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/figure_file.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// plot MODEL --phase X,Y: the phase plane of a motion with two states.
int plot_phase_plane(const Arguments& arguments, Terminal& terminal);
/// plot RUN [RUN...]: series of runs.
int plot_runs(const Arguments& arguments, Terminal& terminal);

/// Writes a plot to its file; with --json also its document, with the member `file`.
int finish_plot(const std::string& svg, Json document, const FigureOutput& output, const Arguments& arguments,
                Terminal& terminal);

/// A range FROM:TO, in SI. Throws Failure E0403.
std::optional<std::array<double, 2>> read_range(const Arguments& arguments, const std::string& option);

/// dalembert plot STUDY --map.
int plot_study_file(const Arguments& arguments, Terminal& terminal);
/// Whether a file is one of `dalembert sweep`, by its name or its header row.
bool is_study_path(const std::string& path);

}  // namespace dalembert::app
