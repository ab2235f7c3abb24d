// SPDX-License-Identifier: Apache-2.0
// The LLVM back end: functions in, the bytes of an object file out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/machine/machine_code.h"

namespace dalembert {

/// Function i is named "f<i>". Safe to call from many threads.
std::optional<std::vector<std::byte>> generate_object(std::span<const CodeFunction> functions,
                                                      const CodeOptions& options, std::string& why_not);

/// The version of LLVM that this was built against; part of a kernel's key in the cache.
const char* llvm_version();

}  // namespace dalembert
