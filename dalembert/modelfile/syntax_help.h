// SPDX-License-Identifier: Apache-2.0
// What to write instead of a line that is not TOML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dalembert::modelfile {

/// What is wrong at byte `at`, where the TOML parser failed, and what to write. `label` replaces the parser's reason where it is not empty.
struct SyntaxHelp {
  std::string label, help;
};
/// `reason`: what the parser says; `context`: what it was reading ("string", "key-value pair").
SyntaxHelp syntax_help(std::string_view text, std::size_t at, std::string_view reason, std::string_view context);

}  // namespace dalembert::modelfile
