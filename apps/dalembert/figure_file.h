// SPDX-License-Identifier: Apache-2.0
// Writes figures to files: SVG as text, PDF and PNG through the program rsvg-convert.
#pragma once

#include <string>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// The program that converts SVG to PDF and PNG.
inline constexpr const char* kConverter = "rsvg-convert";

enum class FigureFormat { kSvg, kPdf, kPng };

struct FigureOutput {
  std::string path;  ///< path of the file; "-" is standard output, as SVG
  FigureFormat format = FigureFormat::kSvg;
  bool to_standard_output() const { return path == "-"; }
};

/// Reads --output, before any work is done. Throws Failure: exit 2 for an unknown suffix (E0403), exit 5 if the folder
/// does not exist or is not writable (E0501), or if rsvg-convert is needed and missing (E0507).
FigureOutput choose_figure_output(const std::string& path);

/// Writes the figure and reports its path. The figure is written to a temporary file and renamed at the end; an
/// existing file stays until then. Throws Failure, exit 5: E0501, or E0507 if rsvg-convert fails.
void write_figure(const std::string& svg, const FigureOutput& output, Terminal& terminal);

/// Fails with E0501 unless a file can be written at `path`.
void require_writable(const std::string& path);

}  // namespace dalembert::app
