// SPDX-License-Identifier: Apache-2.0
// Whole files, with failures as diagnostics.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Lets `write` fill the file, through a temporary beside it that is renamed at the end. Empty when done, else E0501.
/// What is not a regular file (/dev/stdout, a pipe) is written directly.
Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
/// STEM and the ending, or STEM-2, STEM-3, … and the ending: the first name that nothing has, not even a link that leads nowhere.
std::string free_name(const std::string& stem, std::string_view ending);
/// Makes an empty file of that name; false where something has it, be it a link to a file of ours, or the folder cannot be written.
bool make_new_file(const std::string& path);
/// The name of a file beside `path` that is to become it: `path`.PID and the ending, or the next free one.
std::string name_beside(const std::string& path, std::string_view ending);
/// E0502 when it cannot be read.
Result<SourcePtr> read_file(const std::string& path);

}  // namespace dalembert
