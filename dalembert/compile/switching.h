// SPDX-License-Identifier: Apache-2.0
// The conditions and kinks of a system's equations as guards (dynamics/switching.h), and its drives.
#pragma once

#include <memory>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/switching.h"

namespace dalembert {

/// Null where the equations have neither guards nor drives that may be narrow. Adds nodes to the model's graph.
/// `machine_code`: of branches that are held, as CompileOptions has it.
std::shared_ptr<const Switching> find_switching(const Equations& equations, bool machine_code);

}  // namespace dalembert
