// SPDX-License-Identifier: Apache-2.0
// JSON documents of the command: built with nlohmann-json, written with shortest round-trip numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"

namespace dalembert::app {

using Json = nlohmann::ordered_json;

/// The document and a line end. Doubles are the shortest text that reads back the same; NaN and infinities are null.
/// Objects and lists of lists are broken over lines, lists of scalars are not.
std::string document_text(const Json& document);

/// {"code", "level", "message", "file", "line", "column", "notes", "help"}; file, line, column null without a place.
Json to_json(const Diagnostic& diagnostic);
Json to_json(const Diagnostics& diagnostics);
/// {"error": the first error's message, "diagnostics": […]}: what --json prints when a verb could not do its work.
Json failure_document(const Diagnostics& diagnostics);

/// {names[i]: values[i]}
Json named(std::span<const std::string> names, std::span<const double> values);
/// A row-major matrix as a list of rows.
Json matrix(std::span<const double> values, std::size_t rows, std::size_t columns);
Json list(std::span<const double> values);

}  // namespace dalembert::app
