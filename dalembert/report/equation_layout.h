// SPDX-License-Identifier: Apache-2.0
// A sheet of equations as text, and as LaTeX that stays on the page.
#pragma once

#include <string>
#include <vector>

#include "dalembert/expr/expr.h"
#include "dalembert/report/equation_sheet.h"

namespace dalembert {

/// A line of more than 2000 characters gets names for what it repeats, and where that is not enough goes on in the next
/// line.
std::string lay_out_text(const EquationSheet& sheet, const Graph& graph);

struct LatexLayout {
  double width = 38;        ///< of the widest line in em; that is a page of text in 11 pt
  bool standalone = false;  ///< a document for pdflatex, not a fragment
};

/// Headings, prose and displayed formulas: align* for equations, \[ … \] for matrices, which KaTeX accepts as well.
/// Needs amsmath only. What does not fit a matrix, and sums that are repeated and long, get names (`z_1 = …`) that are
/// defined after the block that uses them first. A matrix that would be little more than names, or taller or wider
/// than a page, is listed by its entries. `graph` holds the symbols that names must not collide with.
std::string lay_out_latex(const EquationSheet& sheet, const Graph& graph, const LatexLayout& layout = {});

/// One block of the same listing: what it says, and its displayed formulas one by one, definitions of names last.
struct LatexBlock {
  std::string title;   ///< LaTeX prose
  std::string remark;  ///< a sentence; empty: none
  std::vector<std::string> displays;
  std::size_t operations = 0;  ///< to evaluate it: EquationSheet::Block
};
std::vector<LatexBlock> lay_out_latex_blocks(const EquationSheet& sheet, const Graph& graph,
                                             const LatexLayout& layout = {});

/// What is before a document's text, whose widest line has `width` em.
std::string latex_preamble(double width);

/// Prose as LaTeX in ASCII: special characters escaped, accents and Greek letters as commands, what has no command as
/// `?`.
std::string latex_prose(std::string_view text);
/// `kg*m^2/s` as an upright formula.
std::string latex_unit(std::string_view unit);

}  // namespace dalembert
