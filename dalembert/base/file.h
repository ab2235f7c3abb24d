// SPDX-License-Identifier: Apache-2.0
// Reading what a user names.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Everything in the regular file at `path`, at most 512 MB: devices may have no end, pipes no beginning. The error
/// has `code` and points at `place`.
Result<std::string> read_text(const std::string& path, const std::string& code, const Span& place = {});

}  // namespace dalembert
