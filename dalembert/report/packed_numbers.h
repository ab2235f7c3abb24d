// SPDX-License-Identifier: Apache-2.0
// Many numbers as one text of a JSON document.
#pragma once

#include <string>
#include <vector>

namespace dalembert {

/// Float32, little-endian, as Base64 (RFC 4648). What is beyond the range of Float32 becomes NaN: a gap in a curve.
std::string packed(const std::vector<double>& values);

}  // namespace dalembert
