// SPDX-License-Identifier: Apache-2.0
// The schema of model files as a JSON Schema, for editors.
#pragma once

#include <string>

namespace dalembert {

/// A JSON Schema, draft 4, with the sections, keys, types and meanings that the reader of model files knows. It is weaker than the reader: names,
/// expressions, units and which keys go together are not in it. docs/model.schema.json is this text.
std::string model_json_schema();

}  // namespace dalembert
