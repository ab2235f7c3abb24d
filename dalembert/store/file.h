// SPDX-License-Identifier: Apache-2.0
// Whole files, with failures as diagnostics.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Lets `write` fill the file, through a temporary beside it that is renamed at the end. Empty when done, else E0501.
/// What is not a regular file (/dev/stdout, a pipe) is written directly.
Diagnostics write_file(const std::string& path, const std::function<void(std::ostream&)>& write);
/// E0502 when it cannot be read.
Result<SourcePtr> read_file(const std::string& path);

}  // namespace dalembert
