// SPDX-License-Identifier: Apache-2.0
// A hash of a text that other programs compute as well: `sha256sum FILE`.
#pragma once

#include <string>
#include <string_view>

namespace dalembert {

/// SHA-256 (FIPS 180-4), 64 hexadecimal digits. O(size).
std::string sha256(std::string_view bytes);

}  // namespace dalembert
