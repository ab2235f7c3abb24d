// SPDX-License-Identifier: Apache-2.0
#include "tests/source_tree.h"

namespace dalembert {

std::string source_tree() { return DALEMBERT_SOURCE_DIR; }
std::string command_path() { return DALEMBERT_BINARY; }

}  // namespace dalembert
