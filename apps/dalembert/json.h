// SPDX-License-Identifier: Apache-2.0
// JSON documents of the command: built with nlohmann-json, written with shortest round-trip numbers.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"

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

/// Adds a member whose name the object does not have yet, in constant time.
void append(Json& object, const std::string& name, Json value);
/// {names[i]: values[i]}; the names differ from each other.
Json named(std::span<const std::string> names, std::span<const double> values);
Json list(std::span<const double> values);
/// A sparse matrix as a list of rows.
Json matrix(const Pattern& pattern, std::span<const double> values);
/// The same as a list of [row, column, value], from 0 on.
Json entries(const Pattern& pattern, std::span<const double> values);

}  // namespace dalembert::app
