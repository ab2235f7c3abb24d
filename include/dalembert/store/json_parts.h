// SPDX-License-Identifier: Apache-2.0
// Parts of JSON documents that several documents share: numbers by name, matrices, diagnostics.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/kernel.h"
#include "dalembert/store/json_value.h"

namespace dalembert {

/// {"code", "level", "message", "file", "line", "column", "notes", "help"}. file, line and column are null if the
/// diagnostic has no position.
Json to_json(const Diagnostic& diagnostic);
Json to_json(const Diagnostics& diagnostics);

/// {names[i]: values[i]}; the names must be distinct.
Json named_json(std::span<const std::string> names, std::span<const double> values);
/// {names[i]: values[i]} for the values that are not 0.
Json not_zero_json(std::span<const std::string> names, std::span<const double> values);
Json list_json(std::span<const double> values);
/// A sparse matrix as a list of rows.
Json matrix_json(const Pattern& pattern, std::span<const double> values);
/// A sparse matrix as a list of [row, column, value], indices from 0.
Json entries_json(const Pattern& pattern, std::span<const double> values);
/// The text, or null if it is empty.
Json text_or_null(const std::string& text);

}  // namespace dalembert
