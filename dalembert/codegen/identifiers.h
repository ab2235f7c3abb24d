// SPDX-License-Identifier: Apache-2.0
// Names of models as identifiers of every language that code is written in.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert {

/// The identifier of a name: "pin_1" of "pin[1]", "theta" of "θ", "lambda_" of "lambda". It has at most 50 letters,
/// digits and `_`, and is neither a word of C, C++, Python, MATLAB or JavaScript nor a name that <math.h> declares. A
/// name without letters and digits gives "model".
std::string identifier(std::string_view name);

/// An identifier for each name, all different: identifiers that collide end with _2, _3, …
std::vector<std::string> identifiers(const std::vector<std::string>& names);

}  // namespace dalembert
