// SPDX-License-Identifier: Apache-2.0
// The contacts of a model as a kernel evaluates them (dynamics/contacts.h).
#pragma once

#include <memory>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/contacts.h"

namespace dalembert {

/// The equations in which each one-sided row is multiplied by a parameter of its own, 1 while the contact is closed and 0 while it is
/// open. These parameters follow those of the model, all 0. Equations without one-sided rows are returned unchanged.
Equations with_contact_switches(Equations equations);

/// The contacts of equations with_contact_switches(); null where there are none.
std::shared_ptr<const Contacts> compile_contacts(const Equations& equations);

}  // namespace dalembert
