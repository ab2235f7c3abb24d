// SPDX-License-Identifier: Apache-2.0
// What FLINT, Arb and GMP do when an allocation fails. By default they abort the process.
#pragma once

namespace dalembert {

/// Makes FLINT, Arb and GMP call std::get_new_handler() instead, as `new` does, and abort only if there is no handler.
/// Call it first in a program's main(): GMP's allocation functions are changed for the whole process.
void ask_new_handler_for_memory();

}  // namespace dalembert
