// SPDX-License-Identifier: Apache-2.0
// Names of the parts of a system in messages, also for parts to which the model gives no name.
#pragma once

#include <string>
#include <vector>

namespace dalembert {

/// A name for messages: `names[i]`, or "row 3" where the system gives none.
std::string name_of(const std::vector<std::string>& names, int i, const char* kind);

}  // namespace dalembert
