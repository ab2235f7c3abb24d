// SPDX-License-Identifier: Apache-2.0
// The derivation as on paper (`derive --steps`): energies, momenta and their rates, Lagrange's equations, the
// constraints differentiated twice, and the elimination that leads to λ.
#pragma once

#include <string>

#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// `standalone`: a complete LaTeX document for pdflatex; otherwise paragraphs and align*. `columns`: line width of the
/// Unicode output.
std::string print_derivation(const Equations& equations, Form form, Notation notation, bool standalone = false,
                             int columns = 100);

}  // namespace dalembert
