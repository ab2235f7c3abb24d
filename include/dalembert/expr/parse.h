// SPDX-License-Identifier: Apache-2.0
// The language of expressions (docs/model-format.md) from text to the graph.
#pragma once

#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/expr.h"

namespace dalembert {

/// Parses `text`, in which every symbol of the graph has its own name: `theta` with `theta'` and `theta''`,
/// `lambda(row)`. Errors are those of lower.h.
Result<Expr> parse(const std::string& text, Graph& graph);

}  // namespace dalembert
