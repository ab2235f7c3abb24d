// SPDX-License-Identifier: Apache-2.0
// JSON output of the command.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/store/json_value.h"

namespace dalembert::app {

/// The document, with a line end (store/json_value.h).
inline std::string document_text(const Json& document) { return document.text(); }

/// {"error": message of the first error, "diagnostics": […]}: the output of --json when a verb fails.
Json failure_document(const Diagnostics& diagnostics);

}  // namespace dalembert::app
