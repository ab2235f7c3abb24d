// SPDX-License-Identifier: Apache-2.0
// JSON documents of the command.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/store/json_parts.h"
#include "dalembert/store/json_value.h"

namespace dalembert::app {

/// The document and a line end (store/json_value.h).
inline std::string document_text(const Json& document) { return document.text(); }

/// {"error": the first error's message, "diagnostics": […]}: what --json prints when a verb could not do its work.
Json failure_document(const Diagnostics& diagnostics);

}  // namespace dalembert::app
