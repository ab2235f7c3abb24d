// SPDX-License-Identifier: Apache-2.0
// Model files with the values that a study found.
#pragma once

#include <string>
#include <vector>

#include "apps/dalembert/arguments.h"
#include "apps/dalembert/terminal.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/new_values.h"

namespace dalembert::app {

/// Refuses --output before any work is done, if no model file could be written there: another suffix than .toml (E0403), or what --set gives is neither a
/// parameter nor an initial value (E0436), or the place cannot be written (E0501). The path; empty without --output.
std::string choose_model_output(const Arguments& arguments, const Model& model);
/// Writes the model that the arguments name to `path`, with these values and those of --set. Throws Failure: E0436, E0501.
void write_new_model(const std::string& path, const Arguments& arguments, const Model& model,
                     std::vector<NewValue> values, Terminal& terminal);

}  // namespace dalembert::app
