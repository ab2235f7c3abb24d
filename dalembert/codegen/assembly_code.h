// SPDX-License-Identifier: Apache-2.0
// How generated code brings a state onto the constraints while some coordinates and velocities are held.
#pragma once

#include <string>

#include "dalembert/dynamics/kernel.h"

namespace dalembert {

/// The texts (program.h) of the routines assemble_position, of models with position rows, and assemble_velocity: each brings its part of a state
/// onto the constraints by the least change in the mass metric.
std::string assembly_parts(const Layout& layout);

}  // namespace dalembert
