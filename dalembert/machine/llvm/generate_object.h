// SPDX-License-Identifier: Apache-2.0
// The LLVM back end: functions in, the bytes of an object file out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/machine/code_function.h"

namespace dalembert {

struct GeneratedObject {
  std::vector<std::byte> bytes;
  std::string version, library;  ///< version and file of the LLVM that was loaded: "19.1.7", its path
};

/// Makes an object file in which function i is named "f<i>". On failure returns nothing, and `why_not` says why. Safe
/// to call from many threads.
std::optional<GeneratedObject> generate_object(std::span<const CodeFunction> functions, const CodeOptions& options,
                                               std::string& why_not);

/// The version of LLVM that this was built against.
const char* llvm_headers();

}  // namespace dalembert
