// SPDX-License-Identifier: Apache-2.0
// How much work the derivative of a return map may be. The motion of n numbers (coordinates and velocities) is displaced in d directions, which go along it at
// once; each change of a branch and each impact on the way is found again at a displaced state, for each direction.
#pragma once

#include <optional>
#include <string>

#include "dalembert/base/diagnostic.h"
#include "dalembert/dynamics/dynamics.h"

namespace dalembert {

/// Error E0904, with the name of the model, where d directions of n numbers take more than some 500 MB.
std::optional<Diagnostic> refuse_to_displace(const Dynamics& system, const std::string& name);

/// The same where so many changes in one turn, each by d directions of n numbers, take more than a user waits.
std::optional<Diagnostic> refuse_to_displace_changes(const Dynamics& system, const std::string& name, double changes);

}  // namespace dalembert
