// SPDX-License-Identifier: Apache-2.0
// The conditions and kinks of a system's equations as guards (dynamics/switching.h), and its drives.
#pragma once

#include <memory>

#include "dalembert/compile/compile.h"

namespace dalembert {

/// Null where the equations have neither guards nor drives that may be narrow. Adds nodes to the model's graph.
std::shared_ptr<const Switching> find_switching(const Equations& equations, const CompileOptions& options);

}  // namespace dalembert
