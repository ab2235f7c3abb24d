// SPDX-License-Identifier: Apache-2.0
// A model with its contacts as they are at a state: the closed ones as constraints, the open ones as none.
#pragma once

#include <string>

#include "dalembert/study/built_model.h"
#include "dalembert/study/system_at.h"

namespace dalembert {

/// The system in which the contacts keep the states that they have at `state`; the system itself where it has no contacts.
/// With contacts, W0316 is added to its warnings. Errors: E0324 where no motion keeps all contacts.
Result<BuiltModel> hold_contacts_at(const BuiltModel& system, const State& state);

/// Why the contacts do not stay as `given` holds them (SystemAt::contacts) at a steady state that was found of the held system: an open one would be below 0,
/// or a closed one would pull. Empty if they stay, or if that is not decided: multipliers that are not unique are not judged. `state`: of given.system;
/// `up_to_turns`: or one that whole turns of a coordinate lead to, where they change nothing else.
std::string breaks_contacts(const SystemAt& given, const State& state, bool up_to_turns);

}  // namespace dalembert
