// SPDX-License-Identifier: Apache-2.0
// The command as a function of what was typed.
#pragma once

#include <string>
#include <vector>

namespace dalembert::app {

/// What is to be set in a process before run_command().
void prepare_process();
/// Runs a verb, and answers the exit status. `words` is argv without the program name. With `instead` messages are appended to that text, and
/// results are dropped.
int run_command(const std::vector<std::string>& words, std::string* instead = nullptr);

}  // namespace dalembert::app
