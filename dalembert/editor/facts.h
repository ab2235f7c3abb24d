// SPDX-License-Identifier: Apache-2.0
// What is known of a model's names once it has been read and started.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dalembert/editor/name_table.h"

namespace dalembert::editor {

struct NameFact {
  NameKind kind;
  std::string name;
  std::string unit;             ///< in SI; empty if it is not known
  std::optional<double> value;  ///< in SI: of a parameter, else at the start; nothing if it is not known
  std::string note;             ///< what else is to be said of it, in words; may be empty
};

struct Facts {
  std::vector<NameFact> names;
  std::string freedoms;  ///< "3 velocities - rank 2 = 1 freedom"; empty if it was not decided
  const NameFact* find(NameKind kind, const std::string& name) const {
    for (const NameFact& fact : names)
      if (fact.kind == kind && fact.name == name) return &fact;
    return nullptr;
  }
};

}  // namespace dalembert::editor
