// SPDX-License-Identifier: Apache-2.0
// Encodes many numbers as one text in a JSON document.
#pragma once

#include <string>
#include <vector>

namespace dalembert {

/// Float32, little-endian, as Base64 (RFC 4648). Numbers beyond the range of Float32 become NaN, which is a gap in a
/// curve.
std::string packed(const std::vector<double>& values);

}  // namespace dalembert
