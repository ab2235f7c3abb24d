// SPDX-License-Identifier: Apache-2.0
// Reading files that a user names.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// The content of the regular file at `path`, at most 512 MB. Devices and pipes are refused, because they may never end or never begin. An
/// error has the code `code` and points at `place`.
Result<std::string> read_text(const std::string& path, const std::string& code, const Span& place = {});

}  // namespace dalembert
