// SPDX-License-Identifier: Apache-2.0
// The conditions and kinks of a system's equations as guards, and its drives, which are terms that depend on time alone
// (dynamics/switching.h).
#pragma once

#include <memory>

#include "dalembert/derive/equations.h"
#include "dalembert/dynamics/switching.h"

namespace dalembert {

/// Null where the equations have neither guards nor drives that may be so narrow that a step misses them.
/// `machine_code`: as in CompileOptions, for the kernel with branches held.
std::shared_ptr<const Switching> find_switching(const Equations& equations, bool machine_code);

}  // namespace dalembert
