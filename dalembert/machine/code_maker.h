// SPDX-License-Identifier: Apache-2.0
// Which LLVM library made a piece of kept code. Another version makes other code, whose results differ in the last
// bits. Opening the library to ask for its version would take as long as everything else that kept code needs. So an
// entry of the cache names the file of the library, and is used only while that file is unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dalembert {

/// Text with the version of the library, its file, and the file's size and time; empty where there is no such file.
std::string describe_maker(const std::string& version, const std::string& library);
/// The version of the library in a text of describe_maker(), if the library's file still exists and is unchanged.
std::optional<std::string> version_of(std::string_view maker);

}  // namespace dalembert
