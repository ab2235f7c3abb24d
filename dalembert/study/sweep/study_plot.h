// SPDX-License-Identifier: Apache-2.0
// Pictures of a study: a measure over the quantities that were varied.
//
// Two quantities make a map of colours, one makes a line, or a line for each value of a second one, samples make a histogram, and a quantity
// that is not of the grid makes points. Where several runs fall on one place of a grid, such as samples, their mean is drawn, or, on a line, their
// median and the 5 % and 95 % quantiles. Runs that failed and verdicts that do not hold are marked.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/store/json_value.h"
#include "dalembert/study/sweep/study_output.h"

namespace dalembert {

struct StudyPlotRequest {
  std::string measure;                              ///< the column that is shown
  std::optional<std::string> x = {}, y = {};        ///< columns of the axes; default: what is varied
  bool logarithmic = false;                         ///< shows the magnitude on a logarithmic scale, in maps and lines
  std::optional<std::array<double, 2>> range = {};  ///< of the measure, in maps and lines; default: all values
  bool degrees = false;  ///< shows angles and their rates in degrees; then `range` and the JSON have them too
};

struct StudyPlot {
  std::string svg;
  Json json;  ///< output of `plot --map --json`, with "file" null
};

/// Errors: E0412 for columns that it does not have, E0403 where it is not clear what to draw or `degrees` changes nothing, E0502 and E0510 if
/// it cannot be read or has no value to show.
Result<StudyPlot> plot_study(const sweeping::StudySource& study, const StudyPlotRequest& request);

}  // namespace dalembert
