// SPDX-License-Identifier: Apache-2.0
#include "apps/dalembert/json.h"

#include <algorithm>

namespace dalembert::app {

Json failure_document(const Diagnostics& diagnostics) {
  const auto first = std::ranges::find_if(diagnostics, [](const Diagnostic& d) { return d.level == Level::kError; });
  return {{"error", first == diagnostics.end() ? Json() : Json(first->message)}, {"diagnostics", to_json(diagnostics)}};
}

}  // namespace dalembert::app
