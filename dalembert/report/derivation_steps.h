// SPDX-License-Identifier: Apache-2.0
// The derivation as one would write it on paper (`derive --steps`): energies, momenta, their rates, Lagrange's
// equations, the constraints differentiated twice, the elimination that leads to λ.
#pragma once

#include <string>

#include "dalembert/report/equation_printer.h"

namespace dalembert {

/// `standalone`: LaTeX as a document for pdflatex; otherwise paragraphs and align*. `columns`: of lines in Unicode.
std::string print_derivation(const Equations& equations, Form form, Notation notation, bool standalone = false,
                             int columns = 100);

}  // namespace dalembert
