// SPDX-License-Identifier: Apache-2.0
// An FMU as a file: its sources, and what the C compiler of this machine makes of them.
#pragma once

#include <string>

#include "apps/dalembert/terminal.h"
#include "dalembert/derive/equations.h"

namespace dalembert::app {

struct WrittenFmu {
  std::string path;
  std::string platform;  ///< "linux64", or empty: it holds sources only
};

/// Writes the FMU to `output`, where that ends with `.fmu`, else as NAME.fmu into the folder `output`, which is made where
/// there is none. Without a C compiler (CC, cc, gcc, clang), or where FMI 2.0 has no name for this machine, it holds
/// sources only, which W0505 says. Fails with E0508 where the compiler gives up, E0501 where the file cannot be written.
WrittenFmu write_fmu(const Equations& equations, const std::string& output, Terminal& terminal);

}  // namespace dalembert::app
