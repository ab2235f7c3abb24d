// SPDX-License-Identifier: Apache-2.0
// Equations as a person reads them, as text and LaTeX, and as JSON values.
#pragma once

#include <string>
#include <vector>

#include "dalembert/derive/equations.h"
#include "dalembert/expr/print.h"

namespace dalembert {

/// How entries are written (`--form`).
enum class Form {
  kCanonical,  ///< products of sines and cosines as multiple angles or factors, whichever is shorter; like terms
               ///< collected
  kExpanded,   ///< canonical, but always as a sum of products
  kAsDerived,  ///< the graph as derivation left it
};

/// What is printed (`--only`): any of M B G F W Wdot a gamma lambda eom; empty: M B G F W a gamma eom.
struct EquationsFormat {
  Form form = Form::kCanonical;
  Notation notation = Notation::kText;
  std::vector<std::string> only;
};

/// The names `only` understands.
std::vector<std::string> equation_parts();

/// One entry in the wanted form. Falls back to the graph, with a note after it, when the canonical form would be too
/// large.
std::string print_entry(const Expr& expression, Form form, Notation notation);

/// The whole listing: coordinates, energies, the wanted parts, the equations of motion.
std::string print_equations(const Equations& equations, const EquationsFormat& format);

}  // namespace dalembert
