// SPDX-License-Identifier: Apache-2.0
// The section of a return map: an event of the model or a one-sided constraint, by name.
#pragma once

#include <optional>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"
#include "dalembert/study/built_model.h"

namespace dalembert {

struct Section {
  int event = -1, contact = -1;  ///< their index, −1 if the section is none of them

  bool any() const { return event >= 0 || contact >= 0; }
};

Section section_of(const BuiltModel& system, const std::string& name);
/// The diagnostic E0102 of a name that section_of() does not know, with the nearest one.
Diagnostic no_such_section(const BuiltModel& system, const std::string& name);

/// The time in s, negative for the past, at which the function g of an event is 0 on the tangent −g/ġ. Nothing where ġ is unknown or 0,
/// or where the event reads integrals over the run.
std::optional<double> seconds_to_event(const Dynamics& dynamics, const State& state, int event);

}  // namespace dalembert
