// SPDX-License-Identifier: Apache-2.0
// Formulas on lines of bounded width.
//
// Breaks are made, in the order of preference: before a relation, between terms, between terms inside parentheses (the
// deeper the worse), between factors; never inside a fraction, a root, an index or the argument of a function. Of all
// ways to break, that with the least total penalty is taken, as in D. E. Knuth, M. F. Plass, Software: Practice and
// Experience 11 (1981) 1119, doi:10.1002/spe.4380111102.
#pragma once

#include <functional>
#include <vector>

#include "dalembert/expr/formula.h"

namespace dalembert {

struct FormulaLine {
  Formula tokens;
  int indent = 0;  ///< steps to the right
};

struct LineMeasure {
  double width = 38;                           ///< of a line
  double step = 1;                             ///< width of one step of indentation
  std::function<double(FormulaPart)> size_of;  ///< of tokens without outer context
};

/// Parentheses that a break tears apart get a fixed size (\bigl, \bigr), for TeX does not stretch them over lines.
std::vector<FormulaLine> break_lines(Formula formula, const LineMeasure& measure);

/// The widest stretch that break_lines cannot break, when it is wider than a line with its indentation; otherwise
/// empty.
FormulaPart unbreakable_part(const Formula& formula, const LineMeasure& measure);

}  // namespace dalembert
