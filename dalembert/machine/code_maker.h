// SPDX-License-Identifier: Apache-2.0
// Which library made a piece of kept code. Another version makes other code, with other last bits, and opening the library to ask takes as
// long as all else that kept code takes. So an entry of the cache says which file made it, and is used while that file is what it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dalembert {

/// The version of the library, its file, and the file's size and time; empty where there is no such file.
std::string describe_maker(const std::string& version, const std::string& library);
/// The version, where the file is there as it was.
std::optional<std::string> version_of(std::string_view maker);

}  // namespace dalembert
