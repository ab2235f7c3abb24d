// SPDX-License-Identifier: Apache-2.0
// Diagnostics as an exception, for programs that do not want to check every Result. The compiled library never throws;
// only the inline functions of dalembert/*.h do, which are compiled as part of the user's program.
#pragma once

#include <stdexcept>
#include <utility>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Reports invalid input. what() is the text that the command prints for it.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Diagnostics diagnostics)
      : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// Returns the value of a Result, or throws ModelError: `or_throw(load_model_file("crane.toml"))`.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw ModelError(result.diagnostics());
  return std::move(result).value();
}

}  // namespace dalembert
