// SPDX-License-Identifier: Apache-2.0
// The panels of a chart as lines of text: dots of Unicode's Braille patterns, eight in a letter, or letters of ASCII.
#pragma once

#include <string>

#include "dalembert/figure/chart.h"

namespace dalembert {

struct TextChartOptions {
  int width = 80;      ///< columns of the terminal, at least 40
  int height = 8;      ///< lines of a panel, at least 2
  bool ascii = false;  ///< a letter of its own for each curve
  bool color = false;  ///< a colour of its own for each curve
};

/// Lines of at most `width` columns. A letter has one colour: that of the last curve through it.
std::string draw_text(const Chart& chart, const TextChartOptions& options);

}  // namespace dalembert
