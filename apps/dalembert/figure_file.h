// SPDX-License-Identifier: Apache-2.0
// Figures as files: the text of an SVG written to .svg, or converted to .pdf or .png by the program rsvg-convert.
#pragma once

#include <string>

#include "apps/dalembert/terminal.h"

namespace dalembert::app {

/// The program that makes PDF and PNG of SVG.
inline constexpr const char* kConverter = "rsvg-convert";

enum class FigureFormat { kSvg, kPdf, kPng };

struct FigureOutput {
  std::string path;  ///< "-" is standard output: SVG
  FigureFormat format = FigureFormat::kSvg;
  bool to_standard_output() const { return path == "-"; }
};

/// What --output says, decided before there is work to lose. Throws Failure: exit 2 for another ending (E0403), exit 5
/// where the folder does not exist or cannot be written to (E0501), or rsvg-convert is needed and missing (E0507).
FigureOutput choose_figure_output(const std::string& path);

/// Writes the figure and notes where. A file is written beside its target and renamed in the end; what stood there
/// before stays until then. Throws Failure, exit 5: E0501, or E0507 where rsvg-convert gives up.
void write_figure(const std::string& svg, const FigureOutput& output, Terminal& terminal);

/// Ends the program with E0501 unless a file can be written under `path`.
void require_writable(const std::string& path);

}  // namespace dalembert::app
