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

/// Runs a program with `input` on its standard input and waits for its end. Its standard output goes to the file `output`, which must exist; it is
/// discarded if there is none. A program that opens its output by name may leave temporary files beside it when a signal ends it; one that writes
/// to its standard output has no reason to.
ProgramEnd run_program(const std::string& program, std::vector<std::string> words, const std::string& input = {},
                       const std::string& output = {});

}  // namespace dalembert::app
