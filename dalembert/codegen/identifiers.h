// SPDX-License-Identifier: Apache-2.0
// Names of models as identifiers of every language that code is written in.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// "pin_1" of "pin[1]", "theta" of "θ", "lambda_" of "lambda": letters, digits and `_`, at most 50 characters, not a
/// word of C, C++, Python, MATLAB or JavaScript, and not a name that <math.h> declares. A name without letters and
/// digits gives "model".
std::string identifier(std::string_view name);

/// An identifier for each name, all different: identifiers that collide end with _2, _3, …
std::vector<std::string> identifiers(const std::vector<std::string>& names);

}  // namespace dalembert
