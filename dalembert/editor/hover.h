// SPDX-License-Identifier: Apache-2.0
// What is said of the word under the pointer, and beside lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/editor/facts.h"
#include "dalembert/editor/name_table.h"

namespace dalembert::editor {

struct Hover {
  Range place;
  std::string text;  ///< Markdown
};

/// Of a name: what it is, its unit, its meaning, its value, its rates; of a key or section: its meaning; of a function: how it is called; of
/// a unit: what it is in SI.
std::optional<Hover> hover(const NameTable& table, const Facts& facts, std::uint32_t offset);

struct Hint {
  std::uint32_t offset;
  std::string text;
};

/// The freedoms behind `coordinates`; the SI value behind each parameter that is in another unit.
std::vector<Hint> hints(const NameTable& table, const Facts& facts);

}  // namespace dalembert::editor
