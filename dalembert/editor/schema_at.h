// SPDX-License-Identifier: Apache-2.0
// What the schema (modelfile/schema.h) says of a place in a model file.
#pragma once

#include <span>
#include <string_view>

#include "dalembert/editor/cursor.h"
#include "dalembert/editor/name_table.h"
#include "dalembert/modelfile/schema.h"

namespace dalembert::editor {

struct SchemaPlace {
  const modelfile::Section* section = nullptr;
  const modelfile::Key* key = nullptr;        ///< of a value: the key that it has; null where the schema has none
  std::span<const modelfile::Key> keys = {};  ///< of a table: the keys that it may have
  bool names_as_keys = false;                 ///< of a table: its keys are names of the model
  modelfile::Kind kind = modelfile::Kind::kAnything;  ///< of a value
};

/// The place of a cursor: of a key the table that it is in, of a value the key that it has.
SchemaPlace schema_at(const Cursor& cursor);

/// What the string at a key of a section names: at `frame` a frame. 0: nothing.
NameKinds kinds_at(std::string_view section, std::string_view key);

}  // namespace dalembert::editor
