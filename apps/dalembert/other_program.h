// SPDX-License-Identifier: Apache-2.0
// Programs beside this one, which make PDF, PNG and films of what it draws.
#pragma once

#include <string>
#include <vector>

namespace dalembert::app {

/// Where a program of this name is on PATH, empty where it is not.
std::string find_program(const std::string& name);

struct ProgramEnd {
  int status = -1;   ///< exit status, 128 + a signal's number, or -1 where it could not be started
  std::string said;  ///< on standard error, on one line; of one that failed never empty
  bool ok() const { return status == 0; }
};

/// Runs a program with `input` as its standard input and nothing on standard output, and waits for it.
ProgramEnd run_program(const std::string& program, std::vector<std::string> words, const std::string& input = {});

}  // namespace dalembert::app
