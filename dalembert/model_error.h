// SPDX-License-Identifier: Apache-2.0
// Diagnostics as an exception, for programs that do not want to look at every result. The library itself never throws:
// these headers, dalembert/*.h, are compiled into the user's program.
#pragma once

#include <stdexcept>
#include <utility>

#include "dalembert/base/diagnostic.h"

namespace dalembert {

/// Wrong input. what() is the text that the command would show.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Diagnostics diagnostics)
      : std::runtime_error(render(diagnostics)), diagnostics_(std::move(diagnostics)) {}
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// The value, or a ModelError: `or_throw(load_model_file("crane.toml"))`.
template <class T>
T or_throw(Result<T> result) {
  if (!result) throw ModelError(result.diagnostics());
  return std::move(result).value();
}

}  // namespace dalembert
