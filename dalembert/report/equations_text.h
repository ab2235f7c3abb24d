// SPDX-License-Identifier: Apache-2.0
// Equations for readers: as plain text that the parser reads back, as Unicode for terminals, and as LaTeX.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/report/equation_layout.h"
#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// `only` names the parts to print (`--only`), any of equation_parts(). If it is empty, all parts except Wdot and qdd
/// are printed, and λ in closed form only if that is short.
struct EquationsFormat {
  Form form = Form::kCanonical;
  Notation notation = Notation::kText;
  std::vector<std::string> only;
  LatexLayout layout;  ///< used for LaTeX
  int columns = 100;   ///< line width of the Unicode output
};

/// The names that `only` accepts.
std::vector<std::string> equation_parts();

/// Whether the parts `only` (all parts if empty) include the equations without multipliers (derive/reduce.h).
bool asks_for_reduced(const Equations& equations, const std::vector<std::string>& only);

/// The blocks of the listing as LaTeX, for callers with their own page layout. `format.notation` is ignored.
std::vector<LatexBlock> equation_blocks(const Equations& equations, EquationsFormat format);

/// The whole listing: coordinates, energies, the wanted parts, the equations of motion.
std::string print_equations(const Equations& equations, const EquationsFormat& format);

}  // namespace dalembert
