// SPDX-License-Identifier: Apache-2.0
// Writes an FMU: its sources, and the library that the C compiler of this machine makes of them.
#pragma once

#include <string>

#include "apps/dalembert/terminal.h"
#include "dalembert/derive/equations.h"

namespace dalembert::app {

struct WrittenFmu {
  std::string path;
  std::string platform;  ///< "linux64"; empty if the FMU has sources only
};

/// Writes the FMU to `output` if that ends with `.fmu`, else as NAME.fmu into the folder `output`, which is created if
/// necessary. Without a C compiler (CC, cc, gcc, clang), or on a machine for which FMI 2.0 has no name, the FMU
/// contains only sources (W0505). Errors: E0508 if the compiler fails, E0501 if the file cannot be written.
WrittenFmu write_fmu(const Equations& equations, const std::string& output, Terminal& terminal);

}  // namespace dalembert::app
