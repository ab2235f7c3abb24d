// SPDX-License-Identifier: Apache-2.0
// Integer expressions, which occur in `{…}` and as the ends of ranges.
#pragma once

#include <cstdint>
#include <optional>

#include "dalembert/expr/lower.h"

namespace dalembert {

/// Value of the integer expression at `node`: integers, indices, names from [structure], + - * and division without remainder. Problems are
/// appended to `diagnostics`. Errors: E0102, E0109.
std::optional<std::int64_t> evaluate_integer(const Ast& ast, std::uint32_t node, Scope& scope, const Indices& indices,
                                             Diagnostics& diagnostics);

/// The name of `node` after its `{…}` groups are evaluated.
std::optional<std::string> spell_name(const Ast& ast, const AstNode& node, Scope& scope, const Indices& indices,
                                      Diagnostics& diagnostics);

/// Value of the innermost index with that name.
std::optional<std::int64_t> find_index(std::string_view name, const Indices& indices);

}  // namespace dalembert
