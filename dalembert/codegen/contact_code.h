// SPDX-License-Identifier: Apache-2.0
// Routines of models with contacts (docs/decisions/0048): first those of a model without contacts, for contacts that are held open
// or closed by numbers after the inputs; then, around them, those that decide the contacts, and steps that end where contacts change.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "dalembert/codegen/program.h"
#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The equations in which each one-sided row is multiplied by an input of its own, 1 while the contact is closed and 0 while it is
/// open. These inputs follow those of the model. If outputs or events read impulses, that of the last impact of each contact is an input after them.
/// Equations without one-sided rows are returned unchanged.
Equations with_contact_inputs(Equations equations);

/// How many inputs with_contact_inputs() has added.
std::size_t contact_inputs(const Equations& equations);

/// Makes routines of a program composed for with_contact_inputs() internal: public ones get the ending _in_mode; where they are
/// about all inputs, the constant nw replaces nu, which from now on counts those of the model alone.
/// `inputs`: contact_inputs().
void hold_contacts(Program& program, std::size_t contacts, std::size_t inputs);

/// The text for a model that keeps the impulses of the last impacts, or for one that does not.
std::string impulse_text(std::string_view text, bool keeps, bool frictions = false);

/// Adds settle_held, guards_held and what else a caller needs who holds contacts, frictions and sides of events; all other routines
/// stay as they were composed. Constants: ni (inputs of the model), ng (guards), nm (numbers of a mode).
std::string add_held_guards(Program& program, const Equations& equations, const Layout& layout);

/// Adds the routines that decide contacts, `step` among them, and public routines with the names that hold_contacts() has
/// changed. `layout` is that of the kernel of with_contact_inputs(). Returns the first error; empty if there is none.
std::string add_contact_routines(Program& program, const Equations& equations, const Layout& layout);

/// Adds the routines of a model with events and without contacts: those that evaluate events, and `step`, which advances by
/// the routine that was composed under that name.
std::string add_event_routines(Program& program, const Equations& equations, const Layout& layout);

}  // namespace dalembert
