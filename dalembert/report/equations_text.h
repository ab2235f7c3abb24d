// SPDX-License-Identifier: Apache-2.0
// Equations as a person reads them: as text that the parser reads back, in Unicode for terminals, and as LaTeX.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// What is printed (`--only`): any of equation_parts(); empty: all but Wdot and qdd, λ in closed form where it is
/// short.
struct EquationsFormat {
  Form form = Form::kCanonical;
  Notation notation = Notation::kText;
  std::vector<std::string> only;
  LatexLayout layout;  ///< of LaTeX
  int columns = 100;   ///< of lines in Unicode
};

/// The names `only` understands.
std::vector<std::string> equation_parts();

/// Whether these parts, or all where none is named, hold the equations without multipliers (derive/reduce.h).
bool asks_for_reduced(const Equations& equations, const std::vector<std::string>& only);

/// The listing's blocks as LaTeX, for those that lay out a page of their own. `format.notation` is taken to be LaTeX.
std::vector<LatexBlock> equation_blocks(const Equations& equations, EquationsFormat format);

/// The whole listing: coordinates, energies, the wanted parts, the equations of motion.
std::string print_equations(const Equations& equations, const EquationsFormat& format);

}  // namespace dalembert
