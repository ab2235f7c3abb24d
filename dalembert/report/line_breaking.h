// SPDX-License-Identifier: Apache-2.0
// Breaks formulas into lines of bounded width.
//
// Possible breaks in order of preference: before a relation, between terms, between terms inside parentheses (the deeper the
// worse), between factors; never inside a fraction, a root, an index or the argument of a function. The breaks with the least
// total penalty are chosen, as in D. E. Knuth, M. F. Plass, Software: Practice and
// Experience 11 (1981) 1119, doi:10.1002/spe.4380111102.
#pragma once

#include <functional>
#include <vector>

#include "dalembert/expr/formula.h"

namespace dalembert {

struct FormulaLine {
  Formula tokens;
  int indent = 0;  ///< number of indentation steps before the line
};

struct LineMeasure {
  double width = 38;                           ///< width of a line
  double step = 1;                             ///< width of one step of indentation
  std::function<double(FormulaPart)> size_of;  ///< measures the width of a part of a formula on its own
};

/// Breaks the formula. Parentheses that a break separates get a fixed size (\bigl, \bigr), because TeX's growing
/// brackets cannot span lines.
std::vector<FormulaLine> break_lines(Formula formula, const LineMeasure& measure);

/// The widest part that break_lines() cannot break and that does not fit on an indented line; empty if everything fits.
FormulaPart unbreakable_part(const Formula& formula, const LineMeasure& measure);

}  // namespace dalembert
