// SPDX-License-Identifier: Apache-2.0
// How equations are asked for: which parts, in which form, in which notation.
#pragma once

#include <string>
#include <vector>

#include "dalembert/expr/symbol.h"

namespace dalembert {

/// How entries are written (`--form`).
enum class Form {
  kCanonical,  ///< the shortest form that algebra finds (algebra/shortest.h)
  kExpanded,   ///< products of sines and cosines as multiple angles, then a sum of products
  kAsDerived,  ///< the expression graph as the derivation left it
};

struct LatexLayout {
  double width = 38;        ///< width of the widest line, em; 38 em is the text width of a page in 11 pt
  bool standalone = false;  ///< a complete document for pdflatex, not a fragment
};

/// `only` names the parts to print (`--only`), any of equation_parts(). If it is empty, all parts except Wdot and qdd
/// are printed, and λ in closed form only if that is short.
struct EquationsFormat {
  Form form = Form::kCanonical;
  Notation notation = Notation::kText;
  std::vector<std::string> only;
  LatexLayout layout;              ///< used for LaTeX
  int columns = 100;               ///< line width of the Unicode output
  bool multiplier_system = false;  ///< D λ + d = 0 too, where it can be written, though it is not among `only`
};

}  // namespace dalembert
