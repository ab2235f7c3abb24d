// SPDX-License-Identifier: Apache-2.0
// Text of --help, with examples first, and the man page.
#pragma once

#include <string>

#include "apps/dalembert/arguments.h"

namespace dalembert::app {

std::string general_help(const Terminal& terminal);
std::string verb_help(const Verb& verb, const Terminal& terminal);
/// The page dalembert(1), for man.
std::string man_page();
/// The same of dalembert-mpi, which has the verb `sweep` alone.
std::string mpi_help(const Terminal& terminal);
std::string mpi_man_page();

}  // namespace dalembert::app
