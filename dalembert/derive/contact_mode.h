// SPDX-License-Identifier: Apache-2.0
// Equations while the contacts keep their states: a closed contact is a bilateral row, an open one is none (theory §8).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dalembert/derive/equations.h"

namespace dalembert {

/// What a contact does, as a symbol that outputs, events and integrands contain: closed(row), or with `impulse` impulse(row).
struct ContactResult {
  SymbolId symbol = 0;
  bool impulse = false;
  std::string row;
};
/// Those that the outputs, events and integrands of the model contain, in the order of their symbols.
std::vector<ContactResult> contact_results(const Model& model);
/// Replaces symbols in the outputs, events and integrands of a model by expressions of `graph`.
void substitute_results(Model& model, Graph& graph, const std::unordered_map<SymbolId, Expr>& values);

/// The equations in which outputs and events read impulse(row) from a symbol of its own for each one-sided row, which `add` adds to the model under
/// that name; unchanged if they read no impulse.
Equations with_impulses(Equations equations, const std::function<Expr(Model& model, const std::string& name)>& add);

/// The equations in which each one-sided row is multiplied by a symbol of its own, `closed(row)`, 1 while the contact is closed and 0 while it is
/// open: the one that `add` adds to the model under that name. Outputs and events read it as closed(row).
Equations with_switched_rows(Equations equations,
                             const std::function<Expr(Model& model, const std::string& name)>& add);

/// `closed`: for each of equations.unilateral whether the contact is closed. The multipliers of open contacts are 0. The model of the
/// result has the rows of the closed contacts as bilateral ones. Built in the graph of the equations, or on an overlay of it.
Equations hold_contacts(const Equations& equations, const std::vector<char>& closed);

}  // namespace dalembert
