// SPDX-License-Identifier: Apache-2.0
// The language of expressions (docs/model-format.md) from text to the graph, in two steps: `parse_ast` reads the text,
// `lower` looks names up, checks dimensions and builds. Both report several problems a run, each at its smallest place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/base/diagnostic.h"
#include "dalembert/expr/ast.h"
#include "dalembert/expr/expr.h"
#include "dalembert/expr/scope.h"

namespace dalembert {

/// Syntax only. A trailing `= rhs` is read as minus (rhs) where `equation` is set. Errors: E0101, E0103, E0104, E0106,
/// E0108. Time is linear in the text; nesting is limited to 200 levels, chains of operators and signs are not.
Result<Ast> parse_ast(const MappedText& text, bool equation = false);

/// The values of `for` indices by name, innermost last.
using Indices = std::vector<std::pair<std::string, std::int64_t>>;

/// An expression with its dimension.
struct Lowered {
  Expr value;  ///< null: something was wrong (and reported, or known to be)
  DimensionTerm dimension;
  bool anchored = false;  ///< made of parameters or inputs
};

/// Looks names up and builds the expression; what is wrong is appended to `diagnostics`. Errors: E0102, E0105, E0107,
/// E0108, E0109, E0203, and what the scope refuses.
Lowered lower(const Ast& ast, Scope& scope, const Indices& indices, Diagnostics& diagnostics);

/// Both steps for one text.
Result<Expr> parse(const MappedText& text, Scope& scope);

/// States that `lowered` has dimension `wanted`. On contradiction one E0203 "`what` must be in N, not in kg" at `span`.
void expect_dimension(const Lowered& lowered, const DimensionTerm& wanted, std::string_view what, const Span& span,
                      Scope& scope, Diagnostics& diagnostics, Measure measure = Measure::kAny);

/// `i in 1..N`.
struct Range {
  std::string index;
  std::int64_t first = 1, last = 0;
};
/// At most 100 000 values; `first..first-1` is the empty range. Errors: E0101, E0102, E0109.
Result<Range> parse_range(const MappedText& text, Scope& scope, const Indices& indices);

/// The text with every `{…}` replaced by the value of its integer expression.
Result<MappedText> replace_indices(const MappedText& text, Scope& scope, const Indices& indices);

}  // namespace dalembert
