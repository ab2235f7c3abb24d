// SPDX-License-Identifier: Apache-2.0
// What may stand at a place: sections, keys, names, functions, units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/editor/name_table.h"

namespace dalembert::editor {

struct Proposal {
  enum class Kind : std::uint8_t { kSection, kKey, kName, kFunction, kUnit, kValue };
  Kind kind;
  std::string text;
  std::string detail;  ///< one line: what it is; may be empty
};

struct Proposals {
  Range place;  ///< what a proposal replaces: the word up to the cursor
  std::vector<Proposal> all;
  bool complete = true;  ///< false: there are more with the same beginning
};

/// Proposals whose text begins with the word that ends at `offset`, whatever the case of its letters; at most 500.
Proposals complete(const NameTable& table, std::uint32_t offset);

}  // namespace dalembert::editor
