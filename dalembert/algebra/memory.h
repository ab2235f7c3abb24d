// SPDX-License-Identifier: Apache-2.0
// What FLINT, Arb and GMP do where there is no memory. By themselves they abort the process.
#pragma once

namespace dalembert {

/// From now on they call std::get_new_handler() then, as `new` does, and abort only where there is none. For a program's main(), before
/// anything else: GMP's functions are changed for the whole process.
void ask_new_handler_for_memory();

}  // namespace dalembert
