// SPDX-License-Identifier: Apache-2.0
// Lays out a sheet of equations for a terminal: Unicode, matrices as grids, lines no longer than the terminal's.
#pragma once

#include <string>
#include <string_view>

#include "dalembert/expr/expr.h"
#include "dalembert/report/equation_sheet.h"

namespace dalembert {

/// The formulas of the sheet must be in Notation::kUnicode. A line longer than `columns` is broken as line_breaking.h
/// says. A matrix that is too wide is listed by its entries. Parts that cannot be broken may be longer than `columns`.
std::string lay_out_unicode(const EquationSheet& sheet, const Graph& graph, int columns);

/// Replaces ASCII in a title of `derive` by Unicode letters: `M q'' + B + G = F + W^T lambda` becomes `M q̈ + B + G = F
/// + Wᵀ λ`.
std::string unicode_prose(std::string_view text);

}  // namespace dalembert
