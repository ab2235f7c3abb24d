// SPDX-License-Identifier: Apache-2.0
// How equations are asked for: which parts, in which form, in which notation.
#pragma once

#include <string>
#include <vector>

#include "dalembert/expr/symbol.h"

namespace dalembert {

/// How entries are written (`--form`).
enum class Form {
  kCanonical,  ///< the cheapest of the forms that algebra knows (algebra/shortest.h)
  kExpanded,   ///< products of sines and cosines as multiple angles, a sum of products
  kAsDerived,  ///< the graph as derivation left it
};

struct LatexLayout {
  double width = 38;        ///< of the widest line in em; that is a page of text in 11 pt
  bool standalone = false;  ///< a document for pdflatex, not a fragment
};

/// What is printed (`--only`): any of equation_parts(); empty: all but Wdot and qdd, λ in closed form where it is
/// short.
struct EquationsFormat {
  Form form = Form::kCanonical;
  Notation notation = Notation::kText;
  std::vector<std::string> only;
  LatexLayout layout;  ///< of LaTeX
  int columns = 100;   ///< of lines in Unicode
};

}  // namespace dalembert
