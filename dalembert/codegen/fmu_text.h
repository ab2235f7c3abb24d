// SPDX-License-Identifier: Apache-2.0
// The parts of an FMU's C that are the same for every model. `@` stands for the model's identifier.
#pragma once

#include <string_view>

namespace dalembert {

/// NAME_fmi2.h: types and functions of FMI 2.0.
extern const std::string_view kFmiDeclarations;
/// After the generated constants of NAME_fmi2.c: an instance, its values, its start, its messages.
extern const std::string_view kFmuInstance;
/// Internal steps of co-simulation.
extern const std::string_view kFmuSteps;
/// The functions of the interface: those of both kinds, and those of model exchange or co-simulation alone.
extern const std::string_view kFmuCommon, kFmuKinds;

}  // namespace dalembert
