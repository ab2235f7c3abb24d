// SPDX-License-Identifier: Apache-2.0
// A request for machine code as bytes: two requests with the same bytes give the same code, and an entry of the cache
// is used only if its bytes equal those of the request. Operations are written by name, not by number, so that code
// made before an operation was added, removed or moved is never used for another operation.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "dalembert/machine/code_function.h"

namespace dalembert {

/// Names of operations; no two operations share one.
std::string_view name_of(TapeOp op);
std::string_view name_of(Op op);
std::string_view name_of(CodeKind kind);

/// SHA-256 of the sources of this layer and the layers below, computed when the library is built; 64 hexadecimal
/// digits.
std::string_view back_end_sources();

/// The functions, their tapes, the options that change code, this processor, and the maker of the code:
/// back_end_sources(), the version of LLVM's headers, and where programs look for libraries (LD_LIBRARY_PATH). Which
/// LLVM was found there is written in each entry of the cache (code_maker.h). Time and memory O(instructions).
std::vector<std::byte> describe_request(std::span<const CodeFunction> functions, const CodeOptions& options,
                                        std::string_view llvm_headers);

}  // namespace dalembert
