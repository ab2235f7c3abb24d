// SPDX-License-Identifier: Apache-2.0
// Translates expressions (docs/model-format.md) into the graph in two steps: `parse_ast` reads the text, `lower` looks up names, checks
// dimensions and builds. Both report several problems at once, each at the smallest place that contains it.
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

/// Reads the syntax only. If `equation` is set, a trailing `= rhs` is read as `- (rhs)`. Errors: E0101, E0103, E0104, E0106, E0108. Time is
/// linear in the text. Nesting is limited to 200 levels; chains of operators and signs are not limited.
Result<Ast> parse_ast(const MappedText& text, bool equation = false);

/// The names and values of `for` indices; the innermost is last.
using Indices = std::vector<std::pair<std::string, std::int64_t>>;

/// An expression with its dimension.
struct Lowered {
  Expr value;  ///< null: an error was found, here or earlier, and was reported
  DimensionTerm dimension;
  bool anchored = false;    ///< contains parameters or inputs
  std::string advice = {};  ///< help for a message about its dimension; may be empty
};

/// Looks up names and builds the expression. Problems are appended to `diagnostics`. Errors: E0102, E0105, E0107, E0108, E0109, E0203, and
/// those of Scope::refuse.
/// `condition`: the expression is one, not a number.
Lowered lower(const Ast& ast, Scope& scope, const Indices& indices, Diagnostics& diagnostics, bool condition = false);

/// Warnings W0328 of a text that was lowered and whose dimension nothing states: quantities in its products, as `3 L` in `x*3 L`, whose unit has the
/// name of something in the model with another dimension. Either reading would fit there.
Diagnostics doubtful_quantities(const Ast& ast, Scope& scope);

/// Parses and lowers one text.
Result<Expr> parse(const MappedText& text, Scope& scope);

/// States that `lowered` has the dimension `wanted`. A contradiction is reported as E0203 "`what` must be in N, not in kg" at `span`.
void expect_dimension(const Lowered& lowered, const DimensionTerm& wanted, std::string_view what, const Span& span,
                      Scope& scope, Diagnostics& diagnostics, Measure measure = Measure::kAny);

/// A range of indices, `i in 1..N`.
struct Range {
  std::string index;
  std::int64_t first = 1, last = 0;
};
/// Parses a range of at most 100 000 values; `first..first-1` is the empty range. Errors: E0101, E0102, E0109.
Result<Range> parse_range(const MappedText& text, Scope& scope, const Indices& indices);

/// The text with every `{…}` replaced by the value of its integer expression.
Result<MappedText> replace_indices(const MappedText& text, Scope& scope, const Indices& indices);

}  // namespace dalembert
