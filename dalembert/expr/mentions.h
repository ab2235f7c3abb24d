// SPDX-License-Identifier: Apache-2.0
// Whether the text of an expression contains a name, before anything is known of what its names mean.
#pragma once

#include <string>

namespace dalembert {

/// `k` is in "k*x" and in "k'", not in "k2" and "kmax".
bool mentions(const std::string& text, const std::string& name);

}  // namespace dalembert
