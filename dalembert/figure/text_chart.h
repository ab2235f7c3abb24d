// SPDX-License-Identifier: Apache-2.0
// The panels of a chart as lines of text, drawn with Unicode Braille patterns (eight dots per character) or with ASCII
// letters.
#pragma once

#include <string>

#include "dalembert/figure/chart.h"

namespace dalembert {

struct TextChartOptions {
  int width = 80;      ///< columns of the terminal, at least 40
  int height = 8;      ///< lines of a panel, at least 2
  bool ascii = false;  ///< draws each curve with a letter of its own
  bool color = false;  ///< draws each curve in a colour of its own
};

/// Lines of at most `width` columns. A character has the colour of the last curve through it.
std::string draw_text(const Chart& chart, const TextChartOptions& options);

}  // namespace dalembert
