// SPDX-License-Identifier: Apache-2.0
// What `check` finds in a model, for the verb and for editors.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/dalembert/exit_codes.h"
#include "apps/dalembert/json.h"
#include "apps/dalembert/system.h"
#include "dalembert/study/system_at.h"

namespace dalembert::app {

/// Fields of steps after a failed one keep their initial values.
struct Findings {
  Json document;
  Diagnostics diagnostics;
  std::string text;
  int exit_code = kExitOk;
  std::shared_ptr<const System> system = {};  ///< null if the model could not be read or built
  std::optional<ModelStart> start = {};
};

/// Examines soundness, freedoms and consistent start of the model that `read` gives, or the Failure that it throws.
Findings check_model(const std::string& name, const std::function<LoadedModel()>& read,
                     const CompileOptions& options = {});

}  // namespace dalembert::app
