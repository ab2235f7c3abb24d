// SPDX-License-Identifier: Apache-2.0
// Runs other programs, which convert SVG to PDF, PNG and films.
#pragma once

#include <string>
#include <vector>

namespace dalembert::app {

/// Path of the program with this name on PATH; empty if not found.
std::string find_program(const std::string& name);

struct ProgramEnd {
  int status = -1;   ///< exit status, 128 + signal number, or -1 if it could not be started
  std::string said;  ///< its standard error on one line; never empty after a failure
  bool ok() const { return status == 0; }
};

/// Runs a program with `input` on its standard input, discards its standard output, and waits for its end.
ProgramEnd run_program(const std::string& program, std::vector<std::string> words, const std::string& input = {});

}  // namespace dalembert::app
