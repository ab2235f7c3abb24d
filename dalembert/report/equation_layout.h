// SPDX-License-Identifier: Apache-2.0
// Lays out a sheet of equations as plain text, and as LaTeX that fits the page.
#pragma once

#include <string>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/report/equation_sheet.h"
#include "dalembert/report/format.h"

namespace dalembert {

/// A line of more than 2000 characters gets names for repeated parts. If it is still too long, it is broken.
std::string lay_out_text(const EquationSheet& sheet, const Graph& graph);

/// Headings, prose and displayed formulas: align* for equations, \[ … \] for matrices; KaTeX accepts both. Needs only
/// amsmath. Parts that do not fit a matrix, and long repeated sums, get names (`z_1 = …`), defined after the block that
/// first uses them. A matrix is listed entry by entry if it would consist mostly of names, or if it is taller or wider
/// than a page. `graph` holds the symbols that the names must not collide with.
std::string lay_out_latex(const EquationSheet& sheet, const Graph& graph, const LatexLayout& layout = {});

/// One block of this listing: its texts, and its displayed formulas one by one, with the definitions of names last.
struct LatexBlock {
  std::string title;   ///< LaTeX prose
  std::string remark;  ///< a sentence; may be empty
  std::vector<std::string> displays;
  std::size_t operations = 0;  ///< number of operations that evaluate the block: see EquationSheet::Block
};
std::vector<LatexBlock> lay_out_latex_blocks(const EquationSheet& sheet, const Graph& graph,
                                             const LatexLayout& layout = {});

/// The part of a LaTeX document before its text. `width`: width of the widest line, em.
std::string latex_preamble(double width);

/// Prose as LaTeX in ASCII: special characters are escaped, accents and Greek letters become commands, and characters
/// without a command become `?`.
std::string latex_prose(std::string_view text);
/// A unit such as `kg*m^2/s` as a formula in upright type.
std::string latex_unit(std::string_view unit);

}  // namespace dalembert
