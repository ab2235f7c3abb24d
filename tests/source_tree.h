// SPDX-License-Identifier: Apache-2.0
// Where the source tree and the command are. One file is compiled with their places, so that every other one is the same
// to a compiler's cache wherever the tree lies.
#pragma once

#include <string>

namespace dalembert {

/// The root of the source tree, without a slash at its end.
std::string source_tree();
/// The executable `dalembert`; empty where it is not built.
std::string command_path();

}  // namespace dalembert
