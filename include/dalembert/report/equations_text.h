// SPDX-License-Identifier: Apache-2.0
// Equations for readers: as plain text that the parser reads back, as Unicode for terminals, and as LaTeX; and what
// multipliers mean.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/expr/expr.h"
#include "dalembert/report/format.h"

namespace dalembert {

struct LatexBlock;  // equation_layout.h

/// The names that `only` accepts.
std::vector<std::string> equation_parts();

/// Whether the parts `only` (all parts if empty) include the equations without multipliers (derive/reduce.h).
bool asks_for_reduced(const Equations& equations, const std::vector<std::string>& only);

/// The blocks of the listing as LaTeX, for callers with their own page layout. `format.notation` is ignored.
std::vector<LatexBlock> equation_blocks(const Equations& equations, EquationsFormat format);

/// The whole listing: coordinates, energies, the wanted parts, the equations of motion.
std::string print_equations(const Equations& equations, const EquationsFormat& format);

/// The derivation as one would write it on paper (`derive --steps`): energies, momenta, their rates, Lagrange's equations, the
/// constraints differentiated twice, the elimination that leads to λ.
/// `standalone`: a complete LaTeX document for pdflatex; otherwise paragraphs and align*. `columns`: line width of the
/// Unicode output.
std::string print_derivation(const Equations& equations, Form form, Notation notation, bool standalone = false,
                             int columns = 100);

struct MultiplierMeaning {
  std::string row;   ///< name of the constraint row, such as "pin.x"
  std::string unit;  ///< unit of λ in SI: J/[h] or W/[η]; empty where the model gives no units
  /// Such as "force of the pin on A along x; B feels the opposite", "tension of the rod is -lambda(rod)".
  std::string words;
  std::vector<std::pair<int, Expr>> force;  ///< (coordinate, coefficient): the generalized force is coefficient · λ
};

/// One meaning for each constraint row, in order. λ_j > 0 pushes towards a larger left side h_j (or η_j) of row j.
std::vector<MultiplierMeaning> explain_multipliers(const Equations& equations);

}  // namespace dalembert
