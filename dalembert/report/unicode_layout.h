// SPDX-License-Identifier: Apache-2.0
// A sheet of equations for people at a terminal: Unicode, matrices as grids, lines no longer than the terminal's.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"
#include "dalembert/report/equation_sheet.h"

namespace dalembert {

/// The sheet's formulas are in Notation::kUnicode. A line that is longer than `columns` goes on in the next one, broken as
/// line_breaking.h says; a matrix that is wider is listed by its entries. What nothing can break is longer.
std::string lay_out_unicode(const EquationSheet& sheet, const Graph& graph, int columns);

/// A title as `derive` writes it in ASCII, `M q'' + B + G = F + W^T lambda`, with its letters: `M q̈ + B + G = F + Wᵀ λ`.
std::string unicode_prose(std::string_view text);

}  // namespace dalembert
