// SPDX-License-Identifier: Apache-2.0
// A model with its contacts as they are at a state: the closed ones as constraints, the open ones as none.
#pragma once

#include "dalembert/study/built_model.h"

namespace dalembert {

/// The system in which the contacts keep the states that they have at `state`; the system itself where it has no contacts.
/// With contacts, W0316 is added to its warnings. Errors: E0324 where no motion keeps all contacts.
Result<BuiltModel> hold_contacts_at(const BuiltModel& system, const State& state);

}  // namespace dalembert
