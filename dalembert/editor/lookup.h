// SPDX-License-Identifier: Apache-2.0
// Where names are declared and used, and what renames them.
#pragma once

#include <string>
#include <vector>

#include "dalembert/editor/name_table.h"

namespace dalembert::editor {

/// The places where the name of a declaration is used, in the order of the file; with its own if `with_declaration`.
std::vector<Range> references(const NameTable& table, const DeclaredName& declared, bool with_declaration);

struct Renaming {
  std::vector<Range> places;  ///< where the new name replaces the old one
  std::string refused;        ///< why it is not done, in words; empty: it is
};

/// The name at a place that can be renamed, or why it cannot.
Renaming find_renaming(const NameTable& table, std::uint32_t offset);
/// The places that make a name another one. Refused where the text is not TOML, where `for` makes the name, where the new one is no name,
/// is used already, or is a unit behind a number.
Renaming rename(const NameTable& table, std::uint32_t offset, const std::string& name);

}  // namespace dalembert::editor
