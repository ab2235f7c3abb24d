// SPDX-License-Identifier: Apache-2.0
// Model files with other values: the text as it was written, and in it new numbers of parameters and initial values.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/model/model.h"
#include "dalembert/modelfile/load.h"

namespace dalembert {

struct NewValue {
  std::string name;  ///< of a parameter or an initial value: `k`, `theta`, `theta'`
  double value = 0;  ///< in SI
};

/// The value of a parameter, or of a held initial value, in SI; nothing for any other name.
std::optional<double> stated_value(const Model& model, const std::string& name);

/// The text of the file that `model` was loaded from, with new values, each in the SI unit of what it replaces. Initial values become held ones. The text is
/// read again with `options`, without their overrides, and has exactly these values. Errors: E0436 where it cannot have them: a model that no file
/// states, a value that is not finite, an entry that stands for several values.
Result<std::string> with_new_values(const Model& model, std::span<const NewValue> values, LoadOptions options = {});

}  // namespace dalembert
